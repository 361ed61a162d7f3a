"""Editing frontmatter changes what was asked for and not one byte more."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from cuedeck.documents.frontmatter import read_frontmatter
from cuedeck.documents.frontmatter_edit import REMOVE, edit_frontmatter
from cuedeck.model.errors import CueError, ErrorCode

CARD = b"""---
# the card
title: "Implement Login"   # quoted
status: todo # soon
tags: [auth, backend]
depends_on:
  - abc123
  # between
  - def456

# people
assignee: '@dev'
extra: {keep: me}
notes: |
  one
  # two
---
# Body

text --- with dashes
"""


def edited(changes: dict[str, object], card: bytes = CARD) -> str:
    return edit_frontmatter(card, changes).decode()


@pytest.mark.parametrize(
    ("changes", "before", "after"),
    [
        ({"status": "active"}, "status: todo # soon", "status: active # soon"),
        ({"title": "New: title"}, '"Implement Login"   # quoted', '"New: title"   # quoted'),
        ({"assignee": "@o'neil"}, "'@dev'", "'@o''neil'"),
        ({"tags": ["x", "y z"]}, "[auth, backend]", "[x, y z]"),
        ({"extra": REMOVE}, "extra: {keep: me}\n", ""),
        ({"status": REMOVE}, "status: todo # soon\n", ""),
        (
            {"depends_on": ["zzz999"]},
            "  - abc123\n  # between\n  - def456",
            "  - zzz999",
        ),
        ({"depends_on": REMOVE}, "depends_on:\n  - abc123\n  # between\n  - def456\n", ""),
        ({"notes": "short"}, "|\n  one\n  # two", "short"),
        ({"priority": "high"}, "  # two\n---", "  # two\npriority: high\n---"),
    ],
)
def test_only_the_key_concerned_changes(changes: dict[str, object], before: str, after: str) -> None:
    assert edited(changes) == CARD.decode().replace(before, after)


def test_nothing_to_change_is_the_same_bytes() -> None:
    assert edit_frontmatter(CARD, {}) == CARD
    assert edit_frontmatter(CARD, {"status": "todo", "tags": ["auth", "backend"]}) == CARD


def test_line_endings_and_byte_order_mark_survive() -> None:
    card = b"\xef\xbb\xbf---\r\nstatus: todo\r\ntags:\r\n- a\r\n---\r\nBody\nmixed\r\n"
    assert edit_frontmatter(card, {"status": "done", "new": ["b"], "tags": ["c", "d"]}) == (
        b"\xef\xbb\xbf---\r\nstatus: done\r\ntags:\r\n  - c\r\n  - d\r\nnew: [b]\r\n---\r\nBody\nmixed\r\n"
    )


def test_a_document_without_frontmatter_gets_one() -> None:
    assert edited({"title": "A", "tags": []}, b"# Body\n") == "---\ntitle: A\ntags: []\n---\n# Body\n"
    assert edited({"title": "A"}, b"") == "---\ntitle: A\n---\n"
    assert edited({"title": REMOVE}, b"# Body") == "# Body"


def test_empty_and_comment_only_frontmatter() -> None:
    assert edited({"a": 1}, b"---\n---\nx") == "---\na: 1\n---\nx"
    assert edited({"a": 1}, b"---\n# c\n---\nx") == "---\n# c\na: 1\n---\nx"


def test_empty_values_are_filled_and_their_comments_kept() -> None:
    assert edited({"a": "x"}, b"---\na:\nb: 1\n---\n") == "---\na: x\nb: 1\n---\n"
    assert edited({"a": "x"}, b"---\na: # why\nb: 1\n---\n") == "---\na: x # why\nb: 1\n---\n"
    assert edited({"a": None}, b"---\na: 1\nb: 1\n---\n") == "---\na:\nb: 1\n---\n"


def test_flow_mappings_and_anchors_keep_the_other_values() -> None:
    assert read_frontmatter(edited({"b": 3, "c": "x"}, b"---\n{a: 1, b: 2}\n---\n")).data == {
        "a": 1,
        "b": 3,
        "c": "x",
    }
    anchored = b"---\na: &x [1]\nb: *x\n---\n"
    assert read_frontmatter(edited({"b": 3}, anchored)).data == {"a": [1], "b": 3}
    with pytest.raises(CueError):
        edit_frontmatter(b"---\na: [1\n---\n", {"b": 1})


def test_timestamps_are_written_plain() -> None:
    assert "created: 2026-01-02T10:43:00Z\n" in edited({"created": "2026-01-02T10:43:00Z"})


@pytest.mark.parametrize(
    "card", [b"---\na: [1\n---\n", b"---\n- a\n---\n", b"---\na: 1\na: 2\n---\n", b"\xff\xfe"]
)
def test_unusable_frontmatter_is_refused_with_a_reason(card: bytes) -> None:
    with pytest.raises(CueError) as caught:
        edit_frontmatter(card, {"b": 1})
    assert caught.value.code is ErrorCode.VALIDATION


HOSTILE = [
    "---",
    "---\nevil: 1\n---",
    "a: b",
    "# not a comment",
    "x # y",
    "[a",
    "{a",
    "*alias",
    "&anchor",
    "!tag",
    "%dir",
    "@at",
    "`tick",
    "'",
    '"',
    "\\",
    "null",
    "~",
    "true",
    "yes",
    "1",
    "1e3",
    "0x1f",
    "",
    " ",
    " lead",
    "trail ",
    "tab\t",
    "\r\n",
    "a\u2028b",
    "\x00",
    "\x85",
    "\ufeff",
    "- a",
    "? a",
    ": a",
    "a:",
    "|",
    ">",
    "<<",
    "=",
    "2024-01-01",
    "😀",
    "שלום",
    "a" * 5000,
    "word " * 200,
]


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_values_come_back_as_they_went_in(value: str) -> None:
    changes: dict[str, object] = {"title": value, "status": value, "tags": [value], "fresh": value, value: 1}
    result = edit_frontmatter(CARD, changes)
    found = read_frontmatter(result.decode())
    assert found.problem is None
    assert found.data is not None
    old = read_frontmatter(CARD.decode()).data
    assert found.data == {**(old or {}), **changes}
    assert result.decode()[found.body :] == "# Body\n\ntext --- with dashes\n"
    if not value.startswith("="):
        assert (
            dict(YAML(typ="safe", pure=True).load(result.decode()[found.start : found.end]))["title"] == value
        )


texts = st.text(max_size=30)
values: Any = st.one_of(
    texts, st.integers(-(2**40), 2**40), st.booleans(), st.none(), st.lists(texts, max_size=3)
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(texts, values, max_size=4), st.dictionaries(texts, values, max_size=3))
def test_any_sequence_of_edits_reads_back(first: dict[str, Any], second: dict[str, Any]) -> None:
    once = edit_frontmatter(b"body\n", first)
    twice = edit_frontmatter(once, second)
    wanted = {**first, **second}
    assert (read_frontmatter(twice.decode()).data or {}) == wanted
    gone = edit_frontmatter(twice, dict.fromkeys(second, REMOVE))
    assert (read_frontmatter(gone.decode()).data or {}) == {
        k: v for k, v in wanted.items() if k not in second
    }
