"""Links lead where Obsidian would lead them."""

from __future__ import annotations

import pytest

from cuedeck.documents.links import KnownNames, resolve
from cuedeck.documents.markdown import LinkKind

FILES = [
    "index.md",
    "notes/alpha.md",
    "notes/deep/Beta.md",
    "archive/alpha.md",
    "archive/old/gamma.md",
    "v1.2 notes.md",
    "img/picture.png",
    "Über.md",
    "a/twin.md",
    "b/Twin.md",
]
NAMES = KnownNames.of(FILES, {"archive/old/gamma.md": ["Third Letter"]})


@pytest.mark.parametrize(
    ("kind", "target", "source", "expected"),
    [
        ("wiki", "alpha", "index.md", "notes/alpha.md"),
        ("wiki", "alpha", "archive/x.md", "archive/alpha.md"),
        ("wiki", "archive/alpha", "notes/x.md", "archive/alpha.md"),
        ("wiki", "old/gamma", "index.md", "archive/old/gamma.md"),
        ("wiki", "ALPHA.md", "index.md", "notes/alpha.md"),
        ("wiki", "beta", "index.md", "notes/deep/Beta.md"),
        ("wiki", "lpha", "index.md", None),
        ("wiki", "v1.2 notes", "index.md", "v1.2 notes.md"),
        ("wiki", "picture.png", "index.md", "img/picture.png"),
        ("wiki", "picture", "index.md", None),
        ("wiki", "third letter", "index.md", "archive/old/gamma.md"),
        ("wiki", "U\u0308ber", "index.md", "Über.md"),
        ("wiki", "../index", "notes/alpha.md", "index.md"),
        ("wiki", "./alpha", "index.md", None),
        ("wiki", "/notes/alpha", "archive/x.md", "notes/alpha.md"),
        ("wiki", "/alpha", "archive/x.md", None),
        ("wiki", "twin", "index.md", "a/twin.md"),
        ("wiki", "Twin", "index.md", "b/Twin.md"),
        ("markdown", "alpha.md", "archive/x.md", "archive/alpha.md"),
        ("markdown", "deep/Beta.md", "notes/alpha.md", "notes/deep/Beta.md"),
        ("markdown", "../../index.md", "notes/deep/Beta.md", "index.md"),
        ("markdown", "../../../index.md", "notes/deep/Beta.md", None),
        ("markdown", "gamma.md", "index.md", "archive/old/gamma.md"),
        ("image", "img/picture.png", "index.md", "img/picture.png"),
        ("wiki", "", "notes/alpha.md", "notes/alpha.md"),
        ("wiki", "..", "notes/alpha.md", None),
        ("wiki", "notes\\alpha", "index.md", "notes/alpha.md"),
    ],
)
def test_resolution(kind: str, target: str, source: str, expected: str | None) -> None:
    assert resolve(LinkKind(kind), target, source, NAMES) == expected


def test_of_many_namesakes_the_nearest_is_meant() -> None:
    names = KnownNames.of([f"{folder}/{n}/index.md" for folder in ("a", "b") for n in range(20)], {})
    asked = {
        ("index", "b/7/note.md"): "b/7/index.md",
        ("index", "b/note.md"): "b/0/index.md",
        ("index", "elsewhere/note.md"): "a/0/index.md",
        ("index", "note.md"): "a/0/index.md",
        ("13/INDEX", "b/note.md"): "b/13/index.md",
        ("13/index", "a/5/note.md"): "a/13/index.md",
        ("3/index", "note.md"): "a/3/index.md",
        ("40/index", "note.md"): None,
    }
    found = {each: resolve(LinkKind.WIKI, *each, names) for each in asked}
    assert found == asked
