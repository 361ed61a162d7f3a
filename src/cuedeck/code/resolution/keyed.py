"""Indexed access: what types hold under keys, and which texts a key may be."""

from __future__ import annotations

from typing import Final

from cuedeck.code.facts import OP_MASK, Op
from cuedeck.code.resolution.narrowing import Narrowing
from cuedeck.code.resolution.values import (
    FUNCTION,
    INSTANCE,
    KEY,
    LOOKUP,
    PARAMETER,
    Symbol,
    Value,
    Values,
    elements,
    unique,
)

_MAX_KEYS: Final = 8
_MAX_MEMBERS: Final = 40
_KEYED: Final = (Op.LITERAL, Op.UNION, Op.NAME, Op.ATTR)


class Keyed(Narrowing):
    """The part of the linker that looks types up in types."""

    def members(self, path: str, owner: int, key: int) -> Values:
        """What the members of a type hold that a key names; without a key all of them."""
        owners = self.annotation(path, owner)
        if key:
            return self.looked_up(owners, self.annotation(path, key) or self.keys(path, key))
        return unique([v for value in owners for v in self.every_member(value)])

    def looked_up(self, owners: Values, keys: Values) -> Values:
        """What types hold under keys; of type parameters that is known later."""
        if any(value.tag in (PARAMETER, LOOKUP) for value in (*owners, *keys)):
            return (Value(LOOKUP, inside=(owners, keys)),)
        names = [key.name for key in keys if key.tag == KEY]
        held = [v for owner in owners for name in names for v in self.held(owner, name)]
        return unique([*held, *(v for owner in owners for v in elements(owner))])

    def every_member(self, owner: Value) -> Values:
        """What any member of a type holds."""
        found: list[Value] = list(elements(owner))
        for path, scope in self.lineage(owner) if owner.tag == INSTANCE else ():
            links = self.links(path)
            for name in list(links.names[scope])[:_MAX_MEMBERS]:
                symbol = Symbol(path, scope, links.strings[name])
                found += self.substitute(self.type_of(symbol), self.meaning(owner, path, scope))
        return unique(found)

    def keys(self, path: str, number: int) -> Values:
        """The texts that a type or an expression allows."""
        links = self.links(path)
        if links.ops[number] & OP_MASK == Op.INDEX:
            arguments = self.arguments_of(path, number)
            chosen = self.label(path, links.a[number]) in self.rules_of(path).extracting
            return self.keys(path, arguments[1]) if chosen and len(arguments) == 2 else ()
        if links.ops[number] & OP_MASK not in _KEYED:
            return ()
        texts = self.constants(path, number) or frozenset()
        names = sorted(text[1:] for text in texts if isinstance(text, str) and text[:1] == '"')
        return tuple(Value(KEY, name=name) for name in names) if len(names) <= _MAX_KEYS else ()

    def agreeing(self, path: str, functions: Values, arguments: tuple[int, ...]) -> Values:
        """Of overloads, those whose texts are those given; all of them when none is."""
        fitting = self.fitting(functions, len(arguments))
        if len(fitting) < 2:
            return fitting
        kept = tuple(f for f in fitting if f.tag != FUNCTION or self.agrees(path, f, arguments))
        return kept or fitting

    def agrees(self, path: str, function: Value, arguments: tuple[int, ...]) -> bool:
        """Whether no argument is a text that a function's parameter does not allow."""
        hints = self.links(function.path).bindings[4]
        ops = self.links(path).ops
        for argument, (binding, _) in zip(arguments, self.parameter_names(function), strict=False):
            if ops[argument] & OP_MASK == Op.LITERAL and hints[binding]:
                given = self.constants(path, argument)
                allowed = self.constants(function.path, hints[binding])
                if given and allowed and given.isdisjoint(allowed):
                    return False
        return True
