"""How files of Lua see each other: by what a file returns, and by tables that are there for all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import ClassVar, Final

from cuedeck.code.facts import Import, Links, ScopeKind
from cuedeck.code.languages.open_rules import OpenRules, named
from cuedeck.code.resolution.values import CLASS, FUNCTION, INSTANCE, PACKAGE, Symbol, Targets, Value, Values

# Under this name a file's scope notes which of its names are its own.
LOCAL: Final = b"local"
_TABLE: Final = "lua-table"
_GIVEN: Final = (CLASS, FUNCTION, INSTANCE)


class LuaRules(OpenRules):
    """How files of Lua see each other."""

    language: ClassVar[str] = "lua"
    endings: ClassVar[tuple[str, ...]] = (".lua",)
    body_names: ClassVar[bool] = False
    asks_callers: ClassVar[bool] = True

    @cached_property
    def files(self) -> dict[str, list[tuple[str, str]]]:
        """Files and their stems by the last part of what a module may call them."""
        found: dict[str, list[tuple[str, str]]] = {}
        for path in self.project.paths:
            if self.reads(path):
                stem = _stem(path)
                found.setdefault(stem.rpartition("/")[2], []).append((stem, path))
        return found

    def file_of(self, package: str, path: str = "") -> str | None:
        """The file that a module's name means in a file."""
        ending = package.replace(".", "/")
        named = self.files.get(ending.rpartition("/")[2], [])
        # A repository that is put into a folder of its own name says that folder too.
        below = ending.partition("/")[2]
        roots = [(stem.removesuffix(ending), p) for stem, p in named if f"/{stem}".endswith("/" + ending)]
        roots = roots or [("", p) for stem, p in named if below and stem == below]
        around = [(root, p) for root, p in roots if path.startswith(root)]
        # Modules are named from a folder around all that name them, as far up as can be.
        return min(around or roots, key=lambda each: (each[0].count("/"), each), default=("", None))[1]

    def module(self, path: str, imported: Import) -> Value | None:
        file = self.file_of(imported.module, path)
        given = self.given_by(file) if file is not None and file != path else ()
        return given[0] if given else super().module(path, imported)

    def given_by(self, path: str) -> Values:
        """What a file returns that is known: a table, a function, an object."""
        links = self.project.links(path)
        returned = links.lists[links.scopes[0].returns]
        return tuple(v for n in returned for v in self.project.evaluate(path, n) if v.tag in _GIVEN)

    def inside(self, package: str, name: str) -> Targets:
        """What a module's table holds: the functions that its file puts into tables."""
        file = self.file_of(package)
        found = tuple(dict.fromkeys(self.put_into_tables(file, name))) if file is not None else ()
        return found or super().inside(package, name)

    def put_into_tables(self, path: str, name: str) -> Iterator[Symbol]:
        links = self.project.links(path)
        for binding in links.bound.get(links.string_numbers.get(name, -1), ()):
            scope = links.bindings[0][binding]
            if links.scopes[scope].kind == ScopeKind.EXTENSION:
                yield Symbol(path, scope, name)

    def opened_member(self, path: str, scope: int, name: str) -> Symbol | None:
        """What a file puts into tables is perhaps put into the one that it returns."""
        if not any(v[:3] == (CLASS, path, scope) for v in self.given_by(path)):
            return None
        return next(self.put_into_tables(path, name), None)

    def seen(self, path: str, name: str) -> Targets:
        return super().seen(path, name) or (Value(PACKAGE, f"{_TABLE}:{name}"),)

    def package_member(self, key: str, name: str) -> Targets:
        kind, _, table = key.partition(":")
        if kind != _TABLE:
            return super().package_member(key, name)
        # A table that no file makes, as ``string``, into which some put functions: not those of one test.
        return tuple(
            Symbol(path, scope, name)
            for path, links in self._defining(name)
            for scope in {s.scope: None for s in self.put_into_tables(path, name)}
            if links.scopes[scope].parent == 0
            and named(links, links.scopes[scope].result) == table
            and not self.is_own(links, table)
        )[:4]

    def is_own(self, links: Links, name: str) -> bool:
        """Whether a file has a table of that name for itself."""
        marks = links.names[0].get(links.string_numbers.get(LOCAL.decode(), -1), ())
        number = links.string_numbers.get(name, -1)
        return any(links.bindings[4][mark] == number for mark in marks)

    def hidden(self, path: str, links: Links, binding: int) -> bool:
        return self.is_own(links, links.strings[links.bindings[1][binding]])

    def extensions(self, path: str, scope: int, name: str) -> Iterable[tuple[str, int]]:
        links = self.project.links(path)
        # Every file calls its own table ``M``; one that is there for all may be filled by all.
        shared = links.scopes[scope].parent == 0 and not self.is_own(links, name)
        for other, place in super().extensions(path, scope, name):
            if other == path or (shared and not self.is_own(self.project.links(other), name)):
                yield other, place


def _stem(path: str) -> str:
    """A file's path without what a module's name leaves out."""
    return path.removesuffix(".lua").removesuffix("/init")
