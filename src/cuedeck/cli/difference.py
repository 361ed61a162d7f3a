"""A change of a text file, shown line by line."""

from __future__ import annotations

import difflib

from cuedeck.cli.output import coloured

_COLOURS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}


def difference(before: str, after: str, name: str) -> str:
    """A unified diff, coloured on a terminal."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), name, name, lineterm="", n=2)
    if not coloured():
        return "\n".join(lines)
    return "\n".join(f"{_COLOURS[line[0]]}{line}\x1b[0m" if line[:1] in _COLOURS else line for line in lines)
