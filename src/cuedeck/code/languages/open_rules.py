"""Languages in which files see each other's names: by linkage, by package, or simply by being together."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import ClassVar, Final

from cuedeck.code.facts import BIND_MASK, OP_MASK, Bind, Import, Links, Op, ScopeKind
from cuedeck.code.resolution.receivers import EXTENSION
from cuedeck.code.resolution.rules import Rules
from cuedeck.code.resolution.values import PACKAGE, Symbol, Targets, Value

_DEFINING: Final = frozenset(
    {Bind.FUNCTION, Bind.CLASS, Bind.ALIAS, Bind.VARIABLE, Bind.NAMESPACE, Bind.OPAQUE}
)
_OPEN: Final = (ScopeKind.MODULE, ScopeKind.NAMESPACE, ScopeKind.TAGS)
_EXACT: Final = 1000
_MAX_OPENED: Final = 64
_NAMED: Final = (Op.NAME, Op.ATTR)


class OpenRules(Rules):
    """A name that a file does not bind is the nearest one that another file of the language binds."""

    language: ClassVar[str] = ""
    endings: ClassVar[tuple[str, ...]] = ()
    # One name is one thing in the whole program, however often it is declared.
    linkage: ClassVar[bool] = False
    separator: ClassVar[str] = "."
    # A class is opened again wherever its whole name is declared.
    reopened: ClassVar[bool] = False
    # Folders below which folders are packages, whose files see each other's names.
    package_roots: ClassVar[frozenset[str]] = frozenset()
    # Another language whose imports may name what is written in this one.
    imported_from: ClassVar[str] = ""

    def reads(self, path: str) -> bool:
        """Whether a file is of the language: by its ending, or as its first line says."""
        return path.endswith(self.endings) or self.project.rules_of(path) is self

    def module(self, path: str, imported: Import) -> Value | None:
        name = imported.module.strip(self.separator)
        return Value(PACKAGE, f"{self.language}:{name}") if name else None

    def ambient(self, path: str, name: str) -> Iterable[Value]:
        return (Value(PACKAGE, f"{self.language}-seen:{path}"),)

    def package_member(self, key: str, name: str) -> Targets:
        kind, _, place = key.partition(":")
        if kind == f"{self.language}-seen":
            return self.seen(place, name)
        if kind == self.language:
            return self.inside(place, name)
        return self.wholly_inside(place, name) if kind == self.imported_from else ()

    def seen(self, path: str, name: str) -> Targets:
        """What a name means in a file that does not bind it: all of it, or the nearest."""
        found = self.open_names(name)
        if not found or self.linkage:
            return found
        package = self.package(path)
        together = [symbol for symbol in found if package and self.package(symbol.path) == package]
        if together:
            return tuple(together)[:4]
        nearest = max(folders_shared(path, symbol.path) for symbol in found)
        return tuple(symbol for symbol in found if folders_shared(path, symbol.path) == nearest)[:4]

    def package(self, path: str) -> str:
        """The package that a file's folders say it is in: what follows the last source root."""
        folders = posixpath.dirname(path).split("/")
        roots = [at for at, folder in enumerate(folders) if folder in self.package_roots]
        return "/".join(folders[roots[-1] + 1 :]) if roots else ""

    def inside(self, package: str, name: str) -> Targets:
        """What a package calls by that name: the file whose path ends most like the package."""
        parts = [part for part in package.split(self.separator) if part]
        scored = [
            (_EXACT if self.namespace(symbol.path) == package else _ending(symbol.path, parts), symbol)
            for symbol in self.open_names(name)
        ]
        best = max((score for score, _ in scored), default=0)
        found = tuple(symbol for score, symbol in scored if score == best and best)[:4]
        if len(parts) > 1 and best < _EXACT:
            return self.nested(self.separator.join(parts[:-1]), parts[-1], name) or found
        return found

    def wholly_inside(self, package: str, name: str) -> Targets:
        """The same where the folders are those of the package, for imports that mostly name other things."""
        parts = package.split(self.separator)
        found = (symbol for symbol in self.inside(package, name) if isinstance(symbol, Symbol))
        return tuple(symbol for symbol in found if lies_in(symbol, parts))

    def nested(self, package: str, owner: str, name: str) -> Targets:
        """What a class of a package declares by that name."""
        found: list[Symbol] = []
        for symbol in self.inside(package, owner):
            if isinstance(symbol, Symbol):
                links = self.project.links(symbol.path)
                number = links.string_numbers.get(owner, -1)
                for binding in links.names[symbol.scope].get(number, ()):
                    inner = links.bindings[4][binding]
                    if links.bindings[3][binding] == Bind.CLASS and self.declares(symbol.path, inner, name):
                        found.append(Symbol(symbol.path, inner, name))
        return tuple(found)

    def declares(self, path: str, scope: int, name: str) -> bool:
        """Whether a scope binds a name."""
        links = self.project.links(path)
        return links.string_numbers.get(name, -1) in links.names[scope]

    def namespace(self, path: str) -> str:
        """The namespace that a whole file says it is in, if the walk noted one."""
        links = self.project.links(path)
        for binding in links.names[0].get(links.string_numbers.get("namespace", -1), ()):
            if links.bindings[3][binding] == Bind.OPAQUE:
                return links.imports[links.bindings[4][binding]].module
        return ""

    def open_names(self, name: str) -> tuple[Symbol, ...]:
        """Where the files of the language bind a name for others to see; every file that uses it asks."""
        found: tuple[Symbol, ...] = self.project.solve(
            ("open", self.language, name), lambda: tuple(self._bound_openly(name))
        )
        return found

    def _bound_openly(self, name: str) -> Iterator[Symbol]:
        for path in self.project.files_naming(name):
            if not self.reads(path):
                continue
            links = self.project.links(path)
            seen: set[int] = set()
            for binding in links.bound.get(links.string_numbers.get(name, -1), ()):
                scope, kind = links.bindings[0][binding], links.bindings[3][binding] & BIND_MASK
                if kind not in _DEFINING or scope in seen or links.scopes[scope].kind not in _OPEN:
                    continue
                if not self.hidden(path, links, binding):
                    seen.add(scope)
                    yield Symbol(path, scope, name)

    def hidden(self, path: str, links: Links, binding: int) -> bool:
        """Whether other files do not see what a binding names."""
        return False

    def extensions(self, path: str, scope: int, name: str) -> Iterable[tuple[str, int]]:
        if self.reopened:
            yield from islice(self.opened(path, scope, name), _MAX_OPENED)
            return
        for other in self.project.files_naming(name):
            if self.reads(other):
                links = self.project.links(other)
                for number, row in enumerate(links.scope_rows()):
                    if row.kind == ScopeKind.EXTENSION and named(links, row.result) == name:
                        yield other, number

    def opened(self, path: str, scope: int, name: str) -> Iterator[tuple[str, int]]:
        """Where else a class is declared."""
        places = self._by_nesting("class", name, self._classes).get(self._nesting(path, scope), ())
        return (place for place in places if place != (path, scope))

    def opened_member(self, path: str, scope: int, name: str) -> Symbol | None:
        if not self.reopened:
            return None
        holders = self._by_nesting("member", name, self._holders)
        for other, place in holders.get(self._nesting(path, scope), ()) if holders else ():
            return Symbol(other, place, name)
        return None

    def _by_nesting(
        self, kind: str, name: str, places: Callable[[str], Iterable[tuple[str, int]]]
    ) -> dict[tuple[str, ...], list[tuple[str, int]]]:
        """Classes that a name leads to, by their whole name: worked out once for all that ask."""

        def gather() -> dict[tuple[str, ...], list[tuple[str, int]]]:
            found: dict[tuple[str, ...], list[tuple[str, int]]] = {}
            for path, scope in places(name):
                found.setdefault(self._nesting(path, scope), []).append((path, scope))
            return found

        return self.project.solve((kind, self.language, name), gather) or {}

    def _classes(self, name: str) -> Iterator[tuple[str, int]]:
        """Where a class of that name is declared."""
        for path, links in self._defining(name):
            yield from (
                (path, scope) for scope, named in links.classes.items() if links.strings[named] == name
            )

    def _holders(self, name: str) -> Iterator[tuple[str, int]]:
        """The classes that declare a member of that name."""
        for path, links in self._defining(name):
            scopes = (links.bindings[0][b] for b in links.bound.get(links.string_numbers.get(name, -1), ()))
            yield from ((path, scope) for scope in scopes if scope in links.classes)

    def _defining(self, name: str) -> Iterator[tuple[str, Links]]:
        """The files of the language that define a name."""
        for path in self.project.files_defining(name):
            if self.reads(path):
                yield path, self.project.links(path)

    def _nesting(self, path: str, scope: int) -> tuple[str, ...]:
        """The whole name of a class; classes with more or fewer type parameters are others."""
        links = self.project.links(path)
        kinds = links.bindings[3]
        names: list[str] = []
        while scope >= 0:
            if scope in links.classes:
                bound = links.names[scope].values()
                parameters = sum(all(kinds[b] == Bind.OPAQUE for b in bindings) for bindings in bound)
                names.append(f"{links.strings[links.classes[scope]]}/{parameters}")
            scope = links.scopes[scope].parent
        return (*names, self.namespace(path))

    def extending(self, name: str) -> Iterator[Symbol]:
        for path, links in self._defining(name):
            owners, _, _, kinds, inner, _ = links.bindings
            scopes = {
                owners[b]: None
                for b in links.bound.get(links.string_numbers.get(name, -1), ())
                if kinds[b] == Bind.FUNCTION and links.scopes[inner[b]].receiver
            }
            yield from (Symbol(path, scope, name) for scope in scopes)
            if self.extension_properties:
                yield from self._extending_properties(path, links, name)

    def _extending_properties(self, path: str, links: Links, name: str) -> Iterator[Symbol]:
        noted = links.bound.get(links.string_numbers.get(f"{EXTENSION} {name}", -1), ())
        scopes = {links.scopes[links.bindings[0][binding]].parent: None for binding in noted}
        yield from (Symbol(path, scope, name) for scope in scopes)

    def is_class(self, symbol: Symbol) -> bool:
        """Whether a name is that of a class."""
        links = self.project.links(symbol.path)
        bindings = links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ())
        return any(links.bindings[3][binding] == Bind.CLASS for binding in bindings)

    def twins(self, symbol: Symbol) -> Iterable[Symbol]:
        links = self.project.links(symbol.path)
        if self.reopened:
            return self._declared_again(symbol)
        if not self.linkage or links.scopes[symbol.scope].kind not in _OPEN:
            return ()
        found = self.open_names(symbol.name)
        # Without a declaration that others include, equal names in two files are two things.
        return found if symbol in found and any(is_header(s.path) for s in found) else ()

    def _declared_again(self, symbol: Symbol) -> Iterator[Symbol]:
        links = self.project.links(symbol.path)
        for binding in links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ()):
            if links.bindings[3][binding] == Bind.CLASS:
                for path, scope in self.opened(symbol.path, links.bindings[4][binding], symbol.name):
                    yield Symbol(path, self.project.links(path).scopes[scope].parent, symbol.name)


def is_header(path: str) -> bool:
    """Whether a file is there to be included."""
    return path.endswith((".h", ".hpp", ".hh", ".hxx", ".inl", ".ipp", ".h++", ".cuh"))


def named(links: Links, number: int) -> str:
    """The last name of a type, without its arguments."""
    while links.ops[number] & OP_MASK == Op.INDEX:
        number = links.a[number]
    return links.strings[links.b[number]] if links.ops[number] & OP_MASK in _NAMED else ""


def folders_shared(path: str, other: str) -> int:
    """How many leading folders two files share."""
    ours, theirs = posixpath.dirname(path).split("/"), posixpath.dirname(other).split("/")
    count = 0
    for mine, its in zip(ours, theirs, strict=False):
        if mine != its:
            break
        count += 1
    return count


def lies_in(symbol: Symbol, parts: list[str]) -> bool:
    """Whether a symbol's folders are those of a package, or of the one around the classes it is in."""
    depth = max(n for n in range(len(parts) + 1) if _ending(symbol.path, parts[:n]) == n)
    return depth == len(parts) or (depth > 0 and symbol.scope > 0)


def _ending(path: str, parts: list[str]) -> int:
    """How many of a package's last parts a path's folders, or its file, end with."""
    segments = posixpath.splitext(path)[0].split("/")
    best = 0
    for trimmed in (segments[:-1], segments):
        count = 0
        for part, segment in zip(reversed(parts), reversed(trimmed), strict=False):
            if part.lower() != segment.lower():
                break
            count += 1
        best = max(best, count)
    return best
