"""Indexed access: what types hold under keys, and which texts a key may be."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Final, TypeVar

from cuedeck.code.facts import OP_MASK, Bind, Op
from cuedeck.code.resolution.generics import pairs, settled
from cuedeck.code.resolution.narrowing import Narrowing
from cuedeck.code.resolution.values import (
    ANYWHERE,
    CALLABLE,
    CALLED,
    CLASS,
    EVERY,
    FUNCTION,
    INSTANCE,
    KEY,
    LISTED,
    LOOKUP,
    MAPPING,
    OPEN,
    PARAMETER,
    SEQUENCE,
    TUPLE,
    Symbol,
    Target,
    Value,
    Values,
    elements,
    is_mapped,
    is_same_key,
    sequence,
    unique,
)

T = TypeVar("T", Target, Value)

_MAX_KEYS: Final = 8
_MAX_MEMBERS: Final = 40
# Each type of a wide union may hold another under the same name.
_MAX_HELD: Final = 100
_KEYED: Final = (Op.LITERAL, Op.UNION, Op.NAME, Op.ATTR)
_MAX_DIGITS: Final = 4


class Keyed(Narrowing):
    """The part of the linker that looks types up in types."""

    @abstractmethod
    def taken_by_dot(self, path: str, space: Value, name: str, found: tuple[T, ...]) -> tuple[T, ...]:
        """What a file takes from a module or package by a dot, which may be a module that others load."""

    def members(self, path: str, owner: int, key: int) -> Values:
        """What the members of a type hold that a key names; without a key all of them."""
        owners = self.annotation(path, owner)
        if key and self.is_walked(path, key):
            return (Value(LOOKUP, inside=(owners, ())),)
        if key:
            return self.looked_up(owners, self.annotation(path, key) or self.keys(path, key))
        return self.looked_up(owners, (Value(KEY, name=EVERY),))

    def is_walked(self, path: str, key: int) -> bool:
        """Whether a key is each of those that a mapped type walks over."""
        for target in self.targets(path, key) if self.links(path).ops[key] & OP_MASK == Op.NAME else ():
            if not isinstance(target, Symbol):
                continue
            links = self.links(target.path)
            kinds, types = links.bindings[3:5]
            bindings = links.names[target.scope].get(links.string_numbers.get(target.name, -1), ())
            if any(kinds[b] == Bind.ALIAS and not types[b] for b in bindings):
                return True
        return False

    def attribute_values(self, path: str, number: int) -> Values:
        links = self.links(path)
        owner, name = links.a[number], links.strings[links.b[number]]
        owners = self.spaces(path, number) or self.evaluate(path, owner)
        typed = links.ops[owner] & OP_MASK == Op.TYPED
        if typed and any(value.tag in OPEN for value in owners):
            # ``T["name"]``: where T is told, that type's member.
            return self.looked_up(owners, (Value(KEY, name=name),))
        mapped = tuple(value for value in owners if is_mapped(value))
        if mapped and (found := self.looked_up(mapped, (Value(KEY, name=name),))):
            return found
        held = [
            v
            for value in self.concrete(owners)
            for v in self.taken_by_dot(path, value, name, self.held(value, name))
        ]
        return settled(held, _MAX_HELD)

    def looked_up(self, owners: Values, keys: Values) -> Values:
        """What types hold under keys; of type parameters that is known later."""
        if any(value.tag in OPEN for value in (*owners, *keys)):
            return (Value(LOOKUP, inside=(owners, keys)),)
        names = [key.name for key in keys if key.tag == KEY]
        if names == [ANYWHERE]:
            return unique([v for owner in owners for v in elements(owner) or self.yielded(owner)])
        # A type that maps the members of another has those beside what it holds for each.
        mapped = tuple(v for v in owners if v.tag == MAPPING)
        found = self._held_under(mapped, keys, names) if mapped else ()
        return found or self._held_under(owners, keys, names)

    def _held_under(self, owners: Values, keys: Values, names: list[str]) -> Values:
        if names == [CALLED]:
            return self.given_by(owners)
        if names == [EVERY]:
            return unique([v for owner in owners for v in self.every_member(owner)])
        found = [v for owner in owners for name in names for v in self.held(owner, name)]
        for value in [v for owner in owners for v in self.under(owner, names)]:
            found += self.at_key(value, keys) if names else (value,)
        return unique(found)

    def at_key(self, value: Value, keys: Values) -> Values:
        """What a mapped type, ``{ [K in keyof T]: U[K] }``, holds under keys: what U holds there."""
        if not is_same_key(value):
            return (value,)
        owners = unique([v for owner in value.inside[0] for v in self.at_key(owner, keys)])
        return self.looked_up(self.revealed(owners), value.inside[1] or keys)

    def under(self, owner: Value, names: Sequence[str]) -> Values:
        """What a container holds under some names; one that names its keys after a member of each type of a
        union, ``[T in Union as T["kind"]]``, has what it says of the types with these.
        """
        namings = owner.inside[1] if owner.tag == MAPPING else ()
        for naming in namings if len(namings) == 1 and names else ():
            types, keys = naming.inside if naming.tag == LOOKUP else ((), ())
            if len(types) == len(keys) == 1 and types[0].tag == PARAMETER and keys[0].tag == KEY:
                told = tuple(v for v in self.limits(types[0]) if self.is_called(v, keys[0].name, names))
                return self.substitute(owner.inside[0], {types[0]: told}) if told else ()
        return elements(owner)

    def is_called(self, value: Value, key: str, names: Sequence[str]) -> bool:
        """Whether a member of a type is one of some texts."""
        member = self.member(value, key) if value.tag == INSTANCE else None
        allowed = self.member_constants(member) if member is not None else None
        return not (allowed or frozenset()).isdisjoint('"' + name for name in names)

    def given_by(self, called: Values) -> Values:
        """What calling values gives; ``typeof C`` is read as an instance already."""
        found = [
            v
            for value in called
            for v in (self.outcome(value) or self.protocol(value, "__call__") or (value,))
            if v.tag != FUNCTION or v != value
        ]
        return unique(found)

    def position(self, path: str, number: int) -> int:
        """The place that an index says by a number, or -1."""
        links, given = self.links(path), self.arguments_of(path, number)
        if len(given) != 1 or links.ops[given[0]] & OP_MASK != Op.LITERAL:
            return -1
        said = links.strings[links.b[given[0]]]
        return int(said) if said.isdecimal() and len(said) <= _MAX_DIGITS else -1

    def indexed(self, path: str, number: int) -> Values:
        """What an index gives, a slice many; a class or what can be called is itself with type arguments."""
        links = self.links(path)
        many = any(links.ops[index] & OP_MASK == Op.SEQUENCE for index in links.lists[links.b[number]])
        found: list[Value] = []
        position = self.position(path, number)
        for value in self.indexable(self.evaluate(path, links.a[number])):
            if value.tag == TUPLE and position >= 0 and value.name != LISTED:
                found += value.inside[position] if position < len(value.inside) else ()
                continue
            if many and value.tag in (SEQUENCE, TUPLE):
                found.append(sequence(elements(value)))
                continue
            if value.tag in (SEQUENCE, MAPPING, TUPLE):
                found += value.inside[0] if value.tag == MAPPING else elements(value)
                continue
            held = self.item_of(path, value, links.lists[links.b[number]])
            called = (value,) if value.tag == CLASS else tuple(self.functions_of(path, value))
            if called and not held:
                arguments = [self.annotation(path, item) for item in self.arguments_of(path, number)]
                found += self.apply(called, arguments)
            found += held
        return unique(found)

    def indexable(self, values: Values) -> Values:
        """Values as they are asked for items: heirs of foreign containers as those."""
        found: list[Value] = []
        for value in self.concrete(values):
            inherits = value.tag == INSTANCE and not self.member(value, "__getitem__")
            found += (self.containers(value) if inherits else ()) or (value,)
        return unique(found)

    def item_of(self, path: str, value: Value, indices: tuple[int, ...]) -> Values:
        """What a value gives for an index, by its method or, where its fields are its items, by the field."""
        if value.tag != INSTANCE:
            return ()
        symbols = [key for index in indices[:1] for key in self.evaluate(path, index) if key.tag == KEY]
        if symbols and (held := [v for key in symbols for v in self.held(value, key.name)]):
            return unique(held)
        texts = [key for index in indices[:1] for key in self.keys(path, index)]
        method = self.member(value, "__getitem__")
        if method is None:
            fields = texts if self.has_items(value) else []
            return unique([v for key in fields for v in self.held(value, key.name)])
        functions = [f for f in self.type_of(method) if f.tag == FUNCTION]
        meaning = self.meaning(value, method.path, method.scope)
        sliced = any(self.links(path).ops[index] & OP_MASK == Op.SEQUENCE for index in indices)
        functions = self.for_slices(functions, sliced=sliced)
        chosen = self.asking_for(functions, {'"' + key.name for key in texts})
        return unique([v for f in chosen for v in self.given(f, meaning, value)])

    def asking_for(self, functions: list[Value], texts: set[str]) -> list[Value]:
        """Of overloads, those that name a text; where none of them does, those that take any."""
        if len(functions) < 2:
            return functions
        hints = {
            f: [self.links(f.path).bindings[4][b] for b, _ in self.parameter_names(f)[:1]] for f in functions
        }
        named = {f: [c for h in hints[f] for c in self.constants(f.path, h) or ()] for f in functions}
        meant = [f for f in functions if not texts.isdisjoint(t for t in named[f] if isinstance(t, str))]
        return meant or [f for f in functions if not named[f]] or functions

    def every_member(self, owner: Value) -> Values:
        """What any member of a type holds."""
        found: list[Value] = list(elements(owner))
        for path, scope in self.lineage(owner) if owner.tag == INSTANCE else ():
            links = self.links(path)
            for name, bindings in list(links.names[scope].items())[:_MAX_MEMBERS]:
                if links.bindings[3][bindings[0]] == Bind.OPAQUE:
                    continue
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
        # Where overloads are marked, those that take as many were chosen, with defaults or without.
        marked = bool(self.rules_of(path).overload_decorators)
        fitting = functions if marked else self.fitting(functions, len(arguments))
        if len(functions) < 2:
            return fitting
        kept = tuple(f for f in fitting if self.agrees(path, f, arguments))
        kept = self.first_of_all(path, kept, arguments)
        if kept or len(fitting) == len(functions):
            return kept or fitting
        # Of those that take more, the rest may be left out.
        wider = [f for f in functions if not 0 <= self.taken(f) < len(arguments)]
        return tuple(f for f in wider if self.agrees(path, f, arguments)) or fitting

    def first_of_all(self, path: str, overloads: Values, arguments: tuple[int, ...]) -> Values:
        """Of overloads the first, if it takes whatever it is given: any other is for other calls."""
        functions = all(f.tag == FUNCTION for f in overloads)
        if len(overloads) < 2 or not functions or not self.rules_of(path).structural:
            return overloads
        if not arguments:
            return tuple(f for f in overloads if self.takes(f, 0)) or overloads
        places = {(f.path, self.links(f.path).scopes[f.scope].parent) for f in overloads}
        counts = {len(self.declared_parameters(f.path, f.scope)) for f in overloads}
        takes = len(places) == len(counts) == 1 and all(
            self.takes_any(path, argument, overloads[0], at) for at, argument in enumerate(arguments)
        )
        return overloads[:1] if takes else overloads

    def takes_any(self, path: str, argument: int, function: Value, position: int) -> bool:
        """Whether a function takes anything at a position, or the object that is written there."""
        declared = self.parameter_type(function, position)
        if len(declared) != 1 or declared[0][:3] != (PARAMETER, function.path, function.scope):
            return False
        if dict(pairs(function)).get(declared[0]):
            return self.is_object(path, argument)
        links = self.links(function.path)
        bindings = links.names[function.scope].get(links.string_numbers[declared[0].name], ())
        return not any(links.bindings[4][b] for b in bindings)

    def agrees(self, path: str, function: Value, arguments: tuple[int, ...]) -> bool:
        """Whether no argument is a text, an object or a function that a parameter does not allow."""
        if function.tag != FUNCTION:
            return True
        hints = self.links(function.path).bindings[4]
        ops = self.links(path).ops
        places = enumerate(zip(arguments, self.parameter_names(function), strict=False))
        for position, (argument, (binding, _)) in places:
            if not hints[binding]:
                continue
            if ops[argument] & OP_MASK == Op.LITERAL:
                given = self.constants(path, argument)
                allowed = self.constants(function.path, hints[binding])
                if given and allowed and given.isdisjoint(allowed):
                    return False
            elif self.is_object(path, argument):
                declared = self.parameter_type(function, position)
                if declared and all(v.tag in (CALLABLE, FUNCTION) for v in declared):
                    return False
        return True

    def is_object(self, path: str, number: int) -> bool:
        """Whether an expression writes an object, whatever is expected of it."""
        links = self.links(path)
        if links.ops[number] & OP_MASK == Op.UNION:
            number = links.lists[links.b[number]][-1]
        return links.ops[number] & OP_MASK == Op.SELF
