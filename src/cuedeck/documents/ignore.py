"""Which paths are left out: .gitignore and .cuedeckignore at any depth, settings, and what nobody wants."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cuedeck.patterns import ANYWHERE, compiled, git_patterns

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILES = (".gitignore", ".cuedeckignore")
EXCLUDE_FILE = ".git/info/exclude"
OWN_FOLDERS = (".cuedeck/cards", ".cuedeck/docs")
_ALWAYS = ("node_modules/", "__pycache__/", "bower_components/", "*~", "*.swp")


@dataclass(frozen=True, slots=True)
class Rules:
    """The patterns of one place, for paths below it."""

    base: str
    spec: GitIgnoreSpec
    any_pattern: re.Pattern[str] | None

    def decision(self, path: str) -> bool | None:
        """Ignored, kept by a negation, or nothing said."""
        below = path[len(self.base) :]
        # One alternation answers the usual case, that no pattern speaks of the path.
        if self.any_pattern is not None and not self.any_pattern.match(below):
            return None
        return self.spec.check_file(below).include


@dataclass(slots=True)
class IgnoreRules:
    """Decides for a whole workspace; folders are entered top-down and add their own files."""

    root: Path
    patterns: Sequence[str] = ()
    _by_folder: dict[str, tuple[Rules, ...]] = field(default_factory=dict)

    def rules_for(self, folder: str, names: Iterable[str]) -> tuple[Rules, ...]:
        """The rules inside a folder (``""`` or ending in ``/``), nearest first."""
        found = [name for name in IGNORE_FILES if name in names]
        inherited = self._by_folder.get(_parent(folder)) if folder else self._outermost()
        rules = inherited if inherited is not None else self._outermost()
        for name in found:
            lines = self._lines(self.root / folder / name)
            rules = (_compiled(folder, lines), *rules)
        self._by_folder[folder] = rules
        return rules

    def _outermost(self) -> tuple[Rules, ...]:
        if (known := self._by_folder.get("*")) is not None:
            return known
        excluded = self._lines(self.root / EXCLUDE_FILE)
        given = (_compiled("", self.patterns),) if self.patterns else ()
        rules = (*given, _compiled("", [*_ALWAYS, *excluded]))
        self._by_folder["*"] = rules
        return rules

    def _lines(self, path: Path) -> list[str]:
        try:
            if path.is_symlink() or path.stat().st_size > 1_000_000:
                return []
            return path.read_text("utf-8", "replace").split("\n")
        except OSError:
            return []


def is_ignored(rules: Sequence[Rules], path: str) -> bool:
    """The nearest rule that speaks decides; a folder's path ends in ``/``."""
    for each in rules:
        decision = each.decision(path)
        if decision is not None:
            return decision
    return False


def _compiled(base: str, lines: Sequence[str]) -> Rules:
    spec = git_patterns(lines)
    sources = [str(pattern.regex.pattern) for pattern in spec.patterns if pattern.regex is not None]
    try:
        return Rules(base, spec, compiled(_any_of([re.sub(r"\(\?P<\w+>", "(?:", each) for each in sources])))
    except re.error:
        return Rules(base, spec, None)


def _any_of(sources: Sequence[str]) -> str:
    """One expression for all; those for any folder go through the folders of a path once, together."""
    anywhere = [source.removeprefix(ANYWHERE) for source in sources if source.startswith(ANYWHERE)]
    others = [source for source in sources if not source.startswith(ANYWHERE)]
    deep = [f"{ANYWHERE}(?:{'|'.join(anywhere)})"] if anywhere else []
    return "|".join([*others, *deep]) or "(?!)"


def _parent(folder: str) -> str:
    return folder[: folder.rstrip("/").rfind("/") + 1]
