"""Cards: the board, the graph, one card, and moving it."""

from __future__ import annotations

from collections.abc import Mapping

from cuedeck.model.errors import invalid
from cuedeck.tasks.card import FINISHED, Card, CardStatus
from cuedeck.tasks.card_snapshot import CardSnapshot
from cuedeck.tasks.cards import CardChange
from cuedeck.web.asked import Asked, Page
from cuedeck.web.drawing import Node, layered
from cuedeck.web.html import Html, el, join, url
from cuedeck.web.layout import badge, facts, link, moment, note, panel, post
from cuedeck.web.pages.documents import rendered

# A column longer than this is a list, not a board.
COLUMN = 50
MOST_NODES = 150


def board(asked: Asked) -> Page:
    """Cards by status, and what waits for what."""
    snapshot = asked.workspace.cards.snapshot()
    columns = [_column(asked, status, snapshot) for status in CardStatus]
    body = [
        el("div", columns, class_="board"),
        _broken(asked, snapshot),
        panel("Dependencies", _graph(asked, snapshot)),
    ]
    return Page("Cards", "cards", join(body))


def card(asked: Asked) -> Page:
    """One card with its text and neighbours."""
    content = asked.workspace.cards.content(asked.names["id"])
    found = content.card
    snapshot = asked.workspace.cards.snapshot()
    needs = [
        _small(asked, snapshot.cards[i]) if i in snapshot.cards else f"{i} (missing)"
        for i in found.depends_on
    ]
    needed = [_small(asked, other) for other in snapshot.neighbours(found.id, reverse=True).cards]
    shown = facts(
        [
            ("Status", badge(found.status)),
            ("Priority", badge(found.priority)),
            ("Assignee", found.assignee),
            ("Tags", ", ".join(found.tags)),
            ("Waits for", join(el("div", each) for each in needs)),
            ("Awaited by", join(el("div", each) for each in needed)),
            ("Refers to", join(el("div", link(ref, "/document", path=ref)) for ref in found.refs)),
            ("Updated", moment(int(found.updated.timestamp() * 1000)) if found.updated else None),
            ("File", link(found.path, "/document", path=found.path)),
        ]
    )
    body = [shown, _moves(asked, found, back=False), el("article", rendered(asked, found.path, content.body))]
    return Page(asked.masked(found.title), "cards", join(body))


def move(asked: Asked) -> str:
    """Give a card another status."""
    wanted = asked.form.get("status", "")
    if wanted not in set(CardStatus):
        raise invalid("status", ", ".join(CardStatus), wanted)
    moved = asked.workspace.cards.update(asked.names["id"], CardChange(status=CardStatus(wanted)))
    return "/cards" if asked.form.get("back") else url(f"/cards/{moved.id}")


def _column(asked: Asked, status: CardStatus, snapshot: CardSnapshot) -> Html:
    cards = [card for card in snapshot.cards.values() if card.status is status]
    shown = [_tile(asked, card) for card in cards[:COLUMN]]
    rest = note(f"and {len(cards) - COLUMN} more") if len(cards) > COLUMN else None
    return el(
        "section", el("h2", status.value, " ", el("small", len(cards))), shown, rest, data_status=status.value
    )


def _tile(asked: Asked, card: Card) -> Html:
    about = [badge(card.priority), card.assignee, *(f"#{tag}" for tag in card.tags[:4])]
    return el(
        "article",
        link(asked.masked(card.title), f"/cards/{card.id}"),
        el("p", [[each, " "] for each in about if each], class_="about"),
        _moves(asked, card, back=True),
        class_="tile",
        id=f"card-{card.id}",
    )


def _moves(asked: Asked, card: Card, *, back: bool) -> Html | None:
    """One button for every other status."""
    if not asked.writable:
        return None
    came: Mapping[str, str] = {"back": "1"} if back else {}
    buttons = [
        post(url(f"/cards/{card.id}/move"), f"→ {status}", status=status.value, **came)
        for status in CardStatus
        if status is not card.status
    ]
    return el("div", buttons, class_="moves", aria_label="Move to")


def _small(asked: Asked, card: Card) -> Html:
    return join([link(asked.masked(card.title), f"/cards/{card.id}"), " ", badge(card.status)])


def _broken(asked: Asked, snapshot: CardSnapshot) -> Html | None:
    if not snapshot.broken:
        return None
    lines = [el("li", broken.path, ": ", asked.masked(broken.problem.message)) for broken in snapshot.broken]
    return panel("Unreadable files among the cards", el("ul", lines))


def _graph(asked: Asked, snapshot: CardSnapshot) -> Html:
    """Open cards that wait or are waited for; finished ones only where an open one waits for them."""
    graph = snapshot.graph
    open_ = [i for i, card in snapshot.cards.items() if card.status not in FINISHED]
    joined = [i for i in open_ if graph.needs[i] or graph.needed_by[i]]
    around = dict.fromkeys([*joined, *(target for i in joined for target in graph.needs[i])])
    if not around:
        return note("No open card waits for another.")
    chosen = list(around)[:MOST_NODES]
    nodes = {
        i: Node(asked.masked(snapshot.cards[i].title), snapshot.cards[i].status, url(f"/cards/{i}"))
        for i in chosen
    }
    hidden = (
        note(f"{len(around) - MOST_NODES} more cards are not drawn.") if len(around) > MOST_NODES else None
    )
    return join([layered(graph.within(chosen), nodes, "Which card waits for which"), hidden])
