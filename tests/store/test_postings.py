"""Posting lists survive being packed."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cuedeck.store.code_names import unpack_numbers
from cuedeck.store.postings import MARK_BITS, by_word, decode, distances, encode, grouped, inside

_LIST = st.lists(
    st.tuples(st.integers(0, 2**44), st.integers(0, 7)),
    min_size=1,
    max_size=40,
    unique_by=lambda pair: pair[0],
)


@given(st.lists(_LIST, max_size=6), st.integers(0, 2**40))
def test_lists_come_back_as_they_were(lists: list[list[tuple[int, int]]], base: int) -> None:
    lists = [sorted(one) for one in lists]
    flat = [pair for one in lists for pair in one]
    numbers = np.array([number for number, _ in flat], dtype=np.int64)
    marks = np.array([mark for _, mark in flat], dtype=np.int64)
    counts = np.array([len(one) for one in lists], dtype=np.int64)
    packed = encode(numbers << MARK_BITS | marks, counts)
    assert len(packed) == len(lists)
    back = decode(packed, [base] * len(packed))
    assert [each.tolist() for each in back] == [(numbers + base).tolist(), marks.tolist(), counts.tolist()]


def test_each_list_has_its_own_base() -> None:
    one = encode(np.array([2 << 3 | 1]), np.array([1]))
    other = encode(np.array([800 << 3 | 2, 801 << 3 | 4]), np.array([2]))
    numbers, marks, counts = decode([*one, b"", *other], [5, 0, 100])
    assert (numbers.tolist(), marks.tolist(), counts.tolist()) == ([7, 900, 901], [1, 2, 4], [1, 0, 2])


@given(st.lists(st.integers(0, 2**60), min_size=1, unique=True))
def test_ascending_numbers_can_be_read_one_by_one(numbers: list[int]) -> None:
    ascending, counts = np.array(sorted(numbers), dtype=np.int64), np.array([len(numbers)])
    (packed,) = grouped(distances(ascending, counts), counts)
    assert unpack_numbers(packed) == sorted(numbers)


@given(st.lists(st.tuples(st.integers(0, 2**20), st.integers(0, 2**45)), unique=True))
def test_words_and_the_places_of_each_are_brought_into_order(pairs: list[tuple[int, int]]) -> None:
    columns = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    words, counts, places = by_word(columns[:, 0], columns[:, 1])
    assert [*zip(np.repeat(words, counts).tolist(), places.tolist(), strict=True)] == sorted(pairs)
    assert words.tolist() == sorted({word for word, _ in pairs})


def test_numbers_are_inside_ranges_or_not() -> None:
    firsts, sizes = np.array([10, 20]), np.array([3, 1])
    assert inside(np.array([9, 10, 12, 13, 20, 21]), firsts, sizes).tolist() == [-1, 0, 0, -1, 1, -1]
    assert inside(np.array([1]), np.zeros(0, np.int64), np.zeros(0, np.int64)).tolist() == [-1]
