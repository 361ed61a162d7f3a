"""The board: open cards in columns, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from cuedeck.cli.listing import plain

if TYPE_CHECKING:
    from cuedeck.tasks.card import Card
    from cuedeck.tasks.card_query import CardQuery
    from cuedeck.tasks.card_snapshot import CardSnapshot

_COLOURS = {"critical": "bold red", "high": "yellow", "medium": "", "low": "dim"}
_DONE_SHOWN = 10


def board_of(snapshot: CardSnapshot, query: CardQuery) -> Table:
    """Waiting, ready, active and lately done cards."""
    cards = snapshot.matching(query)
    ready = {card.id for card in snapshot.ready()}
    done = sorted((card for card in cards if card.status == "done"), key=_age, reverse=True)
    columns = {
        "Waiting": [card for card in cards if card.status == "todo" and card.id not in ready],
        "Ready": [card for card in cards if card.id in ready],
        "Active": [card for card in cards if card.status == "active"],
        "Done": done[:_DONE_SHOWN],
    }
    counts = {**{title: len(column) for title, column in columns.items()}, "Done": len(done)}
    table = Table(expand=True, padding=(0, 1))
    for title in columns:
        table.add_column(f"{title} ({counts[title]})", ratio=1, overflow="fold")
    table.add_row(*(Text("\n").join(map(_entry, column)) for column in columns.values()))
    return table


def _age(card: Card) -> float:
    moment = card.updated or card.created
    return moment.timestamp() if moment else 0.0


def _entry(card: Card) -> Text:
    who = f" {card.assignee}" if card.assignee else ""
    return Text(plain(f"{card.id} {card.title}{who}"), style=_COLOURS[card.priority])
