"""Swift: how its files see each other, and what types of its library give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from cuedeck.code.facts import CONDITION, OP_MASK, Bind, Import, Op, ScopeKind
from cuedeck.code.languages.open_rules import OpenRules, named
from cuedeck.code.resolution.values import PACKAGE, Symbol, Targets, Value

# How the type is written that is expected where a member stands without an owner.
IMPLICIT: Final = "."
_MOST_ALIKE: Final = 4
_TYPES: Final = (ScopeKind.CLASS, ScopeKind.EXTENSION)


class SwiftRules(OpenRules):
    """How files of Swift see each other."""

    language: ClassVar[str] = "swift"
    endings: ClassVar[tuple[str, ...]] = (".swift",)
    bare_members: ClassVar[bool] = True
    function_types: ClassVar[bool] = True
    extension_methods: ClassVar[bool] = True
    extension_values: ClassVar[bool] = True
    self_types: ClassVar[frozenset[str]] = frozenset({"Self"})
    open_self: ClassVar[bool] = True
    labelled_arguments: ClassVar[bool] = True
    constructors: ClassVar[tuple[str, ...]] = ("init",)
    transparent: ClassVar[frozenset[str]] = frozenset({"Optional"})
    sequences: ClassVar[frozenset[str]] = frozenset({"Array", "Set", "ArraySlice", "ContiguousArray"})
    mappings: ClassVar[frozenset[str]] = frozenset({"Dictionary"})
    yields_entries: ClassVar[bool] = True
    element_methods: ClassVar[frozenset[str]] = frozenset(
        {
            *("first", "last", "randomElement", "min", "max", "popFirst", "popLast"),
            *("removeFirst", "removeLast", "remove"),
        }
    )
    container_methods: ClassVar[frozenset[str]] = frozenset(
        {"filter", "sorted", "reversed", "prefix", "suffix", "dropFirst", "dropLast", "shuffled", "union"}
    )
    element_members: ClassVar[frozenset[str]] = frozenset({"first", "last"})
    container_members: ClassVar[frozenset[str]] = frozenset({"lazy"})
    iterator: ClassVar[str] = "makeIterator"
    advancer: ClassVar[str] = "next"
    pair_members: ClassVar[Mapping[str, int]] = {"key": 0, "value": 1, "offset": 0, "element": 1}
    spreads_pairs: ClassVar[bool] = True
    numbering_methods: ClassVar[frozenset[str]] = frozenset({"enumerated"})
    element_calls: ClassVar[frozenset[str]] = frozenset({"ForEach", "List"})
    function_forms: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("KeyPath", "WritableKeyPath", "ReferenceWritableKeyPath"), "gives"
    )
    callback_methods: ClassVar[frozenset[str]] = frozenset(
        {
            *("map", "compactMap", "flatMap", "filter", "forEach", "contains", "first", "last", "firstIndex"),
            *("allSatisfy", "sorted", "sort", "min", "max", "removeAll", "drop", "prefix", "reduce"),
        }
    )
    comparing_methods: ClassVar[frozenset[str]] = frozenset({"sorted", "sort", "min", "max"})
    mapping_methods: ClassVar[frozenset[str]] = frozenset({"map", "compactMap"})

    def extending(self, name: str) -> Iterator[Symbol]:
        """What types of other modules were given, where nothing else is called so."""
        found = self._members(name)
        if 0 < len(found) <= _MOST_ALIKE and all(self._for_others(symbol) for symbol in found):
            yield from found

    def _for_others(self, symbol: Symbol) -> bool:
        """Whether a member belongs to an extension of a foreign type, or of what a foreign type promises."""
        links = self.project.links(symbol.path)
        row = links.scopes[symbol.scope]
        if row.kind != ScopeKind.EXTENSION:
            return False
        target = named(links, row.result)
        return self._is_foreign(target) or self._promised(target)

    def _is_foreign(self, name: str) -> bool:
        """Whether a type is another module's, also under a name that the project gave it on some systems."""
        found = self.open_names(name)
        for symbol in found:
            links = self.project.links(symbol.path)
            for binding in links.names[symbol.scope].get(links.string_numbers[name], ()):
                kind, of = links.bindings[3][binding], links.bindings[4][binding]
                if kind == Bind.ALIAS and not self.project.evaluate(symbol.path, of):
                    return True
        return not found

    def _promised(self, protocol: str) -> bool:
        key = ("swift-promised", protocol)
        return bool(self.project.solve(key, self._promised_abroad, protocol))

    def _promised_abroad(self, protocol: str) -> bool:
        for path in self.project.files_naming(protocol):
            links = self.project.links(path) if path.endswith(self.endings) else None
            for row in links.scope_rows() if links is not None else ():
                if links is None or row.kind != ScopeKind.EXTENSION:
                    continue
                promised = {named(links, base) for base in links.lists[row.bases]}
                if protocol in promised and self._is_foreign(named(links, row.result)):
                    return True
        return False

    def module(self, path: str, imported: Import) -> Value | None:
        if imported.module == IMPLICIT:
            return Value(PACKAGE, "swift-implicit:")
        return super().module(path, imported)

    def package_member(self, key: str, name: str) -> Targets:
        return self._only_member(name) if key == "swift-implicit:" else super().package_member(key, name)

    def _only_member(self, name: str) -> Targets:
        """The one member of that name that any type declares, if it is a value of that type."""
        found = self._members(name)
        return tuple(found) if len(found) == 1 and self._gives_owner(found[0]) else ()

    def _gives_owner(self, symbol: Symbol) -> bool:
        """Whether a member is a case of its type, or declared to give a value of it."""
        links = self.project.links(symbol.path)
        row = links.scopes[symbol.scope]
        if links.string_numbers.get(CONDITION, -1) in links.names[symbol.scope]:
            return True
        owner = links.strings[links.classes.get(symbol.scope, 0)] or named(links, row.result)
        for binding in links.names[symbol.scope].get(links.string_numbers[symbol.name], ()):
            kind, x, y = (column[binding] for column in links.bindings[3:])
            given = [x, y]
            if kind == Bind.FUNCTION:
                given = [links.scopes[x].result, *links.lists[links.scopes[x].returns]]
            ops = [links.ops[number] & OP_MASK for number in given]
            made = [links.a[n] if op == Op.CALL else n for n, op in zip(given, ops, strict=True)]
            if Op.SELF in ops or any(named(links, number) in (owner, "Self") for number in made):
                return True
        return False

    def _members(self, name: str) -> list[Symbol]:
        """The members of that name that types declare."""
        found: dict[Symbol, None] = {}
        for path in self.project.files_naming(name):
            links = self.project.links(path)
            for binding in links.bound.get(links.string_numbers.get(name, -1), ()):
                scope = links.bindings[0][binding]
                if path.endswith(self.endings) and links.scopes[scope].kind in _TYPES:
                    found[Symbol(path, scope, name)] = None
        return list(found)
