"""Rankings made of rankings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuedeck.search.fusion import best_first, reciprocal_rank, share_of_best, weighted_blend


def test_reciprocal_rank_prefers_what_both_lists_hold() -> None:
    ranked = reciprocal_rank({"keyword": ["a", "b", "c"], "semantic": ["c", "d"]}, order=str)
    assert [one.key for one in ranked] == ["c", "a", "b", "d"]
    assert ranked[0].score == pytest.approx((61 / 2) * (1 / 63 + 1 / 61))


def test_first_in_every_list_scores_one() -> None:
    ranked = reciprocal_rank({"keyword": ["a"], "semantic": ["a", "b"]}, order=str)
    assert ranked[0].score == pytest.approx(1.0)
    assert ranked[0].parts == {"keyword": pytest.approx(0.5), "semantic": pytest.approx(0.5)}


def test_a_key_listed_twice_counts_at_its_better_rank() -> None:
    ranked = reciprocal_rank({"keyword": ["a", "a", "b"]}, order=str)
    assert [one.score for one in ranked] == [pytest.approx(1.0), pytest.approx(61 / 62)]


def test_ties_go_by_the_callers_order() -> None:
    ranked = reciprocal_rank({"keyword": ["x"], "semantic": ["b"]}, order=str)
    assert [one.key for one in ranked] == ["b", "x"]


def test_blend_weighs_both_sides() -> None:
    ranked = weighted_blend({"a": 10.0, "b": 5.0}, {"b": 0.8, "c": 0.5, "a": -0.1}, order=str)
    assert [one.key for one in ranked] == ["b", "c", "a"]
    assert ranked[0].score == pytest.approx(0.56 + 0.15)
    assert ranked[0].parts == {"semantic": pytest.approx(0.56), "keyword": pytest.approx(0.15)}
    assert ranked[2].parts == {"semantic": 0.0, "keyword": pytest.approx(0.3)}


def test_agreement_far_down_the_lists_does_not_beat_a_first_place() -> None:
    lists = {
        "keyword": [f"k{n}" for n in range(50)] + ["both"],
        "semantic": [f"s{n}" for n in range(50)] + ["both"],
    }
    ranked = [one.key for one in reciprocal_rank(lists, order=str)]
    assert set(ranked[:2]) == {"k0", "s0"}
    assert ranked.index("both") > ranked.index("k11")
    assert ranked.index("both") < ranked.index("k49")


def test_one_side_alone_still_ranks() -> None:
    assert [one.key for one in weighted_blend({"a": 1.0, "b": 2.0}, {}, order=str)] == ["b", "a"]
    assert weighted_blend({}, {"a": 0.4}, order=str)[0].score == pytest.approx(0.28)
    assert weighted_blend({}, {}, order=str) == []
    assert reciprocal_rank({}, order=str) == []


def test_shares_stay_between_nought_and_one() -> None:
    assert share_of_best({"a": 0.0}) == {"a": 0.0}
    assert share_of_best({"a": 4.0, "b": 1.0}) == {"a": 1.0, "b": 0.25}
    assert weighted_blend({}, {"a": 1.0000002}, order=str)[0].score == pytest.approx(0.7)


scores = st.dictionaries(st.integers(0, 20), st.floats(0, 100), max_size=20)


@given(scores, scores)
def test_parts_sum_to_the_score_and_the_order_is_fixed(
    keyword: dict[int, float], semantic: dict[int, float]
) -> None:
    blended = weighted_blend(keyword, semantic, order=int)
    fused = reciprocal_rank({"k": list(keyword), "s": list(semantic)}, order=int)
    for ranked in (blended, fused):
        assert {one.key for one in ranked} == keyword.keys() | semantic.keys()
        assert all(one.score == sum(one.parts.values()) for one in ranked)
        assert all(0 <= one.score <= 1 + 1e-9 for one in ranked)
        assert ranked == sorted(ranked, key=lambda one: (-one.score, one.key))


def test_only_equals_are_asked_for_their_order() -> None:
    order = {"a": 2, "c": 1}
    assert best_first({"a": 0.5, "b": 0.7, "c": 0.5, "d": 0.1}, order.__getitem__) == ["b", "c", "a", "d"]
