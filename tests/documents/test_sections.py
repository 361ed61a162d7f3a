"""Sections, slices and anchors are exact, whatever the file looks like."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuedeck.documents import sections
from cuedeck.documents.markdown import parse_markdown
from cuedeck.documents.sections import (
    anchors_of,
    chunks_of,
    find_heading,
    sections_of,
    slice_at,
    slugs_of,
)

TEXT = """---
title: x
---
intro

# One
a
## Two
b
```
# not a heading
```
## Three
c
# Four
d"""


def cut(text: str, anchor: str) -> str | None:
    data = text.encode()
    found = slice_at(parse_markdown(text), anchor, len(data))
    return None if found is None else data[found.start : found.end].decode()


def test_a_slice_runs_to_the_next_heading_of_the_same_or_a_higher_level() -> None:
    assert cut(TEXT, "Two") == "## Two\nb\n```\n# not a heading\n```\n"
    one = cut(TEXT, "One")
    assert one is not None
    assert one.endswith("c\n")
    assert cut(TEXT, "Four") == "# Four\nd"
    assert cut(TEXT, "not a heading") is None


@pytest.mark.parametrize(
    "anchor",
    [
        "Error Codes & More",
        "error codes & more",
        "error-codes--more",
        "#error-codes--more",
        "## Error Codes & More",
    ],
)
def test_anchors_match_by_text_then_case_then_slug(anchor: str) -> None:
    assert find_heading(["Intro", "Error Codes & More"], anchor) == 1


@pytest.mark.parametrize(
    "anchor", ["The *one* `f()` in [b](c.md)", "### The *one* `f()` in [b](c.md)", "_x_"]
)
def test_an_anchor_may_be_the_markdown_of_a_heading(anchor: str) -> None:
    assert find_heading(["Intro", "The one f() in b", "x"], anchor) == (2 if anchor == "_x_" else 1)


def test_a_heading_longer_than_an_anchor_may_be_is_asked_for_by_its_beginning() -> None:
    long = "why " * 40
    headings = [parse_markdown(f"# {long}").headings[0].text, "why"]
    assert find_heading(headings, anchors_of(headings)[0]) == 0
    assert find_heading(headings, "why why") is None


def test_every_heading_can_be_asked_for() -> None:
    headings = ["Usage", "Example", "Usage", "usage", "Example", "Usage", "x" * 300, "", "🎉", "🎉"]
    named = anchors_of(headings)
    assert named[:6] == ["Usage", "Example", "usage-1", "usage", "example-1", "usage-3"]
    assert [find_heading(headings, name) for name in named[:7]] == list(range(7))


def test_the_first_of_equal_headings_wins_and_slugs_reach_the_others() -> None:
    headings = ["Usage", "usage", "Usage"]
    assert slugs_of(headings) == ["usage", "usage-1", "usage-2"]
    assert [find_heading(headings, anchor) for anchor in ("Usage", "usage", "USAGE", "usage-2")] == [
        0,
        1,
        0,
        2,
    ]


@pytest.mark.parametrize(
    ("heading", "slug"),
    [
        ("Hello, World!", "hello-world"),
        ("C++ & C#", "c--c"),
        ("snake_case", "snake_case"),
        ("Überschrift ÄÖ", "überschrift-äö"),
        ("日本語 見出し", "日本語-見出し"),
        ("a  b", "a--b"),
        ("🎉 Party", "-party"),
    ],
)
def test_slugs_are_githubs(heading: str, slug: str) -> None:
    assert slugs_of([heading]) == [slug]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_endings_and_marks_do_not_move_a_slice(ending: str, mark: str) -> None:
    text = mark + TEXT.replace("\n", ending)
    two = cut(text, "Two")
    assert two is not None
    assert two.split(ending)[0] == "## Two"
    assert two.split(ending)[-2] == "```"
    assert [heading.line for heading in parse_markdown(text).headings] == [6, 8, 13, 15]


lines = st.sampled_from(
    [
        "# A",
        "## B\t",
        "###",
        "text 😀",
        "שלום עולם",
        "Setext",
        "===",
        "---",
        "```",
        "~~~",
        "- item",
        "  # in item",
        "> # quoted",
        "<!--",
        "-->",
        "\tcode",
        "",
        "  ",
        "日本語",
        "<div>",
        "</div>",
        "\\# no",
        "[a]: b",
    ]
)
documents = st.builds(
    lambda parts, endings, last: "".join(p + e for p, e in zip(parts, endings, strict=False)) + last,
    st.lists(lines, max_size=14),
    st.lists(st.sampled_from(["\n", "\r\n", "\n\n", "\r"]), min_size=14, max_size=14),
    lines,
)


@settings(max_examples=300, deadline=None)
@given(documents)
def test_sections_and_chunks_add_up_to_the_file(text: str) -> None:
    data = text.encode()
    parsed = parse_markdown(text)
    sections = sections_of(parsed, len(data))
    assert b"".join(data[s.start : s.end] for s in sections) == data
    for section in sections:
        pieces = [data[a:b] for a, b in chunks_of(data, section.start, section.end)]
        assert b"".join(pieces) == data[section.start : section.end]
        data[section.start : section.end].decode()
        if section.heading:
            line = data[section.start : section.end].decode().splitlines()[0]
            assert section.heading.split()[0] in line


def test_long_sections_are_cut_at_paragraphs_and_never_inside_a_character() -> None:
    for text in ("word " * 3000, "日本" * 3000, "para\n\n" * 1000, "x" * 5000):
        data = text.encode()
        pieces = [data[a:b] for a, b in chunks_of(data, 0, len(data))]
        assert b"".join(pieces) == data
        assert max(map(len, pieces)) <= 1603
        assert all(piece.decode() for piece in pieces)


@given(st.text("a.!? \n\r。日", max_size=40), st.integers(0, 40), st.integers(0, 120))
def test_the_last_end_of_a_sentence_is_that_of_a_look_at_all_of_them(text: str, low: int, limit: int) -> None:
    data = text.encode()
    low, limit = min(low, len(data)), max(low, min(limit, len(data)))
    sentence = re.compile(rb"(?:\r\n|\n|\r)|(?<=[.!?]) |(?<=\xe3\x80\x82)")
    ends = [found.end() for found in sentence.finditer(data, low, limit)]
    assert sections._last_sentence_end(data, low, limit) == (ends[-1] if ends else -1)


@pytest.mark.parametrize("paragraph", [40, 90, 290, 310, 5000])
def test_passages_add_up_to_their_chunk(paragraph: int) -> None:
    data = (b"word " * (paragraph // 5) + b"\n\n") * (1 + 1600 // paragraph)
    found = sections.passages_of(data, 0, len(data), 8)
    assert 1 <= len(found) <= 8
    assert [first for first, _ in found] == [0, *(last for _, last in found[:-1])]
    assert found[-1][1] == len(data)
    assert all(last - first <= sections.PASSAGE_BYTES for first, last in found[:7])


@pytest.mark.parametrize(
    ("anchor", "place"),
    [
        ("tags-file", 0),
        ("Tags File", 0),
        ("react-without-memo", 1),
        ("React sin memo", 1),
        ("#foo", 2),
        ("foo bar", 2),
        ("foo-bar", 2),
        ("GET /a/{id}", 3),
        ("id", None),
    ],
)
def test_a_heading_answers_to_the_id_it_was_given(anchor: str, place: int | None) -> None:
    text = (
        "# Tags File {/* #tags-file */}\n## React sin memo {/*react-without-memo*/}\n## Foo bar {#foo .x}\n"
    )
    headings = [each.text for each in parse_markdown(text + "## GET /a/{id}\n").headings]
    assert sections.find_heading(headings, anchor) == place


@pytest.mark.parametrize(
    ("anchor", "place"),
    [
        ("B#X", 3),
        ("A#X", 1),
        ("B#X#Y", 4),
        ("#B#X", 3),
        ("C#", 5),
        ("A#B#X#Y#Z#X#Y", None),
        ("Z#X", None),
        ("B#", 2),
    ],
)
def test_a_way_of_headings_leads_to_the_one_below(anchor: str, place: int | None) -> None:
    headings = [each.text for each in parse_markdown("# A\n## X\n# B\n## X\n### Y\n# C\\#\n").headings]
    assert sections.find_heading(headings, anchor) == place
