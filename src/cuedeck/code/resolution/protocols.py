"""Protocols: what values give through the methods that a language calls by itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Final

from cuedeck.code.facts import CONDITION, ENDING, HELD, KEYS, MAKES, OP_MASK, Bind, Op
from cuedeck.code.facts import INSTANCE as OF_INSTANCE
from cuedeck.code.resolution.bases import Bases
from cuedeck.code.resolution.generics import Meaning, parameters_in
from cuedeck.code.resolution.values import (
    ANYWHERE,
    CALLABLE,
    CLASS,
    FUNCTION,
    HOLDER,
    INSTANCE,
    KEY,
    LISTED,
    MAPPING,
    SEQUENCE,
    TUPLE,
    TYPE_OF,
    Symbol,
    Value,
    Values,
    awaited,
    elements,
    sequence,
    unique,
)

# The methods by which ``|`` asks the left operand, and the right one.
_OR: Final = "__or__"
_OR_BEHIND: Final = "__ror__"
_SLICE: Final = "slice"
_COMPARING: Final = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
# The members of a mapping that are its parts, in their order.
_PARTS_OF_MAPPING: Final = ("values", "keys")


class Protocols(Bases):
    """The part of the linker that iterates, enters, indexes and operates."""

    @abstractmethod
    def under(self, owner: Value, names: Sequence[str]) -> Values:
        """What a container holds under some names."""

    def derived(self, path: str, op: int, a: int, b: int) -> Values:
        """Parts of a value: an item, what it yields, what entering it gives, an exception caught."""
        if op == Op.PREDICATE:
            return () if b else self.guarded(path, a)
        if op == Op.ELEMENT and b == ENDING:
            return self.delegated(path, a)
        values = self.evaluate(path, a)
        if op == Op.ELEMENT and b == HELD and self.links(path).ops[a] & OP_MASK == Op.TYPED:
            # ``T[number]``: where T is told, what that type holds.
            return self.looked_up(values, (Value(KEY, name=ANYWHERE),))
        found: list[Value] = []
        for value in self.concrete(values):
            if op == Op.ITEM:
                held = self.containers(value) if value.tag == INSTANCE else (value,)
                tuples = [v for v in held if v.tag == TUPLE and v.name != LISTED]
                parts = [v.inside[b] for v in tuples if b < len(v.inside)]
                apart = () if tuples else self.component(value, b) or self.yielded(value)
                found += [v for part in parts for v in part] if tuples else apart
            elif op == Op.ELEMENT:
                if value.tag == MAPPING and b == HELD:
                    found += value.inside[0]
                elif value.tag == FUNCTION and b == HELD and self.rules_of(path).walks_functions:
                    found += self.handed_second(value)
                elif value.tag == MAPPING and not b and self.rules_of(path).yields_entries:
                    found.append(Value(TUPLE, inside=value.inside[::-1]))
                else:
                    found += self.keys_of(value) if b == KEYS else self.yielded(value)
            elif op == Op.ENTERED:
                found += self.entered(value)
            elif value.tag == CLASS:
                found.append(value._replace(tag=INSTANCE))
            elif value.tag == TUPLE:
                found += [v._replace(tag=INSTANCE) for v in elements(value) if v.tag == CLASS]
        return unique(found)

    def component(self, value: Value, position: int) -> Values:
        """What a value is taken apart to: what its class says, else what its constructor was given there."""
        rules = self.rules_of(value.path) if value.tag == INSTANCE else None
        if rules is None or not rules.component:
            return ()
        given = self.protocol(value, f"{rules.component}{position + 1}")
        names = self.constructed_with(value)
        if given or position >= len(names):
            return given
        member = self.member(value, names[position])
        return self.worth(value, member) if member is not None else ()

    def constructed_with(self, value: Value) -> list[str]:
        """The names of the first things that a class binds, in order."""
        links = self.links(value.path)
        bound = links.names[value.scope].items()
        first = [(links.bindings[2][b[0]], n) for n, b in bound if links.bindings[3][b[0]] == Bind.VARIABLE]
        return [links.strings[name] for _, name in sorted(first)]

    def entered(self, value: Value) -> Values:
        """What ``with`` gives of a value."""
        return self.protocol(value, "__enter__", "__aenter__") or elements(value) or (value,)

    def waited_for(self, values: Values) -> Values:
        """What waiting for values gives; what an asynchronous function gives is that already."""
        return unique([w for v in awaited(values) for w in ((v.tag == INSTANCE and self.arrived(v)) or (v,))])

    def arrived(self, value: Value) -> Values:
        """What a value says itself that waiting for it gives."""
        rules = self.rules_of(value.path)
        waiting = rules.waiter or rules.settler
        method = self.member(value, waiting) if waiting else None
        found: list[Value] = []
        for function in self.type_of(method) if method is not None else ():
            if function.tag == FUNCTION and method is not None:
                meaning = self.meaning(value, method.path, method.scope)
                self.learn_receiver(function, value, meaning)
                coming = self.sent_back(function, waiting) if rules.waiter else self.keys_of(function)
                found += self.substitute(coming, meaning)
        return unique(found)

    def sent_back(self, function: Value, waiting: str) -> Values:
        """The last that a generator gives: what its type says, or what it waits for itself."""
        path, links = function.path, self.links(function.path)
        row = links.scopes[function.scope]
        if links.ops[row.result] & OP_MASK == Op.INDEX:
            told = self.arguments_of(path, row.result)[2:3]
            return unique([v for last in told for v in self.annotation(path, last)])
        called = [links.a[e] for e in links.lists[row.returns] if links.ops[e] & OP_MASK == Op.CALL]
        return unique(
            [v for c in called if self.label(path, c) == waiting for v in self.evaluate(path, links.a[c])]
        )

    def keys_of(self, value: Value) -> Values:
        """What a map is asked with, or a function hands to the one it takes; of other containers nothing."""
        if value.tag == FUNCTION:
            return unique([v for taken in self.taken_first(value) for v in self.taken_first(taken)])
        held = self.containers(value) if value.tag == INSTANCE else (value,)
        return unique([key for v in held if v.tag == MAPPING for key in v.inside[1]])

    def handed_second(self, value: Value) -> Values:
        """What a function hands to the one it takes beside a key: ``func(yield func(K, V) bool)``."""
        taken = self.taken_first(value)
        return unique([v for f in taken if f.tag == FUNCTION for v in self.parameter_type(f, 1)])

    def yielded(self, value: Value) -> Values:
        """What iterating over a value gives."""
        if value.tag == MAPPING:
            return value.inside[1]
        if value.tag != INSTANCE:
            return elements(value) or self.constants_of(value)
        for name in ("__iter__", "__aiter__", self.rules_of(value.path).iterator):
            given = self.concrete(self.protocol(value, name))
            if given:
                return unique([w for v in given for w in self.advanced(v)])
        rules = self.rules_of(value.path)
        following = self.protocol(value, rules.advancer) if rules.walks_iterators else ()
        held = [v for container in self.containers(value) for v in self.yielded(container)]
        return following or unique(held) or self.item(value)

    def item(self, value: Value) -> Values:
        """What a value's own method gives for an index."""
        method = self.member(value, "__getitem__")
        if method is None:
            return ()
        functions = [f for f in self.type_of(method) if f.tag == FUNCTION]
        meaning = self.meaning(value, method.path, method.scope)
        return unique(
            [v for f in self.for_slices(functions, sliced=False) for v in self.given(f, meaning, value)]
        )

    def for_slices(self, functions: list[Value], *, sliced: bool) -> list[Value]:
        """Of the overloads of an index those that take slices, or the others."""
        if len(functions) < 2:
            return functions
        taken = [f for f in functions if self.takes_slices(f) == sliced]
        return taken or functions

    def takes_slices(self, function: Value) -> bool:
        hints = self.links(function.path).bindings[4]
        first = [hints[binding] for binding, _ in self.parameter_names(function)[:1]]
        return any(self.label(function.path, hint) == _SLICE for hint in first if hint)

    def advanced(self, value: Value) -> Values:
        """What an iterator gives next."""
        advancer = self.rules_of(value.path).advancer if value.tag == INSTANCE else ""
        return elements(value) or self.protocol(value, "__next__", "__anext__", advancer)

    def protocol(self, value: Value, *names: str) -> Values:
        """What the first of these methods gives."""
        if value.tag != INSTANCE:
            return ()
        for name in names:
            method = self.member(value, name)
            if method:
                meaning = self.meaning(value, method.path, method.scope)
                functions = [f for f in self.type_of(method) if f.tag == FUNCTION]
                return unique([v for f in functions for v in self.given(f, meaning, value)])
        return ()

    def read_through(self, owner: Value, member: Symbol, held: Values) -> Values:
        """What reading a member gives: a value in a class's body may say itself what is read."""
        if parameters_in(held):
            held = self.read_on(owner, member, held)
        reader = self.rules_of(member.path).reader
        if not reader or all(v.tag != INSTANCE or not self.member(v, reader) for v in held):
            return held
        links = self.links(member.path)
        bindings = links.names[member.scope].get(links.string_numbers[member.name], ())
        if all(links.bindings[3][binding] & OF_INSTANCE for binding in bindings):
            return held
        found: list[Value] = []
        for value in held:
            method = self.member(value, reader) if value.tag == INSTANCE else None
            if method is None:
                found.append(value)
                continue
            meaning = self.meaning(value, method.path, method.scope)
            functions = [f for f in self.type_of(method) if f.tag == FUNCTION]
            for function in self.reading(functions, of_class=owner.tag == CLASS):
                found += self.given(function, meaning, value)
        return unique(found)

    def read_on(self, owner: Value, member: Symbol, held: Values) -> Values:
        """What a computed member gives by the type of its receiver: ``def own(self: T) -> list[T]``."""
        links, wanted = self.links(member.path), self.rules_of(member.path).property_decorators
        kinds, scopes = links.bindings[3], links.bindings[4]
        meaning: Meaning = {}
        for binding in links.names[member.scope].get(links.string_numbers[member.name], ()):
            if kinds[binding] == Bind.FUNCTION and self.labelled(member.path, scopes[binding], wanted):
                self.learn_receiver(Value(FUNCTION, member.path, scopes[binding]), owner, meaning)
        return self.substitute(held, meaning) if meaning else held

    def reading(self, functions: list[Value], *, of_class: bool) -> list[Value]:
        """Of overloads, those that read a member of a class, which gives nothing, or of an instance."""
        of_instances = []
        for function in functions:
            [*names] = self.parameter_names(function)[:1]
            hints = self.links(function.path).bindings[4]
            of_instances += [function] if any(hints[binding] for binding, _ in names) else []
        if not of_class:
            return of_instances or functions
        return [function for function in functions if function not in of_instances] or functions

    def given(self, function: Value, meaning: Meaning, receiver: Value | None = None) -> Values:
        """A function's result, where its type parameters have a meaning."""
        result = self.result(function._replace(inside=()))
        if receiver is not None and parameters_in(result):
            self.learn_receiver(function, receiver, meaning)
        return self.substitute(result, meaning)

    def learn_receiver(self, function: Value, receiver: Value, meaning: Meaning) -> None:
        """``def f(self: T) -> T`` gives what it is called on, ``cls: type[T]`` an instance of it."""
        links = self.links(function.path)
        name = links.scopes[function.scope].receiver
        for binding in links.names[function.scope].get(name, ()) if name else ():
            if links.bindings[3][binding] == Bind.PARAMETER:
                symbol = Symbol(function.path, function.scope, links.strings[name])
                declared = self.bound(symbol, binding)
                made = any(self.makes(v) for v in declared)
                self.unify(declared, (receiver._replace(tag=CLASS) if made else receiver,), meaning)
        if self.rules_of(function.path).receivers_name_parameters:
            self.learn_named(function, receiver, meaning)

    def makes(self, value: Value) -> bool:
        """Whether a type is that of a class, or of what makes instances as a class does."""
        return value.tag in (TYPE_OF, CALLABLE, FUNCTION) or (
            value.tag == INSTANCE and self.member(value, MAKES) is not None
        )

    def learn_named(self, function: Value, receiver: Value, meaning: Meaning) -> None:
        """``func (b *Box[E]) get() E`` names the parameters of its type anew, in their order."""
        links = self.links(function.path)
        row = links.scopes[links.scopes[function.scope].parent]
        named = self.declared_parameters(function.path, function.scope)
        for owner in self.evaluate(function.path, row.result) if named and row.result else ():
            told = self.meaning(receiver, owner.path, owner.scope) if owner.tag in (CLASS, INSTANCE) else {}
            known = zip(named, self.parameters(owner.path, owner.scope) if told else (), strict=False)
            meaning.update({own: told[theirs] for own, theirs in known if theirs in told})

    def _limits(self, parameter: Value) -> Values:
        found = super()._limits(parameter)
        if found or not self.rules_of(parameter.path).receivers_name_parameters:
            return found
        return self.limits_of_receiver(parameter)

    def limits_of_receiver(self, parameter: Value) -> Values:
        """In ``func (b *Box[E]) get()`` what the type says of the parameter that is called E there."""
        links = self.links(parameter.path)
        around = links.scopes[parameter.scope].parent
        result = links.scopes[around].result if around >= 0 else 0
        named = self.declared_parameters(parameter.path, parameter.scope) if result else ()
        found: list[Value] = []
        for owner in self.evaluate(parameter.path, result) if named else ():
            declared = self.parameters(owner.path, owner.scope) if owner.tag == CLASS else ()
            meant = zip(named, declared, strict=False)
            found += [v for own, theirs in meant if own == parameter for v in self.limits(theirs)]
        return unique(found)

    def operated(self, values: Values, method: str) -> Values:
        """What an operator gives: what its method says, else another of the left operand's kind.

        What comparing gives is only known from a method.
        """
        found: list[Value] = []
        for value in values:
            if value.tag == INSTANCE and self.member(value, method):
                found += self.protocol(value, method)
            elif value.tag != CLASS and method not in _COMPARING:
                found.append(value)
        return unique(found)

    def joined(self, left: Values, right: Values) -> Values:
        """What ``a | b`` gives: what a's or b's method says, else either of them."""
        asked, method = (left, _OR) if left else (right, _OR_BEHIND)
        joining = [v for v in self.concrete(asked) if v.tag == INSTANCE and self.member(v, method)]
        if not joining:
            return unique([*left, *right])
        return unique([*(v for v in asked if v not in joining), *self.operated(tuple(joining), method)])

    def entry(self, path: str, owner: int, name: str) -> Values:
        rules = self.rules_of(path)
        if rules.stand_in:
            values = self.concrete(self.evaluate(path, owner))
            constants = [v for value in values for v in self.constants_by_name(value, name)]
            if constants:
                return unique(constants)
            lacking = [v for v in values if v.tag == INSTANCE and not self.member(v, name)]
            return unique([v for value in lacking for v in self.protocol(value, rules.stand_in)])
        if rules.pair_members:
            return self.contained(path, owner, name)
        if not rules.foreign_wrappers:
            return ()
        found: list[Value] = []
        for value in self.evaluate(path, owner):
            if value.tag == MAPPING:
                found += self.under(value, (name,))
            elif value.name == HOLDER:
                found += value.inside[0]
            elif value.tag == INSTANCE and not self.member(value, name):
                found += self.protocol(value, "__getitem__")
        return unique(found)

    def contained(self, path: str, owner: int, name: str) -> Values:
        """What a container of the language's library has under a name."""
        rules, found = self.rules_of(path), list[Value]()
        position = rules.pair_members.get(name, -1)
        for value in self.concrete(self.evaluate(path, owner)):
            if value.tag == TUPLE and 0 <= position < len(value.inside):
                found += value.inside[position]
            elif value.tag == MAPPING and name in _PARTS_OF_MAPPING:
                found.append(sequence(value.inside[_PARTS_OF_MAPPING.index(name)]))
            elif value.tag in (SEQUENCE, MAPPING) and name in rules.element_members:
                found += elements(value)
            elif value.tag in (SEQUENCE, MAPPING) and name in rules.container_members:
                found.append(value)
        return unique(found)

    def is_rivalled(self, owner: Value, found: Symbol) -> bool:
        """Whether several extensions declare a member, some for some values only: which is meant is open."""
        if not self.rules_of(owner.path).extension_values:
            return False
        declaring = conditions = 0
        for path, scope in self.lineage(owner):
            links = self.links(path)
            if links.string_numbers.get(found.name, -1) in links.names[scope]:
                declaring += 1
                conditions += links.string_numbers.get(CONDITION, -1) in links.names[scope]
        return declaring > 1 and conditions > 0
