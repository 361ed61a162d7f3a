"""Posting lists as bytes: ascending numbers with three marks each, as seven-bit groups of their distances."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

MARK_BITS = 3
MARKS = (1 << MARK_BITS) - 1


def encode(numbers: Numbers, marks: Numbers, counts: Numbers, base: int) -> list[bytes]:
    """Several lists, given end to end with their lengths, none of them empty."""
    ends = np.cumsum(counts)
    starts = ends - counts
    steps = np.diff(numbers, prepend=base)
    steps[starts] = numbers[starts] - base
    values = steps << MARK_BITS | marks
    widths = np.ones(len(values), dtype=np.int64)
    for width in range(1, 9):
        widths += values >= 1 << 7 * width
    last = np.cumsum(widths)
    packed: Bytes = np.zeros(int(last[-1]) if len(last) else 0, dtype=np.uint8)
    for place in range(int(widths.max(initial=0))):
        there = np.flatnonzero(widths > place)
        groups = values[there] >> 7 * place & 127
        groups |= np.where(widths[there] > place + 1, 128, 0)
        packed[last[there] - widths[there] + place] = groups
    edges = [0, *last[ends - 1].tolist()]
    whole = packed.tobytes()
    return [whole[a:b] for a, b in pairwise(edges)]


def decode(lists: Sequence[bytes], bases: Sequence[int]) -> tuple[Numbers, Numbers, Numbers]:
    """Numbers and marks of the lists end to end, and how many each has."""
    packed: Bytes = np.frombuffer(b"".join(lists), dtype=np.uint8)
    last = np.flatnonzero(packed < 128)
    starts = np.concatenate(([0], last[:-1] + 1)) if len(last) else last
    widths = last - starts + 1
    values = np.zeros(len(last), dtype=np.int64)
    for place in range(int(widths.max(initial=0))):
        there = np.flatnonzero(widths > place)
        values[there] |= (packed[starts[there] + place].astype(np.int64) & 127) << 7 * place
    sizes = np.array([len(one) for one in lists], dtype=np.int64)
    past = np.searchsorted(last, np.cumsum(sizes))
    counts = np.diff(past, prepend=0)
    firsts = (past - counts)[counts > 0]
    steps = values >> MARK_BITS
    sums = np.cumsum(steps)
    before = np.repeat(sums[firsts] - steps[firsts], counts[counts > 0])
    numbers = sums - before + np.repeat(np.asarray(bases, dtype=np.int64), counts)
    return numbers, values & MARKS, counts


def inside(numbers: Numbers, firsts: Numbers, sizes: Numbers) -> Numbers:
    """Which of some ranges, given in ascending order, each number is in; -1 for none."""
    if not len(firsts):
        return np.full(len(numbers), -1, dtype=np.int64)
    found = np.searchsorted(firsts, numbers, side="right") - 1
    outside = (found < 0) | (numbers >= firsts[found] + sizes[found])
    found[outside] = -1
    return found


def bundled(words: Sequence[str], counts: Numbers, numbers: Numbers, marks: Numbers) -> bytes:
    """The lists of several words, given end to end with their lengths, as one value."""
    names = "\0".join(["", *words, ""]).encode()
    columns = (counts, numbers << MARK_BITS | marks)
    return len(names).to_bytes(4, "little") + names + b"".join(c.astype("<u4").tobytes() for c in columns)


class Bundle:
    """The lists of several words, read from one value by need; numbers count from ``base``."""

    def __init__(self, base: int, data: bytes) -> None:
        size = 4 + int.from_bytes(data[:4], "little")
        self._base = base
        self._names = data[4:size]
        self._columns = data[size:]

    def holds(self, word: str) -> bool:
        """Whether a word has a list here."""
        return b"\0%b\0" % word.encode("utf-8", "replace") in self._names

    @cached_property
    def words(self) -> list[str]:
        """The words, in the order of their lists."""
        return self._names.decode().split("\0")[1:-1]

    @cached_property
    def counts(self) -> Numbers:
        """How long each list is."""
        return np.frombuffer(self._columns, dtype="<u4", count=len(self.words)).astype(np.int64)

    @cached_property
    def _places(self) -> Numbers:
        return np.frombuffer(self._columns, dtype="<u4", offset=4 * len(self.words)).astype(np.int64)

    @property
    def numbers(self) -> Numbers:
        """The numbers of all lists end to end."""
        return (self._places >> MARK_BITS) + self._base

    @property
    def marks(self) -> Numbers:
        """The marks of all lists end to end."""
        return self._places & MARKS

    def postings(self, word: str) -> tuple[Numbers, Numbers]:
        """The list of a word it holds: numbers and marks."""
        place = self.words.index(word)
        start = int(self.counts[:place].sum())
        part = slice(start, start + int(self.counts[place]))
        return self.numbers[part], self.marks[part]
