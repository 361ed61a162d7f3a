"""The uses of a constructor that is declared under the name of its class (Java, C#, C++)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cuedeck.code.facts import OP_MASK, ROLE_SHIFT, Links, Op, Role, ScopeKind
from cuedeck.code.overloads import functions_of
from cuedeck.code.resolution.shapes import is_class_of
from cuedeck.code.resolution.values import CLASS, Symbol, Value, Values

if TYPE_CHECKING:
    from cuedeck.code.snapshot import Snapshot

# A file, and the expression that names what is made.
Making = tuple[str, int]


def makings(snapshot: Snapshot, symbol: Symbol, chosen: frozenset[Value] | None) -> Iterator[Making]:
    """Where instances are made by a constructor; of overloads by those that were chosen."""
    functions = functions_of(snapshot, symbol)
    given: dict[str, dict[int, tuple[int, ...]]] = {}
    for path, site in snapshot.uses(symbol.name).of(_classes(snapshot, symbol)):
        if path not in given:
            given[path] = _given(snapshot.links(path))
        arguments = given[path].get(site)
        if arguments is None:
            continue
        if chosen is None or not chosen.isdisjoint(_making(snapshot, symbol, path, functions, arguments)):
            yield path, site


def _making(
    snapshot: Snapshot, symbol: Symbol, path: str, functions: Values, arguments: tuple[int, ...]
) -> Values:
    """The constructors that may be meant; one that copies only if nothing else is."""
    fitting = snapshot.linker.chosen(path, functions, arguments)
    others = tuple(f for f in fitting if snapshot.linker.parameter_label(f, 0) != symbol.name)
    return others or fitting


def is_constructor(snapshot: Snapshot, symbol: Symbol) -> bool:
    """Whether a symbol is a function that a class declares under its own name."""
    links = snapshot.links(symbol.path)
    if not snapshot.rules(symbol.path).class_constructors:
        return False
    if links.scopes[symbol.scope].kind not in (ScopeKind.CLASS, ScopeKind.EXTENSION):
        return False
    return is_class_of(links, symbol.scope, links.string_numbers.get(symbol.name, -1))


def _classes(snapshot: Snapshot, symbol: Symbol) -> list[Symbol]:
    """The class that a constructor belongs to, under each of its declarations."""
    links = snapshot.links(symbol.path)
    if links.scopes[symbol.scope].kind == ScopeKind.CLASS:
        own = [Value(CLASS, symbol.path, symbol.scope)]
    else:
        own = list(snapshot.linker.evaluate(symbol.path, links.scopes[symbol.scope].result))
    found = []
    for value in own:
        if value.tag == CLASS:
            outer = snapshot.links(value.path).scopes[value.scope].parent
            one = Symbol(value.path, outer, symbol.name)
            found += [one, *snapshot.rules(value.path).twins(one)]
    return found


def _given(links: Links) -> dict[int, tuple[int, ...]]:
    """What each expression is given that makes an instance of what it names."""
    found: dict[int, tuple[int, ...]] = {}
    for number, op in enumerate(links.ops):
        kind, made = op & OP_MASK, links.a[number]
        if kind == Op.NEW or (kind == Op.CALL and links.ops[made] >> ROLE_SHIFT == Role.CALL):
            found[_named(links, made)] = links.lists[links.b[number]]
    return found


def _named(links: Links, made: int) -> int:
    """The expression without what it is told: ``Box`` of ``Box<int>``."""
    while links.ops[made] & OP_MASK == Op.INDEX:
        made = links.a[made]
    return made
