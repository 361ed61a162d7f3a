"""When two tasks would touch the same files."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cuedeck.model.errors import CueError
from cuedeck.tasks.files import Held, _matches, _overlap, _plain, checked_paths

PATHS = st.lists(st.text("ab./*", min_size=1, max_size=7).filter(lambda path: path[0] != "/"), max_size=3)


@pytest.mark.parametrize(
    ("mine", "theirs", "collides"),
    [
        ("src/a.py", "src/a.py", True),
        ("./src/a.py", "src//a.py", True),
        ("src\\a.py", "src/a.py", True),
        ("src/a.py", "src/ab.py", False),
        ("src", "src/a.py", True),
        ("src/a.py", "src/", True),
        ("src/a", "src/ab", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/**/*.py", "src/deep/er/a.py", True),
        ("src/**/*.py", "src/a.py", True),
        ("src/**", "docs/a.md", False),
        ("src/*.py", "src", True),
        ("src/*.py", "src/*.md", True),
        ("src/*.py", "docs/*.md", False),
        ("*", "anything/at/all", True),
        (".", "anything", True),
        ("app/[id]/page.tsx", "app/[id]/page.tsx", True),
        ("app/[id]/page.tsx", "app/i/page.tsx", False),
        ("a+b.py", "aab.py", False),
        ("/outside/a.py", "/outside", True),
    ],
)
def test_collisions_are_seen_from_both_sides(mine: str, theirs: str, collides: bool) -> None:
    assert (Held([[theirs]]).collision([mine]) == (0, mine)) is collides
    assert (Held([[mine]]).collision([theirs]) == (0, theirs)) is collides


@given(st.lists(PATHS, max_size=8), PATHS)
def test_the_first_holder_is_found_as_by_comparing_with_each(held: list[list[str]], mine: list[str]) -> None:
    pairs = (
        (holder, path)
        for holder, theirs in enumerate(held)
        for path in mine
        if any(_overlap(_plain(path), _plain(other)) for other in theirs)
    )
    assert Held(held).collision(mine) == next(pairs, None)


@pytest.mark.parametrize("path", ["", " ", "/etc/passwd", "../x", "a/../../x", "C:\\x", "a\0b", "x" * 5000])
def test_paths_that_lead_outside_are_refused(path: str) -> None:
    with pytest.raises(CueError) as refusal:
        checked_paths("files_exclusive", [path])
    assert refusal.value.data["field"] == "files_exclusive"


@given(st.text("ab/*", max_size=9), st.text("ab/", max_size=9))
def test_a_pattern_means_what_the_regular_expression_means(pattern: str, path: str) -> None:
    assume("*" in pattern and "***" not in pattern and "**/**" not in pattern)
    parts = (
        {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}.get(part) or re.escape(part)
        for part in re.split(r"(\*\*/|\*\*|\*)", pattern)
    )
    assert _matches(path, pattern) is (re.fullmatch("".join(parts) + "(?:/.*)?", path) is not None)


def test_a_hostile_pattern_is_answered() -> None:
    assert Held([["**a" * 1300 + "x"]]).collision(["a" * 4000]) is None
    assert Held([["**/a*" * 800]]).collision(["a/" * 2000]) is not None
