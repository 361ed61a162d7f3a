"""Token counts and cuts."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuedeck.search import tokens
from cuedeck.search.tokens import count_tokens, truncate_to_tokens


def test_counts_are_those_of_o200k() -> None:
    assert count_tokens("") == 0
    assert count_tokens("hello world") == 2
    assert count_tokens("a" * 16) == 2


def test_a_short_text_is_kept_whole_and_a_long_one_is_cut() -> None:
    assert truncate_to_tokens("hello world", 2) == "hello world"
    assert truncate_to_tokens("hello world", 1) == "hello"
    assert truncate_to_tokens("hello world", 0) == ""
    assert truncate_to_tokens("hello", -5) == ""


@settings(deadline=None)
@given(st.text(st.characters(), max_size=200), st.integers(0, 40))
def test_a_cut_is_a_prefix_within_the_limit(text: str, limit: int) -> None:
    kept = truncate_to_tokens(text, limit)
    assert text.encode("utf-8", "replace").decode().startswith(kept)
    assert count_tokens(kept) <= limit


def test_half_of_a_surrogate_pair_is_counted_not_refused() -> None:
    assert count_tokens("\ud800abc") > 0
    assert truncate_to_tokens("\ud800abc", 100) == "?abc"


@pytest.mark.timeout(20)
@pytest.mark.parametrize("unit", ["a", "ab", " ", "\n", "!", "é", "中", "😀", "\u0301", "aA1"])
def test_endless_runs_are_counted_quickly(unit: str) -> None:
    assert count_tokens(unit * (1_000_000 // len(unit))) > 1000


def test_without_the_tokeniser_counts_are_estimated_from_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "toktok", None)
    tokens._tokeniser.cache_clear()
    try:
        assert count_tokens("x" * 425) == 100
        assert len(truncate_to_tokens("x" * 1000, 100)) == 425
        assert truncate_to_tokens("é" * 10, 1) == "éé"
    finally:
        tokens._tokeniser.cache_clear()
