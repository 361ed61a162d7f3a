"""Frontmatter as people write it: values, places, mistakes."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuedeck.documents.frontmatter import _simple, locate_frontmatter, read_frontmatter
from cuedeck.documents.yaml_value import read_yaml


def data_of(yaml: str) -> object:
    return read_frontmatter(f"---\n{yaml}\n---\nbody\n").data


def test_values_are_plain_json() -> None:
    assert data_of("a: 1\nb: 1.5\nc: true\nd: ~\ne: [x, 'y']\nf: {g: h}\ni:\n  - j\n") == {
        "a": 1,
        "b": 1.5,
        "c": True,
        "d": None,
        "e": ["x", "y"],
        "f": {"g": "h"},
        "i": ["j"],
    }


def test_dates_and_old_booleans_stay_the_text_that_was_written() -> None:
    assert data_of("a: 2024-01-02\nb: 2024-01-02T10:00:00Z\nc: yes\nd: 12:30:45\ne: 0o10") == {
        "a": "2024-01-02",
        "b": "2024-01-02T10:00:00Z",
        "c": "yes",
        "d": "12:30:45",
        "e": 8,
    }


def test_what_json_cannot_hold_is_text() -> None:
    value = data_of(f"a: .nan\nb: .inf\nc: 1e999\nd: {'9' * 5000}\n1: x\nnull: y\ne: !!binary aGk=\nf: !x y")
    assert json.loads(json.dumps(value, allow_nan=False)) == value
    assert value == {
        "a": ".nan",
        "b": ".inf",
        "c": "1e999",
        "d": "9" * 5000,
        "1": "x",
        "null": "y",
        "e": "aGk=",
        "f": "y",
    }


def test_aliases_and_merges() -> None:
    assert data_of("base: &b {x: 1, y: 2}\nall: *b\nmore:\n  <<: *b\n  y: 3") == {
        "base": {"x": 1, "y": 2},
        "all": {"x": 1, "y": 2},
        "more": {"y": 3, "x": 1},
    }


@pytest.mark.parametrize(
    ("yaml", "line"),
    [
        ("a: [1\nb: 2", 3),
        ("ok: 1\nbad: 'x", 4),
        ("ok: 1\n\tbad: 2", 3),
        ("title: {{title}}", 2),
        ("a: *nothing", 2),
        ("- a\n- b", 2),
        ("a: \x07", 2),
        ("a: 1\n--- b\n", 3),
    ],
)
def test_mistakes_are_named_with_their_line(yaml: str, line: int) -> None:
    found = read_frontmatter(f"---\n{yaml}\n---\nbody")
    assert found.data is None
    assert found.problem is not None
    assert found.problem.line == line


def test_a_repeated_key_is_reported_and_the_last_one_counts() -> None:
    found = read_frontmatter("---\na: 1\nb: 2\na: 3\n---\n")
    assert found.data == {"a": 3, "b": 2}
    assert found.problem is not None
    assert (found.problem.line, "'a'" in found.problem.message) == (4, True)


def test_a_bomb_is_refused_at_once() -> None:
    rows = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"]
    rows += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    for yaml in ("\n".join(rows), "a: " + "[" * 60000, "a: " + "{b: " * 20000, "- " * 30000, "x: " * 90000):
        started = time.process_time()
        assert data_of(yaml) is None
        assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\na: 1\n---\nbody", "body"),
        ("\ufeff---\r\na: 1\r\n---\r\nbody", "body"),
        ("---\n---\nbody", "body"),
        ("---  \na: 1\n---\t\nbody", "body"),
        ("---\na: 1\n---", ""),
        ("---\ra: 1\r---\rbody", "body"),
    ],
)
def test_the_body_begins_after_the_closing_line(text: str, body: str) -> None:
    place = locate_frontmatter(text)
    assert place is not None
    assert text[place[2] :] == body


@pytest.mark.parametrize(
    "text", ["", "# A\n", "---\na: 1\n", " ---\na: 1\n---\n", "----\na: 1\n----\n", "\n---\na: 1\n---\n"]
)
def test_what_only_looks_like_frontmatter_is_not(text: str) -> None:
    assert locate_frontmatter(text) is None
    assert read_frontmatter(text).data is None


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab:-[]{}&*!|>'\"#%@`,? \n\t\r0~<\ufeff\x00é"), max_size=60))
def test_any_text_is_read_without_a_crash_and_as_json(text: str) -> None:
    found = read_frontmatter(f"---\n{text}\n---\n")
    json.dumps(found.data, allow_nan=False)
    assert found.data is not None or found.problem is not None or not text.strip()


PIECES = [
    *("a", "key", ":", ": ", " ", "-", "- ", "\n", "\n- ", "\n  - ", "1", "0x1F", "1e3", "true", "null", "~"),
    *("2020-01-01", ".", "'", "é", "中", "#", " #", ",", "!", "?", "&", "[", "\u2028", "\u00a0", "²", "٣"),
]


@settings(max_examples=600, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=10).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=5).map("".join),
)
def test_what_is_read_line_by_line_is_what_the_parser_reads(head: str, tail: str) -> None:
    for text in (head, f"key: {head}\nlist:\n- {tail}\n- x\n"):
        simple = _simple(text)
        if simple is not None:
            document = read_yaml(text)
            assert repr(document.value or {}) == repr(simple)
            assert not document.duplicates


@pytest.mark.parametrize(
    ("yaml", "found"),
    [
        (
            "aliases:\n- A b's c\n-\ntags: \n\npublish: true\n",
            {"aliases": ["A b's c", None], "tags": None, "publish": True},
        ),
        ("at: 12:30:00\nsee: https://a.b/c?d", {"at": "12:30:00", "see": "https://a.b/c?d"}),
        ("n:\n    - 1\n    - 中文", {"n": [1, "中文"]}),
        ("", {}),
    ],
)
def test_simple_frontmatter_needs_no_parser(yaml: str, found: object) -> None:
    assert _simple(yaml) == found


@pytest.mark.parametrize(
    "yaml", ["a: b: c", "a: b #c", "a: 1\na: 2", "a: x\n- y", "a:\n- x\n  - y", "a: 'x'", "a:\n b: c"]
)
def test_what_is_not_simple_is_left_to_the_parser(yaml: str) -> None:
    assert _simple(yaml) is None
