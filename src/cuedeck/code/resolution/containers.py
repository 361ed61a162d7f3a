"""Containers, which are declared nowhere in the project: what their methods give, and hand to functions."""

from __future__ import annotations

from typing import Final

from cuedeck.code.facts import OP_MASK, Op
from cuedeck.code.resolution.overloads import Overloads
from cuedeck.code.resolution.values import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    HOLDER,
    INSTANCE,
    MAPPING,
    SEQUENCE,
    TUPLE,
    Value,
    Values,
    elements,
    sequence,
    unique,
)

# A key and what it holds.
_ENTRY: Final = 2
_ROWS: Final = (SEQUENCE, TUPLE)


class Containers(Overloads):
    """The part of the linker that knows what containers hold, and who gets it."""

    # -- what a method gives

    def container_call(self, path: str, owner: int, label: str, arguments: tuple[int, ...]) -> Values:
        """What a method gives that is called on a container."""
        rules = self.rules_of(path)
        values = self.concrete(self.evaluate(path, owner))
        if rules.walks_iterators and label not in rules.same_methods:
            values = self.iterated(values)
        inherited = [c for v in values if v.tag == INSTANCE for c in self.containers(v)]
        if rules.walker and not inherited:
            inherited = [sequence(e) for v in values if (e := self.walked_by(v, rules.walker))]
        given = (self._given_by(path, value, label, arguments) for value in (*values, *inherited))
        return unique([value for values in given for value in values])

    def iterated(self, values: Values) -> Values:
        """Values with iterators replaced by what walking over them gives."""
        given = [(v, self.yielded(v) if v.tag == INSTANCE else ()) for v in values]
        return tuple(sequence(held) if held else value for value, held in given)

    def _given_by(self, path: str, value: Value, label: str, arguments: tuple[int, ...]) -> Values:
        rules = self.rules_of(path)
        if arguments and label in (*rules.mapping_methods, *rules.passing_methods):
            return self._changed(path, value, label, arguments[0])
        if label in rules.same_methods:
            return (value,)
        if value.tag == CLASS:
            makes = label in rules.making_methods and self.has_foreign_parent(value)
            return (value._replace(tag=INSTANCE),) if makes else ()
        if value.tag == MAPPING:
            return self._given_by_mapping(path, value, label)
        if value.tag == SEQUENCE and (label == "entries" or label in rules.numbering_methods):
            return (sequence((Value(TUPLE, inside=((), elements(value))),)),)
        if value.tag == SEQUENCE and label in rules.pairing_methods and arguments:
            parts = (elements(value), self.walked_over(path, arguments[0]))
            return (sequence((Value(TUPLE, inside=parts),)),)
        return (
            self._given_by_any(path, value, elements(value), label) if value.tag in (SEQUENCE, TUPLE) else ()
        )

    def _changed(self, path: str, value: Value, label: str, function: int) -> Values:
        """What a function makes of what is held, as ``map`` gives it."""
        rules = self.rules_of(path)
        made = [v for f in self.evaluate(path, function) if f.tag == FUNCTION for v in self.result(f)]
        if label in rules.flattening_methods:
            lists = self.concrete(tuple(made))
            made = [w for v in lists for w in (elements(v) if v.tag in _ROWS else (v,))]
        is_one = value.tag == INSTANCE or label in rules.passing_methods
        return (sequence(unique(made)),) if made and not is_one else tuple(made)

    def _given_by_mapping(self, path: str, value: Value, label: str) -> Values:
        held, keys = value.inside
        entry = Value(TUPLE, inside=(keys, held))
        if label == "values":
            return (sequence(held),)
        if label in ("items", "entries"):
            return (sequence((entry,)),)
        if label == "keys":
            return (sequence(keys),)
        if label in self.rules_of(path).entry_methods:
            return (entry,)
        return self._given_by_any(path, value, held, label)

    def _given_by_any(self, path: str, value: Value, held: Values, label: str) -> Values:
        rules = self.rules_of(path)
        if label in rules.element_methods:
            return held
        if label in rules.container_methods:
            return (value,)
        return (value, *elements(value)) if value.name == HOLDER else ()

    # -- what a function is handed

    def handed(self, path: str, callee: int, position: int) -> Values:
        """What is handed to a function that a container's method, or a function beside one, runs."""
        links, rules = self.links(path), self.rules_of(path)
        callee = links.a[callee] if links.ops[callee] & OP_MASK == Op.INDEX else callee
        op = links.ops[callee] & OP_MASK
        method = links.strings[links.b[callee]] if op == Op.ATTR else ""
        if not position and method in (*rules.passing_methods, *rules.same_methods):
            return self.concrete(self.evaluate(path, links.a[callee]))
        if op == Op.CALL and self.label(path, links.a[callee]) in rules.table_calls:
            return self.tabled(path, links.lists[links.b[callee]], position)
        label = self.label(path, callee)
        if label in (*rules.walking_calls, *rules.element_calls) and not self.is_own(path, callee):
            return self._handed_beside(path, label, links.arguments.get(callee, ()), position)
        owners = self.concrete(self.evaluate(path, links.a[callee])) if method else ()
        if not method or (owners and not position and all(o.tag == EXTERNAL for o in owners)):
            return self.walked(path, callee) if not position else ()
        if rules.spreads_pairs and (spread := self.parts_handed(owners, position)):
            return spread
        if method not in rules.callback_methods:
            return unique([v for o in owners if o.name == HOLDER and not position for v in elements(o)])
        if any(o.tag == MAPPING for o in owners) and (
            rules.hands_entries or (rules.component and not position)
        ):
            return self._entries_handed(path, owners, position)
        if not position and method in rules.folding_methods:
            return self.folded(path, callee, links.arguments.get(callee, ()))
        is_element = position == int(method in rules.folding_methods) or method in rules.comparing_methods
        return self._walked_by_method(path, owners) if is_element else ()

    def _handed_beside(self, path: str, label: str, given: tuple[int, ...], position: int) -> Values:
        """What a function is handed by one that walks over what stands beside it."""
        if label in self.rules_of(path).walking_calls:
            return self.walked_over(path, given[min(position + 1, len(given) - 1)]) if given[1:] else ()
        held = self.concrete(self.evaluate(path, given[0])) if given and not position else ()
        return unique([v for value in held for v in elements(value)])

    def _entries_handed(self, path: str, owners: Values, position: int) -> Values:
        """What a function is handed of a mapping: key and value, or the entry of both."""
        if not self.rules_of(path).hands_entries:
            entries = [Value(TUPLE, inside=o.inside[::-1]) for o in owners if o.tag == MAPPING]
            return (*entries, *[v for o in owners if o.tag != MAPPING for v in elements(o)])
        parts = [o.inside[1 - position] for o in owners if o.tag == MAPPING and position < _ENTRY]
        return unique([v for part in parts for v in part])

    def _walked_by_method(self, path: str, owners: Values) -> Values:
        """What a method that runs a function for each element hands to it."""
        rules, found = self.rules_of(path), list[Value]()
        for owner in owners:
            if rules.walker:
                found += elements(owner) or self.walked_by(owner, rules.walker)
            else:
                held = self.yielded(owner) if rules.iterator else elements(owner)
                found += held or ((owner,) if owner.tag == INSTANCE else ())
        return unique(found)

    def parts_handed(self, owners: Values, position: int) -> Values:
        """What a function takes of pairs: the whole pair, or as its second what stands second in it."""
        entries = [Value(TUPLE, inside=o.inside[::-1]) for o in owners if o.tag == MAPPING]
        pairs_of = [v for o in owners if o.tag == SEQUENCE for v in elements(o) if v.tag == TUPLE]
        if not position:
            return unique(entries)
        parts = [p.inside[position] for p in (*entries, *pairs_of) if position < len(p.inside)]
        return unique([v for part in parts for v in part])

    def tabled(self, path: str, arguments: tuple[int, ...], position: int) -> Values:
        """What a function is handed that runs for each row of a table: the row, or one part of it."""
        tables = self.concrete(self.evaluate(path, arguments[0])) if arguments else ()
        rows = [row for table in tables for row in elements(table)]
        parts = [row.inside[position] for row in rows if row.tag == TUPLE and position < len(row.inside)]
        whole = [row for row in rows if row.tag != TUPLE and not position]
        return unique([*whole, *(value for part in parts for value in part)])

    def walked(self, path: str, callee: int) -> Values:
        """What a foreign function hands to a function: the elements of the container beside it."""
        rules, found = self.rules_of(path), list[Value]()
        if rules.foreign_wrappers and all(v.tag == EXTERNAL for v in self.evaluate(path, callee)):
            for argument in self.links(path).arguments.get(callee, ()):
                if self.links(path).ops[argument] & OP_MASK in (Op.NAME, Op.ATTR):
                    held = self.concrete(self.evaluate(path, argument))
                    found += [v for value in held if value.tag == SEQUENCE for v in elements(value)]
        return unique(found)
