"""Overloads: which of several functions of one name takes the arguments of a call."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final, NamedTuple

from cuedeck.code.facts import BIND_MASK, OP_MASK, REST, Bind, Op
from cuedeck.code.resolution.rules import Rules
from cuedeck.code.resolution.telling import Telling
from cuedeck.code.resolution.values import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    PARAMETER,
    Symbol,
    Value,
    Values,
    elements,
)

# How well an argument fits a parameter: its very type, or one that it becomes.
_AGREES: Final = 20
_WIDENS: Final = 10
# A function that gives something is taken by what wants that rather than by what wants nothing.
_PREFERRED: Final = 2
# Behind the name of a type: an array of it.
_MANY: Final = "[]"
# How a class declares a method that heirs are to write.
_WITHOUT_BODY: Final = 2


class Handed(NamedTuple):
    """A function that a call is given: how much it may take, whether it may give something or nothing."""

    takes: frozenset[int]
    gives: bool
    silent: bool
    surely: bool = True  # what it gives is known: it is preferred where something is wanted


class Fitting(Telling):
    """The part of the linker that chooses between overloads."""

    @abstractmethod
    def lineage(self, owner: Value) -> tuple[tuple[str, int], ...]:
        """A class, its extensions and its ancestors, nearest first."""

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
        if rules.functional_types and (handed := self.handed_function(path, argument)):
            return self.fit_function(handed, function, position)
        said = self.literal_type(path, argument) or self.static_label(path, argument)
        if label and label in (said, self.constant_owner(path, argument)):
            return _AGREES
        wider = rules.widening.get(said, ())
        if label in wider:
            return _WIDENS - wider.index(label)
        if label.endswith(_MANY) or said.endswith(_MANY):
            filled = said.endswith(_MANY) and self.fills_rest(path, argument, function, position)
            return _WIDENS if filled else self.fit_array(rules, label, said)
        declared = self.parameter_type(function, position)
        wanted = [v for v in self.concrete(declared) if v.tag == INSTANCE]
        given = [v for v in self.concrete(self.evaluate(path, argument)) if v.tag == INSTANCE]
        if wanted and given:
            ancestors = {place for v in given for place in self.lineage(v)}
            return _AGREES if any((v.path, v.scope) in ancestors for v in wanted) else -_AGREES
        if label in rules.any_types or (not wanted and any(is_parameter(v, label) for v in declared)):
            return 1
        if given and not wanted and label:
            return self.fit_foreign(given, label, rules)
        if given or (label and self.literal_type(path, argument)):
            return -_AGREES
        # A foreign type is no heir of a class of the project, and nothing is one of a final type.
        return -_AGREES if said and (wanted or label in rules.final_types) else 0

    def fills_rest(self, path: str, argument: int, function: Value, position: int) -> bool:
        """Whether an array holds heirs of what a function takes any number of."""
        if self.taken(function) >= 0 or position != len(self.parameter_names(function)) - 1:
            return False
        wanted = {v[1:3] for v in self.concrete(self.parameter_type(function, position)) if v.tag == INSTANCE}
        held = [v for array in self.evaluate(path, argument) for v in elements(array) if v.tag == INSTANCE]
        return any(place in wanted for value in held for place in self.lineage(value))

    def fit_foreign(self, given: list[Value], label: str, rules: Rules) -> int:
        """How well values of the project fit a foreign type: one that they name as a parent, or may have."""
        foreign = {name for value in given for name in self.foreign_parents(value)}
        if label in foreign:
            return _AGREES
        return 0 if foreign and label not in rules.final_types else -_AGREES

    def foreign_parents(self, value: Value) -> frozenset[str]:
        """The names of the parents of a class and its ancestors that are not the project's."""
        found: frozenset[str] = self.solve(("foreign", value.path, value.scope), self._foreign_parents, value)
        return found or frozenset()

    def _foreign_parents(self, value: Value) -> frozenset[str]:
        return frozenset(
            label
            for path, scope in self.lineage(value)
            for links in (self.links(path),)
            for base in links.lists[links.scopes[scope].bases]
            if not any(v.tag in (CLASS, INSTANCE) for v in self.evaluate(path, base))
            and (label := self.type_label(path, base))
        )

    def fit_array(self, rules: Rules, label: str, said: str) -> int:
        """The same where one of the two is an array; that of a plain type is nothing else."""
        if said == label + _MANY:
            return _WIDENS  # what takes the rest takes an array of it
        wanted, given = label.removesuffix(_MANY), said.removesuffix(_MANY)
        if not label or not said:
            return 0
        plain = {name for name in (wanted, given) if name in rules.final_types and name[0].islower()}
        if label in rules.any_types or (wanted in rules.any_types and given not in plain and given != said):
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
        if not results and callee.startswith(self.rules_of(path).factories or (" ",)):
            maker = links.a[self.plain(path, links.a[number])]
            owner = self.label(path, maker) if links.ops[maker] & OP_MASK == Op.NAME else ""
            return owner if owner[:1].isupper() else ""
        return callee if callee[:1].isupper() and self.rules_of(path).bare_constructors else ""

    def made_of(self, path: str, number: int) -> str:
        """The name of the type of what a variable is given, where that is written out or made on the spot."""
        made = self.links(path).ops[number] & OP_MASK in (Op.CALL, Op.NEW, Op.TYPED)
        return self.static_label(path, number) if made else self.literal_type(path, number)

    # -- functions as arguments

    def handed_function(self, path: str, argument: int) -> Handed | None:
        """What is known of an argument that is a function, written out or named."""
        links = self.links(path)
        if links.ops[argument] & OP_MASK != Op.FUNCTION:
            named = [v for v in self.evaluate(path, argument) if v.tag == FUNCTION]
            counts = [len(self.parameter_names(function)) for function in named]
            silent = [self.is_silent(function) for function in named]
            # Of a method that a class names, what it is called on comes first.
            taken = frozenset(count + more for count in counts for more in (0, 1))
            return Handed(taken, not all(silent), True, surely=False) if named else None
        taken = frozenset({len(self.parameter_names(Value(FUNCTION, path, links.a[argument])))})
        [value, *returned] = links.lists[links.scopes[links.a[argument]].returns] or (-1,)
        if value < 0 or returned:
            return Handed(taken, gives=bool(returned), silent=not returned)
        op = links.ops[value] & OP_MASK
        if op != Op.CALL:
            return Handed(taken, gives=True, silent=op in (Op.UNKNOWN, Op.NEW))
        called = [v for v in self.evaluate(path, links.a[value]) if v.tag == FUNCTION]
        chosen = self.chosen(path, tuple(called), links.lists[links.b[value]]) if called else ()
        silent = [self.is_silent(function) for function in chosen]
        return Handed(taken, not silent or not all(silent), True, surely=bool(silent) and not any(silent))

    def is_silent(self, function: Value) -> bool:
        """Whether a function of a language that says what its functions give says that it gives nothing."""
        return not self.links(function.path).scopes[function.scope].result

    def fit_function(self, handed: Handed, function: Value, position: int) -> int:
        """How well a function fits a parameter, of which only one with a single method takes any."""
        wanted = self.single_method(function, position)
        if wanted is None:
            return 0
        takes, gives = wanted
        if takes not in handed.takes or not (handed.gives if gives else handed.silent):
            return -_AGREES
        return _PREFERRED if gives and handed.surely else 0

    def single_method(self, function: Value, position: int) -> tuple[int, bool] | None:
        """How much the one method of a parameter's type takes, and whether it gives something.

        None where that is not known; of a type that takes no function less than nothing.
        """
        declared = self.parameter_type(function, position)
        label, rules = self.parameter_label(function, position), self.rules_of(function.path)
        if any(is_parameter(v, label) for v in declared) or label in rules.final_types | rules.any_types:
            return -1, False
        owners = [v for v in self.concrete(declared) if v.tag == INSTANCE]
        if not owners:
            return rules.functional_types.get(label)
        methods = self.unwritten(owners[0])
        if len(methods) != 1:
            # An heir of a foreign type may have a method from that.
            places = () if methods else self.lineage(owners[0])
            heir = any(self.links(path).scopes[scope].bases for path, scope in places)
            return None if heir else (-1, False)
        return len(self.parameter_names(methods[0])), not self.is_silent(methods[0])

    def unwritten(self, owner: Value) -> Values:
        """The methods that heirs of a class are to write."""
        found: dict[str, Value] = {}
        for path, scope in self.lineage(owner):
            links = self.links(path)
            for name, bindings in links.names[scope].items():
                for binding in bindings:
                    if links.bindings[3][binding] == Bind.FUNCTION:
                        written = links.bindings[5][binding] != _WITHOUT_BODY
                        method = Value(FUNCTION, path, links.bindings[4][binding])
                        found.setdefault(links.strings[name], Value(EXTERNAL) if written else method)
        return tuple(v for v in found.values() if v.tag == FUNCTION)


def is_parameter(declared: Value, label: str) -> bool:
    """Whether a type that is written so is a type parameter itself, not something made of one."""
    return declared.tag == PARAMETER and declared.name == label
