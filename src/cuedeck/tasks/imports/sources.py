"""Which tool a file or folder is from, and reading it."""

from __future__ import annotations

from pathlib import Path

from cuedeck.model.errors import CueError, ErrorCode, not_found
from cuedeck.tasks.imports.backlog import read_backlog
from cuedeck.tasks.imports.beads import read_beads
from cuedeck.tasks.imports.foreign import ForeignTasks
from cuedeck.tasks.imports.todo_txt import read_todo_txt

FORMATS = ("beads", "backlog", "todo.txt")
MAX_BYTES = 256 * 1024 * 1024


def read_source(path: Path, form: str | None = None) -> ForeignTasks:
    """Read tasks from a path; the format is recognised when it is not given."""
    if not path.exists():
        raise not_found(f"There is no {path}", path=str(path))
    form = form or _recognised(path)
    if form == "backlog":
        return read_backlog(path if path.is_dir() else path.parent)
    if form == "beads":
        return read_beads(_text(path / ".beads" / "issues.jsonl" if path.is_dir() else path))
    return read_todo_txt(_text(path))


def _recognised(path: Path) -> str:
    if path.is_dir():
        if (path / ".beads" / "issues.jsonl").is_file():
            return "beads"
        if (path / "backlog").is_dir() or (path / "tasks").is_dir():
            return "backlog"
    elif path.suffix in (".jsonl", ".ndjson"):
        return "beads"
    elif path.suffix == ".txt":
        return "todo.txt"
    raise CueError(
        ErrorCode.VALIDATION,
        f"{path} is not recognised as an export",
        data={"path": str(path)},
        hint=f"Name the format with --format: {', '.join(FORMATS)}.",
    )


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise CueError(ErrorCode.VALIDATION, f"{path} is larger than {MAX_BYTES} bytes")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise CueError(ErrorCode.VALIDATION, f"{path} is not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise not_found(f"{path} cannot be read: {error.strerror}", path=str(path)) from None
