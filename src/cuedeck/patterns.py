"""Patterns as in ``.gitignore``, read as leniently as git reads them and matched in bounded time."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

# How pathspec writes the wildcards.
ANYWHERE: Final = "^(?:.+/)?"
_DEEP: Final = "(?:/.+)?"
_STAR: Final = "[^/]*"
_END: Final = "(?:(?P<"
_TOKEN: Final = re.compile(r"\[\^/\]\*|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\(\?:\(\?P<|\\.|.", re.DOTALL)


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
        expression, include = GitIgnoreSpecPattern.pattern_to_regex(line)
        return GitIgnoreSpecPattern(None if expression is None else compiled(bounded(expression)), include)
    except (GitIgnorePatternError, re.error):
        return None


def compiled(expression: str) -> re.Pattern[str]:
    """The expression ready to match; a doubled bracket is a class to git, and a warning to Python."""
    with warnings.catch_warnings(action="ignore", category=FutureWarning):
        return re.compile(expression)


def bounded(expression: str) -> str:
    """The same expression where every wildcard but the last takes the first fit and never tries another.

    Ignore files come from strangers, and stars that try every fit take years. What comes behind a
    wildcard may begin as early as it likes, so the first fit is as good as any later one.
    """
    first, *others = expression.split(_DEEP)
    anywhere = first.startswith(ANYWHERE)
    first = _bounded_folders(first.removeprefix(ANYWHERE))
    if not others:
        return f"{ANYWHERE if anywhere else ''}{first}"
    found = [f"^(?>(?:.+?/)??{first}(?=/))" if anywhere else first]
    found += [f"(?>(?:/.+?)??{_bounded_folders(part)}(?=/))" for part in others[:-1]]
    return "".join([*found, _DEEP, _bounded_folders(others[-1])])


def _bounded_folders(expression: str) -> str:
    """Each folder's stars for themselves."""
    found: list[str] = []
    pieces = [""]
    for token in _TOKEN.findall(expression):
        if token == _STAR:
            pieces.append("")
        elif token in ("/", _END):
            found += [_bounded_stars(pieces), token]
            pieces = [""]
        else:
            # A set of characters never holds the slash, whatever it says.
            pieces[-1] += f"(?!/){token}" if token.startswith("[") and token != "[^/]" else token
    return "".join([*found, _bounded_stars(pieces)])


def _bounded_stars(pieces: list[str]) -> str:
    """The pieces of a name, with a star between each and the next."""
    if len(pieces) == 1:
        return pieces[0]
    middle = "".join(f"(?>[^/]*?{piece})" for piece in pieces[1:-1])
    return f"{pieces[0]}{middle}{_STAR}{pieces[-1]}"
