"""Rows of text on a terminal: aligned, one line each, with nothing in them that could steer it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

_LINE_END = re.compile(r"\r\n|\n|\r")


def plain(text: str | None) -> str:
    """One line without control characters."""
    if not text:
        return ""
    return "".join(" " if char.isspace() else char if _is_visible(char) else "\ufffd" for char in text)


def lines_of(text: str) -> list[str]:
    """The lines of a file as an editor numbers them."""
    lines = _LINE_END.split(text)
    return lines if lines[-1] else lines[:-1]


def aligned(rows: Iterable[Sequence[str | None]]) -> str:
    """Rows with their cells under each other; the last cell is as long as it is."""
    cells = [[plain(cell) for cell in row] for row in rows]
    if not cells:
        return ""
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    return "\n".join(_row(row, widths) for row in cells)


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (width - _width(cell)) for cell, width in zip(cells, widths, strict=True))
    return "  ".join(padded).rstrip()


def _is_visible(char: str) -> bool:
    return unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co") or char == "\u200d"


def _width(text: str) -> int:
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )
