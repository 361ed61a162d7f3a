"""Uses that reach a method through an interface which its type satisfies without naming it, as in Go."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

from cuedeck.code.facts import ROLE_SHIFT, Bind, ScopeKind
from cuedeck.code.implementing import Compared, Interface, is_interface, loaded, receivers
from cuedeck.code.resolution.embedding import asked
from cuedeck.code.resolution.uses import DISPATCH, SITE, Site, edge_of
from cuedeck.code.resolution.values import CLASS, Symbol, Value

if TYPE_CHECKING:
    from cuedeck.code.snapshot import Snapshot

_OWNERS: Final = (ScopeKind.CLASS, ScopeKind.EXTENSION)


def dispatched(snapshot: Snapshot, symbol: Symbol, until: float = math.inf) -> Compared:
    """The uses of what stands for a method in interfaces, and of what satisfies the method of an interface.

    One step only, as compilers see it: another type is not reached through the interface of both. What
    stands in copies of other projects counts as little as it does where these are not copied. ``until`` is
    of the thread's own time; what was compared by then is known when it is asked again.
    """
    owner = _owner(snapshot, symbol)
    if owner is None:
        return Compared()
    others = chain(_given(snapshot, symbol, owner, until), _taken(snapshot, symbol, owner, until))
    return _uses(snapshot, symbol, others, until)


def passed_on(snapshot: Snapshot, symbol: Symbol, until: float = math.inf) -> Compared:
    """The uses of what stands in interfaces for a method that has a body: any of them may run it."""
    owner = _owner(snapshot, symbol)
    if owner is None or is_interface(snapshot, owner):
        return Compared()
    return _uses(snapshot, symbol, _taken(snapshot, symbol, owner, until), until)


def with_dispatched(certain: Sequence[Site], others: Sequence[Site]) -> list[Site]:
    """What is certain, and what is passed on by an interface, in order and each place once."""
    places = {(site.path, site.offset) for site in certain}
    return sorted([*certain, *(site for site in others if (site.path, site.offset) not in places)])


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


def _uses(snapshot: Snapshot, symbol: Symbol, others: Iterator[Symbol], until: float) -> Compared:
    """The uses of some methods, but for those of one and, unless that is a copy itself, of copies."""
    key, whole = ("dispatched", symbol), True
    methods: frozenset[Symbol] | None = snapshot.remembered(key)
    if methods is None:
        copied = snapshot.rules(symbol.path).is_copy
        anywhere = copied(symbol.path)
        methods = frozenset(each for each in others if anywhere or not copied(each.path)) - {symbol}
        whole = time.thread_time() <= until
        if whole:
            snapshot.remember(key, methods, SITE * len(methods))
    found: dict[tuple[str, int], Site] = {}
    for path, site in snapshot.uses(symbol.name, until).of(methods):
        links = snapshot.links(path)
        at, edge = links.pos[site], edge_of(links.ops[site] >> ROLE_SHIFT)
        found[path, at] = Site(path, at, snapshot.line_of(path, at), edge, DISPATCH)
    return Compared(tuple(sorted(found.values())), whole)


def _given(snapshot: Snapshot, symbol: Symbol, owner: Value, until: float) -> Iterator[Symbol]:
    """The methods of that name of the types whose values may be assigned to an interface."""
    if is_interface(snapshot, owner):
        for other in Interface(snapshot, owner).satisfying(until):
            member = snapshot.linker.member(other, symbol.name)
            if member is not None:
                yield member


def _taken(snapshot: Snapshot, symbol: Symbol, owner: Value, until: float) -> Iterator[Symbol]:
    """The methods of that name of the interfaces to which values of the type may be assigned."""
    copied = snapshot.rules(symbol.path).is_copy
    for other in _asking(snapshot, symbol.name):
        if time.thread_time() > until:
            return
        if copied(other.path) and not copied(symbol.path):
            continue
        if Interface(snapshot, other).satisfies(owner):
            yield Symbol(other.path, other.scope, symbol.name)


def _asking(snapshot: Snapshot, name: str) -> Iterator[Value]:
    """The interfaces that declare a method of that name themselves."""
    for path, links in loaded(snapshot, snapshot.files_naming(asked(name))):
        for binding in links.bound.get(links.string_numbers.get(name), ()):
            owner = Value(CLASS, path, links.bindings[0][binding])
            if links.scopes[owner.scope].kind == ScopeKind.CLASS and is_interface(snapshot, owner):
                yield owner
