"""Task cards in markdown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cuedeck.cli.frame import Here, group, subcommand, words
from cuedeck.cli.importing import FORMATS, show_report
from cuedeck.cli.listing import aligned, plain

if TYPE_CHECKING:
    from cuedeck.tasks.card import Card

STATUSES = click.Choice(["todo", "active", "done", "archived"])
PRIORITIES = click.Choice(["low", "medium", "high", "critical"])

command = group("card", "Task cards in markdown.")


@subcommand(command, "new", json=True)
@words("title")
@click.option("--depends-on", multiple=True, metavar="ID", help="A card this one waits for.")
@click.option("--tag", "tags", multiple=True, help="A tag.")
@click.option("--priority", type=PRIORITIES, default="medium", show_default=True)
@click.option("--assignee", help="Who does it.")
def new(here: Here, title: str, priority: str, **options: Any) -> None:
    """Create a card."""
    from cuedeck.tasks.card import CardPriority
    from cuedeck.tasks.cards import CardDraft

    draft = CardDraft(title, priority=CardPriority(priority), **options)
    with here.open() as workspace:
        card = workspace.cards.create(draft)
    here.output.show(card.to_json(), f"{card.id}  {card.path}")


@subcommand(command, "list", json=True)
@click.option("--status", type=STATUSES)
@click.option("--assignee", help="Who does it.")
@click.option("--tag", "tags", multiple=True, help="Any of these tags.")
@click.option("--priority", type=PRIORITIES)
@click.option("--created", metavar="WHEN", help="2024-05, >2w (within), <7d (older), today.")
@click.option("--updated", metavar="WHEN", help="Like --created.")
@click.option("--ready", is_flag=True, help="Only open cards that nothing holds back.")
def list_cards(here: Here, ready: bool, **filters: Any) -> None:
    """List cards, most urgent first."""
    from datetime import UTC, datetime

    from cuedeck.tasks.card_query import card_query

    query = card_query(now=datetime.now(UTC), **filters)
    with here.open() as workspace:
        snapshot = workspace.cards.snapshot()
    cards = [card for card in (snapshot.ready() if ready else snapshot.cards.values()) if query.matches(card)]
    for broken in snapshot.broken:
        here.output.note(f"{broken.path}:{broken.problem.line}: {broken.problem.message}")
    here.output.show([card.to_json() for card in cards], lambda: _table(cards) or "No cards.")


@subcommand(command, "show", json=True)
@click.argument("card_id", metavar="ID")
def show(here: Here, card_id: str) -> None:
    """Show one card."""
    with here.open() as workspace:
        content = workspace.cards.content(card_id)
    value = {**content.card.to_json(), "body": content.body}
    here.output.show(value, lambda: _details(content.card, content.body))


@subcommand(command, "edit", json=True)
@click.argument("card_id", metavar="ID")
@click.option("--title")
@click.option("--status", type=STATUSES)
@click.option("--priority", type=PRIORITIES)
@click.option("--assignee", help="Empty clears it.")
@click.option("--tag", "tags", multiple=True, help="Replaces the tags.")
@click.option("--depends-on", multiple=True, metavar="ID", help="Replaces the dependencies.")
@click.option("--note", "notes", help="Adds a dated note.")
def edit(here: Here, card_id: str, **options: Any) -> None:
    """Change a card; without options, open it in your editor."""
    from cuedeck.tasks.card import CardPriority, CardStatus
    from cuedeck.tasks.cards import CardChange

    given = {name: value for name, value in options.items() if value not in (None, ())}
    with here.open() as workspace:
        if not given:
            from cuedeck.cli.finder.editor import edit as open_editor

            path = workspace.root / workspace.cards.get(card_id).path
            if code := open_editor(path, 1):
                raise click.ClickException(f"The editor ended with exit code {code}.")
            card = workspace.cards.get(card_id)
        else:
            if "status" in given:
                given["status"] = CardStatus(given["status"])
            if "priority" in given:
                given["priority"] = CardPriority(given["priority"])
            card = workspace.cards.update(card_id, CardChange(**given))
    here.output.show(card.to_json(), lambda: _table([card]))


@subcommand(command, "deps", json=True)
@click.argument("card_id", metavar="ID")
@click.option("-r", "--reverse", is_flag=True, help="What waits for it instead.")
@click.option("--all", "everything", is_flag=True, help="Not only the next step.")
def deps(here: Here, card_id: str, reverse: bool, everything: bool) -> None:
    """What a card waits for."""
    from cuedeck.graph import closure

    with here.open() as workspace:
        found = workspace.cards.neighbours(card_id, reverse=reverse)
        snapshot = workspace.cards.snapshot()
    cards: list[Card] = list(found.cards)
    if everything:
        cards = [snapshot.cards[other] for other in closure(snapshot.graph, card_id, reverse=reverse)]
    value = {"id": card_id, "tasks": [card.to_json() for card in cards], "missing": list(found.missing)}
    lost = [f"{plain(target)}  does not exist" for target in found.missing]
    here.output.show(value, lambda: "\n".join(filter(None, [_table(cards), *lost])) or "None.")


@subcommand(command, "graph")
@click.option(
    "--format", "form", type=click.Choice(["mermaid", "dot", "json"]), default="mermaid", show_default=True
)
def graph(here: Here, form: str) -> None:
    """Draw what waits for what."""
    from cuedeck.graph.drawing import DRAWINGS

    with here.open() as workspace:
        snapshot = workspace.cards.snapshot()
    here.output.line(DRAWINGS[form](snapshot.graph, snapshot.labels()).rstrip("\n"))


@subcommand(command, "validate", json=True)
def validate(here: Here) -> int:
    """Check every card; exit code 1 when something is wrong."""
    from cuedeck.model.finding import Status
    from cuedeck.tasks.doctor import check

    with here.open() as workspace:
        findings = list(check(workspace))
    wrong = [finding for finding in findings if finding.status is Status.FAIL]
    value = {
        "valid": not wrong,
        "findings": [
            {
                "check": item.check,
                "status": item.status,
                "message": item.message,
                "file": item.file,
                "line": item.line,
            }
            for item in findings
        ],
    }
    rows = [[item.status, item.file or "", item.message] for item in findings]
    here.output.show(value, lambda: aligned(rows))
    return 1 if wrong else 0


@subcommand(command, "archive", json=True)
@click.argument("card_ids", metavar="[ID]...", nargs=-1)
@click.option("--older-than", metavar="AGE", help="All done cards not updated for 30d, 4w, 6m, 1y.")
def archive(here: Here, card_ids: tuple[str, ...], older_than: str | None) -> None:
    """Archive cards; they stay where they are."""
    from datetime import UTC, datetime

    from cuedeck.tasks.card import CardStatus
    from cuedeck.tasks.card_query import CardQuery
    from cuedeck.tasks.cards import CardChange
    from cuedeck.tasks.dates import older_than_period

    if not card_ids and not older_than:
        raise click.UsageError("Name a card, or give --older-than.")
    with here.open() as workspace:
        wanted = list(card_ids)
        if older_than:
            period = older_than_period("older_than", older_than, now=datetime.now(UTC))
            query = CardQuery(status=CardStatus.DONE, updated=period)
            wanted += [card.id for card in workspace.cards.list(query)]
        change = CardChange(status=CardStatus.ARCHIVED)
        cards = [workspace.cards.update(card_id, change) for card_id in dict.fromkeys(wanted)]
    here.output.show([card.to_json() for card in cards], lambda: _table(cards) or "Nothing to archive.")


@subcommand(command, "board")
@click.option("--assignee", help="Who does it.")
@click.option("--tag", "tags", multiple=True, help="Any of these tags.")
def board(here: Here, **filters: Any) -> None:
    """Show open work side by side."""
    from datetime import UTC, datetime

    from cuedeck.cli.board import board_of
    from cuedeck.cli.output import console
    from cuedeck.tasks.card_query import card_query

    query = card_query(now=datetime.now(UTC), **filters)
    with here.open() as workspace:
        snapshot = workspace.cards.snapshot()
    console().print(board_of(snapshot, query))


@subcommand(command, "import", json=True)
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--format", "form", type=FORMATS, help="Recognised when not given.")
@click.option("--dry-run", is_flag=True, help="Only report.")
def import_cards(here: Here, path: Path, form: str | None, dry_run: bool) -> None:
    """Import from beads (JSONL), Backlog.md (a folder) or todo.txt."""
    from cuedeck.tasks.imports.sources import read_source
    from cuedeck.tasks.imports.targets import into_cards

    found = read_source(path, form)
    with here.open() as workspace, here.output.progress("Importing") as progress:
        report = into_cards(workspace.cards, found, dry_run=dry_run, progress=progress)
    show_report(here, report)


def _table(cards: list[Card]) -> str:
    return aligned([card.id, card.status, card.priority, card.assignee, card.title] for card in cards)


def _details(card: Card, body: str) -> str:
    value = card.to_json()
    fields = [
        [f"{name}:", ", ".join(item) if isinstance(item, list) else item] for name, item in value.items()
    ]
    return aligned(fields) + "\n\n" + "\n".join(map(plain, body.strip("\n").splitlines()))
