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


def by_word(words: Numbers, places: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The different words in order, how many places each has, and these in order."""
    # Places mostly come in order, which takes one look; numbers of 16 bits are sorted in two.
    order = np.argsort(places, kind="stable")
    for bits in range(0, int(words.max(initial=0)).bit_length(), 16):
        order = order[np.argsort((words[order] >> bits).astype(np.uint16), kind="stable")]
    words = words[order]
    starts = np.flatnonzero(np.diff(words, prepend=-1))
    return words[starts], np.diff(starts, append=len(words)), places[order]


def encode(places: Numbers, counts: Numbers) -> list[bytes]:
    """Several lists of numbers with their marks, given end to end with their lengths, none of them empty."""
    return grouped(distances(places >> MARK_BITS, counts) << MARK_BITS | places & MARKS, counts)


def decode(lists: Sequence[bytes], bases: Sequence[int]) -> tuple[Numbers, Numbers, Numbers]:
    """Numbers and marks of the lists end to end, and how many each has."""
    values, counts = ungrouped(lists)
    numbers = running(values >> MARK_BITS, counts) + np.repeat(np.asarray(bases, dtype=np.int64), counts)
    return numbers, values & MARKS, counts


def distances(numbers: Numbers, counts: Numbers) -> Numbers:
    """How far each number is from the one before it in its list; the first of each from zero."""
    steps: Numbers = np.diff(numbers, prepend=0)
    firsts = np.cumsum(counts) - counts
    steps[firsts] = numbers[firsts]
    return steps


def running(steps: Numbers, counts: Numbers) -> Numbers:
    """The numbers whose distances these are."""
    firsts = (np.cumsum(counts) - counts)[counts > 0]
    sums: Numbers = np.cumsum(steps)
    numbers: Numbers = sums - np.repeat(sums[firsts] - steps[firsts], counts[counts > 0])
    return numbers


def grouped(values: Numbers, counts: Numbers) -> list[bytes]:
    """Several lists of values, given end to end with their lengths, none of them empty."""
    widths = np.ones(len(values), dtype=np.int64)
    for width in range(1, 9):
        wider = values >= 1 << 7 * width
        if not wider.any():
            break
        widths += wider
    past = np.cumsum(widths)
    firsts = past - widths
    packed: Bytes = np.zeros(int(past[-1]) if len(past) else 0, dtype=np.uint8)
    packed[firsts] = values & 127
    there = np.arange(len(values))
    for place in range(1, int(widths.max(initial=0))):
        there = there[widths[there] > place]
        at = firsts[there] + place
        packed[at - 1] |= 128
        packed[at] = values[there] >> 7 * place & 127
    edges = [0, *past[np.cumsum(counts) - 1].tolist()]
    whole = packed.tobytes()
    return [whole[a:b] for a, b in pairwise(edges)]


def ungrouped(lists: Sequence[bytes]) -> tuple[Numbers, Numbers]:
    """The values of the lists end to end, and how many each has."""
    packed: Bytes = np.frombuffer(b"".join(lists), dtype=np.uint8)
    last = np.flatnonzero(packed < 128)
    starts = np.concatenate(([0], last[:-1] + 1)) if len(last) else last
    widths = last - starts + 1
    values = np.zeros(len(last), dtype=np.int64)
    for place in range(int(widths.max(initial=0))):
        there = np.flatnonzero(widths > place)
        values[there] |= (packed[starts[there] + place].astype(np.int64) & 127) << 7 * place
    sizes = np.array([len(one) for one in lists], dtype=np.int64)
    return values, np.diff(np.searchsorted(last, np.cumsum(sizes)), prepend=0)


def inside(numbers: Numbers, firsts: Numbers, sizes: Numbers) -> Numbers:
    """Which of some ranges, given in ascending order, each number is in; -1 for none."""
    if not len(firsts):
        return np.full(len(numbers), -1, dtype=np.int64)
    found = np.searchsorted(firsts, numbers, side="right") - 1
    outside = (found < 0) | (numbers >= firsts[found] + sizes[found])
    found[outside] = -1
    return found


def bundled(words: Sequence[str], counts: Numbers, places: Numbers) -> bytes:
    """The lists of several words, given end to end with their lengths, as one value."""
    names = "\0".join(["", *words, ""]).encode()
    columns = (counts, places)
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
