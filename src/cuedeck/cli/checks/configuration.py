"""Whether the settings are valid."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cuedeck.config import load_config
from cuedeck.model.errors import CueError
from cuedeck.model.finding import Finding, Status, passed

NAME = "settings"


def check(root: Path) -> Iterator[Finding]:
    """Read every layer as any command does."""
    try:
        load_config(root)
    except CueError as error:
        file, line = error.data.get("file"), error.data.get("line")
        excerpt = _line(root / file, line) if file and line else None
        yield Finding(NAME, Status.FAIL, error.message, file, line, excerpt, error.hint)
    else:
        yield passed(NAME, "Every setting is known and valid.")


def _line(path: Path, number: int) -> str | None:
    lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    return lines[number - 1] if number <= len(lines) else None
