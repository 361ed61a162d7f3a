"""Types that satisfy an interface without naming it, as in Go: by the methods that they have."""

from __future__ import annotations

import math
import posixpath
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cuedeck.code.facts import OP_MASK, Bind, Kind, Links, Op, ScopeKind
from cuedeck.code.resolution.embedding import embedded, embeddings
from cuedeck.code.resolution.uses import Site
from cuedeck.code.resolution.values import CLASS, EXTERNAL, FUNCTION, INSTANCE, Symbol, Value

if TYPE_CHECKING:
    from cuedeck.code.snapshot import Snapshot

_FILES_AT_ONCE: Final = 64
_MAX_DEPTH: Final = 6
# A type as it is compared; nothing where it may be any.
_Spelling = tuple[object, ...] | None


@dataclass(frozen=True, slots=True)
class Compared:
    """What comparing types has led to, and whether there was time for all of them."""

    sites: tuple[Site, ...] = ()
    whole: bool = True


def implementations(snapshot: Snapshot, symbol: Symbol, until: float = math.inf) -> Compared:
    """The types that have every method of an interface, each where it is declared, in path order.

    ``until`` is of the thread's own time.
    """
    interfaces = [value for value in snapshot.linker.type_of(symbol) if value.tag == CLASS]
    if not snapshot.rules(symbol.path).implicit_interfaces or len(interfaces) != 1:
        return Compared()
    asked = Interface(snapshot, interfaces[0])
    found = {asked.declared(it) for it in asked.satisfying(until) if not is_interface(snapshot, it)}
    return Compared(tuple(sorted(found)), time.thread_time() <= until)


class Interface:
    """What an interface asks for, and which types have it."""

    def __init__(self, snapshot: Snapshot, interface: Value) -> None:
        self.snapshot = snapshot
        self.linker = snapshot.linker
        self.interface = interface
        key = ("asks", interface.path, interface.scope)
        self.wanted: dict[str, Value | None] = self.linker.solve(key, self.methods) or {}

    def methods(self) -> dict[str, Value | None]:
        """The methods of the interface, foreign ones without a signature; none when not all are known."""
        found: dict[str, Value | None] = {}
        known = self.snapshot.rules(self.interface.path).foreign_interfaces
        for path, scope in self.linker.lineage(self.interface):
            links = self.linker.links(path)
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

    def satisfying(self, until: float = math.inf) -> Iterator[Value]:
        """The types that have every method, other interfaces among them, while there is time."""
        if not self.wanted:
            return
        rarest = min(sorted(self.wanted), key=lambda name: len(self.snapshot.files_defining(name)))
        seen: set[Value] = set()
        for declaring_it in declaring(self.snapshot, rarest):
            waiting = [declaring_it]
            while waiting:
                owner = waiting.pop()
                if time.thread_time() > until:
                    return
                if owner in seen:
                    continue
                seen.add(owner)
                waiting += self.embedding(owner)
                named = self.snapshot.links(owner.path).scopes[owner.scope].definition >= 0
                if named and owner != self.interface and self.satisfies(owner):
                    yield owner

    def embedding(self, owner: Value) -> Iterator[Value]:
        """The types that embed a type, and so have its methods."""
        name = self.linker.class_name(owner)
        for path in self.linker.files_naming(embedded(name)) if name else ():
            for scope, base, ending in embeddings(self.linker.links(path)):
                if ending == name and self.means(path, base, owner):
                    yield Value(CLASS, path, scope)

    def means(self, path: str, base: int, owner: Value) -> bool:
        """Whether a type names another as a part of it, with type arguments or without."""
        return any(
            value.tag in (CLASS, INSTANCE) and (value.path, value.scope) == (owner.path, owner.scope)
            for value in self.linker.parents(path, base)
        )

    def declared(self, owner: Value) -> Site:
        definition = self.snapshot.outline(owner.path).definitions[
            self.snapshot.links(owner.path).scopes[owner.scope].definition
        ]
        line = self.snapshot.line_of(owner.path, definition.name_at)
        return Site(owner.path, definition.name_at, line, "implements")

    def satisfies(self, owner: Value) -> bool:
        """Whether a type has all that an interface asks for: by names first, which is soon said."""
        members = {name: self.linker.member(owner, name) for name in self.wanted}
        return bool(members) and all(
            member is not None and self.fits(member, self.wanted[name]) for name, member in members.items()
        )

    def fits(self, member: Symbol, method: Value | None) -> bool:
        """Whether a member is a method with the signature that an interface asks for."""
        folders = posixpath.dirname(member.path), posixpath.dirname(self.interface.path)
        if not member.name[:1].isupper() and folders[0] != folders[1]:
            return False
        links = self.snapshot.links(member.path)
        for binding in links.names[member.scope].get(links.string_numbers[member.name], ()):
            if links.bindings[3][binding] == Bind.FUNCTION:
                own = Value(FUNCTION, member.path, links.bindings[4][binding])
                return method is None or _alike(self.signature(own), self.signature(method))
        return False

    def signature(self, function: Value) -> _Spelling:
        """What a function takes and gives."""
        key = ("signature", function.path, function.scope)
        return self.linker.solve(key, self.signed, function)  # type: ignore[no-any-return]

    def signed(self, function: Value, depth: int = 0) -> _Spelling:
        links = self.linker.links(function.path)
        hints = links.bindings[4]
        taken = [hints[binding] for binding, _ in self.linker.parameter_names(function)]
        given = links.scopes[function.scope].result
        return tuple(self.spelled(function.path, number, depth) for number in (*taken, given))

    def spelled(self, path: str, number: int, depth: int) -> _Spelling:
        """A type expression, told apart from others: named types by what they are, the rest by its parts."""
        links = self.linker.links(path)
        op, a, b = links.ops[number] & OP_MASK, links.a[number], links.b[number]
        if depth > _MAX_DEPTH or op == Op.SELF:
            return None
        if op == Op.TYPED:
            return self.spelled(path, a, depth + 1)
        if op in (Op.NAME, Op.ATTR):
            return self.named(path, number, depth)
        if op == Op.FUNCTION:
            return (op, self.signed(Value(FUNCTION, path, a), depth + 1))
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
            links = self.linker.links(target.path)
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
    for path, links in loaded(snapshot, snapshot.files_defining(name)):
        for binding in links.bound.get(links.string_numbers.get(name), ()):
            owner = links.bindings[0][binding]
            if links.bindings[3][binding] == Bind.FUNCTION and links.scopes[owner].kind in (
                ScopeKind.CLASS,
                ScopeKind.EXTENSION,
            ):
                yield from receivers(snapshot, path, owner)


def loaded(snapshot: Snapshot, paths: Collection[str]) -> Iterator[tuple[str, Links]]:
    """Files with what is known of them, many of them read in one go."""
    waiting = [*paths]
    for start in range(0, len(waiting), _FILES_AT_ONCE):
        part = waiting[start : start + _FILES_AT_ONCE]
        snapshot.prepare(part)
        yield from ((path, snapshot.links(path)) for path in part)


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
