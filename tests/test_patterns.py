"""Patterns as in .gitignore, compared with git itself."""

from __future__ import annotations

import subprocess
import warnings
from pathlib import Path

import pytest

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
