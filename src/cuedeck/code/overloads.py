"""Functions of one name that are told apart by what they take, each with its declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuedeck.code.facts import Bind
from cuedeck.code.resolution.values import FUNCTION, Symbol, Value, Values

if TYPE_CHECKING:
    from cuedeck.code.snapshot import Snapshot


def functions_of(snapshot: Snapshot, symbol: Symbol) -> Values:
    """The functions that a symbol and its other declarations name."""
    declared = (symbol, *snapshot.rules(symbol.path).twins(symbol))
    return tuple(dict.fromkeys(function for each in declared for function in _bound(snapshot, each)))


def overload_at(snapshot: Snapshot, symbol: Symbol, place: int | None) -> frozenset[Value] | None:
    """The declarations of the overload at a place, if the name is overloaded."""
    rules = snapshot.rules(symbol.path)
    if place is None or not rules.overloads:
        return None
    here = _bound(snapshot, symbol, place)
    functions = functions_of(snapshot, symbol)
    if not here or len(functions) < 2:
        return None
    if not rules.prototypes and all(f.path == symbol.path for f in functions):
        return frozenset(here)
    alike = frozenset(f for f in functions if _signature(snapshot, f) == _signature(snapshot, here[0]))
    return alike if len(alike) < len(functions) else None


def _bound(snapshot: Snapshot, symbol: Symbol, place: int | None = None) -> list[Value]:
    links = snapshot.links(symbol.path)
    _, _, places, kinds, scopes, _ = links.bindings
    return [
        Value(FUNCTION, symbol.path, scopes[binding])
        for binding in links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ())
        if kinds[binding] == Bind.FUNCTION and place in (None, places[binding])
    ]


def _signature(snapshot: Snapshot, function: Value) -> tuple[str, ...]:
    """The names of the types that a function takes, as they are written."""
    count = len(snapshot.linker.parameter_names(function))
    taken = [snapshot.linker.parameter_label(function, place) for place in range(count)]
    return (snapshot.linker.extended_label(function), *taken)
