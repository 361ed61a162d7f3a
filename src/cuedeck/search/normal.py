"""One spelling for characters that look or mean the same."""

from __future__ import annotations

import re
from functools import cache
from typing import Final
from unicodedata import category, normalize

# Invisible formatting that would split a word, and the typographic apostrophes.
INVISIBLE: Final = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
APOSTROPHES: Final = "\u2018\u2019\u02bc\uff07"
_REWRITE: Final = {ord(char): None for char in INVISIBLE} | {ord(char): "'" for char in APOSTROPHES}
_NOT_A_LETTER: Final = re.compile(r"[^\w\s]")
_LATIN_ACCENT: Final = re.compile("(?<=[A-Za-z])[\u0300-\u036f]+")


def fold_marks(text: str) -> str:
    """Compatibility-normalised text in which Latin letters have lost their accents."""
    if text.isascii():
        return text
    return normalize("NFKC", _LATIN_ACCENT.sub("", normalize("NFKD", text.translate(_REWRITE))))


@cache
def mark_class(*, astral: bool = True) -> str:
    """Combining marks and symbols that stand for letters, as the inside of a regular-expression class."""
    everything = "".join(map(chr, range(0x80, 0x1F000 if astral else 0x10000)))
    points = [ord(character) for character in _NOT_A_LETTER.findall(everything) if _joins(character)]
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in _ranges(points))


def _joins(character: str) -> bool:
    if category(character) in ("Mn", "Mc"):
        return True
    return any(part.isalnum() for part in normalize("NFKC", character))


def _ranges(points: list[int]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for point in points:
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1] = (ranges[-1][0], point)
        else:
            ranges.append((point, point))
    return ranges
