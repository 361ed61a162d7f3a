"""The sketches of one model's vectors in memory, and the few records that can be among the nearest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import simsimd

from cuedeck.store.protocol import Scope, Vector
from cuedeck.store.sketch import WORDS, Sketches, Words, radius, rounded, signatures

Slots = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


# Below this, codes alone are quicker than bits and codes.
_FEW = 2048
# So many rows stay in a core's own cache; other threads wait while simsimd looks at them.
_BLOCK = 4096
_ROWS = 512
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
        self._words = np.empty((0, WORDS), dtype=np.uint64)
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
        self._words[start:end] = sketches.words
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
        if len(slots) > _FEW:
            distances = self._distances(query, slots)
            slots = slots[np.flatnonzero(distances <= _radius(query, floor))]
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

    def _near_each(self, queries: Sequence[Vector], floor: float) -> list[Slots]:
        """By their bits, the living slots that can reach the floor of each query."""
        words = signatures(np.stack(queries))
        most = [_radius(query, floor) for query in queries]
        found: list[list[Slots]] = [[] for _ in queries]
        for start in range(0, self.size, _BLOCK):
            distances = _differing(words, self._words[start : min(start + _BLOCK, self.size)])
            for one, row, limit in zip(found, distances, most, strict=True):
                one.append(np.flatnonzero(row <= limit) + start)
        return [slots[self._alive[slots]] for slots in map(np.concatenate, found)]

    def _by_bits(self, query: Vector, slots: Slots, wanted: int, floor: float) -> Slots:
        """Those whose bits do not tell that they are too far, or further than enough others."""
        distances = self._distances(query, slots)
        near = np.flatnonzero(distances <= _radius(query, floor))
        if len(near) > max(_FEW, 8 * wanted):
            cut = np.partition(distances, 4 * wanted)[4 * wanted]
            sample = slots[distances <= cut][: 8 * wanted]
            ((lowest, _),) = self._bounds([query], sample)
            near = np.flatnonzero(distances <= _radius(query, max(floor, _kth_largest(lowest, wanted))))
        return slots[near]

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

    def _bounds(self, queries: Sequence[Vector], slots: Slots) -> Iterator[tuple[Floats, Floats]]:
        """Between which products the true ones lie."""
        asked = np.stack(queries)
        # A query's codes leave as much as a vector's; those of what they leave make that negligible.
        coarse, coarse_scales, rest = rounded(asked)
        fine, fine_scales, lost = rounded(rest)
        codes = np.concatenate((coarse, fine))
        products = np.empty((len(codes), len(slots)), dtype=np.float32)
        for start in range(0, len(slots), _ROWS):
            # Slots are never out of bounds; clipping spares the copy that checking would make.
            rows = self._codes.take(slots[start : start + _ROWS], axis=0, mode="clip")
            products[:, start : start + _ROWS] = simsimd.cdist(codes, rows, "dot", out_dtype="float32")
        scales, errors = self._scales[slots], self._errors[slots]
        for at, query in enumerate(asked):
            product = coarse_scales[at] * products[at] + fine_scales[at] * products[len(asked) + at]
            # How far the query itself is from unit length widens the bound.
            widened = errors * np.linalg.norm(query) + (1.0 + errors) * np.linalg.norm(lost[at])
            yield product * scales - widened, product * scales + widened

    def _distances(self, query: Vector, slots: Slots) -> Floats:
        """In how many bits each differs from the query."""
        words = signatures(query[None, :])
        whole = len(slots) * 4 >= self.size
        rows = self._words[: self.size] if whole else self._gather(slots)
        blocks = [_differing(words, rows[at : at + _BLOCK])[0] for at in range(0, len(rows), _BLOCK)]
        total: Floats = np.concatenate(blocks)
        return total[slots] if whole and len(slots) < self.size else total

    def _gather(self, slots: Slots) -> Words:
        """The words of some slots, kept for the next question in the same scope: a slot never changes."""
        if not np.array_equal(self._gathered[0], slots):
            self._gathered = (slots, self._words.take(slots, axis=0))
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
        for name in ("_ids", "_alive", "_codes", "_scales", "_errors", "_words"):
            old = getattr(self, name)
            grown = np.zeros((room, *old.shape[1:]), dtype=old.dtype)
            grown[: self.size] = old[: self.size]
            setattr(self, name, grown)


def _differing(words: Words, rows: Words) -> Floats:
    """In how many bits each row differs from each query."""
    found = simsimd.cdist(
        words.view(np.uint8), rows.view(np.uint8), "hamming", dtype="bin8", out_dtype="float32"
    )
    return np.asarray(found)


def _radius(query: Vector, floor: float) -> int:
    return radius(floor / max(float(np.linalg.norm(query)), 1e-12), len(query))


def _kth_largest(values: Floats, count: int) -> float:
    if len(values) < count:
        return -np.inf
    return float(np.partition(values, len(values) - count)[len(values) - count])
