"""Uses that reach a method through an interface which its type satisfies without naming it, as in Go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from cuedeck.code.facts import ROLE_SHIFT, Bind, ScopeKind
from cuedeck.code.implementing import Interface, is_interface, receivers
from cuedeck.code.resolution.uses import DISPATCH, Site, edge_of
from cuedeck.code.resolution.values import CLASS, Symbol, Value

if TYPE_CHECKING:
    from cuedeck.code.snapshot import Snapshot

_OWNERS: Final = (ScopeKind.CLASS, ScopeKind.EXTENSION)


def dispatched(snapshot: Snapshot, symbol: Symbol) -> list[Site]:
    """The uses of what stands for a method in interfaces, and of what satisfies the method of an interface.

    One step only, as compilers see it: another type is not reached through the interface of both. What
    stands in copies of other projects counts as little as it does where these are not copied.
    """
    owner = _owner(snapshot, symbol)
    if owner is None:
        return []
    copied = snapshot.rules(symbol.path).is_copy
    others = {
        other
        for other in _others(snapshot, symbol, owner)
        if other != symbol and (copied(symbol.path) or not copied(other.path))
    }
    found: dict[tuple[str, int], Site] = {}
    for path, site in snapshot.uses(symbol.name).of(others):
        links = snapshot.links(path)
        at, edge = links.pos[site], edge_of(links.ops[site] >> ROLE_SHIFT)
        found[path, at] = Site(path, at, snapshot.line_of(path, at), edge, DISPATCH)
    return sorted(found.values())


def with_dispatched(certain: Sequence[Site], passed_on: Sequence[Site]) -> list[Site]:
    """What is certain, and what is passed on by an interface, in order and each place once."""
    places = {(site.path, site.offset) for site in certain}
    return sorted([*certain, *(site for site in passed_on if (site.path, site.offset) not in places)])


def _owner(snapshot: Snapshot, symbol: Symbol) -> Value | None:
    """The type of a method, where interfaces are satisfied by having their methods."""
    if not snapshot.rules(symbol.path).implicit_interfaces:
        return None
    links = snapshot.links(symbol.path)
    bindings = links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ())
    is_method = any(links.bindings[3][binding] == Bind.FUNCTION for binding in bindings)
    if not is_method or links.scopes[symbol.scope].kind not in _OWNERS:
        return None
    return next(receivers(snapshot, symbol.path, symbol.scope), None)


def _others(snapshot: Snapshot, symbol: Symbol, owner: Value) -> Iterator[Symbol]:
    """The methods of that name of the types to which values of the type may be assigned, or that to it."""
    if is_interface(snapshot, owner):
        for other in Interface(snapshot, owner).satisfying():
            member = snapshot.linker.member(other, symbol.name)
            if member is not None:
                yield member
    for other in _asking(snapshot, symbol.name):
        if Interface(snapshot, other).satisfies(owner):
            yield Symbol(other.path, other.scope, symbol.name)


def _asking(snapshot: Snapshot, name: str) -> Iterator[Value]:
    """The interfaces that declare a method of that name themselves."""
    for path in snapshot.files_defining(name):
        links = snapshot.links(path)
        for binding in links.bound.get(links.string_numbers.get(name), ()):
            owner = Value(CLASS, path, links.bindings[0][binding])
            if links.scopes[owner.scope].kind == ScopeKind.CLASS and is_interface(snapshot, owner):
                yield owner
