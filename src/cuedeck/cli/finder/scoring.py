"""Fuzzy ranking: the letters of every word in order, best where they start words and stand together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from cuedeck.cli.finder.candidates import Candidate

_BOUNDARY = re.compile(r"(?<![a-zA-Z0-9])[a-zA-Z0-9]|(?<=[a-z])[A-Z]")
# Among very many matches only this many are ranked finely; a longer query narrows them anyway.
RANKED = 3000
_FAR = 10


@dataclass(slots=True)
class Ranking:
    """Ranks candidates for one query after another; a longer query only looks at what still matched."""

    candidates: list[Candidate] = field(default_factory=list)
    _query: str = ""
    _matching: list[Candidate] = field(default_factory=list)
    _seen: int = 0

    def best(self, query: str, limit: int) -> list[Candidate]:
        """The best candidates, ties in the order they were gathered."""
        words = query.lower().split()
        if not words:
            return self.candidates[:limit]
        patterns = [_in_order(word) for word in words]
        narrowed = self._query and query.startswith(self._query)
        pool = self._matching + self.candidates[self._seen :] if narrowed else self.candidates
        self._seen = len(self.candidates)
        self._query = query
        self._matching = [each for each in pool if all(one.match(each.text) for one in patterns)]
        ranked = sorted(self._matching[:RANKED], key=lambda each: -score(words, each.text))
        return ranked[:limit]


def score(words: Sequence[str], text: str) -> float:
    """How well the words fit the text; 0 when one of them does not."""
    total = 0.0
    for word in words:
        one = _score_word(word, text)
        if one <= 0:
            return 0.0
        total += one
    phrase = " ".join(words)
    return max(total, _score_word(phrase, text) if phrase in text.lower() else 0.0) - len(text) * 0.01


def _score_word(word: str, text: str) -> float:
    lowered = text.lower()
    starts = {found.start() for found in _BOUNDARY.finditer(text)}
    name_at = max(text.rfind("/"), text.rfind("\\")) + 1
    best = 0.0
    at = lowered.find(word)
    while at >= 0:
        whole = 4 if at == name_at and lowered[at:].partition(".")[0] == word else 0
        best = max(best, _together(len(word), at in starts, at >= name_at) + whole)
        at = lowered.find(word, at + 1)
    initials = _scattered(word, lowered, starts, name_at)
    if best:
        return max(best, initials)
    return max(initials, _scattered(word, lowered, set(), name_at))


def _together(length: int, starting: bool, named: bool) -> float:
    """Letters that stand together; at the start of a word they are worth more than as many initials."""
    if starting:
        return length * (11.0 if named else 8.0) + 4
    return length * 6.0 + (6 if named else 0)


def _scattered(word: str, lowered: str, starts: set[int], name_at: int) -> float:
    """Letters in order but apart: each the next one, or where a word starts if that is worth the way."""
    total, position = 0.0, -1
    for letter in word:
        near = lowered.find(letter, position + 1)
        if near < 0:
            return 0.0
        start = min((at for at in starts if at >= near and lowered[at] == letter), default=near)
        gain, position = max(
            (_gain(at, position, at in starts, at >= name_at), -at, at) for at in (near, start)
        )[::2]
        total += gain
    return max(total, 0.1)


def _gain(at: int, before: int, starting: bool, named: bool) -> float:
    """What one letter adds; the further it is from the one before, the less."""
    way = 0 if before < 0 else min(at - before - 1, _FAR)
    return 1.0 + (7 if starting else 0) + (3 if at == before + 1 else 0) + (3 if named else 0) - way * 0.75


def _in_order(word: str) -> re.Pattern[str]:
    """Matches a text that holds the letters in order; a class that excludes the letter cannot backtrack."""
    letters = [re.escape(letter) for letter in word]
    return re.compile("".join(f"[^{letter}]*{letter}" for letter in letters), re.IGNORECASE | re.DOTALL)
