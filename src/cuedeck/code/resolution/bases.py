"""Foreign ancestors that make a class special: enumerations, named tuples, typed dictionaries."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Final

from cuedeck.code.facts import Bind
from cuedeck.code.resolution.results import Results
from cuedeck.code.resolution.values import (
    CLASS,
    EXTERNAL,
    INSTANCE,
    MAPPING,
    SEQUENCE,
    TUPLE,
    Symbol,
    Value,
    Values,
    mapping,
    unique,
)

# The member under which an enumeration has its constants by name.
_BY_NAME: Final = "__members__"


class Bases(Results):
    """The part of the linker that knows what classes are by ancestors that the project does not define."""

    @abstractmethod
    def lineage(self, owner: Value) -> tuple[tuple[str, int], ...]:
        """A class, its extensions and its ancestors, nearest first."""

    @abstractmethod
    def named_base(self, path: str, base: int) -> int:
        """The name of a parent, without its type arguments."""

    @abstractmethod
    def assumes(self) -> bool:
        """Whether packages are taken to be installed, which no file says."""

    def descends(self, value: Value, wanted: frozenset[str]) -> bool:
        """Whether a class or an ancestor of it names one of these foreign classes as a parent."""
        if not wanted:
            return False
        key = ("d", value.path, value.scope, wanted)
        return bool(self.solve(key, self._descends, value, wanted))

    def _descends(self, value: Value, wanted: frozenset[str]) -> bool:
        return any(True for _ in self.parents_called(value, wanted))

    def parents_called(self, value: Value, wanted: frozenset[str]) -> Iterator[tuple[str, int]]:
        """The places where a class and its ancestors name one of these foreign classes as a parent."""
        for path, base in self.parents_named(value):
            named = self.label(path, base) in wanted and not self.is_own(path, base)
            if named or self._renames(path, base, wanted):
                yield path, base

    def parents_named(self, value: Value) -> Iterator[tuple[str, int]]:
        """The places where a class and its ancestors name their parents."""
        for path, scope in self.lineage(value):
            links = self.links(path)
            yield from ((path, base) for base in links.lists[links.scopes[scope].bases])

    def _renames(self, path: str, base: int, wanted: frozenset[str]) -> bool:
        """Whether a parent is one of these foreign classes by another name: ``State = NamedTuple``."""
        return any(
            parent.tag == EXTERNAL and parent.path.rpartition(".")[2] in wanted
            for parent in self.parents(path, base)
        )

    def has_foreign_parent(self, value: Value) -> bool:
        """Whether a class or an ancestor of it has a parent that is not the project's."""
        return any(True for _ in self.parents_outside(value))

    def parents_outside(self, value: Value) -> Iterator[tuple[str, int]]:
        """The places where a class and its ancestors name a parent that is not the project's."""
        for path, base in self.parents_named(value):
            if any(parent.tag == EXTERNAL for parent in self.parents(path, base)):
                yield path, base

    def is_at_hand(self, places: Iterable[tuple[str, int]]) -> bool:
        """Whether one of the names at some places is the project's, or of a package that is installed.

        Where none is, what everybody knows of them is an assumption; of no name at all nothing is known.
        """
        named = list(places)
        return any(self._is_proven(*place) for place in named) or bool(named and self._is_assumed(*named[0]))

    def _is_proven(self, path: str, row: int) -> bool:
        targets = self.targets(path, self.named_base(path, row))
        foreign = [t.path for t in targets if isinstance(t, Value) and t.tag == EXTERNAL]
        return not foreign or any(map(self.rules_of(path).has_package, foreign))

    def _is_assumed(self, path: str, row: int) -> bool:
        assumed: bool = self.solve(("assumed", path, row), self.assumes)
        return assumed

    def has_known_parents(self, value: Value) -> bool:
        """Whether all that a class and its ancestors name as parents are classes of the project."""
        return all(
            any(parent.tag == CLASS for parent in self.parents(path, base))
            for path, scope in self.lineage(value)
            for links in (self.links(path),)
            for base in links.lists[links.scopes[scope].bases]
        )

    def has_items(self, value: Value) -> bool:
        """Whether a class is a dictionary that declares its keys."""
        return self.descends(value, self.rules_of(value.path).item_classes)

    def constant(self, member: Symbol) -> Values:
        """An instance of its enumeration, where a member is one of that's constants."""
        wanted = self.rules_of(member.path).enumerations
        if not wanted or member.name.startswith("_"):
            return ()
        links = self.links(member.path)
        kinds, hints = links.bindings[3:5]
        bindings = links.names[member.scope].get(links.string_numbers[member.name], ())
        if any(kinds[b] != Bind.VARIABLE or hints[b] for b in bindings):
            return ()
        made = Value(INSTANCE, member.path, member.scope)
        return (made,) if self.descends(made, wanted) else ()

    def constants_of(self, value: Value) -> Values:
        """What walking over a class gives: of an enumeration, its instances."""
        listed = value.tag == CLASS and self.descends(value, self.rules_of(value.path).enumerations)
        return (value._replace(tag=INSTANCE),) if listed else ()

    def constants_by_name(self, value: Value, name: str) -> Values:
        """What an enumeration has under the member that holds its constants."""
        made = self.constants_of(value) if name == _BY_NAME else ()
        return (mapping(made),) if made else ()

    def containers(self, value: Value) -> Values:
        """The foreign containers that a class inherits from: ``class Rows(list[Row])``."""
        found: list[Value] = []
        for path, scope in self.lineage(value):
            links, rules = self.links(path), self.rules_of(path)
            for base in links.lists[links.scopes[scope].bases]:
                held = [v for v in self.annotation(path, base) if v.tag in (SEQUENCE, MAPPING, TUPLE)]
                if self.label(path, base) in rules.tuple_classes and not self.is_own(path, base):
                    held = [self.fields_in_order(path, scope)]
                if held:
                    found += self.substitute(tuple(held), self.meaning(value, path, scope))
        return unique(found)

    def fields_in_order(self, path: str, scope: int) -> Value:
        """What the fields hold that a class declares with types, as a tuple."""
        links = self.links(path)
        kinds, hints = links.bindings[3:5]
        places = sorted(b for bindings in links.names[scope].values() for b in bindings)
        fields = [hints[b] for b in places if kinds[b] == Bind.VARIABLE and hints[b]]
        return Value(TUPLE, inside=tuple(self.annotation(path, hint) for hint in fields))
