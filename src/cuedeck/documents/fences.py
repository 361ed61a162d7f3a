"""Fenced code in a text: blanked, or closed where it was left open, in one pass over the fences."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$", re.MULTILINE)


def without_fenced_code(text: str) -> str:
    """The text with fenced code blanked, line for line; a fence that is never closed goes to the end."""
    pieces, at = [], 0
    for start, end, _ in _blocks(text):
        pieces += [text[at:start], "\n" * text.count("\n", start, end)]
        at = len(text) if end is None else end
    return "".join([*pieces, text[at:]])


def with_fences_closed(text: str) -> str:
    """The text with a fence at its end, where one was left open."""
    for _, end, fence in _blocks(text):
        if end is None:
            return f"{text}\n{fence}"
    return text


def _blocks(text: str) -> Iterator[tuple[int, int | None, str]]:
    """Start, end and fence of every block; only the last may have no end."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        info = fence[2].strip()
        if opened is None:
            opened = fence if "~" in fence[1] or "`" not in info else None
        elif fence[1].startswith(opened[1]) and not info:
            yield opened.start(), fence.end(), opened[1]
            opened = None
    if opened is not None:
        yield opened.start(), None, opened[1]
