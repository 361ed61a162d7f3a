"""Patterns as in ``.gitignore``, read as leniently as git reads them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern


def git_patterns(lines: Iterable[str]) -> GitIgnoreSpec:
    """The patterns of some lines; one that means nothing is passed over, as git does, and stops no other."""
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec([pattern for line in lines if (pattern := _pattern(line)) is not None])


def is_pattern(line: str) -> bool:
    """Whether a line means anything as a pattern."""
    return _pattern(line) is not None


def _pattern(line: str) -> GitIgnoreSpecPattern | None:
    from pathspec.patterns.gitignore import GitIgnorePatternError
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    try:
        # A doubled bracket is a class of characters to git, and a warning to Python.
        with warnings.catch_warnings(action="ignore", category=FutureWarning):
            return GitIgnoreSpecPattern(line)
    except (GitIgnorePatternError, re.error):
        return None
