"""C and C++: how names are linked beyond one file."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, Final

from cuedeck.code.facts import OP_MASK, Bind, Import, Links, Op, ScopeKind
from cuedeck.code.languages.c_includes import Includes
from cuedeck.code.languages.open_rules import OpenRules, is_header
from cuedeck.code.resolution.values import CLASS, MODULE, Symbol, Targets, Value

_PROTOTYPE: Final = 2
# Bound where a variable is that other files do not see; nothing else can be called so.
STATIC: Final = "static"


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
        ".cppm",
        ".ccm",
        ".cxxm",
        ".c++m",
        ".ixx",
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
        """Whether a name is for a file that no other includes: what is not linked, or only declared there."""
        kind, own = links.bindings[3][binding], links.bindings[5][binding]
        if kind == Bind.VARIABLE:
            for_itself = is_extern(links, binding) or is_constant(links, binding) or is_static(links, binding)
        else:
            for_itself = kind == Bind.ALIAS or (kind == Bind.FUNCTION and own > 0)
        return for_itself and not is_header(path) and not self.project.files_naming(posixpath.basename(path))

    def seen(self, path: str, name: str) -> Targets:
        """What is linked by its name is one thing; of all else a file sees what it includes."""
        found = self.open_names(name)
        if len({symbol.path for symbol in found}) < 2:
            return found
        apart = [symbol for symbol in found if not self.is_linked(symbol)]
        if len({symbol.path for symbol in apart}) < 2:
            return found
        read = self.includes.read_by(path)
        # A structure may be declared where its members are not known, beside a type of its name.
        groups = [[s for s in apart if self.is_tag(s) == tag] for tag in (True, False)]
        left = {s for group in groups for s in _included(group, read)}
        return tuple(s for s in found if s in left or s not in apart)

    @property
    def includes(self) -> Includes:
        return Includes(self.project)

    def is_linked(self, symbol: Symbol) -> bool:
        """Whether a name means the same in all files that declare it: a function, a variable, a namespace."""
        links = self.project.links(symbol.path)
        kinds, own = links.bindings[3], links.bindings[5]
        for binding in links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ()):
            if kinds[binding] == Bind.FUNCTION and own[binding] == 1:
                continue
            if kinds[binding] == Bind.VARIABLE and (is_constant(links, binding) or is_static(links, binding)):
                continue
            if kinds[binding] in (Bind.FUNCTION, Bind.VARIABLE, Bind.NAMESPACE):
                return True
        return False

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
        kind = links.scopes[symbol.scope].kind
        if kind in (ScopeKind.CLASS, ScopeKind.EXTENSION):
            return (*self._member_elsewhere(symbol), *self._of_namespace(symbol))
        if kind not in (ScopeKind.MODULE, ScopeKind.NAMESPACE, ScopeKind.TAGS):
            return ()
        found = [other for other in self._declared(symbol.name) if self._are_one(symbol, other)]
        outside = self._outside(symbol.name) if kind == ScopeKind.NAMESPACE else {}
        space = self._space(symbol.path, symbol.scope)
        return (*found, *(other for other, around in outside.items() if _agree(space, around)))

    def _of_namespace(self, symbol: Symbol) -> Iterator[Symbol]:
        """Where a namespace declares what is defined outside of it, and where else it is: ``a::f() {…}``."""
        outside = self._outside(symbol.name)
        space = outside.get(symbol, ())
        for other in self.open_names(symbol.name) if space else ():
            if _agree(space, self._space(other.path, other.scope)):
                yield other
        yield from (other for other, around in outside.items() if _agree(space, around))

    def _outside(self, name: str) -> dict[Symbol, tuple[str, ...]]:
        """What is defined under a name outside of its namespace, and that namespace."""
        found: dict[Symbol, tuple[str, ...]] = self.project.solve(
            ("outside", name), lambda: dict(self._defined_outside(name))
        )
        return found or {}

    def _defined_outside(self, name: str) -> Iterator[tuple[Symbol, tuple[str, ...]]]:
        for path in self.project.files_defining(name):
            if not path.endswith(self.endings):
                continue
            links = self.project.links(path)
            for binding in links.bound.get(links.string_numbers.get(name, -1), ()):
                scope = links.bindings[0][binding]
                row = links.scopes[scope]
                values = self.project.evaluate(path, row.result) if row.kind == ScopeKind.EXTENSION else ()
                for value in values:
                    if value.tag == MODULE and value.scope:
                        yield Symbol(path, scope, name), self._space(value.path, value.scope)

    def _declared(self, name: str) -> tuple[Symbol, ...]:
        """Where a name is bound for other files, or declared as something of another one."""
        found: tuple[Symbol, ...] = self.project.solve(("declared", name), self._bound_or_declared, name)
        return found

    def _bound_or_declared(self, name: str) -> tuple[Symbol, ...]:
        elsewhere = [
            Symbol(path, 0, name)
            for path in self.project.files_naming(name)
            if path.endswith(self.endings) and self.is_only_declared(Symbol(path, 0, name))
        ]
        return tuple(dict.fromkeys((*self.open_names(name), *elsewhere)))

    def is_only_declared(self, symbol: Symbol) -> bool:
        """Whether a file says of a name that another one has it."""
        links = self.project.links(symbol.path)
        bindings = links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ())
        return bool(bindings) and all(is_declaration(links, binding) for binding in bindings)

    def _are_one(self, symbol: Symbol, other: Symbol) -> bool:
        """Whether two declarations of a name are of the same thing."""
        if symbol == other or self.is_tag(symbol) != self.is_tag(other):
            return symbol == other
        around, beside = self._space(symbol.path, symbol.scope), self._space(other.path, other.scope)
        if around != beside and not _agree(around, beside):
            return False
        linked = self.is_linked(symbol)
        if linked != self.is_linked(other):
            return False
        if not linked:
            # What others see is one thing where one file reads the other; what they do not see is its own.
            return symbol in self.open_names(symbol.name) and (
                other.path in self.includes.read_by(symbol.path)
                or symbol.path in self.includes.read_by(other.path)
            )
        if any(self.is_only_declared(each) for each in (symbol, other)):
            return True
        # Without a declaration that others include, equal names in two files are two things.
        return any(is_header(each.path) for each in self.open_names(symbol.name))

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


def _included(symbols: list[Symbol], read: frozenset[str]) -> list[Symbol]:
    """Those that a file includes, if it includes any."""
    return [symbol for symbol in symbols if symbol.path in read] or symbols


def is_constant(links: Links, binding: int) -> bool:
    """Whether a variable is a constant of an enumeration, which leads to it from inside."""
    _, names, places, kinds, _, _ = links.bindings
    return any(
        kinds[other] == Bind.LINK and places[other] == places[binding]
        for other in links.bound.get(names[binding], ())
    )


def is_static(links: Links, binding: int) -> bool:
    """Whether a variable is for its own file."""
    marks = links.names[0].get(links.string_numbers.get(STATIC, -1), ())
    return any(links.bindings[2][mark] == links.bindings[2][binding] for mark in marks)


def is_extern(links: Links, binding: int) -> bool:
    """Whether a variable is declared as one that another file has."""
    value = links.bindings[5][binding]
    return value > 0 and links.ops[value] & OP_MASK == Op.UNKNOWN


def is_declaration(links: Links, binding: int) -> bool:
    """Whether a binding declares a function or variable without defining it."""
    kind = links.bindings[3][binding]
    if kind == Bind.FUNCTION:
        return links.bindings[5][binding] == _PROTOTYPE
    return kind == Bind.VARIABLE and is_extern(links, binding)


def _agree(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two namespaces are one, as far as both are known: a source may not parse around one of them."""
    return bool(one and other) and all(a == b for a, b in zip(one, other, strict=False))


_NUMBERS: Final = (
    *("int", "long", "long long", "unsigned", "unsigned long", "unsigned long long", "short"),
    *("unsigned short", "size_t", "ssize_t", "int32_t", "int64_t", "uint32_t", "uint64_t", "int16_t"),
    *("uint16_t", "int8_t", "uint8_t", "double", "float", "char", "unsigned char", "signed char", "bool"),
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


class CppRules(CRules):
    """C++ names the structures of C as it names its classes, and has overloads."""

    bare_tags: ClassVar[bool] = True
    open_namespaces: ClassVar[bool] = True
    overloads: ClassVar[bool] = True
    text_type: ClassVar[str] = "char*"
    final_types: ClassVar[frozenset[str]] = frozenset({*_NUMBERS, "char*", "string", "string_view"})
    widening: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "char*": ("string", "string_view", "void*", "bool"),
        "string": ("string_view",),
        **{number: tuple(other for other in _NUMBERS if other != number) for number in _NUMBERS},
    }
    arrow: ClassVar[str] = "operator->"
    yields_entries: ClassVar[bool] = True
    transparent: ClassVar[frozenset[str]] = _words(
        "unique_ptr shared_ptr weak_ptr auto_ptr scoped_ptr intrusive_ptr optional atomic reference_wrapper "
        "not_null QPointer QSharedPointer QScopedPointer QWeakPointer const_iterator iterator"
    )
    sequences: ClassVar[frozenset[str]] = _words(
        "vector list deque set multiset unordered_set unordered_multiset array span initializer_list stack "
        "queue priority_queue forward_list valarray QList QVector QSet QStack QQueue small_vector flat_set"
    )
    mappings: ClassVar[frozenset[str]] = _words(
        "map multimap unordered_map unordered_multimap flat_map QMap QHash QMultiMap QMultiHash"
    )
    element_methods: ClassVar[frozenset[str]] = _words(
        "front back at top begin end cbegin cend rbegin rend crbegin crend find lower_bound upper_bound data "
        "value first last takeFirst takeLast takeAt emplace_back constBegin constEnd constFirst constLast"
    )
    entry_methods: ClassVar[frozenset[str]] = _words(
        "begin end cbegin cend rbegin rend find lower_bound upper_bound"
    )
    same_methods: ClassVar[frozenset[str]] = _words("get lock value value_or load data")
