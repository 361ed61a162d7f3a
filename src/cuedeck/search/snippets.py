"""The part of a text worth showing for a query."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from typing import Final

from cuedeck.search.analyser import analyse

ELLIPSIS: Final = "…"
_WORD: Final = re.compile(r"\w+(?:[-'’]\w+)*")
_READ_CHARACTERS: Final = 200_000


def snippet(text: str, terms: Collection[str], *, width: int = 240) -> str:
    """The window of at most that many characters holding most distinct terms, on one line.

    The earliest of equally good windows wins; without a match it is the beginning. An ellipsis marks
    each side where text was left out.
    """
    text = " ".join(text[:_READ_CHARACTERS].split())
    if len(text) <= width:
        return text
    start, end = _best_window(_matches(text, frozenset(terms)), width)
    return _cut(text, start, end, width)


def _matches(text: str, wanted: frozenset[str]) -> list[tuple[int, int, frozenset[str]]]:
    found = []
    for word in _WORD.finditer(text):
        hits = wanted.intersection(analyse(word.group()))
        if hits:
            found.append((word.start(), word.end(), hits))
    return found


def _best_window(matches: list[tuple[int, int, frozenset[str]]], width: int) -> tuple[int, int]:
    """Start of the first and end of the last match of the best window."""
    inside: Counter[str] = Counter()
    best, best_score, first = (0, 0), (0, 0), 0
    for last, (_, end, hits) in enumerate(matches):
        inside.update(hits)
        while first < last and end - matches[first][0] > width - 2:
            inside.subtract(matches[first][2])
            inside = +inside
            first += 1
        score = (len(inside), last - first)
        if score > best_score:
            best, best_score = (matches[first][0], end), score
    return best


def _cut(text: str, start: int, end: int, width: int) -> str:
    """The window with the spare room shared between both sides, cut between words where it can be."""
    spare = max(0, width - 2 - (end - start))
    left = max(0, start - spare // 2)
    right = left + width - 1 - (left > 0)
    if right + 1 >= len(text):
        left, right = len(text) - width + 1, len(text)
    if left > 0:
        gap = text.find(" ", left, start)
        left = gap + 1 if gap >= 0 else left
    if right < len(text):
        gap = text.rfind(" ", end, right + 1)
        right = gap if gap > left else right
    shown = text[left:right].strip()
    return ELLIPSIS * (left > 0) + shown + ELLIPSIS * (right < len(text))
