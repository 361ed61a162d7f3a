"""Types that satisfy an interface without naming it, as in Go: by the methods that they have."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from cuedeck.code.facts import OP_MASK, ROLE_SHIFT, Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.resolution.uses import Site
from cuedeck.code.resolution.values import CLASS, EXTERNAL, FUNCTION, Symbol, Value

if TYPE_CHECKING:
    from cuedeck.code.snapshot import Snapshot

_MAX_TYPES: Final = 2000
_MAX_DEPTH: Final = 6
# A type as it is compared; nothing where it may be any.
_Spelling = tuple[object, ...] | None


def implementations(snapshot: Snapshot, symbol: Symbol) -> list[Site]:
    """The types that have every method of an interface, each where it is declared, in path order."""
    interfaces = [value for value in snapshot.linker.type_of(symbol) if value.tag == CLASS]
    if not snapshot.rules(symbol.path).implicit_interfaces or len(interfaces) != 1:
        return []
    asked = Interface(snapshot, interfaces[0])
    found = (owner for owner in asked.satisfying() if not is_interface(snapshot, owner))
    return sorted({asked.declared(owner) for owner in found})


class Interface:
    """What an interface asks for, and which types have it."""

    def __init__(self, snapshot: Snapshot, interface: Value) -> None:
        self.snapshot = snapshot
        self.linker = snapshot.linker
        self.interface = interface
        self.wanted = self.methods()

    def methods(self) -> dict[str, Value | None]:
        """The methods of the interface, foreign ones without a signature; none when not all are known."""
        found: dict[str, Value | None] = {}
        known = self.snapshot.rules(self.interface.path).foreign_interfaces
        for path, scope in self.linker.lineage(self.interface):
            links = self.snapshot.links(path)
            if not is_interface(self.snapshot, Value(CLASS, path, scope)):
                return {}
            for base in links.lists[links.scopes[scope].bases]:
                foreign = [v.path for v in self.linker.parents(path, base) if v.tag == EXTERNAL]
                if not foreign and self.linker.parents(path, base):
                    continue
                label = foreign[0] if foreign else self.linker.label(path, base)
                if label not in known:
                    return {}
                found |= dict.fromkeys(known[label])
            for name, bindings in links.names[scope].items():
                if links.bindings[3][bindings[0]] == Bind.FUNCTION:  # not what it takes as a type
                    found.setdefault(
                        links.strings[name], Value(FUNCTION, path, links.bindings[4][bindings[0]])
                    )
        return found

    def satisfying(self) -> Iterator[Value]:
        """The types that have every method, other interfaces among them."""
        if not self.wanted:
            return
        rarest = min(sorted(self.wanted), key=lambda name: len(self.snapshot.files_naming(name)))
        waiting, seen = list(declaring(self.snapshot, rarest)), set[Value]()
        while waiting and len(seen) < _MAX_TYPES:
            owner = waiting.pop()
            if owner not in seen:
                seen.add(owner)
                waiting += self.embedding(owner)
                named = self.snapshot.links(owner.path).scopes[owner.scope].definition >= 0
                if named and owner != self.interface and self.satisfies(owner):
                    yield owner

    def embedding(self, owner: Value) -> Iterator[Value]:
        """The types that embed a type, and so have its methods."""
        name = self.linker.class_name(owner)
        around = self.snapshot.links(owner.path).scopes[owner.scope].parent
        for path, site in self.snapshot.uses(name).of((Symbol(owner.path, around, name),)) if name else ():
            links = self.snapshot.links(path)
            if links.ops[site] >> ROLE_SHIFT != Role.EXTENDS:
                continue
            for number, row in enumerate(links.scope_rows()):
                if any(site in (base, links.a[base]) for base in links.lists[row.bases]):
                    yield Value(CLASS, path, number)

    def declared(self, owner: Value) -> Site:
        definition = self.snapshot.outline(owner.path).definitions[
            self.snapshot.links(owner.path).scopes[owner.scope].definition
        ]
        line = self.snapshot.line_of(owner.path, definition.name_at)
        return Site(owner.path, definition.name_at, line, "implements")

    def satisfies(self, owner: Value) -> bool:
        return bool(self.wanted) and all(self.has(owner, *method) for method in self.wanted.items())

    def has(self, owner: Value, name: str, method: Value | None) -> bool:
        """Whether a type has a method with the signature that an interface asks for."""
        member = self.linker.member(owner, name)
        if member is None:
            return False
        folders = posixpath.dirname(member.path), posixpath.dirname(self.interface.path)
        if not name[:1].isupper() and folders[0] != folders[1]:
            return False
        links = self.snapshot.links(member.path)
        for binding in links.names[member.scope].get(links.string_numbers[name], ()):
            if links.bindings[3][binding] == Bind.FUNCTION:
                own = self.signature(Value(FUNCTION, member.path, links.bindings[4][binding]))
                return method is None or _alike(own, self.signature(method))
        return False

    def signature(self, function: Value, depth: int = 0) -> _Spelling:
        links = self.snapshot.links(function.path)
        hints = links.bindings[4]
        taken = [hints[binding] for binding, _ in self.linker.parameter_names(function)]
        given = links.scopes[function.scope].result
        return tuple(self.spelled(function.path, number, depth) for number in (*taken, given))

    def spelled(self, path: str, number: int, depth: int) -> _Spelling:
        """A type expression, told apart from others: named types by what they are, the rest by its parts."""
        links = self.snapshot.links(path)
        op, a, b = links.ops[number] & OP_MASK, links.a[number], links.b[number]
        if depth > _MAX_DEPTH or op == Op.SELF:
            return None
        if op == Op.TYPED:
            return self.spelled(path, a, depth + 1)
        if op in (Op.NAME, Op.ATTR):
            return self.named(path, number, depth)
        if op == Op.FUNCTION:
            return (op, self.signature(Value(FUNCTION, path, a), depth + 1))
        if op in (Op.TUPLE, Op.INDEX):
            inside = (a, *links.lists[b]) if op == Op.INDEX else links.lists[b]
            return (op, *(self.spelled(path, item, depth + 1) for item in inside))
        if op == Op.SEQUENCE:
            return (op, self.spelled(path, a, depth + 1))
        if op == Op.MAPPING:
            return (op, self.spelled(path, a, depth + 1), self.spelled(path, b, depth + 1))
        return (op,)

    def named(self, path: str, number: int, depth: int) -> _Spelling:
        targets = self.linker.targets(path, number)
        if not targets:
            return (self.linker.label(path, number),)
        for target in targets:
            if not isinstance(target, Symbol):
                return (target.path,) if target.tag == EXTERNAL else None
            links = self.snapshot.links(target.path)
            for binding in links.names[target.scope].get(links.string_numbers[target.name], ()):
                kind, x = links.bindings[3][binding], links.bindings[4][binding]
                if kind == Bind.ALIAS and x:
                    return self.spelled(target.path, x, depth + 1)
                if kind != Bind.CLASS:
                    return None
        return targets


def is_interface(snapshot: Snapshot, owner: Value) -> bool:
    """Whether a type is an interface."""
    number = snapshot.links(owner.path).scopes[owner.scope].definition
    return number >= 0 and snapshot.outline(owner.path).definitions[number].kind == Kind.INTERFACE


def declaring(snapshot: Snapshot, name: str) -> Iterator[Value]:
    """The types that declare a method of that name themselves, interfaces among them."""
    for path in snapshot.files_naming(name):
        links = snapshot.links(path)
        for binding in links.bound.get(links.string_numbers.get(name), ()):
            owner = links.bindings[0][binding]
            if links.bindings[3][binding] == Bind.FUNCTION and links.scopes[owner].kind in (
                ScopeKind.CLASS,
                ScopeKind.EXTENSION,
            ):
                yield from receivers(snapshot, path, owner)


def receivers(snapshot: Snapshot, path: str, scope: int) -> Iterator[Value]:
    """The type of which methods are declared in a scope."""
    for value in snapshot.linker.instance_type(Value(CLASS, path, scope)):
        yield Value(CLASS, value.path, value.scope)


def _alike(one: _Spelling, other: _Spelling) -> bool:
    """Whether two types may be the same."""
    if one is None or other is None:
        return True
    if len(one) != len(other):
        return False
    return all(
        _alike(a, b) if isinstance(a, tuple | None) and isinstance(b, tuple | None) else a == b
        for a, b in zip(one, other, strict=True)
    )
