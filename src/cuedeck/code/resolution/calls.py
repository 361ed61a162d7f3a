"""Calls: what a call gives, of the project's functions and of what the language provides."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Final

from cuedeck.code.facts import (
    MAKES,
    MANY,
    OP_MASK,
    RECEIVER,
    ROLE_SHIFT,
    Bind,
    Op,
    Role,
)
from cuedeck.code.resolution.containers import Containers
from cuedeck.code.resolution.generics import (
    SELF_TYPE,
    Meaning,
    pairs,
    parameters_in,
    settled,
    with_meaning,
)
from cuedeck.code.resolution.library import BUILT_IN
from cuedeck.code.resolution.values import (
    CALLABLE,
    CLASS,
    EXTERNAL,
    FUNCTION,
    GIVEN,
    INSTANCE,
    LABELLED,
    MAPPING,
    RECORD,
    SELECTS,
    SEQUENCE,
    TUPLE,
    TYPE_OF,
    Symbol,
    Target,
    Targets,
    Value,
    Values,
    classes_of,
    elements,
    sequence,
    unique,
)

# What an expression of a literal's type is made of, down to its name.
_OF_A_TYPE: Final = (Op.TYPED, Op.INDEX, Op.ATTR, Op.SEQUENCE, Op.MAPPING)


class Calls(Containers):
    """The part of the linker that follows calls."""

    def called(self, path: str, callee: int, arguments: tuple[int, ...]) -> Values:
        """What a call gives."""
        links, plain = self.links(path), self.plain(path, callee)
        op = links.ops[plain] & OP_MASK
        label = self.label(path, callee)
        if op == Op.NAME and label in BUILT_IN:
            special = self.built_in(path, plain, label, arguments)
            if special is not None:
                return special
        if label == "cast" and arguments:
            return self.annotation(path, arguments[0])
        if label == "NewType" and len(arguments) == 2:
            return classes_of(self.annotation(path, arguments[1]))
        found: list[Value] = []
        held = self.methods(path, plain) if op == Op.ATTR else ()
        values = self.accepting(path, callee, self.concrete(held or self.evaluate(path, callee)))
        overloads = tuple(v for v in values if v.tag == FUNCTION)
        if self.rules_of(path).overloads and len(overloads) > 1:
            others = tuple(v for v in values if v.tag != FUNCTION)
            values = (*others, *self.chosen(path, overloads, arguments))
        if self.rules_of(path).members_are_called:
            found += [v for v in values if v.tag not in (FUNCTION, CALLABLE)]
            values = tuple(v for v in values if v.tag in (FUNCTION, CALLABLE))
        for value in self.agreeing(path, values, arguments):
            told = self.told_receiver(path, callee, value) or self.told_maker(path, callee, value)
            found += told or self.call_value(path, value, self.placed(path, callee, value, arguments))
        if not found and op == Op.ATTR:
            found += self.container_call(path, links.a[plain], label, arguments)
        if not found and label in self.rules_of(path).folding_methods:
            found += self.folded(path, callee, arguments)
        known = settled(found) or self.foreign_call(path, plain, label, arguments)
        return known or self.given_back(values)

    @abstractmethod
    def methods(self, path: str, member: int) -> Values:
        """The methods that a call of a member means where fields of that name hide them."""

    def placed(self, path: str, callee: int, value: Value, arguments: tuple[int, ...]) -> tuple[int, ...]:
        """Arguments as a function takes them, those given by name too, where they tell type parameters."""
        if not self.rules_of(path).named_arguments or value.tag not in (CLASS, FUNCTION):
            return arguments
        told = self.parameters(value.path, value.scope) if value.tag == CLASS else self.result(value)
        named = self.links(path).given(callee)[1] if parameters_in(told) else {}
        for function in self.functions_of(path, value)[:1] if any(named.values()) else ():
            strings = self.links(function.path).strings
            names = [strings[name] for _, name in self.parameter_names(function)]
            return (*arguments, *(named.get(name, 0) for name in names[len(arguments) :]))
        return arguments

    def call_value(self, path: str, value: Value, arguments: tuple[int, ...]) -> Values:
        """What calling one value with these arguments gives."""
        if value.tag in (CALLABLE, TYPE_OF):
            selecting = value.name == SELECTS and arguments
            return self.selected(path, arguments[0]) if selecting else value.inside[0]
        if value.tag == CLASS:
            return self.constructed(path, value, arguments)
        if value.tag == FUNCTION:
            meaning = dict(pairs(value))
            if GIVEN in meaning:
                return meaning[GIVEN]
            result = self.result(value._replace(inside=()))
            if parameters_in(result) or self.parameters(value.path, value.scope):
                self.learn_receivers(value, meaning)
                self.learn(path, value, arguments, meaning)
                for parameter in self.parameters(value.path, value.scope):
                    if parameter not in meaning and (default := self.default(parameter)):
                        meaning[parameter] = self.substitute(default, meaning)
            return self.substitute(result, meaning)
        return self.signed(path, value, arguments)

    def learn_receivers(self, function: Value, meaning: Meaning) -> None:
        """What a function is called on says about the type parameters that it declares of that."""
        for receiver in [v for p, values in meaning.items() if p.name == SELF_TYPE for v in values]:
            self.learn_receiver(function, receiver, meaning)

    def signed(self, path: str, value: Value, arguments: tuple[int, ...]) -> Values:
        """What calling an object gives, by those of its signatures that take the arguments."""
        method = self.member(value, "__call__") if value.tag == INSTANCE else None
        if method is None:
            return self.inherited_call(path, value, arguments)
        meaning = self.meaning(value, method.path, method.scope)
        functions = [f for f in self.type_of(method) if f.tag == FUNCTION]
        count = len(arguments)
        fitting = [f for f in functions if self.takes(f, count)] or [
            f for f in functions if not 0 <= self.taken(f) < count
        ]
        run = [with_meaning(f, meaning) for f in fitting or functions]
        return unique([v for f in run for v in self.call_value(path, f, arguments)])

    def inherited_call(self, path: str, value: Value, arguments: tuple[int, ...]) -> Values:
        """What calling an object gives whose type extends a function: ``interface Run extends Fn``."""
        if value.tag != INSTANCE or not self.rules_of(value.path).structural:
            return ()
        run = [f for place in self.parents_named(value) for f in self.parents(*place) if f.tag == FUNCTION]
        return unique([v for f in run for v in self.call_value(path, f, arguments)])

    def expected(self, path: str, callee: int, position: int) -> Values:
        """What a function's parameter takes, so what an argument without a type of its own is."""
        values = self.concrete(self.evaluate(path, callee))
        if position == RECEIVER:
            return self.received(values)
        taken = [v.inside[position + 1 : position + 2] for v in values if v.tag == CALLABLE]
        found = [v for parts in taken for part in parts for v in part]
        found += self.fields_filled(path, values, position) if position >= LABELLED else ()
        found += self._declared_for(path, callee, values, position)
        found += () if found else self._held_for(path, callee, position)
        known = settled(found) or self.asked(path, callee, position) or self.handed_on(path, callee, position)
        known = known or (self.made_with(values) if not position else ())
        known = known or (self.wanted_through(path, callee, values) if not position else ())
        is_called = self.links(path).ops[self.plain(path, callee)] >> ROLE_SHIFT == Role.CALL
        return known or (self.taken_in if is_called else self.handed_out)(values)

    def _declared_for(self, path: str, callee: int, values: Values, position: int) -> list[Value]:
        """What functions of the project declare of the parameter that an argument fills."""
        found: list[Value] = []
        arguments = self.links(path).arguments.get(callee, ())
        run = {function: value for value in values for function in self.functions_of(path, value)}
        for function in self.agreeing(path, tuple(run), arguments):
            place = self.place_of(path, function, position)
            if place < 0:
                continue
            declared = self.parameter_type(function, place)
            meaning = dict(pairs(function))
            if run[function].tag == CLASS and (run[function].inside or parameters_in(declared)):
                home = self.links(function.path).scopes[function.scope].owner
                meaning |= self.meaning(run[function], function.path, home)
            if parameters_in(declared) or any(self.is_written_out(v) for v in declared):
                self.learn_receivers(function, meaning)
                self.learn(path, function, arguments, meaning, skip=position)
                self.learn_wanted(path, callee, run[function], function, meaning)
            found += self.substitute(declared, meaning)
        return found

    def _held_for(self, path: str, callee: int, position: int) -> Values:
        """What a container hands to a function, or holds where one of its methods takes more of the same."""
        links, rules, plain = self.links(path), self.rules_of(path), self.plain(path, callee)
        if links.ops[plain] & OP_MASK == Op.ARGUMENT:
            return self.handed(path, self.plain(path, links.a[plain]), position)
        if (method := self.label(path, callee)) not in rules.taking_methods:
            return ()
        found: list[Value] = []
        for owner in self.concrete(self.evaluate(path, links.a[plain])):
            if owner.tag != MAPPING or position:
                found += elements(owner)
                found += (owner,) if method in rules.joining_methods and owner.tag == SEQUENCE else ()
        return tuple(found)

    def received(self, functions: Values) -> Values:
        """What functions are called on, whose members they see as their own."""
        found: list[Value] = []
        for function in functions:
            links = self.links(function.path) if function.tag == FUNCTION else None
            if links is not None and (receiver := links.scopes[function.scope].receiver):
                declared = self.type_of(Symbol(function.path, function.scope, links.strings[receiver]))
                found += self.substitute(declared, dict(pairs(function)))
        return unique(found)

    def handed_on(self, path: str, callee: int, position: int) -> Values:
        """What a foreign function is given after an argument that a foreign type gives a list of types."""
        if all(value.tag != EXTERNAL for value in self.evaluate(path, callee)):
            return ()
        for before, argument in enumerate(self.links(path).arguments.get(callee, ())[:position]):
            for value in self.evaluate(path, argument):
                if value.tag == TUPLE and position - before <= len(value.inside):
                    return value.inside[position - before - 1]
        return ()

    def learn_wanted(self, path: str, callee: int, value: Value, function: Value, meaning: Meaning) -> None:
        """What is expected of a call says about the type parameters that its arguments leave open."""
        links = self.links(path)
        if links.ops[callee] & OP_MASK != Op.WANTED:
            return
        result = self.result(function._replace(inside=()))
        if value.tag == CLASS:
            own: Meaning = {p: (p,) for p in self.parameters(value.path, value.scope)}
            result = (with_meaning(value._replace(tag=INSTANCE), own),)
        found: Meaning = {}
        self.unify(result, self.evaluate(path, links.b[callee]), found)
        for parameter, values in found.items():
            meaning.setdefault(parameter, values)

    def created(self, path: str, made: int, arguments: tuple[int, ...]) -> Values:
        """A new instance of what a type expression names."""
        found: list[Value] = []
        plain = self.plain(path, made)
        for value in self.named_type(path, plain) if self.label(path, plain) else self.annotation(path, made):
            if value.tag == FUNCTION:
                found += self.call_value(path, value, arguments)
            elif value.tag == INSTANCE:
                signature = self.protocol(value, MAKES)
                found += signature or self.constructed(path, value._replace(tag=CLASS), arguments)
            else:
                found.append(value)
        return unique(found)

    def constructed(self, path: str, value: Value, arguments: tuple[int, ...]) -> Values:
        """A new instance; what its constructor is given says what its type parameters are."""
        made = value._replace(tag=INSTANCE)
        wanted = self.parameters(value.path, value.scope) if arguments and not value.inside else ()
        if not wanted:
            return self.completed((made,))
        meaning: Meaning = {}
        for function in self.functions_of(path, value):
            self.learn(path, function, arguments, meaning)
        for parameter in wanted:
            if parameter not in meaning and (default := self.default(parameter)):
                meaning[parameter] = self.substitute(default, meaning)
        return self.substitute((made,), {p: v for p, v in meaning.items() if p in wanted})

    def foreign_call(self, path: str, callee: int, label: str, arguments: tuple[int, ...]) -> Values:
        """What well-known functions outside the project do with their arguments."""
        links, rules = self.links(path), self.rules_of(path)
        if shape := self.shape_of(path, callee):
            return self.held_by(path, callee, shape, arguments)
        if links.ops[callee] & OP_MASK == Op.INDEX:
            told = self.annotation(path, callee) if rules.tuple_arguments else ()
            return self.wrapped(path, callee) if rules.foreign_wrappers else told
        if (filled := rules.filling_calls.get(label)) and not self.is_own(path, callee):
            named = links.given(callee)[1].get(filled, 0)
            return unique([v for each in (named, *arguments[1:2]) if each for v in self.evaluate(path, each)])
        if not arguments:
            return self.named_items(path, callee) if label in rules.mappings else ()
        if deed := self.deed(path, callee, label):
            return self.library_call(path, deed, arguments, many=links.given(callee)[0] == MANY)
        if label and label == rules.maker:
            made = [v for v in self.concrete(self.evaluate(path, arguments[0])) if v.tag == CLASS]
            return tuple(v._replace(tag=INSTANCE) for v in made)
        if label in rules.mappings:
            return self.paired(self.evaluate(path, arguments[0]))
        if label in rules.passing_calls:
            return self.evaluate(path, arguments[0])
        if label in rules.sequences:
            given = self.concrete(self.evaluate(path, arguments[0]))
            inside = unique([v for g in given for v in self.yielded(g)])
            return (sequence(inside),) if inside else ()
        member = rules.recording_calls.get(label)
        if member and self.is_at_hand([(path, callee)]):
            held = self.evaluate(path, arguments[0])
            raised = unique([v for h in held for v in (elements(h) or (h,)) if v.tag == CLASS])
            instances = tuple(v._replace(tag=INSTANCE) for v in raised)
            return (Value(RECORD, inside=(instances,), name=member),) if instances else ()
        return self.unwrapped(path, callee, arguments[0])

    # -- keyword arguments

    def keyword(self, path: str, callee: int, name: str) -> Targets:
        """The field that a keyword argument of a constructor sets, or the parameter it fills."""
        found: list[Target] = []
        for value in self.completing(path, callee) or self.evaluate(path, callee):
            if value.tag == CLASS:
                made = next(
                    (m for c in self.rules_of(path).constructors if (m := self.member(value, c))), None
                )
                filled = self.parameter(self.type_of(made), name) if made else ()
                field = None if filled else self.member(value, name)
                if field and (self.collected(made, field) if made else self.is_field(value, field)):
                    found.append(field)
                found += filled
            elif value.tag == FUNCTION:
                found += self.parameter((value,), name)
            elif value.tag == INSTANCE:
                found += self.keyword_of_instance(value, name)
        if not found and self.rules_of(path).literal_keys:
            return self.literal_key(path, callee, name)
        return tuple(dict.fromkeys(found))

    def literal_key(self, path: str, literal: int, name: str) -> Targets:
        """What a bare name means as a key of a literal: ``Colors{Red: "#f00"}`` makes a map."""
        made = [v for v in self.evaluate(path, literal) if v.tag in (INSTANCE, SEQUENCE, MAPPING)]
        if not any(v.tag != INSTANCE or self.member(v, "__getitem__") for v in made):
            return ()
        links = self.links(path)
        while links.ops[literal] & OP_MASK in _OF_A_TYPE:
            literal = links.a[literal]
        named = links.ops[literal] & OP_MASK == Op.NAME
        return self.name(path, links.a[literal], name) if named else ()

    def keyword_of_instance(self, value: Value, name: str) -> Targets:
        """The parameter that calling an instance fills, else the field that is given by name."""
        if self.rules_of(value.path).named_arguments:
            call = self.member(value, "__call__")
            return self.parameter(self.type_of(call), name) if call is not None else ()
        field = self.member(value, name)
        return (field,) if field else ()

    def parameter(self, functions: Values, name: str) -> Targets:
        """The parameter of that name."""
        found: list[Target] = []
        for value in functions:
            if value.tag == FUNCTION:
                links = self.links(value.path)
                bindings = links.names[value.scope].get(links.string_numbers.get(name, -1), ())
                if any(links.bindings[3][binding] == Bind.PARAMETER for binding in bindings):
                    found.append(Symbol(value.path, value.scope, name))
                else:
                    found += self.unpacked(value, name)
        return tuple(found)

    def is_field(self, owner: Value, member: Symbol) -> bool:
        """Whether a class without a constructor of its own takes a member: with a type, or as it says."""
        rules = self.rules_of(member.path)
        if not rules.field_decorators:
            return True
        declaring = self.field_decorators(self.lineage(owner))
        if declaring:
            return self.is_at_hand(declaring)
        if not self.has_known_parents(owner) and not self.is_trusted(owner, rules.field_classes):
            return False
        links = self.links(member.path)
        bindings = links.names[member.scope][links.string_numbers[member.name]]
        return any(links.bindings[3][b] == Bind.VARIABLE and links.bindings[4][b] for b in bindings)

    def is_trusted(self, owner: Value, known: frozenset[str]) -> bool:
        """Whether a class's foreign parents are known to do what is asked."""
        return self.descends(owner, known) and self.is_at_hand(self.parents_called(owner, known))

    def collected(self, constructor: Symbol, field: Symbol) -> bool:
        """Whether a constructor takes keywords for the fields of heirs: with types, or as it says itself."""
        links = self.links(field.path)
        bindings = links.names[field.scope][links.string_numbers[field.name]]
        given = [links.bindings[4][b] for b in bindings if links.bindings[3][b] == Bind.VARIABLE]
        above = self.lineage(Value(CLASS, field.path, field.scope))[1:]
        functions = self.type_of(constructor)
        if given and (constructor.path, constructor.scope) not in above:
            # ``def __init__(self, **data)`` has nothing to do with them but to hand them on.
            alone = any(f.tag == FUNCTION and len(self.parameter_names(f)) == 1 for f in functions)
            owner = Value(CLASS, constructor.path, constructor.scope)
            return alone and any(given) and self.is_at_hand(self.parents_outside(owner))
        taken = any(given) and any(self.takes_keywords(function) for function in functions)
        return taken or (bool(given) and self.is_at_hand(self.field_decorators(above)))

    def field_decorators(self, lineage: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
        """Where one of these classes says that heirs declare fields for their constructor."""
        rows = (
            (path, self.labelling(path, scope, self.rules_of(path).field_decorators))
            for path, scope in lineage
        )
        return [(path, row) for path, row in rows if row]

    def takes_keywords(self, function: Value) -> bool:
        """Whether a function takes any keyword argument."""
        if function.tag != FUNCTION:
            return False
        links = self.links(function.path)
        kinds, hints = links.bindings[3], links.bindings[4]
        return any(
            kinds[b] == Bind.PARAMETER and links.ops[hints[b]] & OP_MASK == Op.MAPPING
            for bindings in links.names[function.scope].values()
            for b in bindings
        )

    def unpacked(self, function: Value, name: str) -> Targets:
        """The field of a typed dictionary that a function takes as its keyword arguments."""
        links = self.links(function.path)
        for bindings in links.names[function.scope].values():
            for binding in bindings:
                kind, hint = links.bindings[3][binding], links.bindings[4][binding]
                if kind != Bind.PARAMETER or not hint or links.ops[hint] & OP_MASK != Op.MAPPING:
                    continue
                for value in self.evaluate(function.path, links.a[hint]):
                    field = self.member(value, name) if value.tag == INSTANCE else None
                    if field:
                        return (field,)
        return ()
