"""pytest: its fixtures, and the parameters of tests that are handed them because they are named so."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from cuedeck.code.facts import OP_MASK, Bind, Links, Op
from cuedeck.code.resolution.rules import Project
from cuedeck.code.resolution.values import FUNCTION, Symbol, Value

_MARKS: Final = frozenset({"fixture", "yield_fixture"})
_SHARED: Final = "conftest.py"
_TESTS: Final = re.compile(r"(?:test_.*|.*_test|tests)\.py")
_RENAMED: Final = re.compile(rb"name\s*=\s*[\"']([^\"'\\\n]+)[\"']")
# Where a fixture is for everybody, as those of plugins are.
_ANYWHERE: Final = -1


def handed_names(links: Links) -> list[str]:
    """The names by which the tests and fixtures of a file ask for fixtures."""
    strings = links.strings
    if not any(text.startswith("test") or text in _MARKS for text in strings):
        return []
    takers = _takers(links)
    holders, names, _, kinds, _, defaults = links.bindings
    rows = zip(holders, names, kinds, defaults, strict=True) if takers else ()
    found = {
        name
        for scope, name, kind, default in rows
        if kind == Bind.PARAMETER and scope in takers and not default
    }
    return [strings[name] for name in sorted(found)]


def holds_tests(path: str) -> bool:
    """Whether pytest looks for tests or fixtures in a file."""
    base = posixpath.basename(path)
    return base == _SHARED or _TESTS.fullmatch(base) is not None


def _takers(links: Links) -> dict[int, str]:
    """The functions that pytest calls, with their names."""
    _, names, _, kinds, scopes, _ = links.bindings
    return {
        scope: links.strings[name]
        for name, kind, scope in zip(names, kinds, scopes, strict=True)
        if kind == Bind.FUNCTION and (links.strings[name].startswith("test") or _mark(links, scope))
    }


def _mark(links: Links, scope: int) -> int:
    """The decorator that makes a function a fixture: the number of what is called, 0 without one."""
    for decorator in links.lists[links.scopes[scope].decorators]:
        called = links.a[decorator] if links.ops[decorator] & OP_MASK == Op.CALL else decorator
        if links.ops[called] & OP_MASK in (Op.NAME, Op.ATTR) and links.strings[links.b[called]] in _MARKS:
            return called
    return 0


class Fixtures:
    """The fixtures of a project."""

    def __init__(self, project: Project) -> None:
        self.project = project

    def takers(self, symbol: Symbol, within: Collection[str]) -> Iterator[tuple[str, int]]:
        """The parameters that are handed a fixture: their files and places."""
        name = self.called(symbol)
        if not name:
            return
        homes = {symbol.path, *(path for path in self.project.files_defining(name) if self.has(path, name))}
        marking = {path for mark in _MARKS for path in self.project.files_naming(mark)}
        within = within if name == symbol.name else self.project.files_naming(name)
        for path in (path for path in within if holds_tests(path) or path in marking):
            seen = {home: _reach(home, path) for home in homes}
            if self.imports(path, name):
                seen[symbol.path] = len(path)
            if seen[symbol.path] is not None:
                yield from ((path, place) for place in self.asking(symbol, name, path, seen))

    def asking(self, symbol: Symbol, name: str, path: str, seen: Mapping[str, int | None]) -> Iterator[int]:
        """The parameters of a file that get a symbol, of the fixtures that are seen from there."""
        links = self.project.links(path)
        functions = _takers(links)
        for binding in links.bound.get(links.string_numbers.get(name, -1), ()):
            scope, _, place, kind, _, default = (column[binding] for column in links.bindings)
            if kind != Bind.PARAMETER or default or scope not in functions:
                continue
            # A fixture that asks for its own name extends the one that it hides.
            extends = functions[scope] == name and _mark(links, scope)
            others = {home: reach for home, reach in seen.items() if not (extends and home == path)}
            reaches = [reach for reach in others.values() if reach is not None]
            if symbol.path in others and others[symbol.path] == max(reaches, default=None):
                yield place

    def given(self, parameter: Symbol) -> Iterator[Value]:
        """The fixtures, as functions, that a test or a fixture is handed by the name of a parameter."""
        path, name = parameter.path, parameter.name
        links = self.project.links(path)
        taker = _takers(links).get(parameter.scope)
        if taker is None:
            return
        # A fixture that asks for its own name extends the one that it hides.
        extends = taker == name and _mark(links, parameter.scope)
        homes = [home for home in self.project.files_defining(name) if not (extends and home == path)]
        imported = self.imports(path, name)
        reaches = {
            home: len(path) if imported else _reach(home, path) for home in homes if self.has(home, name)
        }
        nearest = max((reach for reach in reaches.values() if reach is not None), default=None)
        for home in (home for home, reach in reaches.items() if reach is not None and reach == nearest):
            there = self.project.links(home)
            yield from (Value(FUNCTION, home, s) for s in _functions(there, name) if _mark(there, s))

    def called(self, symbol: Symbol) -> str:
        """The name by which tests ask for a symbol, if it is a fixture."""
        links = self.project.links(symbol.path)
        marks = [_mark(links, scope) for scope in _functions(links, symbol.name, symbol.scope)]
        mark = max(marks, default=0)
        if not mark:
            return ""
        for row in range(mark + 1, len(links.ops)):
            named = links.a[row] == mark and links.ops[row] & OP_MASK == Op.KEYWORD
            if named and links.strings[links.b[row]] == "name":
                return self.renamed(symbol.path, links.pos[row])
        return symbol.name

    def renamed(self, path: str, place: int) -> str:
        """The text that a fixture is given as its name."""
        source = (self.project.text(path) or "").encode()
        found = _RENAMED.match(source, place)
        return found[1].decode("utf-8", "replace") if found is not None else ""

    def has(self, path: str, name: str) -> bool:
        """Whether a file has a fixture of a name."""
        links = self.project.links(path)
        return any(_mark(links, scope) for scope in _functions(links, name))

    def imports(self, path: str, name: str) -> bool:
        """Whether a file imports something of a name."""
        links = self.project.links(path)
        bindings = links.bound.get(links.string_numbers.get(name, -1), ())
        return any(links.bindings[3][binding] == Bind.IMPORT for binding in bindings)


def _functions(links: Links, name: str, around: int | None = None) -> list[int]:
    """The functions of a name, all or those that a scope holds."""
    bindings = links.bound.get(links.string_numbers.get(name, -1), ())
    holders, _, _, kinds, scopes, _ = links.bindings
    return [
        scopes[binding]
        for binding in bindings
        if kinds[binding] == Bind.FUNCTION and around in (None, holders[binding])
    ]


def _reach(home: str, path: str) -> int | None:
    """How near a file's fixtures are to another: more is nearer; nothing where they are not seen."""
    folder, base = posixpath.split(home)
    if home == path:
        return len(path)
    if base == _SHARED:
        return len(folder) if not folder or path.startswith(folder + "/") else None
    return None if _TESTS.fullmatch(base) else _ANYWHERE
