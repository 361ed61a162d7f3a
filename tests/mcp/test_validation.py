from __future__ import annotations

import json
from typing import Any

import pytest
from mcp_sample import Nothing, Page, ReadContext, Store

from cuedeck.mcp.validation import MAX_DEPTH, validated
from cuedeck.model.errors import CueError, ErrorCode


def refused(model: Any, raw: Any) -> CueError:
    with pytest.raises(CueError) as caught:
        validated(model, raw)
    assert caught.value.code is ErrorCode.VALIDATION
    json.dumps(caught.value.data).encode()
    return caught.value


@pytest.mark.parametrize(
    ("raw", "field", "expected", "actual"),
    [
        ({}, "query", "a value; this argument is required", None),
        ({"query": ""}, "query", "at least 1 character", ""),
        ({"query": "x" * 201}, "query", "at most 200 characters", "x" * 200 + "…"),
        ({"query": 5}, "query", "a string", 5),
        ({"query": None}, "query", "a string", None),
        ({"query": "a", "limit": "5"}, "limit", "a whole number", "5"),
        ({"query": "a", "limit": True}, "limit", "a whole number", True),
        ({"query": "a", "limit": 5.5}, "limit", "a whole number", 5.5),
        ({"query": "a", "limit": 0}, "limit", "1 or more", 0),
        ({"query": "a", "limit": 51}, "limit", "50 or less", 51),
        ({"query": "a", "limit": 10**40}, "limit", "50 or less", 10**40),
        ({"query": "a", "filters": []}, "filters", "an object", "an array"),
        ({"query": "a", "filters": {"tags": [1]}}, "filters.tags.0", "a string", 1),
        ([], "arguments", "an object", "an array"),
        ("x", "arguments", "an object", "x"),
    ],
)
def test_a_mistake_names_field_expected_and_actual(raw: Any, field: str, expected: str, actual: Any) -> None:
    error = refused(ReadContext, raw)
    assert error.data["field"] == field
    assert error.data["expected"] == expected
    assert error.data["actual"] == actual
    assert field in error.message


def test_an_unknown_name_gets_the_nearest() -> None:
    error = refused(ReadContext, {"query": "a", "limitt": 3})
    assert error.message == "Unknown argument 'limitt'; did you mean 'limit'?"
    assert error.data["nearest"] == "limit"
    assert error.data["expected"] == "one of query, limit, filters"


def test_an_unknown_nested_name_gets_the_nearest_of_its_level() -> None:
    error = refused(ReadContext, {"query": "a", "filters": {"tag": ["x"]}})
    assert error.data["field"] == "filters.tag"
    assert error.data["nearest"] == "tags"


def test_a_tool_without_arguments_says_so() -> None:
    assert refused(Nothing, {"a": 1}).data["expected"] == "no arguments"


def test_further_mistakes_are_listed() -> None:
    error = refused(ReadContext, {"limit": "x", "other": 1})
    assert [mistake["field"] for mistake in error.data["errors"]] == ["query", "limit", "other"]


def test_of_very_many_mistakes_a_few_are_told() -> None:
    # Each has its nearest name looked for: all of them would take a minute.
    error = refused(ReadContext, {"query": "a", **{f"k{number}": number for number in range(50_000)}})
    assert [mistake["field"] for mistake in error.data["errors"]] == ["k0", "k1", "k2", "k3", "k4"]


def test_absent_arguments_are_empty_arguments() -> None:
    assert validated(Page, None).limit == 50


@pytest.mark.parametrize(
    ("given", "applied"),
    [
        (0, 1),
        (-5, 1),
        (501, 500),
        (10**30, 500),
        (-(10**400), 1),
        (10**400, 500),
        (2.9, 2),
        (1e300, 500),
        (20, 20),
    ],
)
def test_clamped_numbers_are_moved_not_refused(given: float, applied: int) -> None:
    assert validated(Page, {"limit": given}).limit == applied


@pytest.mark.parametrize("given", ["5", True, [], float("inf"), float("nan")])
def test_clamped_still_wants_a_number(given: Any) -> None:
    assert refused(Page, {"limit": given}).data["field"] == "limit"


@pytest.mark.parametrize(
    ("metadata", "field"),
    [
        ({"a": "\ud800"}, "metadata.a"),
        ({"\udfff": 1}, "metadata"),
        ({"a": [1, {"b": float("inf")}]}, "metadata.a.1.b"),
    ],
)
def test_what_no_store_can_hold_is_refused(metadata: Any, field: str) -> None:
    assert refused(Store, {"content": "x", "metadata": metadata}).data["field"] == field


def test_bottomless_nesting_is_refused() -> None:
    deep: Any = []
    for _ in range(MAX_DEPTH + 5):
        deep = [deep]
    assert "nesting" in refused(Store, {"content": "x", "metadata": {"a": deep}}).data["expected"]


def test_large_content_and_huge_integers_pass() -> None:
    big = validated(Store, {"content": "x" * 1_000_000, "metadata": {"n": 10**50}})
    assert big.metadata == {"n": 10**50}


def test_a_whole_number_is_one_however_it_is_written() -> None:
    assert validated(ReadContext, {"query": "a", "limit": 5.0}).limit == 5
    assert refused(ReadContext, {"query": "a", "limit": 5.5}).data["expected"] == "a whole number"
    assert refused(ReadContext, {"query": "a", "limit": 51.0}).data["expected"] == "50 or less"
    assert refused(ReadContext, {"query": 1, "limit": 5.0}).data["field"] == "query"


def test_null_is_the_default_of_what_may_be_left_out() -> None:
    assert validated(ReadContext, {"query": "a", "limit": None}).limit == 5
    assert refused(ReadContext, {"query": None, "limit": None}).data["field"] == "query"
