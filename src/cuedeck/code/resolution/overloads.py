"""Overloads that only types tell apart: which of them takes what a call is given."""

from __future__ import annotations

from typing import Final, NamedTuple

from cuedeck.code.facts import MANY, OP_MASK, ROLE_SHIFT, Bind, Op, Role
from cuedeck.code.resolution.fitting import Fitting
from cuedeck.code.resolution.values import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    PARAMETER,
    Symbol,
    Value,
    Values,
    unique,
)

_MAX_DEPTH: Final = 6
_UNIONS: Final = ("Optional", "Union")
_ANYTHING: Final = ("Any", "object")
_CLASSES: Final = ("Type", "type")
_NOTHING: Final = "None"
_TEXT: Final = "str"
_REST: Final = (Op.SEQUENCE, Op.MAPPING)


class Given(NamedTuple):
    """What an argument is known to be: a type of the language or its library by name, or values."""

    name: str = ""
    values: Values = ()


class Overloads(Fitting):
    """The part of the linker that compares arguments with what overloads take.

    An answer is yes, no, or None where it cannot be told.
    """

    def accepting(self, path: str, callee: int, functions: Values) -> Values:
        """Functions without the overloads that do not take a call, by number, names and types."""
        accepted = super().accepting(path, callee, functions)
        if len(accepted) < 2 or not self.rules_of(path).literal_types:
            return accepted
        groups: dict[tuple[str, int], list[Value]] = {}
        for f in accepted:
            wanted = self.rules_of(f.path).overload_decorators if f.tag == FUNCTION else frozenset()
            if wanted and self.labelled(f.path, f.scope, wanted):
                groups.setdefault((f.path, self.links(f.path).scopes[f.scope].parent), []).append(f)
        several = [group for group in groups.values() if len(group) > 1]
        refused = {f for group in several for f in group}
        refused.difference_update(*(self.first_taking(path, callee, group) for group in several))
        return tuple(f for f in accepted if f not in refused)

    def told_maker(self, path: str, callee: int, value: Value) -> Values:
        """What a class gives instead of an instance of its own, by what its maker is declared to give."""
        name = self.rules_of(path).maker
        maker = self.member(value, name) if name and value.tag == CLASS else None
        if maker is None:
            return ()
        made = [f for f in self.type_of(maker) if f.tag == FUNCTION and self.is_declared(f)]
        given = [v for f in self.accepting(path, callee, tuple(made)) for v in self.result(f)]
        own = set(self.lineage(value))
        if any(v.tag != INSTANCE or (v.path, v.scope) in own for v in given):
            return ()
        return unique(given)

    def is_declared(self, function: Value) -> bool:
        """Whether a function says itself what it gives."""
        return bool(self.links(function.path).scopes[function.scope].result)

    def first_taking(self, path: str, callee: int, overloads: list[Value]) -> list[Value]:
        """The first overload that certainly takes a call and those before it that may; all if none does."""
        links, kept = self.links(path), list[Value]()
        count, named = links.given(callee)
        if count == MANY:
            return overloads
        placed = (*links.arguments.get(callee, ()), *([0] * count))[:count]
        for overload in overloads:
            taken = self.takes_all(path, overload, placed, named)
            if False not in taken:
                kept.append(overload)
                if all(taken):
                    break
        return kept or overloads

    def takes_all(
        self, path: str, overload: Value, placed: tuple[int, ...], named: dict[str, int]
    ) -> list[bool | None]:
        """Whether an overload takes each argument."""
        links = self.links(overload.path)
        names = self.parameter_names(overload)
        hints = [self.hint_of(overload.path, links.bindings[4][binding]) for binding, _ in names]
        by_name = {links.strings[name]: hint for (_, name), (hint, _) in zip(names, hints, strict=True)}
        asked: list[tuple[int, int]] = []
        for position, argument in enumerate(placed):
            rest = [hint for hint, takes_rest in hints[:position] if takes_rest]
            inside = position < len(hints)
            asked.append((argument, rest[0] if rest else hints[position][0] if inside else 0))
        asked += [(argument, by_name.get(name, 0)) for name, argument in named.items()]
        return [self.takes_one(path, argument, overload.path, hint) for argument, hint in asked]

    def hint_of(self, path: str, hint: int) -> tuple[int, bool]:
        """What a parameter is declared as, each part of it if it takes the rest."""
        links = self.links(path)
        rest = bool(hint) and links.ops[hint] & OP_MASK in _REST
        return (links.a[links.a[hint]] if rest else hint), rest

    def takes_one(self, path: str, argument: int, told: str, hint: int) -> bool | None:
        """Whether a parameter takes an argument; nothing is said of either that is not known."""
        if not argument or not hint:
            return None
        given = Given(self.type_name(path, argument))
        if not given.name:
            given = Given(values=self.concrete(self.evaluate(path, argument)))
        if not any(given) or any(v.tag == EXTERNAL for v in given.values):
            return None
        return self.admits(told, hint, given)

    # -- what is given

    def type_name(self, path: str, number: int, depth: int = 0) -> str:
        """The type of the language or its library that an expression is of, if that is written somewhere."""
        links = self.links(path)
        number = self.plain(path, number)
        op, a = links.ops[number] & OP_MASK, links.a[number]
        if op == Op.LITERAL:
            return links.strings[a]
        if op == Op.TUPLE:
            return "list" if links.ops[number] >> ROLE_SHIFT == Role.WRITE else "tuple"
        if op == Op.MAPPING:
            return "dict"
        if op == Op.CALL:
            return self.known_type(path, a)
        return self.variable_type(path, number, depth) if op == Op.NAME and depth < _MAX_DEPTH else ""

    def variable_type(self, path: str, number: int, depth: int) -> str:
        """The same of a variable that is given a value, or declared, once."""
        for target in self.targets(path, number):
            if not isinstance(target, Symbol):
                return ""
            links = self.links(target.path)
            bindings = links.names[target.scope].get(links.string_numbers.get(target.name, -1), ())
            if len(bindings) == 1:
                kind, hint, value = (column[bindings[0]] for column in links.bindings[3:])
                if kind in (Bind.VARIABLE, Bind.PARAMETER) and hint:
                    return self.known_type(target.path, hint)
                return self.type_name(target.path, value, depth + 1) if kind == Bind.VARIABLE else ""
        return ""

    def known_type(self, path: str, number: int) -> str:
        """The type of the language or its library that an expression names."""
        rules, label = self.rules_of(path), self.label(path, number)
        if label in rules.literal_types and not self.targets(path, self.plain(path, number)):
            return label
        named = [v.path for v in self.evaluate(path, number) if v.tag == EXTERNAL] if label else []
        return next((name for name in named if name in rules.literal_types), "")

    # -- what is taken

    def admits(self, path: str, hint: int, given: Given, depth: int = 0) -> bool | None:
        """Whether a type takes what is given; in a union nothing stands for ``None``."""
        if not hint or depth > _MAX_DEPTH:
            return given.name == _NOTHING
        links, rules = self.links(path), self.rules_of(path)
        indexed = links.ops[hint] & OP_MASK == Op.INDEX
        base, told = (links.a[hint], self.arguments_of(path, hint)) if indexed else (hint, ())
        label = self.label(path, base)
        if links.ops[hint] & OP_MASK == Op.UNION or label in _UNIONS:
            items = told if label in _UNIONS else links.lists[links.b[hint]]
            parts = [self.admits(path, item, given, depth + 1) for item in items]
            return any(parts) or (given.name == _NOTHING and label == _UNIONS[0]) or _all_told(parts)
        if label in _ANYTHING:
            return True
        if not label or label in rules.literal_forms:
            return None
        if label in rules.transparent and told:
            return self.admits(path, told[0], given, depth + 1)
        if self.is_own(path, base):
            aliased = self.alias(path, base)
            if aliased is not None:
                return self.admits(*aliased, given, depth + 1)
            return self.admits_heirs(self.annotation(path, hint), given)
        return self.admits_foreign(path, base, told, given)

    def alias(self, path: str, number: int) -> tuple[str, int] | None:
        """The type that a name of the project stands for."""
        targets = [t for t in self.targets(path, self.plain(path, number)) if isinstance(t, Symbol)]
        for symbol in targets[:1]:
            links = self.links(symbol.path)
            bindings = links.names[symbol.scope].get(links.string_numbers[symbol.name], ())
            kind, x, y = (column[bindings[0]] for column in links.bindings[3:])
            value = x if kind == Bind.ALIAS else y if kind == Bind.VARIABLE else 0
            if len(bindings) == 1 and links.ops[value] & OP_MASK in (Op.INDEX, Op.UNION):
                return symbol.path, value
        return None

    def admits_heirs(self, wanted: Values, given: Given) -> bool | None:
        """Whether classes of the project take what is given: their heirs; of a protocol that is open."""
        if any(v.tag == PARAMETER for v in wanted):
            wanted = self.concrete(wanted)
        if not wanted or any(v.tag != INSTANCE or self.is_protocol(v) for v in wanted):
            return None
        if given.name:
            return False
        places = {(v.path, v.scope) for v in wanted}
        return _all_told([self.is_heir(value, places) for value in given.values], heirs=True)

    def is_heir(self, value: Value, places: set[tuple[str, int]]) -> bool | None:
        if value.tag in (CLASS, FUNCTION):
            return False
        return not places.isdisjoint(self.lineage(value)) if value.tag == INSTANCE else None

    def admits_foreign(self, path: str, base: int, told: tuple[int, ...], given: Given) -> bool | None:
        """Whether a type of the language or of its library takes what is given."""
        rules, label = self.rules_of(path), self.label(path, base)
        known = self.known_type(path, base) or label
        if label in _CLASSES:
            return self.admits_classes(path, told, given)
        if given.name:
            if known in (given.name, *rules.literal_types[given.name]):
                if not told:
                    return True
                # A text is a sequence of texts; what other literals hold is not known.
                return self.admits(path, told[0], given) if given.name == _TEXT else None
            return False if known in rules.literal_types or known in rules.telling_types else None
        if known not in rules.plain_types or any(v.tag != INSTANCE for v in given.values):
            return None
        return _all_told([self.is_plain(value, known) for value in given.values], heirs=True)

    def admits_classes(self, path: str, told: tuple[int, ...], given: Given) -> bool | None:
        """Whether ``type[X]`` takes what is given: X and its heirs, not their instances."""
        if given.name or all(v.tag == INSTANCE for v in given.values):
            return False
        if not told or any(v.tag != CLASS for v in given.values):
            return None
        made = tuple(v._replace(tag=INSTANCE) for v in given.values)
        return self.admits_heirs(self.annotation(path, told[0]), Given(values=made))

    def is_plain(self, value: Value, name: str) -> bool | None:
        """Whether an instance is of a plain type: what has other foreign parents may be."""
        if self.inherits(value, frozenset((name,))):
            return True
        foreign = [
            base
            for path, scope in self.lineage(value)
            for base in self.links(path).lists[self.links(path).scopes[scope].bases]
            if not self.is_own(path, base)
        ]
        return None if foreign else False


def _all_told(parts: list[bool | None], *, heirs: bool = False) -> bool | None:
    """No where every part says no; yes, of heirs, where every part says yes."""
    if all(part is False for part in parts):
        return False
    return True if heirs and all(parts) else None
