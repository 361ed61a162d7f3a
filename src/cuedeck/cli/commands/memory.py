"""Look inside the memories, and add to them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cuedeck.cli.frame import Here, group, subcommand, words

if TYPE_CHECKING:
    from cuedeck.memory.memories import Stored
    from cuedeck.memory.model import Memory

ACTOR = "cli"
STANDARD = Path("-")
_TYPES = ["knowledge", "episode", "decision", "pattern", "code_chunk"]

command = group("memory", "Look inside the memories.")


def _line(memory: Memory) -> str:
    return f"{memory.id}  {memory.type:<10}  {memory.project or '-':<12}  {memory.shown_title}"


@subcommand(command, "list", json=True)
@click.option("--type", type=click.Choice(_TYPES), help="Only this type.")
@click.option("--project", help="Only this project.")
@click.option("--deleted", is_flag=True, help="Those that can be restored.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 10_000), help="How many.")
@click.option("--after", default="", help="Continue after this id.")
def list_memories(
    here: Here, type: str | None, project: str | None, deleted: bool, limit: int, after: str
) -> None:
    """List memories, oldest first."""
    from cuedeck.memory.model import MemoryType

    with here.open() as workspace:
        found = workspace.memory.page(
            type=MemoryType(type) if type else None,
            project=project,
            deleted=deleted,
            after=after,
            limit=limit,
        )
    here.output.show([one.to_json() for one in found], lambda: "\n".join(map(_line, found)) or "No memories.")


@subcommand(command, "add", json=True)
@words("content")
@click.option("--type", default="knowledge", show_default=True, type=click.Choice(_TYPES), help="What it is.")
@click.option("--title", help="A line to show for it.")
@click.option("--project", default="", help="What it belongs to.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be repeated.")
@click.option(
    "--confidence", default=1.0, show_default=True, type=click.FloatRange(0, 1), help="How sure you are."
)
def add(
    here: Here,
    content: str,
    type: str,
    title: str | None,
    project: str,
    tags: tuple[str, ...],
    confidence: float,
) -> None:
    """Remember something; - reads it from standard input."""
    import sys

    from cuedeck.memory.model import Draft, MemoryType

    text = sys.stdin.read() if content == "-" else content
    draft = Draft(MemoryType(type), text, title, project=project, tags=tags, confidence=confidence)
    with here.open() as workspace:
        stored = workspace.memory.store(draft, actor=ACTOR)
        if not stored.duplicate:
            workspace.citations.note(stored.memory, actor=ACTOR)
    links = [link.to_json() for link in stored.links]
    value = {**stored.memory.to_json(), "links": links, "duplicate": stored.duplicate}
    here.output.show(value, lambda: _added(stored))


def _added(stored: Stored) -> str:
    memory = stored.memory
    said = "Already known as" if stored.duplicate else "Remembered as"
    masked = [f"masked: {stored.masked} secret{'s' if stored.masked > 1 else ''}"] if stored.masked else []
    return "\n".join([f"{said} {memory.id}: {memory.shown_title}", *masked])


@subcommand(command, "show", json=True)
@click.argument("id")
def show(here: Here, id: str) -> None:
    """Show one memory with its links, deleted or not."""
    from cuedeck.model.clock import iso

    with here.open() as workspace:
        memory, access, links = workspace.memory.peek(id)
    value = {
        **memory.to_json(),
        "deleted_at": iso(memory.deleted_at) if memory.deleted_at else None,
        "access_count": access.count,
        "links": [link.to_json() for link in links],
    }
    here.output.show(value, lambda: _page(value, memory))


def _page(value: dict[str, Any], memory: Memory) -> str:
    shown = (
        "id",
        "type",
        "project",
        "tags",
        "confidence",
        "created_at",
        "updated_at",
        "deleted_at",
        "access_count",
    )
    head = [f"{name}: {value[name]}" for name in shown if value[name] not in (None, [], "")]
    head += [f"{name}: {inner}" for name, inner in memory.metadata.items()]
    links = [
        f"  {link['from_id']} → {link['to_id']}  {link['strength']:.2f}  {link['reason']}"
        for link in value["links"]
    ]
    return "\n".join(
        [memory.shown_title, *head, "", memory.content, *(["", "links:", *links] if links else [])]
    )


@subcommand(command, "search", json=True)
@words("query")
@click.option("--type", type=click.Choice(_TYPES), help="Only this type.")
@click.option("--project", help="Only this project.")
@click.option("--tag", "tags", multiple=True, help="Only with this tag; may be repeated.")
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 200), help="How many.")
@click.option(
    "--fusion", default="rrf", show_default=True, type=click.Choice(["rrf", "blend"]), help="How to rank."
)
@click.option("--as-of", help="As it was at this time (ISO 8601).")
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
def search(
    here: Here,
    query: str,
    type: str | None,
    project: str | None,
    tags: tuple[str, ...],
    limit: int,
    fusion: str,
    as_of: str | None,
    explain: bool,
) -> None:
    """Search memories by keyword and meaning."""
    from cuedeck.memory import answer, checks
    from cuedeck.memory.model import MemoryType
    from cuedeck.memory.moments import moment
    from cuedeck.memory.query import Filters, Fusion, Query

    asked = Query(
        query,
        Filters(MemoryType(type) if type else None, project or None, checks.tags(tags)),
        max_results=limit,
        fusion=Fusion(fusion),
        as_of=moment("as_of", as_of) if as_of else None,
        explain=explain,
    )
    with here.open() as workspace:
        found = workspace.memory.search(asked)
    mode = "hybrid" if found.semantic else "keyword"
    value = {"mode_used": mode, **answer.to_json(found, asked.max_tokens)}
    here.output.show(value, lambda: _hits(value))


def _hits(value: dict[str, Any]) -> str:
    lines = [
        f"{hit['score']:.3f}  {hit['id']}  {hit['title']}\n       {hit['snippet']}" for hit in value["index"]
    ]
    return "\n".join([*lines, f"{value['total_count']} in all"])


@subcommand(command, "stats", json=True)
@click.option("--type", type=click.Choice(_TYPES), help="Only this type.")
@click.option("--project", help="Only this project.")
def stats(here: Here, type: str | None, project: str | None) -> None:
    """Count memories by type, project and tag."""
    from cuedeck.memory.model import MemoryType

    with here.open() as workspace:
        value = workspace.memory.stats(project=project, type=MemoryType(type) if type else None)
    here.output.show(value, lambda: "\n".join(f"{name}: {inner}" for name, inner in value.items()))


@subcommand(command, "log", json=True)
@click.option("--after", default=0, help="Begin after this sequence number.")
@click.option("--limit", default=100, show_default=True, type=click.IntRange(1, 100_000), help="How many.")
@click.option("--follow", is_flag=True, help="Go on as changes happen; one JSON object a line with --json.")
def show_log(here: Here, after: int, limit: int, follow: bool) -> None:
    """Show who changed what, in order."""
    import json

    from cuedeck.memory import feed

    with here.open() as workspace:
        state = workspace.store.state
        if not follow:
            changes = feed.read(state, after=after, limit=limit)
            here.output.show(
                [feed.to_json(one) for one in changes], lambda: "\n".join(map(feed.as_line, changes))
            )
            return
        for change in feed.follow(state, after=after):
            shown = (
                json.dumps(feed.to_json(change), ensure_ascii=False)
                if here.output.as_json
                else feed.as_line(change)
            )
            here.output.line(shown)


@subcommand(command, "restore", json=True)
@click.argument("id")
def restore(here: Here, id: str) -> None:
    """Bring back a memory deleted in the last 90 days."""
    with here.open() as workspace:
        memory = workspace.memory.restore(id, actor=ACTOR)
    here.output.show(memory.to_json(), f"Restored {memory.id}: {memory.shown_title}")


@subcommand(command, "forget", json=True)
@click.argument("id")
@click.option("--yes", is_flag=True, help="Do not ask.")
def forget(here: Here, id: str, yes: bool) -> None:
    """Remove a memory and its history for good."""
    with here.open() as workspace:
        if not yes and not here.output.as_json:
            workspace.memory.check_remembered(id)
            click.confirm(f"Forget {id} and everything the change log says of it?", abort=True)
        workspace.memory.forget(id, actor=ACTOR)
    here.output.show({"id": id, "forgotten": True}, f"Forgot {id}.")


@subcommand(command, "export")
@click.argument("path", default="-", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
def export_memories(here: Here, path: Path) -> None:
    """Write every memory and link as JSON lines, to a file or to standard output."""
    import json

    from cuedeck.memory import transfer

    with here.open() as workspace:
        lines = (json.dumps(entry, ensure_ascii=False) for entry in transfer.export(workspace.store.state))
        if path == STANDARD:
            for line in lines:
                here.output.line(line)
            return
        with path.open("w", encoding="utf-8") as file:
            count = sum(file.write(line + "\n") > 0 for line in lines)
    here.output.note(f"{count} {'line' if count == 1 else 'lines'} written to {path}")


@subcommand(command, "import", json=True)
@click.argument("path", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
def import_memories(here: Here, path: Path) -> None:
    """Add the memories and links of such a file, or of standard input (-); what is known is left alone."""
    from cuedeck.memory import transfer

    file = click.open_file(str(path), encoding="utf-8", errors="surrogateescape")
    with here.open() as workspace, file:
        done = transfer.load(workspace.memory, file, actor=ACTOR)
        workspace.memory.completion.drain(600)
    here.output.show(
        done.to_json(), f"{done.memories} memories and {done.links} links added, {done.known} known."
    )
