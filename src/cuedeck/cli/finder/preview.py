"""The part of a file around a line, safe to print."""

from __future__ import annotations

import re
from pathlib import Path

from cuedeck.cli.listing import lines_of
from cuedeck.model.errors import CueError
from cuedeck.paths import confine_file, read_file

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
LARGEST_BYTES = 400_000


def preview(root: Path, path: str, line: int, height: int) -> list[tuple[int, str]]:
    """Numbered lines with the wanted one near the top; a reason instead when the file cannot be shown."""
    try:
        data = read_file(confine_file(root, path), at_most=LARGEST_BYTES).data
    except CueError as error:
        return [(0, error.message)]
    if b"\0" in data[:8000]:
        return [(0, "binary file")]
    lines = lines_of(data.decode("utf-8", "replace"))
    first = max(0, min(line - 4, len(lines) - height))
    return [
        (number, _CONTROL.sub("\ufffd", text.expandtabs(4))[:400])
        for number, text in enumerate(lines[first : first + height], first + 1)
    ]
