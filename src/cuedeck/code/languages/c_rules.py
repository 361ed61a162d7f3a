"""C and C++: how names are linked beyond one file."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, Final

from cuedeck.code.facts import Bind, Import, Links, ScopeKind
from cuedeck.code.languages.open_rules import OpenRules, is_header
from cuedeck.code.resolution.values import CLASS, Symbol, Targets, Value


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
    prototypes: ClassVar[bool] = True

    def module(self, path: str, imported: Import) -> Value | None:
        return None

    def hidden(self, path: str, links: Links, binding: int) -> bool:
        """Whether a name is a macro or static function of a file that no other includes."""
        own = links.bindings[3][binding] == Bind.FUNCTION and links.bindings[5][binding]
        return bool(own) and not is_header(path) and not self.project.files_naming(posixpath.basename(path))

    def lent(self, module: Value, name: str) -> Targets:
        """What a namespace has by that name in other files that open it."""
        space = self._space(module.path, module.scope)
        found = self.open_names(name) if space else ()
        return tuple(symbol for symbol in found if _agree(space, self._space(symbol.path, symbol.scope)))

    def _space(self, path: str, scope: int) -> tuple[str, ...]:
        """The names of the namespaces around a scope, inmost first."""
        links = self.project.links(path)
        _, names, _, kinds, scopes, _ = links.bindings
        named: dict[int, str] = self.project.solve(
            ("spaces", path),
            lambda: {scopes[b]: links.strings[names[b]] for b, k in enumerate(kinds) if k == Bind.NAMESPACE},
        )
        around: list[str] = []
        while scope >= 0:
            if scope in named:
                around.append(named[scope])
            scope = links.scopes[scope].parent
        return tuple(around)

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


def _agree(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two namespaces are one, as far as both are known: a source may not parse around one of them."""
    return bool(one and other) and all(a == b for a, b in zip(one, other, strict=False))


_NUMBERS: Final = (
    *("int", "long", "long long", "unsigned", "unsigned long", "unsigned long long", "short"),
    *("unsigned short", "size_t", "ssize_t", "int32_t", "int64_t", "uint32_t", "uint64_t", "int16_t"),
    *("uint16_t", "int8_t", "uint8_t", "double", "float", "char", "unsigned char", "signed char", "bool"),
)


class CppRules(CRules):
    """C++ names the structures of C as it names its classes, and has overloads."""

    bare_tags: ClassVar[bool] = True
    overloads: ClassVar[bool] = True
    text_type: ClassVar[str] = "char*"
    final_types: ClassVar[frozenset[str]] = frozenset({*_NUMBERS, "char*", "string", "string_view"})
    widening: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "char*": ("string", "string_view", "void*", "bool"),
        "string": ("string_view",),
        **{number: tuple(other for other in _NUMBERS if other != number) for number in _NUMBERS},
    }
