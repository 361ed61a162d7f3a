"""Kotlin: how its files see each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, Final

from cuedeck.code.facts import Bind, Links, ScopeKind
from cuedeck.code.languages.open_rules import OpenRules, folders_shared
from cuedeck.code.resolution.values import Symbol, Target, Targets

# Before a name, what no source can say: that it is declared for several platforms.
PLATFORM: Final = "expect actual"
# Files of a package that declare functions of one name.
_MOST_TOGETHER: Final = 8


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PLAIN: Final = _words("String Int Long Short Byte Double Float Char Boolean")


class KotlinRules(OpenRules):
    """How files of Kotlin see each other."""

    overloads: ClassVar[bool] = True
    extension_methods: ClassVar[bool] = True
    extension_properties: ClassVar[bool] = True
    casts_when_needed: ClassVar[bool] = True
    parameters_are_members: ClassVar[bool] = False
    component: ClassVar[str] = "component"
    function_types: ClassVar[bool] = True
    any_types: ClassVar[frozenset[str]] = frozenset({"Any"})
    bare_constructors: ClassVar[bool] = True
    tells_receivers: ClassVar[bool] = True
    text_type: ClassVar[str] = "String"
    final_types: ClassVar[frozenset[str]] = _PLAIN
    # A number that is written out is of the type that is wanted.
    widening: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "Int": ("Long", "Short", "Byte"),
        "Double": ("Float",),
        **dict.fromkeys(("Long", "Short", "Byte", "Float"), ("Number", "Comparable")),
        "String": ("CharSequence", "Comparable"),
    }
    converting: ClassVar[Mapping[str, str]] = {
        **{f"to{name}": name for name in _PLAIN},
        **dict.fromkeys(
            _words("trimIndent trimMargin trim replace substring readText joinToString"), "String"
        ),
    }
    core_members: ClassVar[frozenset[str]] = _words(
        "and or xor shl shr ushr inv plus minus times div rem compareTo equals hashCode get set contains "
        "iterator length size toString map filter forEach first last isEmpty indexOf copyOf"
    )
    language: ClassVar[str] = "kotlin"
    imported_from: ClassVar[str] = "java"
    endings: ClassVar[tuple[str, ...]] = (".kt", ".kts")
    bare_members: ClassVar[bool] = True
    # A map gives its entries, which are taken apart to key and value.
    yields_entries: ClassVar[bool] = True
    sequences: ClassVar[frozenset[str]] = _words(
        "List MutableList Set MutableSet Collection MutableCollection Iterable MutableIterable Sequence "
        "Array ArrayList HashSet LinkedHashSet ArrayDeque Flow"
    )
    mappings: ClassVar[frozenset[str]] = _words(
        "Map MutableMap HashMap LinkedHashMap ConcurrentHashMap SortedMap"
    )
    transparent: ClassVar[frozenset[str]] = frozenset({"Lazy"})
    element_methods: ClassVar[frozenset[str]] = _words(
        "get first last find findLast single random elementAt firstOrNull lastOrNull singleOrNull getOrNull "
        "getValue getOrPut getOrElse getOrDefault remove removeAt removeFirst removeLast maxByOrNull "
        "minByOrNull maxBy minBy randomOrNull"
    )
    container_methods: ClassVar[frozenset[str]] = _words(
        "filter filterNot filterNotNull sorted sortedBy sortedByDescending sortedWith reversed distinct "
        "distinctBy take takeLast takeWhile drop dropLast dropWhile toList toMutableList toSet toMutableSet "
        "asSequence asIterable asReversed shuffled onEach plus minus union intersect orEmpty toMap "
        "toMutableMap toTypedArray subList"
    )
    callback_methods: ClassVar[frozenset[str]] = _words(
        "map mapNotNull flatMap forEach onEach filter filterNot any all none count find findLast first last "
        "firstOrNull lastOrNull single singleOrNull sortedBy sortedByDescending groupBy associateBy "
        "associateWith associate partition takeWhile dropWhile sumOf maxByOrNull minByOrNull maxBy minBy "
        "distinctBy joinToString removeAll removeIf retainAll indexOfFirst collect"
    )
    mapping_methods: ClassVar[frozenset[str]] = frozenset({"map", "mapNotNull"})
    same_methods: ClassVar[frozenset[str]] = frozenset({"also", "apply", "takeIf", "takeUnless"})
    passing_methods: ClassVar[frozenset[str]] = frozenset({"let", "run"})

    def seen(self, path: str, name: str) -> Targets:
        """What a name means that a file neither binds nor imports: what its package has, the nearest."""
        package = self.namespace(path)
        found = [s for s in self.open_names(name) if self.namespace(s.path) == package]
        return self.nearest(path, found)

    def as_types(self, path: str, name: str, found: Targets) -> Targets:
        """A function may be called like the type that it makes, also in another file."""
        types = tuple(target for target in found if not self.is_function(target))
        if types or not found:
            return types
        package = self.namespace(path)
        others = [s for s in self.open_names(name) if self.namespace(s.path) == package]
        return self.nearest(path, [s for s in others if not self.is_function(s)]) or found

    def is_function(self, target: Target) -> bool:
        if not isinstance(target, Symbol):
            return False
        links = self.project.links(target.path)
        bindings = links.names[target.scope].get(links.string_numbers.get(target.name, -1), ())
        return bool(bindings) and all(links.bindings[3][b] == Bind.FUNCTION for b in bindings)

    def nearest(self, path: str, found: list[Symbol]) -> Targets:
        """Functions of one name may be of several files; of classes those in the nearest folders."""
        if len(found) < 2 or not all(map(self.is_class, found)):
            return tuple(found[:_MOST_TOGETHER])
        depths = [folders_shared(path, symbol.path) for symbol in found]
        return tuple(s for s, depth in zip(found, depths, strict=True) if depth == max(depths))[:4]

    def inside(self, package: str, name: str) -> Targets:
        found = tuple(s for s in self.open_names(name) if self.namespace(s.path) == package)
        outer, _, owner = package.rpartition(self.separator)
        return found[:_MOST_TOGETHER] or (self.nested(outer, owner, name) if owner else ())

    def twins(self, symbol: Symbol) -> Iterable[Symbol]:
        """What the same thing is declared as for all platforms, or for another one."""
        links = self.project.links(symbol.path)
        around = links.scopes[symbol.scope]
        if around.kind == ScopeKind.MODULE:
            return [s for s in self._on_platforms(symbol) if s != symbol]
        if symbol.scope not in links.classes:
            return ()
        owner = Symbol(symbol.path, around.parent, links.strings[links.classes[symbol.scope]])
        return [
            Symbol(twin.path, scope, symbol.name)
            for twin in self.twins(owner)
            for scope in self.class_scopes(twin)
            if self.declares(twin.path, scope, symbol.name)
        ]

    def _on_platforms(self, symbol: Symbol) -> list[Symbol]:
        noted, package = f"{PLATFORM} {symbol.name}", self.namespace(symbol.path)
        files = [path for path in self.project.files_naming(noted) if path.endswith(self.endings)]
        if symbol.path not in files:
            return []
        return [
            Symbol(path, 0, symbol.name)
            for path in files
            if self.declares(path, 0, noted) and self.namespace(path) == package
        ]

    def hidden(self, path: str, links: Links, binding: int) -> bool:
        """A private function is its file's own."""
        return bool(links.bindings[3][binding] == Bind.FUNCTION and links.bindings[5][binding])

    def is_private(self, links: Links, symbol: Symbol) -> bool:
        bindings = links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ())
        return bool(bindings) and all(self.hidden(symbol.path, links, binding) for binding in bindings)

    def class_scopes(self, symbol: Symbol) -> list[int]:
        """The scopes of the classes of a name."""
        links = self.project.links(symbol.path)
        bindings = links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ())
        return [links.bindings[4][b] for b in bindings if links.bindings[3][b] == Bind.CLASS]

    def reaches(self, path: str, method: Symbol) -> bool:
        """What extends a type is seen in its package, where it is imported, and as a member."""
        declaring = self.project.links(method.path)
        if method.path != path and self.is_private(declaring, method):
            return False
        if declaring.scopes[method.scope].kind != ScopeKind.MODULE:
            return True
        package = self.namespace(method.path)
        if package == self.namespace(path):
            return True
        links = self.project.links(path)
        names = (links.string_numbers.get(name, -1) for name in ("*", method.name))
        bindings = [b for number in names for b in links.names[0].get(number, ())]
        imports = [links.bindings[4][b] for b in bindings if links.bindings[3][b] in (Bind.STAR, Bind.IMPORT)]
        return any(links.imports[number].module == package for number in imports)
