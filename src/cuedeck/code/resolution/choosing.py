"""Conditional types: which of two types is chosen by comparing two others."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from cuedeck.code.facts import BIND_MASK, MAKES, OP_MASK, ROLE_SHIFT, Bind, Op, Role
from cuedeck.code.resolution.generics import Meaning, pairs, with_meaning
from cuedeck.code.resolution.keyed import Keyed
from cuedeck.code.resolution.values import (
    CALLABLE,
    CHOICE,
    CLASS,
    FUNCTION,
    HOLDER,
    INSTANCE,
    KEY,
    MAPPING,
    OPEN,
    PARAMETER,
    SEQUENCE,
    TUPLE,
    Symbol,
    Value,
    Values,
    unique,
)

_MAX_STEPS: Final = 8
_MAX_DEPTH: Final = 3
_CALLED: Final = (FUNCTION, CALLABLE)
_LISTS: Final = (SEQUENCE, TUPLE)
_OBJECTS: Final = (INSTANCE, CLASS, MAPPING, *_CALLED, *_LISTS)
_KNOWN: Final = (KEY, *_OBJECTS)
_ANYTHING: Final = ("any", "unknown")
_INDEXED: Final = "__getitem__"
_CALL: Final = "__call__"


class Choosing(Keyed):
    """The part of the linker that decides conditional types.

    A conditional type is a CHOICE until somebody asks what it is: only then is it known what its type
    parameters stand for. What cannot be told may be either of its two types.
    """

    @abstractmethod
    def class_name(self, owner: Value) -> str:
        """A class's own name, if it has one."""

    def either(self, path: str, number: int) -> Values:
        links = self.links(path)
        if links.a[number]:
            return self.choice(path, number)
        items = links.lists[links.b[number]]
        if links.ops[number] >> ROLE_SHIFT == Role.WRITE:
            return self.joined(*(self.evaluate(path, item) for item in items))
        return unique([v for item in items for v in self.evaluate(path, item)])

    def choice(self, path: str, number: int) -> Values:
        """A conditional type, with the type parameters that it may speak of."""
        links = self.links(path)
        scope = links.scopes[links.a[links.a[number]]].parent
        spoken: Meaning = {}
        while scope > 0:
            named = (*self.declared_parameters(path, scope), *self.inferred_in(path, scope))
            spoken |= {parameter: (parameter,) for parameter in named}
            scope = links.scopes[scope].parent
        return (with_meaning(Value(CHOICE, path, number), spoken),)

    def inferred_in(self, path: str, scope: int) -> Values:
        """The type parameters that a conditional type infers."""
        links = self.links(path)
        return tuple(
            Value(PARAMETER, path, scope, name=links.strings[name])
            for name, bindings in links.names[scope].items()
            if links.bindings[3][bindings[0]] == Bind.OPAQUE
            and links.ops[links.bindings[5][bindings[0]]] & OP_MASK == Op.TUPLE
        )

    def decided(self, value: Value) -> Values:
        """What a conditional type is; of one that chooses itself again as far as a few steps tell."""
        return self.verdict(value)[1]

    def verdict(self, value: Value) -> tuple[bool, Values]:
        """Whether it can be told what a conditional type is, and what that may be.

        One that comes to itself behind a choice that could not be told is not followed further.
        """
        found: tuple[bool, Values] = self.solve(("c", value), self._verdict, value) or (False, ())
        return found

    def _verdict(self, value: Value) -> tuple[bool, Values]:
        certain = True
        found: list[Value] = []
        waiting: dict[Value, frozenset[tuple[str, int]]] = {value: frozenset()}
        for _ in range(_MAX_STEPS):
            steps: dict[Value, frozenset[tuple[str, int]]] = {}
            for choice, guessed in waiting.items():
                told, chosen = self._decide(choice)
                if not told:
                    certain, guessed = False, guessed | {choice[1:3]}
                found += [v for v in chosen if v.tag != CHOICE]
                steps |= {v: guessed for v in chosen if v.tag == CHOICE and v[1:3] not in guessed}
            waiting = steps
            if not waiting:
                break
        return certain, unique(found)

    def _decide(self, value: Value) -> tuple[bool, Values]:
        """Whether it can be told which type is chosen, and what that may be."""
        links, path = self.links(value.path), value.path
        compared = links.a[value.scope]
        checked, pattern = links.lists[links.b[compared]]
        known = dict(pairs(value))
        declared = self.annotation(path, checked)
        parts = [
            self.verdict(v) if v.tag == CHOICE else (True, (v,)) for v in self.substitute(declared, known)
        ]
        given = unique([v for _, values in parts for v in values])
        wanted = self.annotation(path, pattern)
        sure = not any(v.tag in OPEN or v.name == HOLDER for v in given)
        fitting, failing = list[Value](), list[Value]()
        asked = self.substitute(wanted, known)
        for each in self.concrete(given):
            verdict = self.fits(each, path, pattern, asked)
            fitting += [each] if verdict is not False or not sure else []
            failing += [each] if verdict is not True else []
        own: Meaning = dict.fromkeys(self.inferred_in(path, links.a[compared]), ())
        if own:
            inferred: Meaning = {}
            self.unify(wanted, tuple(fitting) if sure else given, inferred)
            own = {p: inferred.get(p, ()) for p in own}
        found: list[Value] = []
        for branch, chosen, meaning in zip(
            links.lists[links.b[value.scope]], (fitting, failing), (known | own, known), strict=True
        ):
            if chosen or not (fitting or failing):
                # Of a union each type is compared by itself.
                if len(declared) == 1 and declared[0].tag == PARAMETER and sure and chosen:
                    meaning = meaning | {declared[0]: tuple(chosen)}
                found += self.substitute(self.annotation(path, branch), meaning)
        told = all(told for told, _ in parts) and bool(given) and set(fitting).isdisjoint(failing)
        return told, unique(found)

    def revealed(self, values: Values) -> Values:
        """Values with conditional types replaced by what they are."""
        if not any(v.tag == CHOICE for v in values):
            return values
        return unique([w for v in values for w in (self.decided(v) if v.tag == CHOICE else (v,))])

    def alternatives(self, value: Value) -> Values:
        """Both types that a conditional type chooses from."""
        links, known = self.links(value.path), dict(pairs(value))
        branches = links.lists[links.b[value.scope]]
        found = [v for branch in branches for v in self.annotation(value.path, branch)]
        return self.substitute(unique(found), known)

    # -- whether a type is one of another

    def fits(self, value: Value, path: str, pattern: int, wanted: Values) -> bool | None:
        """Whether a value is of a type as it is written; None where that cannot be told."""
        links, pattern = self.links(path), self.plain(path, pattern)
        op = links.ops[pattern] & OP_MASK
        if op == Op.LITERAL:
            return self.fits_plain(value, links.strings[links.a[pattern]], links.strings[links.b[pattern]])
        if op == Op.UNION and not links.a[pattern]:
            parts = links.lists[links.b[pattern]]
            return either([self.fits(value, path, part, self.annotation(path, part)) for part in parts])
        if op == Op.TUPLE and value.tag == TUPLE:
            parts = links.lists[links.b[pattern]]
            if len(parts) != len(value.inside):
                return False
            fits = [
                either([self.fits(v, path, part, self.annotation(path, part)) for v in self.concrete(held)])
                for part, held in zip(parts, value.inside, strict=True)
            ]
            return False if False in fits else None if None in fits else True
        if not wanted or value.tag not in _KNOWN:
            return None
        return either([self.is_one(value, other) for other in self.revealed(wanted)])

    def fits_plain(self, value: Value, plain: str, constant: str) -> bool | None:
        """The same where the type is one of the language's own, or a constant."""
        if plain in _ANYTHING or not (plain or constant):
            return True if plain else None
        if value.tag == KEY:
            return plain == "string" or constant == f'"{value.name}'
        if plain == "object":
            return True if value.tag in _OBJECTS else None
        return False if value.tag in _OBJECTS else None

    def is_one(self, value: Value, wanted: Value, depth: int = 0) -> bool | None:
        """Whether a value is one of another type."""
        if value == wanted or wanted.tag == PARAMETER:
            return True
        if wanted.tag not in _KNOWN or depth > _MAX_DEPTH:
            return None
        if wanted.tag in _CALLED:
            called = value.tag == INSTANCE and self.member(value, _CALL) is not None
            return called or value.tag in _CALLED or (None if value.tag == CLASS else False)
        if wanted.tag in _LISTS:
            held = value.tag == INSTANCE and self.containers(value)
            return value.tag in _LISTS or (None if held else False)
        if wanted.tag == MAPPING:
            return self.has_keys(value, [key.name for key in wanted.inside[1] if key.tag == KEY])
        if wanted.tag == INSTANCE and value.tag == INSTANCE:
            return self.is_alike(value, wanted, depth)
        if wanted.tag == INSTANCE and value.tag != KEY:
            return self.has_keys(value, self.demanded(wanted))
        return False if value.tag == KEY else None

    def has_keys(self, value: Value, names: list[str]) -> bool | None:
        """Whether a value has members of these names."""
        if value.tag == INSTANCE:
            found = [self.member(value, name) for name in names]
            return False if None in found else None if self.are_added(value, found) else True
        if not names:
            return value.tag != KEY
        if value.tag == MAPPING:
            keys = {key.name for key in value.inside[1] if key.tag == KEY}
            return keys.issuperset(names)
        if value.tag == CLASS and names == [MAKES]:
            return True
        return False if value.tag in (*_CALLED, *_LISTS, KEY) and names != ["length"] else None

    def are_added(self, value: Value, members: list[Symbol | None]) -> bool:
        """Whether members are there only by what another file adds, which not every program has."""
        rules, name = self.rules_of(value.path), self.class_name(value)
        added = set(rules.extensions(value.path, value.scope, name) if name else ())
        return any(m is not None and (m.path, m.scope) in added for m in members)

    def demanded(self, wanted: Value) -> list[str]:
        """The members that a value must have to be of a type."""
        found: dict[str, None] = {}
        for path, scope in self.lineage(wanted):
            links = self.links(path)
            kinds, given = links.bindings[3], links.bindings[5]
            for name, bindings in links.names[scope].items():
                optional = all(
                    kinds[b] & BIND_MASK == Bind.OPAQUE or is_left_out(links.ops[given[b]], links.a[given[b]])
                    for b in bindings
                )
                if not optional and links.strings[name] != _INDEXED:
                    found[links.strings[name]] = None
        return list(found)

    def is_alike(self, value: Value, wanted: Value, depth: int) -> bool | None:
        """Whether an object is of a type: by its class, or by the members that the type demands."""
        if (wanted.path, wanted.scope) == (value.path, value.scope):
            known, asked = dict(pairs(value)), dict(pairs(wanted))
            parts = [
                either([self.is_one(v, w, depth + 1) for v in known.get(p, ()) for w in asked[p]])
                for p in asked
                if asked[p] and known.get(p)
            ]
            return False if False in parts else None if None in parts else True
        if (wanted.path, wanted.scope) in self.lineage(value):
            return True
        having = self.has_keys(value, self.demanded(wanted))
        return False if having and self.is_contradicted(value, wanted) else having

    def is_contradicted(self, value: Value, wanted: Value) -> bool:
        """Whether a member that a type says to be one of some constants is none of them in a value."""
        links = self.links(wanted.path)
        for name in links.names[wanted.scope]:
            asked = self.member_constants(Symbol(wanted.path, wanted.scope, links.strings[name]))
            member = self.member(value, links.strings[name]) if asked else None
            held = self.member_constants(member) if member is not None else None
            if asked and held and asked.isdisjoint(held):
                return True
        return False


def is_left_out(op: int, plain: int) -> bool:
    """Whether what a member holds at first says that it may be missing."""
    return op & OP_MASK == Op.LITERAL and plain > 0


def either(verdicts: list[bool | None]) -> bool | None:
    """Whether one of several things is so."""
    if True in verdicts:
        return True
    return None if None in verdicts or not verdicts else False
