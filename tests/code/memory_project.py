"""A folder linked in memory, for tests and evaluations of resolution without a store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from cuedeck.code.extraction.encoding import as_utf8
from cuedeck.code.extraction.extract import extract
from cuedeck.code.facts import BIND_MASK, Bind, Facts, Links, Outline
from cuedeck.code.languages import language_named, language_of, language_of_source
from cuedeck.code.resolution.conventions import ConventionalLinker, ProvingLinker
from cuedeck.code.resolution.linker import Linker
from cuedeck.code.resolution.rules import Rules
from cuedeck.code.resolution.uses import Uses
from cuedeck.code.resolution.values import Symbol
from cuedeck.code.snapshot import Snapshot

# Folders of git, and of what is installed.
_NO_PART = frozenset({".git", "node_modules", ".venv", "venv"})
_FORWARDING = (Bind.IMPORT, Bind.MODULE, Bind.STAR, Bind.LINK)


class MemoryProject:
    """The code files below a folder, or given as texts by path."""

    def __init__(self, root: Path, *, endings: tuple[str, ...] = ()) -> None:
        self.root = root
        self.facts: dict[str, Facts] = {}
        for file in sorted(root.rglob("*")):
            path = file.relative_to(root).as_posix()
            if (
                (language_of(path) is None and "." in file.name)
                or not _NO_PART.isdisjoint(path.split("/"))
                or not file.is_file()
                or (endings and not path.endswith(endings))
            ):
                continue
            source = as_utf8(file.read_bytes())
            language = language_named(language_of_source(path, source) or "")
            if language is not None:
                self.facts[path] = extract(source, language)
        self._rules: dict[str, Rules] = {}
        self._uses: dict[str, Uses] = {}
        self.linker = Linker(self, self.rules)
        self._using: dict[str, set[str]] = defaultdict(set)
        for path, facts in self.facts.items():
            sought = self.rules(path).names_sought(facts.links)
            for text in (*facts.links.strings, *sought):
                self._using[text].add(path)

    @cached_property
    def guesses(self) -> Linker:
        return ConventionalLinker(cast(Snapshot, self))

    @cached_property
    def proofs(self) -> Linker:
        return ProvingLinker(cast(Snapshot, self))

    @property
    def paths(self) -> Collection[str]:
        return self.facts

    def links(self, path: str) -> Links:
        return self.facts[path].links

    def outline(self, path: str) -> Outline:
        return self.facts[path].outline

    def line_of(self, path: str, offset: int) -> int:
        return self.facts[path].outline.line_of(offset)

    def prepare(self, paths: Collection[str]) -> None:
        """Everything is in memory."""

    def text(self, path: str) -> str | None:
        file = self.root / path
        return file.read_text(encoding="utf-8") if file.is_file() else None

    def followed(self, path: str) -> str:
        """Links are followed while files are looked for."""
        return path

    def files_naming(self, name: str) -> Collection[str]:
        return sorted(self._using.get(name, ()))

    def files_defining(self, name: str) -> Collection[str]:
        return [path for path in self.files_naming(name) if name in self.facts[path].outline.names]

    def files_bearing(self, name: str) -> Collection[str]:
        return self.files_naming(name)

    def uses(self, name: str, until: float | None = None) -> Uses:
        if name not in self._uses:
            self._uses[name] = Uses(cast(Snapshot, self), name)
            self._uses[name].look(cast(Snapshot, self))
        return self._uses[name]

    def remembered(self, key: tuple[Any, ...]) -> Any:
        return None

    def remember(self, key: tuple[Any, ...], found: Any, weight: int) -> None:
        """Nothing is asked twice."""

    def rules(self, path: str) -> Rules:
        language = self.facts[path].outline.language
        if language not in self._rules:
            known = language_named(language)
            self._rules[language] = known.rules(self.linker) if known is not None else Rules(self.linker)
        return self._rules[language]

    def symbol(self, path: str, line: int, name: str) -> Symbol | None:
        """The symbol that a line binds."""
        facts = self.facts[path]
        links = facts.links
        number = links.string_numbers.get(name, -1)
        for binding in links.bound.get(number, ()):
            kind = links.bindings[3][binding] & BIND_MASK
            if kind not in _FORWARDING and facts.outline.line_of(links.bindings[2][binding]) == line:
                return Symbol(path, links.bindings[0][binding], name)
        return None

    def lines_referring(self, symbol: Symbol) -> set[tuple[str, int]]:
        """Where expressions lead to a symbol under its own name."""
        found = set()
        for path in self.files_naming(symbol.name):
            links, outline = self.links(path), self.facts[path].outline
            for site in links.sites.get(links.string_numbers[symbol.name], ()):
                if symbol in self.linker.targets(path, site):
                    found.add((path, outline.line_of(links.pos[site])))
        return found
