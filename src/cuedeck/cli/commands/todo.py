"""The local user's to-do list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cuedeck.cli.frame import Here, group, subcommand, words
from cuedeck.cli.importing import FORMATS, show_report
from cuedeck.cli.listing import aligned, plain
from cuedeck.model.errors import CueError, ErrorCode

if TYPE_CHECKING:
    from cuedeck.tasks.todos import Todo, TodoList, Which

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

STATUSES = click.Choice(["incomplete", "complete", "all"])

command = group("todo", "The local user's to-do list.")
user = click.option("--user", "user_id", metavar="UUID", help="Another local user than the configured one.")


@subcommand(command, "add", json=True)
@words("title")
@click.option("--description")
@click.option("--due", "due_date", metavar="YYYY-MM-DD")
@user
def add(here: Here, title: str, user_id: str | None, **options: Any) -> None:
    """Put a todo on the list."""
    with _mine(here, user_id) as mine:
        _show(here, mine.add(title, **options))


@subcommand(command, "list", json=True)
@click.option(
    "--status", type=click.Choice(["incomplete", "complete", "all"]), default="incomplete", show_default=True
)
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@click.option("--offset", type=click.IntRange(0), default=0)
@user
def list_todos(here: Here, status: Any, limit: int, offset: int, user_id: str | None) -> None:
    """Show the list, newest first."""
    with _mine(here, user_id) as mine:
        page = mine.list(status, limit=limit, offset=offset)
    value = {"tasks": [todo.to_json() for todo in page.todos], "count": len(page.todos), "total": page.total}
    here.output.show(value, lambda: aligned(map(_row, page.todos)) or "Nothing to do.")
    if offset + len(page.todos) < page.total:
        here.output.note(f"{page.total - offset - len(page.todos)} more: --offset {offset + len(page.todos)}")


@subcommand(command, "done", json=True)
@words("which", metavar="ID|TITLE")
@click.option("--not", "reopen", is_flag=True, help="Mark it as not done.")
@user
def done(here: Here, which: str, reopen: bool, user_id: str | None) -> None:
    """Mark a todo as complete."""
    with _mine(here, user_id) as mine:
        _show(here, mine.complete(_which(which), complete=not reopen))


@subcommand(command, "edit", json=True)
@words("which", metavar="ID|TITLE")
@click.option("--title")
@click.option("--description", help="Empty clears it.")
@click.option("--due", "due_date", metavar="YYYY-MM-DD", help="Empty clears it.")
@user
def edit(here: Here, which: str, user_id: str | None, **options: str | None) -> None:
    """Change a todo."""
    changes: dict[str, Any] = {
        name: value or (value if name == "title" else None)
        for name, value in options.items()
        if value is not None
    }
    with _mine(here, user_id) as mine:
        _show(here, mine.update(_which(which), **changes))


@subcommand(command, "rm", json=True)
@words("which", metavar="ID|TITLE", required=False)
@click.option("--completed", is_flag=True, help="All completed ones.")
@user
def remove(here: Here, which: str, completed: bool, user_id: str | None) -> None:
    """Delete a todo; `cue todo undo` brings it back."""
    if bool(which) is completed:
        raise click.UsageError("Name a todo, or give --completed.")
    with _mine(here, user_id) as mine:
        if completed:
            count = mine.delete_completed()
            here.output.show({"deleted_count": count}, f"{count} deleted.")
        else:
            todo = mine.delete(_which(which))
            here.output.show({"deleted_count": 1, "task": todo.to_json()}, plain(f"Deleted '{todo.title}'."))


@subcommand(command, "undo", json=True)
@user
def undo(here: Here, user_id: str | None) -> None:
    """Take the last change back."""
    with _mine(here, user_id) as mine:
        what = mine.undo()
    here.output.show({"undone": what}, plain(f"Undid {what}." if what else "There is nothing to undo."))


@subcommand(command, "import", json=True)
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--format", "form", type=FORMATS, help="Recognised when not given.")
@click.option("--dry-run", is_flag=True, help="Only report.")
@user
def import_todos(here: Here, path: Path, form: str | None, dry_run: bool, user_id: str | None) -> None:
    """Import from todo.txt, beads (JSONL) or Backlog.md (a folder); one undo takes it back."""
    from cuedeck.tasks.imports.sources import read_source
    from cuedeck.tasks.imports.targets import into_todos

    found = read_source(path, form)
    with _mine(here, user_id) as mine:
        show_report(here, into_todos(mine, found, dry_run=dry_run))


@contextmanager
def _mine(here: Here, user_id: str | None) -> Iterator[TodoList]:
    from cuedeck.model.principal import Principal
    from cuedeck.tasks.identity import owner

    with here.open() as workspace:
        user = user_id or workspace.config.user.id
        if not user:
            raise _nobody()
        yield workspace.todos.of(owner(Principal(user)))


def _nobody() -> CueError:
    from uuid import uuid4

    from cuedeck.tasks.identity import NO_USER

    hint = f'Set CUEDECK_USER, or write into .cuedeck/config.toml: user.id = "{uuid4()}"'
    return CueError(ErrorCode.UNAUTHORIZED, NO_USER, hint=hint)


def _which(text: str) -> Which:
    from cuedeck.tasks.todos import Which

    return Which(id=text) if _ID.fullmatch(text) else Which(title=text)


def _show(here: Here, todo: Todo) -> None:
    here.output.show(todo.to_json(), lambda: aligned([_row(todo)]))


def _row(todo: Todo) -> list[str | None]:
    return ["x" if todo.completed_at else "-", todo.due_date, todo.title, todo.id]
