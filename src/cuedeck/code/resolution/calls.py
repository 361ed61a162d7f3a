"""Calls: what a call gives, of the project's functions, of containers, of what the language provides."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cuedeck.code.facts import BIND_MASK, MAKES, MANY, OP_MASK, RECEIVER, REST, TRAILING, Bind, Op
from cuedeck.code.resolution.generics import (
    SELF_TYPE,
    Meaning,
    classes_of,
    pairs,
    parameters_in,
    settled,
    with_meaning,
)
from cuedeck.code.resolution.library import BUILT_IN
from cuedeck.code.resolution.overloads import Overloads
from cuedeck.code.resolution.rules import Rules
from cuedeck.code.resolution.values import (
    CALLABLE,
    CLASS,
    EXTERNAL,
    FUNCTION,
    GIVEN,
    HOLDER,
    INSTANCE,
    MAPPING,
    RECORD,
    SEQUENCE,
    TUPLE,
    TYPE_OF,
    Symbol,
    Target,
    Targets,
    Value,
    Values,
    elements,
    sequence,
    shaped,
    unique,
)

# How well an argument fits a parameter: its very type, or one that it becomes.
_AGREES: Final = 20
_WIDENS: Final = 10
# A key and what it holds.
_ENTRY: Final = 2
# Behind the name of a type: an array of it.
_MANY: Final = "[]"


class Calls(Overloads):
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
        values = self.accepting(path, callee, self.concrete(self.evaluate(path, callee)))
        overloads = tuple(v for v in values if v.tag == FUNCTION)
        if self.rules_of(path).overloads and len(overloads) > 1:
            others = tuple(v for v in values if v.tag != FUNCTION)
            values = (*others, *self.chosen(path, overloads, arguments))
        if self.rules_of(path).members_are_called:
            found += [v for v in values if v.tag not in (FUNCTION, CALLABLE)]
            values = tuple(v for v in values if v.tag in (FUNCTION, CALLABLE))
        for value in self.agreeing(path, values, arguments):
            told = self.told_receiver(path, callee, value)
            found += told or self.call_value(path, value, self.placed(path, callee, value, arguments))
        if not found and op == Op.ATTR:
            found += self.container_call(path, links.a[plain], label, arguments)
        return settled(found) or self.foreign_call(path, plain, label, arguments)

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

    def chosen(self, path: str, functions: Values, arguments: tuple[int, ...]) -> Values:
        """Of overloads, those whose parameters fit the arguments best."""
        candidates = tuple(f for f in functions if self.takes(f, len(arguments))) or functions
        if len(candidates) < 2:
            return candidates
        marks = [self.fit(path, function, arguments) for function in candidates]
        return tuple(f for f, mark in zip(candidates, marks, strict=True) if mark == max(marks))

    def fit(self, path: str, function: Value, arguments: tuple[int, ...]) -> int:
        """How well arguments fit a function's parameters: known to agree, unknown, known not to."""
        marks = [self.fit_one(path, given, function, at) for at, given in enumerate(arguments)]
        return sum(marks) - (self.taken(function) < 0)

    def fit_one(self, path: str, argument: int, function: Value, position: int) -> int:
        rules = self.rules_of(path)
        label = self.parameter_label(function, position)
        said = self.literal_type(path, argument) or self.static_label(path, argument)
        if label and label in (said, self.constant_owner(path, argument)):
            return _AGREES
        wider = rules.widening.get(said, ())
        if label in wider:
            return _WIDENS - wider.index(label)
        if label.endswith(_MANY) or said.endswith(_MANY):
            return self.fit_array(rules, label, said)
        wanted = [v for v in self.concrete(self.parameter_type(function, position)) if v.tag == INSTANCE]
        given = [v for v in self.concrete(self.evaluate(path, argument)) if v.tag == INSTANCE]
        if wanted and given:
            ancestors = {place for v in given for place in self.lineage(v)}
            return _AGREES if any((v.path, v.scope) in ancestors for v in wanted) else -_AGREES
        if label in rules.any_types:
            return 1
        if given or (label and self.literal_type(path, argument)):
            return -_AGREES
        # A foreign type is no heir of a class of the project, and nothing is one of a final type.
        return -_AGREES if said and (wanted or label in rules.final_types) else 0

    def fit_array(self, rules: Rules, label: str, said: str) -> int:
        """The same where one of the two is an array; that of a plain type is nothing else."""
        if said == label + _MANY:
            return _WIDENS  # what takes the rest takes an array of it
        wanted, given = label.removesuffix(_MANY), said.removesuffix(_MANY)
        if not label or not said:
            return 0
        plain = {name for name in (wanted, given) if name in rules.final_types and name[0].islower()}
        if label in rules.any_types or (wanted in rules.any_types and given not in plain):
            return 1
        return -_AGREES if plain or (wanted == label) != (given == said) else 0

    def parameter_label(self, function: Value, position: int) -> str:
        """The name of a parameter's type, as it is written."""
        links = self.links(function.path)
        names = self.parameter_names(function)
        rest = names and position >= len(names) - 1 and links.strings[names[-1][1]] == REST
        if position >= len(names) and not rest:
            return ""
        hint = links.bindings[4][names[min(position, len(names) - 1)][0]]
        # What takes the rest is declared as many of its type.
        return self.type_label(function.path, links.a[links.a[hint]] if rest else hint)

    def type_label(self, path: str, number: int) -> str:
        """The name of a type, as it is written, without its arguments."""
        links = self.links(path)
        if links.ops[number] & OP_MASK == Op.INDEX:
            return self.label(path, links.a[number])
        if links.ops[number] & OP_MASK == Op.LITERAL:
            return links.strings[links.b[number]]
        if links.ops[number] & OP_MASK == Op.SEQUENCE:
            held = self.type_label(path, links.a[links.a[number]])
            return held + _MANY if held else ""
        return self.label(path, number)

    def literal_type(self, path: str, number: int) -> str:
        """The name of a literal's type."""
        links = self.links(path)
        if links.ops[number] & OP_MASK == Op.TEXT:
            return self.rules_of(path).text_type
        return self.type_label(path, number) if links.ops[number] & OP_MASK == Op.LITERAL else ""

    def static_label(self, path: str, number: int) -> str:
        """The name of the type that a variable is declared with."""
        links = self.links(path)
        for target in self.targets(path, number):
            if isinstance(target, Symbol):
                others = self.links(target.path)
                bound = others.names[target.scope].get(others.string_numbers.get(target.name, -1), ())
                for binding in bound:
                    if others.bindings[3][binding] & BIND_MASK in (Bind.VARIABLE, Bind.PARAMETER):
                        hint, given = others.bindings[4][binding], others.bindings[5][binding]
                        return (
                            self.type_label(target.path, hint) if hint else self.made_of(target.path, given)
                        )
        if links.ops[number] & OP_MASK in (Op.NEW, Op.TYPED):
            return self.type_label(path, links.a[number])
        if links.ops[number] & OP_MASK != Op.CALL:
            return ""
        if told := self.rules_of(path).converting.get(self.label(path, links.a[number])):
            return told
        results = [v for v in self.evaluate(path, links.a[number]) if v.tag == FUNCTION]
        rows = [self.links(v.path).scopes[v.scope].result for v in results]
        if len(results) == 1:
            return self.type_label(results[0].path, rows[0])
        callee = self.label(path, links.a[number])
        return callee if callee[:1].isupper() and self.rules_of(path).bare_constructors else ""

    def made_of(self, path: str, number: int) -> str:
        """The name of the type of what a variable is given, where that is written out or made on the spot."""
        made = self.links(path).ops[number] & OP_MASK in (Op.CALL, Op.NEW)
        return self.static_label(path, number) if made else self.literal_type(path, number)

    def call_value(self, path: str, value: Value, arguments: tuple[int, ...]) -> Values:
        """What calling one value with these arguments gives."""
        if value.tag in (CALLABLE, TYPE_OF):
            return value.inside[0]
        if value.tag == CLASS:
            return self.constructed(path, value, arguments)
        if value.tag == FUNCTION:
            meaning = dict(pairs(value))
            if GIVEN in meaning:
                return meaning[GIVEN]
            result = self.result(value._replace(inside=()))
            if parameters_in(result) or self.parameters(value.path, value.scope):
                receivers = [v for p, values in meaning.items() if p.name == SELF_TYPE for v in values]
                for receiver in receivers:
                    self.learn_receiver(value, receiver, meaning)
                self.learn(path, value, arguments, meaning)
                for parameter in self.parameters(value.path, value.scope):
                    if parameter not in meaning and (default := self.default(parameter)):
                        meaning[parameter] = self.substitute(default, meaning)
            return self.substitute(result, meaning)
        return self.protocol(value, "__call__")

    def expected(self, path: str, callee: int, position: int) -> Values:
        """What a function's parameter takes, so what an argument without a type of its own is."""
        links = self.links(path)
        arguments = links.arguments.get(callee, ())
        values = self.concrete(self.evaluate(path, callee))
        if position == RECEIVER:
            return self.received(values)
        taken = [v.inside[position + 1 : position + 2] for v in values if v.tag == CALLABLE]
        found = [v for parts in taken for part in parts for v in part]
        run = {function: value for value in values for function in self.functions_of(path, value)}
        for function in self.agreeing(path, tuple(run), arguments):
            last = max(0, len(self.parameter_names(function)) - 1) if position == TRAILING else position
            declared = self.parameter_type(function, last)
            meaning = dict(pairs(function))
            if parameters_in(declared) or any(v.tag == FUNCTION for v in declared):
                self.learn(path, function, arguments, meaning, skip=position)
                self.learn_wanted(path, callee, run[function], function, meaning)
            found += self.substitute(declared, meaning)
        plain = self.plain(path, callee)
        if not found and links.ops[plain] & OP_MASK == Op.ARGUMENT:
            found += self.handed(path, self.plain(path, links.a[plain]), position)
        elif not found and self.label(path, callee) in self.rules_of(path).taking_methods:
            for owner in self.concrete(self.evaluate(path, links.a[plain])):
                if owner.tag != MAPPING or position:
                    found += elements(owner)
        return settled(found) or self.asked(path, callee, position) or self.handed_on(path, callee, position)

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

    def handed(self, path: str, callee: int, position: int) -> Values:
        """What a container's method gives to the function it is called with."""
        links = self.links(path)
        label = links.strings[links.b[callee]] if links.ops[callee] & OP_MASK == Op.ATTR else ""
        rules = self.rules_of(path)
        if label in (*rules.passing_methods, *rules.same_methods) and not position:
            return self.concrete(self.evaluate(path, links.a[callee]))
        if links.ops[callee] & OP_MASK == Op.CALL and self.label(path, links.a[callee]) in rules.table_calls:
            return self.tabled(path, links.lists[links.b[callee]], position)
        if self.label(path, callee) in rules.walking_calls and not self.is_own(path, callee):
            given = links.arguments.get(callee, ())
            return self.walked_over(path, given[min(position + 1, len(given) - 1)]) if given[1:] else ()
        if not label:
            return self.walked(path, callee) if not position else ()
        owners = self.concrete(self.evaluate(path, links.a[callee]))
        if owners and not position and all(o.tag == EXTERNAL for o in owners):
            return self.walked(path, callee)
        if label not in rules.callback_methods:
            holders = [o for o in owners if o.name == HOLDER] if not position else []
            return unique([v for o in holders for v in elements(o)])
        if rules.hands_entries and any(o.tag == MAPPING for o in owners):
            parts = [o.inside[1 - position] for o in owners if o.tag == MAPPING and position < _ENTRY]
            return unique([v for part in parts for v in part])
        if position != int(label.startswith("reduce")) and label not in rules.comparing_methods:
            return ()
        if rules.walker:
            return unique([v for o in owners for v in (elements(o) or self.walked_by(o, rules.walker))])
        return unique([v for o in owners for v in (elements(o) or ((o,) if o.tag == INSTANCE else ()))])

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
        if member:
            held = self.evaluate(path, arguments[0])
            raised = unique([v for h in held for v in (elements(h) or (h,)) if v.tag == CLASS])
            instances = tuple(v._replace(tag=INSTANCE) for v in raised)
            return (Value(RECORD, inside=(instances,), name=member),) if instances else ()
        return self.unwrapped(path, callee, arguments[0])

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

    def shape_of(self, path: str, callee: int) -> str:
        """What a foreign function makes of the type that it is told; nothing for other functions."""
        links = self.links(path)
        base = links.a[callee] if links.ops[callee] & OP_MASK == Op.INDEX else callee
        shape = self.rules_of(path).foreign_calls.get(self.label(path, base), "")
        return shape if shape and not self.is_own(path, base) else ""

    def held_by(self, path: str, callee: int, shape: str, arguments: tuple[int, ...]) -> Values:
        """What a foreign function gives that holds its first argument."""
        if shape == "reduced":
            return self.reduced(path, arguments)
        if self.links(path).ops[callee] & OP_MASK == Op.INDEX:
            return shaped(shape, self.annotation(path, self.arguments_of(path, callee)[-1]))
        given = self.evaluate(path, arguments[0]) if arguments else ()
        if shape == "takes":
            return given
        return shaped(shape, unique([w for v in given for w in (self.outcome(v) or (v,))]))

    def reduced(self, path: str, arguments: tuple[int, ...]) -> Values:
        """A state and what is given to change it, by the function that makes a state of both."""
        given = [v for argument in arguments[:2] for v in self.evaluate(path, argument)]
        reducers = [v for v in given if v.tag == FUNCTION]
        if not reducers:
            return shaped("state", tuple(given))
        first = reducers[0]
        state, change = self.parameter_type(first, 0) or self.outcome(first), self.parameter_type(first, 1)
        return (Value(TUPLE, inside=(state, shaped("takes", change))),)

    def asked(self, path: str, callee: int, position: int) -> Values:
        """What a foreign function takes that holds its first argument and is told its type."""
        callee = self.plain(path, callee)
        if position or self.links(path).ops[callee] & OP_MASK != Op.INDEX:
            return ()
        shape = self.shape_of(path, callee)
        if not shape:
            return self.filled_with(path, callee)
        told = self.annotation(path, self.arguments_of(path, callee)[-1])
        return shaped("takes", told) if shape == "takes" else told

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
        if label in rules.transparent:
            return shaped("takes", shaped("takes", first))
        return first if len(told) == 1 else ()

    def wrapped(self, path: str, callee: int) -> Values:
        """What a foreign function gives that is told its types: something like the first, or many of them."""
        base = self.links(path).a[callee]
        if self.is_own(path, base) or any(value.tag != EXTERNAL for value in self.evaluate(path, base)):
            return ()
        return self.foreign_type(path, self.arguments_of(path, callee))

    def container_call(self, path: str, owner: int, label: str, arguments: tuple[int, ...]) -> Values:
        """Methods of containers, which are declared nowhere in the project."""
        rules = self.rules_of(path)
        found: list[Value] = []
        values = self.concrete(self.evaluate(path, owner))
        inherited = [c for v in values if v.tag == INSTANCE for c in self.containers(v)]
        if rules.walker and not inherited:
            inherited = [sequence(e) for v in values if (e := self.walked_by(v, rules.walker))]
        for value in (*values, *inherited):
            if label in (*rules.mapping_methods, *rules.passing_methods) and arguments:
                given = [
                    v for f in self.evaluate(path, arguments[0]) if f.tag == FUNCTION for v in self.result(f)
                ]
                one = value.tag == INSTANCE or label in rules.passing_methods
                found += [sequence(unique(given))] if given and not one else given
            elif label in rules.same_methods:
                found.append(value)
            elif value.tag == MAPPING and label == "values":
                found.append(sequence(value.inside[0]))
            elif value.tag == MAPPING and label in ("items", "entries"):
                found.append(sequence((Value(TUPLE, inside=(value.inside[1], value.inside[0])),)))
            elif value.tag == MAPPING and label == "keys":
                found.append(sequence(value.inside[1]))
            elif value.tag == MAPPING and label in rules.entry_methods:
                found.append(Value(TUPLE, inside=(value.inside[1], value.inside[0])))
            elif value.tag in (SEQUENCE, MAPPING, TUPLE):
                if label in rules.element_methods:
                    found += value.inside[0] if value.tag == MAPPING else elements(value)
                elif label in rules.container_methods:
                    found.append(value)
                elif value.name == HOLDER:
                    found += (value, *elements(value))
        return unique(found)

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
        return tuple(dict.fromkeys(found))

    def keyword_of_instance(self, value: Value, name: str) -> Targets:
        """The parameter that calling an instance fills, else the field that is given by name."""
        call = self.member(value, "__call__") if self.rules_of(value.path).named_arguments else None
        if call is not None:
            return self.parameter(self.type_of(call), name)
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
        if not self.rules_of(member.path).field_decorators or self.declares_fields(self.lineage(owner)):
            return True
        links = self.links(member.path)
        bindings = links.names[member.scope][links.string_numbers[member.name]]
        return any(links.bindings[3][b] == Bind.VARIABLE and links.bindings[4][b] for b in bindings)

    def collected(self, constructor: Symbol, field: Symbol) -> bool:
        """Whether a constructor takes keywords for the fields of heirs: with types, or as it says itself."""
        links = self.links(field.path)
        bindings = links.names[field.scope][links.string_numbers[field.name]]
        given = [links.bindings[4][b] for b in bindings if links.bindings[3][b] == Bind.VARIABLE]
        above = self.lineage(Value(CLASS, field.path, field.scope))[1:]
        if not given or (constructor.path, constructor.scope) not in above:
            return False
        taken = any(given) and any(self.takes_keywords(function) for function in self.type_of(constructor))
        return taken or self.declares_fields(above)

    def declares_fields(self, lineage: Iterable[tuple[str, int]]) -> bool:
        """Whether one of these classes says that heirs declare fields for their constructor."""
        return any(
            self.labelled(path, scope, self.rules_of(path).field_decorators) for path, scope in lineage
        )

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
