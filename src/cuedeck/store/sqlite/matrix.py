"""The signatures of one model's vectors in memory: which few records deserve an exact look."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt

from cuedeck.store.protocol import Scope
from cuedeck.store.signature import WORDS, Words

Slots = npt.NDArray[np.int64]


class Matrix:
    """Append-only slots; a replaced or dropped record leaves a dead slot until the next rebuild."""

    def __init__(self) -> None:
        self.seq = 0
        self.size = 0
        self._slot_of: dict[int, int] = {}
        self._ids = np.empty(0, dtype=np.int64)
        self._alive = np.empty(0, dtype=bool)
        # One row per word, so that distances are sums over long contiguous runs.
        self._words = np.empty((WORDS, 0), dtype=np.uint64)
        self._postings: dict[str, list[int]] = {}
        self._arrays: dict[str, Slots] = {}

    def __len__(self) -> int:
        return len(self._slot_of)

    @property
    def wasteful(self) -> bool:
        """Whether dead slots outnumber the living."""
        return self.size > 1024 and self.size > 2 * len(self._slot_of)

    def add(self, ids: Collection[int], words: Words, scopes: Iterable[Iterable[str]]) -> None:
        """Put records, replacing those that are there."""
        self.remove(ids)
        self._reserve(len(ids))
        start, end = self.size, self.size + len(ids)
        self._ids[start:end] = list(ids)
        self._alive[start:end] = True
        self._words[:, start:end] = words.T
        self.size = end
        for slot, (number, tokens) in enumerate(zip(ids, scopes, strict=True), start):
            self._slot_of[number] = slot
            for token in tokens:
                self._postings.setdefault(token, []).append(slot)
        self._arrays.clear()

    def remove(self, ids: Iterable[int]) -> None:
        """Drop records; unknown ids are ignored."""
        for number in ids:
            slot = self._slot_of.pop(number, None)
            if slot is not None:
                self._alive[slot] = False

    def within(self, scope: Scope) -> Slots:
        """The living slots inside the scope."""
        chosen: Slots | None = None
        for group in scope:
            parts = [self._array(token) for token in sorted(set(group))]
            joined = parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts or [_none()]))
            chosen = joined if chosen is None else np.intersect1d(chosen, joined, assume_unique=True)
        if chosen is None:
            return np.flatnonzero(self._alive[: self.size])
        return chosen[self._alive[chosen]]

    def distances(self, slots: Slots, words: Words) -> npt.NDArray[np.uint16]:
        """Hamming distances of these slots to a signature."""
        whole = len(slots) * 4 > self.size
        total = np.zeros(self.size if whole else len(slots), dtype=np.uint16)
        for row, word in zip(self._words, words, strict=True):
            total += np.bitwise_count((row[: self.size] if whole else row[slots]) ^ word)
        return total[slots] if whole else total

    def ids(self, slots: Slots) -> list[int]:
        """The records in these slots."""
        found: list[int] = self._ids[slots].tolist()
        return found

    def _array(self, token: str) -> Slots:
        if token not in self._arrays:
            self._arrays[token] = np.array(self._postings.get(token, ()), dtype=np.int64)
        return self._arrays[token]

    def _reserve(self, count: int) -> None:
        wanted = self.size + count
        if wanted > len(self._ids):
            grown = max(wanted, int(len(self._ids) * 1.5), 256)
            self._ids = np.resize(self._ids, grown) if self.size else np.empty(grown, dtype=np.int64)
            alive = np.zeros(grown, dtype=bool)
            alive[: self.size] = self._alive[: self.size]
            words = np.empty((WORDS, grown), dtype=np.uint64)
            words[:, : self.size] = self._words[:, : self.size]
            self._alive, self._words = alive, words


def _none() -> Slots:
    return np.empty(0, dtype=np.int64)
