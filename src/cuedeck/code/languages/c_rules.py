"""C and C++: how names are linked beyond one file."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import ClassVar

from cuedeck.code.facts import Bind, Import, Links, ScopeKind
from cuedeck.code.languages.open_rules import OpenRules, is_header
from cuedeck.code.resolution.values import CLASS, Symbol, Value


class CRules(OpenRules):
    """C and C++ share headers, so also the names that are declared in them."""

    class_constructors: ClassVar[bool] = True
    language: ClassVar[str] = "c"
    endings: ClassVar[tuple[str, ...]] = (
        ".c",
        ".h",
        ".cc",
        ".cpp",
        ".cxx",
        ".hpp",
        ".hh",
        ".hxx",
        ".ipp",
        ".inl",
        ".c++",
        ".h++",
        ".cu",
        ".cuh",
    )
    linkage: ClassVar[bool] = True
    bare_members: ClassVar[bool] = True
    tag_names: ClassVar[bool] = True

    def module(self, path: str, imported: Import) -> Value | None:
        return None

    def hidden(self, path: str, links: Links, binding: int) -> bool:
        """Whether a name is a macro or static function of a file that no other includes."""
        own = links.bindings[3][binding] == Bind.FUNCTION and links.bindings[5][binding]
        return bool(own) and not is_header(path) and not self.project.files_naming(posixpath.basename(path))

    def is_tag(self, symbol: Symbol) -> bool:
        return self.project.links(symbol.path).scopes[symbol.scope].kind == ScopeKind.TAGS

    def twins(self, symbol: Symbol) -> Iterable[Symbol]:
        links = self.project.links(symbol.path)
        if links.scopes[symbol.scope].kind in (ScopeKind.CLASS, ScopeKind.EXTENSION):
            return self._member_elsewhere(symbol)
        tagged = self.is_tag(symbol)
        return (other for other in super().twins(symbol) if self.is_tag(other) == tagged)

    def _member_elsewhere(self, symbol: Symbol) -> Iterator[Symbol]:
        """The declaration in a class and the definition outside of it."""
        for owner in self._owners(symbol.path, symbol.scope):
            for path, scope in self.project.lineage(Value(CLASS, *owner)):
                if owner in self._owners(path, scope) and self.declares(path, scope, symbol.name):
                    yield Symbol(path, scope, symbol.name)

    def _owners(self, path: str, scope: int) -> Iterator[tuple[str, int]]:
        """The class that a scope is, or those whose members it defines."""
        row = self.project.links(path).scopes[scope]
        if row.kind == ScopeKind.CLASS:
            yield path, scope
        elif row.kind == ScopeKind.EXTENSION:
            values = self.project.evaluate(path, row.result)
            yield from ((value.path, value.scope) for value in values if value.tag == CLASS)


class CppRules(CRules):
    """C++ names the structures of C as it names its classes."""

    bare_tags: ClassVar[bool] = True
