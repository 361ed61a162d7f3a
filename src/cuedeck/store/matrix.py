"""The sketches of one model's vectors in memory, and the few records that can be among the nearest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cuedeck.store.protocol import Scope, Vector
from cuedeck.store.sketch import BITS, WORDS, Sketches, Words, radius, signatures

Slots = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

# Below this, codes alone are quicker than bits and codes; for a floor alone, below the second.
_FEW = 8192
_FEW_REACHING = 2048
# The first look at bits takes half of them.
_HALF = WORDS // 2
_BLOCK = 32_768
# Half the words of so many records stay in a core's own cache while every query looks at them.
_SHARED_BLOCK = 16_384
_ROWS = 256
_NO_SLOTS = np.empty(0, dtype=np.int64)


class Reach(NamedTuple):
    """Who can be among the nearest, who certainly reaches a floor, and of whom only the vector can tell."""

    nearest: list[int]
    certain: list[int]
    doubtful: list[int]


class Matrix:
    """Append-only slots; a replaced or dropped record leaves a dead slot until the next rebuild."""

    def __init__(self, dimensions: int) -> None:
        self.seq = 0
        self.size = 0
        self._slot_of: dict[int, int] = {}
        self._postings: dict[str, list[int]] = {}
        self._arrays: dict[str, Slots] = {}
        self._living: Slots | None = None
        self._ids = np.empty(0, dtype=np.int64)
        self._alive = np.empty(0, dtype=bool)
        self._codes = np.empty((0, dimensions), dtype=np.int8)
        self._scales = np.empty(0, dtype=np.float32)
        self._errors = np.empty(0, dtype=np.float32)
        # One row per word, so that distances are sums over long contiguous runs.
        self._words = np.empty((WORDS, 0), dtype=np.uint64)
        self._gathered = (_NO_SLOTS, self._words)

    @property
    def wasteful(self) -> bool:
        """Whether dead slots outnumber the living."""
        return self.size > 1024 and self.size > 2 * len(self._slot_of)

    def add(self, ids: Collection[int], sketches: Sketches, scopes: Iterable[Iterable[str]]) -> None:
        """Put records, replacing those that are there."""
        self.remove(ids)
        self._reserve(len(ids))
        start, end = self.size, self.size + len(ids)
        self._ids[start:end] = list(ids)
        self._alive[start:end] = True
        self._words[:, start:end] = sketches.words.T
        self._codes[start:end] = sketches.codes
        self._scales[start:end] = sketches.scales
        self._errors[start:end] = sketches.errors
        self.size = end
        for slot, (number, tokens) in enumerate(zip(ids, scopes, strict=True), start):
            self._slot_of[number] = slot
            for token in tokens:
                self._postings.setdefault(token, []).append(slot)
        self._living = None

    def remove(self, ids: Iterable[int]) -> None:
        """Drop records; unknown ids are ignored."""
        for number in ids:
            slot = self._slot_of.pop(number, None)
            if slot is not None:
                self._alive[slot] = False
                self._living = None

    def known(self, ids: Iterable[int]) -> int:
        """How many of these are here."""
        return sum(number in self._slot_of for number in ids)

    def candidates(self, query: Vector, scope: Scope, wanted: int, floor: float) -> list[int]:
        """The records that can be among the ``wanted`` nearest; all others are further, or too far."""
        slots = self._within(scope)
        if len(slots) > max(_FEW, 8 * wanted):
            slots = self._by_bits(query, slots, wanted, floor)
        return self._nearest_of([query], slots, wanted, floor)[0]

    def candidates_each(self, queries: Sequence[Vector], wanted: int, floor: float) -> list[list[int]]:
        """The same for many queries over all records, which are read once for all of them."""
        if len(self._slot_of) <= max(_FEW, 8 * wanted):
            return self._nearest_of(queries, self._within(()), wanted, floor)
        found = []
        for query, near in zip(queries, self._near_each(queries, floor), strict=True):
            if len(near) > max(_FEW, 8 * wanted):
                near = self._by_bits(query, near, wanted, floor)
            found += self._nearest_of([query], near, wanted, floor)
        return found

    def reach(self, query: Vector, scope: Scope, wanted: int, floor: float) -> Reach:
        """Everyone who reaches the floor, and among them who can be one of the ``wanted`` nearest."""
        slots = self._within(scope)
        if len(slots) > _FEW_REACHING:
            words = signatures(query[None, :])[0]
            narrow = len(slots) * 4 < self.size
            distances = (
                _differing(self._gather(slots), words) if narrow else self._distances(slots, words, 0, WORDS)
            )
            slots = slots[np.flatnonzero(distances <= radius(floor / _length(query), len(query)))]
        ((lowest, highest),) = self._bounds([query], slots)
        certain = lowest >= floor
        doubtful = ~certain & (highest >= floor)
        nearest = highest >= max(floor, _kth_largest(lowest, wanted))
        return Reach(*(self._ids[slots[chosen]].tolist() for chosen in (nearest, certain, doubtful)))

    def _nearest_of(
        self, queries: Sequence[Vector], slots: Slots, wanted: int, floor: float
    ) -> list[list[int]]:
        ids = self._ids[slots]
        return [
            ids[highest >= max(floor, _kth_largest(lowest, wanted))].tolist()
            for lowest, highest in self._bounds(queries, slots)
        ]

    def _bounds(self, queries: Sequence[Vector], slots: Slots) -> Iterator[tuple[Floats, Floats]]:
        """Between which products the true ones lie."""
        errors = self._errors[slots]
        for query, estimates in zip(queries, self._estimates(queries, slots), strict=True):
            # How far the query itself is from unit length widens the bound.
            widened = errors * np.float32(np.linalg.norm(query))
            yield estimates - widened, estimates + widened

    def _near_each(self, queries: Sequence[Vector], floor: float) -> list[Slots]:
        """By half of the bits, the living slots that can reach the floor of each query."""
        words = signatures(np.stack(queries))
        most = [radius(floor / _length(query), len(query), BITS // 2) for query in queries]
        found: list[list[Slots]] = [[] for _ in queries]
        for start in range(0, self.size, _SHARED_BLOCK):
            stop = min(start + _SHARED_BLOCK, self.size)
            for one, row, limit in zip(found, words, most, strict=True):
                distances = _differing(self._words[:_HALF, start:stop], row[:_HALF])
                one.append(np.flatnonzero(distances <= limit) + start)
        return [slots[self._alive[slots]] for slots in map(np.concatenate, found)]

    def _by_bits(self, query: Vector, slots: Slots, wanted: int, floor: float) -> Slots:
        words = signatures(query[None, :])[0]
        distances = self._distances(slots, words, 0, _HALF)
        length = _length(query)
        near = np.flatnonzero(distances <= radius(floor / length, len(query), BITS // 2))
        if len(near) <= max(_FEW, 8 * wanted):
            # The floor alone leaves few, as it does for links.
            return slots[near]
        cut = np.partition(distances, 4 * wanted)[4 * wanted]
        sample = slots[distances <= cut][: 8 * wanted]
        cosines = self._estimates([query], sample)[0] / np.float32(length)
        least = max(floor / length, _kth_largest(cosines - self._errors[sample], wanted))
        near = np.flatnonzero(distances <= radius(least, len(query), BITS // 2))
        slots, distances = slots[near], distances[near]
        if len(slots) <= _FEW:
            return slots
        rest = self._distances(slots, words, _HALF, WORDS)
        return slots[distances + rest <= radius(least, len(query))]

    def _within(self, scope: Scope) -> Slots:
        chosen: Slots | None = None
        for group in scope:
            parts = [self._array(token) for token in sorted(set(group))]
            joined = parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))
            chosen = joined if chosen is None else np.intersect1d(chosen, joined, assume_unique=True)
        if chosen is None:
            if self._living is None:
                self._living = np.flatnonzero(self._alive[: self.size])
            return self._living
        return chosen[self._alive[chosen]]

    def _estimates(self, queries: Sequence[Vector], slots: Slots) -> Floats:
        """Products from codes, in blocks that stay in the cache; by rows, for BLAS's threads only wait."""
        dimensions = self._codes.shape[1]
        found = np.empty((len(queries), len(slots)), dtype=np.float32)
        picked = np.empty((_ROWS, dimensions), dtype=np.int8)
        block = np.empty((_ROWS, dimensions), dtype=np.float32)
        for start in range(0, len(slots), _ROWS):
            some = slots[start : start + _ROWS]
            count = len(some)
            # Slots are never out of bounds; clipping spares the copy that checking would make.
            self._codes.take(some, axis=0, out=picked[:count], mode="clip")
            np.copyto(block.reshape(-1)[: count * dimensions], picked.reshape(-1)[: count * dimensions])
            for query, row in zip(queries, found, strict=True):
                np.vecdot(block[:count], query, out=row[start : start + count])
        return found * self._scales[slots]

    def _distances(self, slots: Slots, words: Words, first: int, last: int) -> npt.NDArray[np.uint16]:
        """Hamming distances over a range of words."""
        held, asked = self._words[first:last, : self.size], words[first:last]
        if len(slots) * 4 < self.size:
            return _differing(held.take(slots, axis=1), asked)
        starts = range(0, self.size, _BLOCK)
        runs = [_differing(held[:, at : at + _BLOCK], asked) for at in starts]
        total = np.concatenate(runs)
        return total if len(slots) == self.size else total[slots]

    def _gather(self, slots: Slots) -> Words:
        """The words of some slots, kept for the next question in the same scope: a slot never changes."""
        if not np.array_equal(self._gathered[0], slots):
            self._gathered = (slots, self._words.take(slots, axis=1))
        return self._gathered[1]

    def _array(self, token: str) -> Slots:
        """A token's slots; only those that came since the last time are read from the list."""
        slots = self._postings.get(token, [])
        known = self._arrays.get(token, _NO_SLOTS)
        if len(known) < len(slots):
            late = np.array(slots[len(known) :], dtype=np.int64)
            known = self._arrays[token] = np.concatenate((known, late))
        return known

    def _reserve(self, count: int) -> None:
        wanted = self.size + count
        if wanted <= len(self._ids):
            return
        room = max(wanted, len(self._ids) * 3 // 2, 256)
        for name in ("_ids", "_alive", "_codes", "_scales", "_errors"):
            old = getattr(self, name)
            grown = np.zeros((room, *old.shape[1:]), dtype=old.dtype)
            grown[: self.size] = old[: self.size]
            setattr(self, name, grown)
        words = np.zeros((WORDS, room), dtype=np.uint64)
        words[:, : self.size] = self._words[:, : self.size]
        self._words = words


def _differing(rows: Words, words: Words) -> npt.NDArray[np.uint16]:
    """In how many bits each column differs from the words."""
    total = np.zeros(rows.shape[1], dtype=np.uint16)
    for row, word in zip(rows, words, strict=True):
        total += np.bitwise_count(row ^ word)
    return total


def _length(query: Vector) -> float:
    return max(float(np.linalg.norm(query)), 1e-12)


def _kth_largest(values: Floats, count: int) -> float:
    if len(values) < count:
        return -np.inf
    return float(np.partition(values, len(values) - count)[len(values) - count])
