"""Previews around what matched."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from cuedeck.search.analyser import query_terms
from cuedeck.search.snippets import snippet

FILLER = "Nothing to see in this sentence at all. " * 20


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert snippet("one\n  two\tthree", ["two"]) == "one two three"


def test_the_window_holds_the_most_distinct_terms() -> None:
    text = FILLER + "The cache is warm. " + FILLER + "Stale cache entries are invalidated. " + FILLER
    shown = snippet(text, query_terms("invalidate stale cache"), width=100)
    assert "Stale cache entries are invalidated." in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= 100


def test_matches_are_found_by_stem_and_by_part_of_a_name() -> None:
    text = FILLER + "call parseHttpRequest here " + FILLER
    assert "parseHttpRequest" in snippet(text, query_terms("requests"), width=80)


def test_without_a_match_the_beginning_is_shown() -> None:
    shown = snippet(FILLER, ["absent"], width=50)
    assert shown.startswith("Nothing to see")
    assert shown.endswith("…")


def test_a_match_in_the_last_word_is_shown() -> None:
    shown = snippet(FILLER + "needle", ["needl"], width=60)
    assert shown.endswith("needle")
    assert shown.startswith("…")


def test_text_without_spaces_is_cut_to_the_width() -> None:
    shown = snippet("日本語" * 500 + "天気" + "日本語" * 500, query_terms("天気"), width=60)
    assert 0 < len(shown) <= 60


@given(st.text(max_size=600), st.text(max_size=20), st.integers(10, 200))
def test_a_preview_never_exceeds_its_width(text: str, query: str, width: int) -> None:
    assert len(snippet(text, query_terms(query), width=width)) <= width


def test_a_megabyte_of_matches_is_quick() -> None:
    started = time.process_time()
    snippet("a " * 500_000, ["a"])
    assert time.process_time() - started < 3
