"""Whether the settings are valid."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from cuedeck.config import load_config
from cuedeck.config.load import variables_without_setting
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
    for name, meant in variables_without_setting(os.environ).items():
        yield Finding(
            "environment",
            Status.WARN,
            f"The variable {name} is no setting and is ignored.",
            fix=f"Name it {meant}." if meant else "Unset it; two underscores follow a section's name.",
        )


def _line(path: Path, number: int) -> str | None:
    lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    return lines[number - 1] if number <= len(lines) else None
