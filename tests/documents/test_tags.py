"""Which tags and aliases a frontmatter gives."""

from __future__ import annotations

import pytest

from cuedeck.documents.extract import extract


@pytest.mark.parametrize(
    ("front", "tags", "aliases"),
    [
        ("tags: [a, b/c]\naliases: [One, Two]", ("a", "b/c"), ("One", "Two")),
        ("TAG: a\nALIAS: One", ("a",), ("One",)),
        ("Tags:\n  - a\nAliases:\n  - One", ("a",), ("One",)),
        ("tag: x\ntags: a", ("a",), ()),
        ("tags: a\nTags: b", ("a",), ()),
        ("1: x\ntags:\naliases: 7", (), ("7",)),
    ],
)
def test_tags_and_aliases_whatever_the_case_of_their_property(
    front: str, tags: tuple[str, ...], aliases: tuple[str, ...]
) -> None:
    found = extract("a.md", f"---\n{front}\n---\n".encode(), max_bytes=1_000)
    assert (found.tags, found.aliases) == (tags, aliases)
