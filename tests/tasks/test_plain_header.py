"""The quick reader says what the YAML reader says, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cuedeck.documents.frontmatter import read_frontmatter
from cuedeck.tasks.plain_header import read_plain

value = st.one_of(
    st.text("abz019 ._/:-+=;'\"[]{},#&*!|>%@`~\\$^()\t\u00e9\u2028\ufeff", max_size=12),
    st.sampled_from(
        [
            "true",
            "null",
            "~",
            "1e5",
            "0x1f",
            "012345",
            ".5",
            "1.0",
            "2026-01-02T10:00:00.000Z",
            "a: b",
            "a:b",
            "x #y",
        ]
    ),
)
line = st.one_of(
    st.tuples(st.sampled_from(["title", "status", "tags", "a_b"]), value).map(": ".join),
    st.tuples(st.sampled_from(["title", "tags"]), st.lists(value, max_size=3)).map(
        lambda pair: f"{pair[0]}: [{', '.join(pair[1])}]"
    ),
    st.sampled_from(
        ["", "# comment", "  - item", "title:", "tags: []", "tags: [ ]", "key : x", "---", "'a': b"]
    ),
)


@settings(max_examples=400)
@example(["title: Fix it", "tags: ['a, b', c]"])
@example(["title: 'it''s'"])
@example(["title: a ", "tags: [a,b]"])
@given(st.lists(line, max_size=4))
def test_it_agrees_with_yaml(lines: list[str]) -> None:
    header = "".join(f"{text}\n" for text in lines)
    plain = read_plain(header)
    if plain is not None:
        found = read_frontmatter(f"---\n{header}---\n")
        assert found.problem is None
        assert repr(plain) == repr(found.data)


@pytest.mark.parametrize(
    "header",
    [
        "title: Do it\nstatus: todo\n",
        "tags: [a, b]\ncreated: 2026-01-02T10:00:00.000Z\n",
        "assignee: '@me'\n",
        "a:\n",
    ],
)
def test_ordinary_headers_are_plain(header: str) -> None:
    assert read_plain(header) is not None
