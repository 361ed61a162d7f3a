"""What foreign functions make of what they are told and given."""

from __future__ import annotations

from abc import abstractmethod

from cuedeck.code.facts import OP_MASK, Op
from cuedeck.code.resolution.library import Library
from cuedeck.code.resolution.values import (
    CALLABLE,
    CLASS,
    CREATES,
    EXTERNAL,
    FUNCTION,
    HOLDER,
    INSTANCE,
    TUPLE,
    Value,
    Values,
    creator,
    elements,
    sequence,
    shaped,
    stored,
    unique,
)


class Telling(Library):
    """The part of the linker that reads the types which foreign functions are told in brackets."""

    @abstractmethod
    def handed_out(self, foreign: Values) -> Values:
        """What foreign functions hand to those that they are given."""

    @abstractmethod
    def taken_in(self, foreign: Values) -> Values:
        """What foreign functions are given."""

    @abstractmethod
    def given_back(self, foreign: Values) -> Values:
        """What functions of foreign modules give."""

    def shape_of(self, path: str, callee: int) -> str:
        """What a foreign function makes of the type that it is told; nothing for other functions."""
        links = self.links(path)
        base = links.a[callee] if links.ops[callee] & OP_MASK == Op.INDEX else callee
        rules, label = self.rules_of(path), self.label(path, base)
        shape = rules.foreign_calls.get(label, "")
        if label in rules.store_calls:
            packages = [v.path.split(".")[0].split("/")[0] for v in self.evaluate(path, base)]
            shape = "stored" if rules.store_calls[label] in packages else shape
        return shape if shape and not self.is_own(path, base) else ""

    def held_by(self, path: str, callee: int, shape: str, arguments: tuple[int, ...]) -> Values:
        """What a foreign function gives that holds its first argument."""
        if shape == "reduced":
            return self.reduced(path, callee, arguments)
        if shape == "stored":
            return self.store(path, callee, arguments)
        if shape == "set up":
            made = self.selected(path, arguments[-1]) if arguments else ()
            return (Value(CALLABLE, inside=(made,)),) if made else ()
        if self.links(path).ops[callee] & OP_MASK == Op.INDEX:
            return shaped(shape, self.annotation(path, self.arguments_of(path, callee)[-1]))
        given = self.evaluate(path, arguments[0]) if arguments else ()
        if shape == "takes":
            return given
        if shape == "loaded":
            return self.loaded(unique([w for v in given for w in self.outcome(v)]))
        return shaped(shape, unique([w for v in given for w in (self.outcome(v) or (v,))]))

    def compared(self, path: str, callee: int) -> Values:
        """What tells whether a component is given something else: ``memo(Card, (a, b) => …)``."""
        given = self.links(path).arguments.get(callee, ())
        taken = [w for v in self.evaluate(path, given[0]) for w in self.taken_first(v)] if given else []
        return (Value(CALLABLE, inside=((), tuple(taken), tuple(taken))),) if taken else ()

    def store(self, path: str, callee: int, arguments: tuple[int, ...]) -> Values:
        """A store of the state that it is told or that a function makes; without that, what takes one."""
        told = self.brackets(path, callee)
        if told:
            state = self.annotation(path, told[0])
            made = stored(state)
            return made if arguments else (Value(CALLABLE, inside=(made, creator(state))),)
        given = self.evaluate(path, arguments[0]) if arguments else ()
        return stored(state) if (state := unique([w for v in given for w in self.outcome(v)])) else ()

    def selected(self, path: str, argument: int) -> Values:
        """What a function takes out of a state."""
        return unique([w for v in self.evaluate(path, argument) for w in self.outcome(v)])

    def wanted_through(self, path: str, callee: int, called: Values) -> Values:
        """What is expected of a foreign call may be expected of its argument: ``create<T>()(persist(…))``."""
        links = self.links(path)
        if links.ops[callee] & OP_MASK != Op.WANTED or any(v.tag != EXTERNAL for v in called):
            return ()
        passed = self.label(path, callee) in self.rules_of(path).passing_calls
        return tuple(v for v in self.evaluate(path, links.b[callee]) if passed or v.name == CREATES)

    def loaded(self, modules: Values) -> Values:
        """What is loaded when it is needed: the default of a module, or of an object in its place."""
        return unique([w for v in modules for w in (self.held(v, "default") or (v,))])

    def reduced(self, path: str, callee: int, arguments: tuple[int, ...]) -> Values:
        """A state and what is given to change it, as told or by the function that makes a state of both."""
        if len(told := self.brackets(path, callee)) > 1:
            state, change = (self.annotation(path, each) for each in told[:2])
            return (Value(TUPLE, inside=(state, shaped("takes", change))),)
        given = [v for argument in arguments[:2] for v in self.evaluate(path, argument)]
        reducers = [v for v in given if v.tag == FUNCTION]
        if not reducers:
            return shaped("state", tuple(given))
        first = reducers[0]
        state, change = self.parameter_type(first, 0) or self.outcome(first), self.parameter_type(first, 1)
        return (Value(TUPLE, inside=(state, shaped("takes", change))),)

    def brackets(self, path: str, callee: int) -> tuple[int, ...]:
        """The types that a function is told in brackets."""
        indexed = self.links(path).ops[callee] & OP_MASK == Op.INDEX
        return tuple(self.arguments_of(path, callee)) if indexed else ()

    def asked(self, path: str, callee: int, position: int) -> Values:
        """What a foreign function takes that holds its first argument and is told its type."""
        callee = self.plain(path, callee)
        told = self.brackets(path, callee)
        shape = self.shape_of(path, callee)
        if shape == "takes" and position == 1 and not told:
            return self.compared(path, callee)
        if told and self.label(path, self.links(path).a[callee]) in self.rules_of(path).folding_methods:
            folded = self.folded(path, callee, ())
            return folded if position else (Value(CALLABLE, inside=(folded, folded)),)
        if shape == "reduced" and position < len(told) == 2:
            return self.annotation(path, told[0])
        if not told or position or shape == "reduced":
            return ()
        if shape == "stored":
            return creator(self.annotation(path, told[0]))
        if not shape:
            return self.filled_with(path, callee)
        asked = self.annotation(path, told[-1])
        # What is held may be given by a function: ``useMemo<T>(() => …)``.
        return shaped("takes", asked) if shape == "takes" else (*asked, Value(CALLABLE, inside=(asked,)))

    def held(self, owner: Value, name: str) -> Values:
        return super().held(owner, name) or self.told_above(owner, name)

    def told_above(self, owner: Value, name: str) -> Values:
        """What an instance holds under a name by the types that a foreign ancestor is told."""
        rules = self.rules_of(owner.path) if owner.tag == INSTANCE else None
        if rules is None or not rules.told_members:
            return ()
        if name in rules.changing_members:
            changed = self.told_above(owner, rules.changing_members[name])
            return shaped("takes", shaped("changes", changed))
        for path, scope in self.lineage(owner):
            links = self.links(path)
            for base in links.lists[links.scopes[scope].bases]:
                told = self.brackets(path, base)
                members = rules.told_members.get(self.label(path, links.a[base]), ()) if told else ()
                if name in members[: len(told)] and not self.is_own(path, links.a[base]):
                    held = self.annotation(path, told[members.index(name)])
                    return self.substitute(held, self.meaning(owner, path, scope))
        return ()

    def made_with(self, values: Values) -> Values:
        """What heirs of a foreign class are made from that is told it."""
        instances = [v._replace(tag=INSTANCE) for v in values if v.tag == CLASS]
        made_from = [(v, self.rules_of(v.path).made_from) for v in instances]
        return unique([w for v, name in made_from if name for w in self.told_above(v, name)])

    def folded(self, path: str, callee: int, arguments: tuple[int, ...]) -> Values:
        """What going through a list makes, which is told or begins with the second argument."""
        told = self.brackets(path, self.plain(path, callee))
        if told:
            return self.annotation(path, told[0])
        return self.evaluate(path, arguments[1]) if len(arguments) > 1 else ()

    def filled_with(self, path: str, callee: int) -> Values:
        """What a foreign class is made from that is told its types: a list, pairs, or just such a value."""
        base, rules = self.links(path).a[callee], self.rules_of(path)
        label, told = self.label(path, base), self.arguments_of(path, callee)
        if not rules.foreign_wrappers or not label[:1].isupper() or self.is_own(path, base):
            return ()
        first = self.annotation(path, told[0])
        if label in rules.mappings:
            held = self.annotation(path, told[-1])
            return (sequence((Value(TUPLE, inside=(first, held)),)),) if first or held else ()
        if label in rules.sequences:
            return (sequence(first),) if first else ()
        if label in rules.promises:
            return shaped("takes", shaped("takes", first))
        return first if len(told) == 1 else ()

    def wrapped(self, path: str, callee: int) -> Values:
        """What a foreign function gives that is told its types: something like the first, or many of them."""
        base = self.links(path).a[callee]
        if self.is_own(path, base) or any(value.tag != EXTERNAL for value in self.evaluate(path, base)):
            return ()
        return self.foreign_type(path, self.arguments_of(path, callee))

    def unwrapped(self, path: str, callee: int, argument: int) -> Values:
        """What a foreign function gives of a class, an instance, and of what holds something, that."""
        if not self.rules_of(path).foreign_wrappers or any(
            value.tag != EXTERNAL for value in self.evaluate(path, callee)
        ):
            return ()
        found: list[Value] = []
        for value in self.evaluate(path, argument) if self.evaluate(path, callee) else ():
            if value.tag == CLASS:
                found.append(value._replace(tag=INSTANCE))
            elif value.name == HOLDER:
                found += (value, *elements(value))
        return unique(found)
