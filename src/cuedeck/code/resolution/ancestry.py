"""Ancestors: which classes a class has its members from, and in what order."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Final

from cuedeck.code.facts import MAKES, OP_MASK, ROLE_SHIFT, Bind, Op, Role, ScopeKind
from cuedeck.code.resolution.foreign import Foreign
from cuedeck.code.resolution.generics import Meaning, pairs
from cuedeck.code.resolution.values import (
    CLASS,
    EXTERNAL,
    INSTANCE,
    METHODS,
    MODULE,
    PARAMETER,
    SINGLETON,
    Symbol,
    Value,
    Values,
)

Place = tuple[str, int]  # the file and the scope of a class

_MAX_MRO: Final = 256


class Ancestry(Foreign):
    """The part of the linker that knows what classes descend from."""

    def lineage(self, owner: Value) -> tuple[Place, ...]:
        """A class, its extensions and its ancestors, nearest first."""
        return self.solve(("m", owner.path, owner.scope), self._lineage, owner)  # type: ignore[no-any-return]

    def _lineage(self, owner: Value) -> tuple[Place, ...]:
        links = self.links(owner.path)
        row = links.scopes[owner.scope]
        found: dict[Place, None] = {(owner.path, owner.scope): None}
        if row.kind == ScopeKind.EXTENSION and row.result:
            for value in self.evaluate(owner.path, row.result):
                if value.tag in (CLASS, INSTANCE):
                    found.update(dict.fromkeys(self.lineage(value)))
        for path, scope in self.said_beside(owner):
            found[(path, scope)] = None
            self.inherit(found, path, scope)
        if self.rules_of(owner.path).linear_ancestors:
            found |= dict.fromkeys(self.linearized(owner))
        else:
            self.inherit(found, owner.path, owner.scope)
        return tuple(found)[:_MAX_MRO]

    def said_beside(self, owner: Value) -> list[Place]:
        """The extensions of a class, which are that class too: none of them is above it."""
        name = self.class_name(owner)
        return list(self.rules_of(owner.path).extensions(owner.path, owner.scope, name)) if name else []

    def leaves_open(self, path: str, kind: int, hint: int) -> bool:
        """Whether a variable is declared without a type: ``x: ClassVar = 1``."""
        return kind == Bind.VARIABLE and self.label(path, hint) in self.rules_of(path).qualifiers

    def linearized(self, owner: Value) -> Iterator[Place]:
        """The ancestors of a class in such an order that each comes before its own."""
        links = self.links(owner.path)
        bases = links.lists[links.scopes[owner.scope].bases]
        found = [v for base in bases for v in self.parents(owner.path, base) if v.tag in (CLASS, INSTANCE)]
        return merged([*map(self.lineage, found), [(value.path, value.scope) for value in found]])

    def inherit(self, found: dict[Place, None], path: str, scope: int) -> None:
        """Add the ancestors that a scope names."""
        links = self.links(path)
        promised = self.rules_of(path).interfaces_promise
        parents: list[Value] = []
        for base in links.lists[links.scopes[scope].bases]:
            if promised and links.ops[self.named_base(path, base)] >> ROLE_SHIFT == Role.IMPLEMENTS:
                continue
            parents += [made for value in self.parents(path, base) for made in self.made_by(value)]
        # A type that leaves members out comes after those beside it, which may declare them.
        for value in sorted(parents, key=lambda parent: parent.name.count("-")):
            if METHODS in value.name:
                continue
            if value.tag in (CLASS, INSTANCE):
                found.update(dict.fromkeys(self.descent(value)))
            elif value.tag == MODULE:
                found[(value.path, value.scope)] = None
            elif value.tag == EXTERNAL:
                added = [place for place in self.added_to(value) if place.tag == CLASS]
                found.update(dict.fromkeys(same for place in added for same in self.lineage(place)))

    def made_by(self, parent: Value) -> Values:
        """What a parent makes that is a parameter: a mixin's class has what the parameter's bound says."""
        if parent.tag != PARAMETER:
            return (parent,)
        limits = self.bounds(parent)
        return tuple(made for limit in limits for made in (self.constructible(limit) or (limit,)))

    def constructible(self, limit: Value) -> Values:
        """What a constructor makes that is known by its type."""
        return self.protocol(limit, MAKES) if limit.tag == INSTANCE else self.outcome(limit)

    def descent(self, parent: Value) -> Iterator[Place]:
        """A class and its ancestors; of what a mixin made, also those of the class that it was given."""
        yield from self.lineage(parent)
        told = dict(pairs(parent)) if parent.tag == CLASS else {}
        links = self.links(parent.path)
        for base in links.lists[links.scopes[parent.scope].bases] if told else ():
            for parameter in self.parents(parent.path, base):
                for given in told.get(parameter, ()) if parameter.tag == PARAMETER else ():
                    if given.tag == CLASS:
                        yield from self.descent(given)

    def meaning(self, receiver: Value, path: str, scope: int) -> Meaning:
        known = super().meaning(receiver, path, scope)
        if len(known) > 1 or not receiver.inside or (path, scope) == (receiver.path, receiver.scope):
            return known
        name, own = self.class_name(receiver), self.parameters(path, scope)
        rules = self.rules_of(receiver.path)
        if own and name and (path, scope) in rules.extensions(receiver.path, receiver.scope, name):
            # The same type, declared once more, has parameters of its own in the same order.
            told = dict(pairs(receiver))
            wanted = self.parameters(receiver.path, receiver.scope)
            known |= {p: told[q] for p, q in zip(own, wanted, strict=False) if q in told}
        return known

    def named_base(self, path: str, base: int) -> int:
        """The name of a parent, without its type arguments."""
        links = self.links(path)
        return links.a[base] if links.ops[base] & OP_MASK == Op.INDEX else base

    def oneself(self, path: str, scope: int) -> Values:
        """What methods of a class are called on: an instance, or the class itself."""
        around = self.itself(Value(CLASS, path, scope)) if self.rules_of(path).singletons else None
        if around is not None and around.scope != scope:
            return (around,)
        return self.instance_type(Value(INSTANCE, path, scope))

    def itself(self, owner: Value) -> Value:
        """The class of which a class says what it has itself; any other class as it is."""
        if self.class_name(owner) != SINGLETON:
            return owner
        return Value(CLASS, owner.path, self.links(owner.path).scopes[owner.scope].parent)

    @abstractmethod
    def of_metaclass(self, owner: Value, name: str) -> Symbol | None:
        """The member that a class has by the class of classes which it or an ancestor names."""

    def of_class_itself(self, owner: Value, name: str, direct: bool) -> Symbol | None:
        """The member that a class has itself, seen from its body or from what it has itself."""
        itself = self.itself(owner)
        return self.of_metaclass(itself, name) if direct or itself != owner else None

    def class_name(self, owner: Value) -> str:
        """A class's own name, if it has one."""
        links = self.links(owner.path)
        return links.strings[links.classes.get(owner.scope, 0)]


def merged(lines: Iterable[Iterable[Place]]) -> Iterator[Place]:
    """Every class once, in an order that no line contradicts; where they contradict the first one counts."""
    waiting = [list(line) for line in lines]
    while waiting := [line for line in waiting if line]:
        heads = [line[0] for line in waiting]
        free = (head for head in heads if all(head not in line[1:] for line in waiting))
        chosen = next(free, heads[0])
        yield chosen
        waiting = [[place for place in line if place != chosen] for line in waiting]
