"""Receivers: which of the functions that extend types is called, by the type of what it is called on."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Final

from cuedeck.code.facts import OP_MASK, Bind, Links, Op
from cuedeck.code.resolution.callers import Callers
from cuedeck.code.resolution.values import FUNCTION, INSTANCE, PARAMETER, Symbol, Targets, Value, Values

# Before a name, in the scope of a property's accessors: what no source can say.
EXTENSION: Final = "extension"
_AGREES: Final = 1
_OPEN: Final = 0
_DIFFERS: Final = -1


class Receivers(Callers):
    """The part of the linker that tells functions apart by what they extend."""

    def by_receiver(self, path: str, site: int, methods: Targets) -> Targets:
        """Of functions that extend different types those that extend the receiver's."""
        functions = {m: self.extending_functions(m) for m in methods if isinstance(m, Symbol)}
        every = tuple(f for found in functions.values() for f in found)
        if len({self.extended_label(f) for f in every}) < 2:
            return methods
        kept = set(self.called_on(path, site, every))
        name = self.links(path).strings[self.links(path).b[site]]
        if name in self.rules_of(path).core_members and any(
            self.fit_receiver(path, site, function) == _OPEN for function in kept
        ):
            return ()
        return tuple(m for m, found in functions.items() if not kept.isdisjoint(found))

    def called_on(self, path: str, site: int, functions: Values) -> Values:
        """Of functions those that extend what one is called on best, not those that extend another type."""
        if self.links(path).ops[site] & OP_MASK != Op.ATTR or len(functions) < 2:
            return functions
        marks = [self.fit_receiver(path, site, function) for function in functions]
        best = max(_OPEN, *marks)
        return tuple(f for f, mark in zip(functions, marks, strict=True) if mark == best)

    def extending_functions(self, method: Symbol) -> list[Value]:
        """The functions of a name that extend types, of a property what reads it."""
        links = self.links(method.path)
        if self.is_property(method):
            return [Value(FUNCTION, method.path, scope) for scope in extended_by(links, method)]
        found = [f for f in self.type_of(method) if f.tag == FUNCTION]
        return [f for f in found if self.links(f.path).scopes[f.scope].receiver]

    def is_property(self, symbol: Symbol) -> bool:
        """Whether a name that extends a type is read, not called."""
        return not self.declares(symbol, function=True)

    @abstractmethod
    def declares(self, symbol: Symbol, *, function: bool) -> bool:
        """Whether a scope declares a function, or something else, of that name."""

    def fit_receiver(self, path: str, site: int, function: Value) -> int:
        """Whether a function extends what it is called on at a site, or some other type."""
        if not self.links(function.path).scopes[function.scope].receiver:
            return _OPEN
        on = self.links(path).a[site]
        label, said = (
            self.extended_label(function),
            self.literal_type(path, on) or self.static_label(path, on),
        )
        given = [v for v in self.concrete(self.evaluate(path, on)) if v.tag == INSTANCE]
        taken = self.extended_type(function)
        if any(v.tag == PARAMETER for v in taken) or label in self.rules_of(path).any_types:
            return _OPEN
        wanted = {(v.path, v.scope) for v in self.concrete(taken) if v.tag == INSTANCE}
        if given and wanted:
            return _AGREES if any(not wanted.isdisjoint(self.lineage(v)) for v in given) else _DIFFERS
        if label and label == said:
            return _AGREES
        certain = given or wanted or {label, said} & self.rules_of(path).final_types
        return _DIFFERS if certain and (given or (said and label)) else _OPEN

    def extended_type(self, function: Value) -> Values:
        links = self.links(function.path)
        receiver = links.scopes[function.scope].receiver
        return self.type_of(Symbol(function.path, function.scope, links.strings[receiver]))

    def extended_label(self, function: Value) -> str:
        """The name of the type that a function extends, as it is written."""
        links = self.links(function.path)
        receiver = links.scopes[function.scope].receiver
        for binding in links.names[function.scope].get(receiver, ()) if receiver else ():
            if links.bindings[3][binding] == Bind.PARAMETER:
                return self.type_label(function.path, links.bindings[4][binding])
        return ""


def extended_by(links: Links, symbol: Symbol) -> Iterator[int]:
    """The scopes of the accessors of a property that extends types."""
    for binding in links.bound.get(links.string_numbers.get(f"{EXTENSION} {symbol.name}", -1), ()):
        reading = links.bindings[0][binding]
        if links.scopes[reading].parent == symbol.scope:
            yield reading
