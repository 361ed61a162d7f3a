"""Patterns as in .gitignore, compared with git itself."""

from __future__ import annotations

import re
import subprocess
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from cuedeck.patterns import git_patterns, is_pattern

MEANINGLESS = ["!", "\\", "build\\", "[z-a]", "! "]


@pytest.mark.parametrize("line", MEANINGLESS)
def test_a_line_that_is_no_pattern_ignores_nothing_and_harms_no_other(line: str, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text(f"{line}\nout/\n")
    paths = ["out/a.md", "build/b.md", "c.md"]
    said = subprocess.run(
        ["git", "check-ignore", *paths], cwd=tmp_path, capture_output=True, text=True
    ).stdout.split()
    spec = git_patterns([line, "out/"])
    assert not is_pattern(line) and [path for path in paths if spec.match_file(path)] == said == ["out/a.md"]


def test_a_doubled_bracket_warns_nobody() -> None:
    with warnings.catch_warnings(record=True) as heard:
        git_patterns(["[[:digit:]]x"])
    assert not heard


PIECES = st.sampled_from(["a", "b", "*", "**", "/", "/**/", "?", "[ab]", "[!ab/]", ".", "\\*"])


@settings(max_examples=300)
@given(st.lists(PIECES, min_size=1, max_size=9).map("".join), st.text("aab/.", min_size=1, max_size=12))
def test_bounded_matching_decides_like_the_library(line: str, path: str) -> None:
    path = re.sub("/+", "/", path).strip("/")
    if path and is_pattern(line):
        assert git_patterns([line]).match_file(path) == GitIgnoreSpec.from_lines([line]).match_file(path)


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("*a" * 40 + "*b", "a" * 255),
        ("**/a/" * 30 + "b", "a/" * 2000 + "c"),
        ("a/**/" * 40 + "*a*a*a*b", "a/" * 2000),
    ],
)
def test_stars_that_fit_in_countless_ways_are_answered(line: str, path: str) -> None:
    assert not git_patterns([line]).match_file(path)


def test_a_set_of_characters_never_spans_folders(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("a[!b]c\n")
    asked = ["git", "check-ignore", "a/c", "axc"]
    said = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True).stdout.split()
    assert [path for path in asked[2:] if git_patterns(["a[!b]c"]).match_file(path)] == said == ["axc"]
