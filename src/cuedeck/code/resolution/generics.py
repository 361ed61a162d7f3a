"""Type parameters: what they stand for where a generic type, function or class is used."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.facts import BIND_MASK, MAKES, OP_MASK, Bind, Op, ScopeKind
from cuedeck.code.resolution.values import (
    CALLABLE,
    CHOICE,
    CLASS,
    EVERY,
    FUNCTION,
    INSTANCE,
    KEY,
    LOOKUP,
    MAPPING,
    OPEN,
    PARAMETER,
    RECORD,
    SEQUENCE,
    SUPER,
    TUPLE,
    TYPE_OF,
    Symbol,
    Value,
    Values,
    classes_of,
    elements,
    unique,
)

if TYPE_CHECKING:
    from cuedeck.code.facts import Links
    from cuedeck.code.resolution.rules import Rules

# What type parameters stand for.
Meaning = dict[Value, Values]

SELF_TYPE: Final = "<self>"
_HOLDERS: Final = (CLASS, INSTANCE, FUNCTION, SUPER)
# What a type parameter has instead of a default that a comparison tells, or the key it is asked for by.
_TOLD: Final = (Op.TUPLE, Op.ATTR)
_CONTAINERS: Final = (SEQUENCE, MAPPING, TUPLE, CALLABLE, TYPE_OF, RECORD)
_GENERIC_BASES: Final = ("Generic", "Protocol")
_MAX_DEPTH: Final = 4
_MAX_VALUES: Final = 24
_MAX_WIDE: Final = 100
_MAX_WEIGHT: Final = 200
_MAX_MEANINGS: Final = 3
_MAX_MEMBERS: Final = 40


class Generics(ABC):
    """The part of the linker that knows type parameters; ``Typing`` supplies the values."""

    rules_of: Callable[[str], Rules]

    @abstractmethod
    def links(self, path: str) -> Links:
        """The links of a file."""

    @abstractmethod
    def solve(self, key: Any, compute: Callable[..., Any], *arguments: Any) -> Any:
        """Compute once, cutting cycles."""

    @abstractmethod
    def annotation(self, path: str, number: int) -> Values:
        """What a value annotated so may be."""

    @abstractmethod
    def evaluate(self, path: str, number: int) -> Values:
        """What an expression may be worth."""

    @abstractmethod
    def type_of(self, symbol: Symbol) -> Values:
        """What a symbol holds."""

    @abstractmethod
    def member(self, owner: Value, name: str, *, skip: int = 0) -> Symbol | None:
        """The member a class or its ancestors declare."""

    @abstractmethod
    def result(self, function: Value) -> Values:
        """What calling a function gives."""

    @abstractmethod
    def looked_up(self, owners: Values, keys: Values) -> Values:
        """What types hold under keys."""

    @abstractmethod
    def decided(self, value: Value) -> Values:
        """What a conditional type is."""

    @abstractmethod
    def alternatives(self, value: Value) -> Values:
        """Both types that a conditional type chooses from."""

    @abstractmethod
    def revealed(self, values: Values) -> Values:
        """Values with conditional types replaced by what they are."""

    @abstractmethod
    def parameter_type(self, function: Value, position: int, *, whole: bool = False) -> Values:
        """What the parameter at a position is declared to be."""

    @abstractmethod
    def parameter_names(self, function: Value) -> list[tuple[int, int]]:
        """The positional parameters of a function: their bindings and names."""

    # -- parameters

    def parameters(self, path: str, scope: int) -> Values:
        """The type parameters of a class, function or named type, in order."""
        found: Values = self.solve(("g", path, scope), self._parameters, path, scope)
        return found

    def _parameters(self, path: str, scope: int) -> Values:
        own = self.declared_parameters(path, scope)
        links = self.links(path)
        row = links.scopes[scope]
        if own or row.kind != ScopeKind.CLASS:
            return own
        found: list[Value] = []
        for base in links.lists[row.bases]:
            if links.ops[base] & OP_MASK == Op.INDEX:
                arguments = self.arguments_of(path, base)
                named = [v for a in arguments for v in parameters_in(self.annotation(path, a))]
                if self.label(path, links.a[base]) in _GENERIC_BASES:
                    return unique(named)
                found += named
        if not found and row.parent >= 0 and links.scopes[row.parent].kind == ScopeKind.BLOCK:
            # An object type has the parameters of the type that names it.
            return self.declared_parameters(path, row.parent)
        return unique(found)

    def declared_parameters(self, path: str, scope: int) -> Values:
        """The type parameters that a scope itself declares."""
        links = self.links(path)
        kinds, given = links.bindings[3], links.bindings[5]
        names = [
            (bindings[0], name)
            for name, bindings in links.names[scope].items()
            if all(kinds[b] == Bind.OPAQUE and links.ops[given[b]] & OP_MASK not in _TOLD for b in bindings)
        ]
        return tuple(Value(PARAMETER, path, scope, name=links.strings[name]) for _, name in sorted(names))

    def arguments_of(self, path: str, number: int) -> tuple[int, ...]:
        """The arguments of a generic type."""
        links = self.links(path)
        arguments = links.lists[links.b[number]]
        if len(arguments) == 1 and self.rules_of(path).tuple_arguments:
            [only] = arguments
            return links.lists[links.b[only]] if links.ops[only] & OP_MASK == Op.TUPLE else arguments
        return arguments

    def plain(self, path: str, number: int) -> int:
        """An expression without what is known or expected of it."""
        links = self.links(path)
        while links.ops[number] & OP_MASK in (Op.NARROWED, Op.WANTED):
            number = links.a[number]
        return number

    def label(self, path: str, number: int) -> str:
        """The last name of an expression, if it is one."""
        links, number = self.links(path), self.plain(path, number)
        return links.strings[links.b[number]] if links.ops[number] & OP_MASK in (Op.NAME, Op.ATTR) else ""

    def limits(self, parameter: Value) -> Values:
        """What a type parameter is bound by: what is known of it where nothing else is."""
        found: Values
        if parameter.tag == CHOICE:
            return self.concrete(self.decided(parameter))
        if parameter.tag == LOOKUP:
            owners, keys = map(self.concrete, parameter.inside)
            found = self.looked_up(owners, keys or (Value(KEY, name=EVERY),))
        elif parameter.inside:
            found = self._inferred(parameter, {p: self.concrete(v) for p, v in pairs(parameter)}, 0)
        else:
            found = self.solve(("u", parameter), self._limits, parameter)
        return tuple(v for v in found if v.tag not in OPEN)

    def _limits(self, parameter: Value) -> Values:
        if parameter.name == SELF_TYPE:
            return (Value(INSTANCE, parameter.path, parameter.scope),)
        links = self.links(parameter.path)
        number = links.string_numbers.get(parameter.name, -1)
        found: list[Value] = []
        for binding in links.names[parameter.scope].get(number, ()):
            kind, x, y = (column[binding] for column in links.bindings[3:])
            if kind & BIND_MASK == Bind.OPAQUE:
                found += self.evaluate(parameter.path, x or y)
            elif kind & BIND_MASK == Bind.VARIABLE and y:
                for limit in links.lists[links.b[y]][1:]:
                    found += self.annotation(parameter.path, limit)
        return unique(found)

    def bounds(self, value: Value) -> Values:
        """What is known of a type parameter, or of the class that it stands for."""
        return classes_of(self.concrete(value.inside[0])) if value.tag == TYPE_OF else self.limits(value)

    def concrete(self, values: Values) -> Values:
        """Values with type parameters replaced by what they are bound by."""
        if not any(v.tag in OPEN for v in values):
            return values
        return unique([w for v in values for w in (self.limits(v) if v.tag in OPEN else (v,))])

    # -- substitution

    def substitute(self, values: Values, meaning: Meaning, depth: int = 0) -> Values:
        """Values with type parameters replaced by what they stand for."""
        if not meaning or not values or depth > _MAX_DEPTH:
            return values
        if depth:
            return settled([w for v in values for w in self._substituted(v, meaning, depth)])
        key = ("s", values, tuple(meaning.items()))
        found: Values = self.solve(key, self._substitute, values, meaning)
        return found

    def _substitute(self, values: Values, meaning: Meaning) -> Values:
        return settled([w for v in values for w in self._substituted(v, meaning, 0)])

    def _substituted(self, value: Value, meaning: Meaning, depth: int) -> Values:
        if value.tag == PARAMETER:
            if value in meaning:
                return meaning[value]
            known = {p: self.substitute(v, meaning, depth + 1) for p, v in pairs(value)}
            return self._inferred(value, known or meaning, depth)
        if value.tag in _HOLDERS:
            known = {p: self.substitute(v, meaning, depth + 1) for p, v in pairs(value)}
            for parameter, standing in meaning.items():
                if parameter not in known and self.mentions(value, parameter):
                    known[parameter] = standing
            return (with_meaning(value, known),) if known else (value,)
        if value.tag == TYPE_OF:
            return classes_of(self.substitute(value.inside[0], meaning, depth + 1))
        if value.tag == CHOICE:
            known = {p: self.substitute(v, meaning, depth + 1) for p, v in pairs(value)}
            return (with_meaning(value, known),)
        if value.tag == LOOKUP:
            owners, keys = (self.substitute(part, meaning, depth + 1) for part in value.inside)
            return self.looked_up(owners, keys) if value.inside[1] else (value._replace(inside=(owners, ())),)
        if value.tag in _CONTAINERS:
            inside = tuple(self.substitute(part, meaning, depth + 1) for part in value.inside)
            return (value._replace(inside=inside),)
        return (value,)

    def _inferred(self, parameter: Value, meaning: Meaning, depth: int) -> Values:
        """What a parameter stands for that is inferred by comparing two types; later, if one is open yet."""
        links = self.links(parameter.path)
        number = links.string_numbers.get(parameter.name, -1)
        parameter = parameter._replace(inside=())
        found: Meaning = {}
        later: Meaning = {}
        for binding in links.names[parameter.scope].get(number, ()):
            compared = links.bindings[5][binding]
            kind = links.bindings[3][binding] & BIND_MASK
            if kind == Bind.OPAQUE and links.ops[compared] & OP_MASK == Op.TUPLE:
                given, pattern = links.lists[links.b[compared]]
                declared = self.annotation(parameter.path, given)
                actual = self.substitute(declared, meaning, depth + 1)
                self.unify(self.annotation(parameter.path, pattern), actual, found, depth + 1)
                if any(v.tag in OPEN for v in actual):
                    later |= {p: meaning[p] for p in parameters_in(declared) if p in meaning}
        return found.get(parameter) or (with_meaning(parameter, later),)

    def mentions(self, value: Value, parameter: Value) -> bool:
        """Whether what a value is made of may speak of a type parameter: it is declared around it."""
        if parameter.name == SELF_TYPE:
            return value.tag == FUNCTION
        scopes, scope = self.links(value.path).scopes, value.scope
        if value.path != parameter.path:
            # A type variable of a module may be imported by others.
            owner = scopes[scope].owner if value.tag == FUNCTION else scope
            return not parameter.scope and owner >= 0 and parameter in self.parameters(value.path, owner)
        if value.tag != FUNCTION and scopes[scope].kind == ScopeKind.CLASS:
            return parameter in self.parameters(value.path, scope) or self.anonymous_in(
                value, parameter.scope
            )
        while scope >= 0:
            if scope == parameter.scope:
                return True
            scope = scopes[scope].parent
        return False

    def anonymous_in(self, value: Value, around: int) -> bool:
        """Whether a class without a name stands inside a function or named type with parameters."""
        scopes = self.links(value.path).scopes
        scope = scopes[value.scope].parent
        while scope >= 0 and scopes[scope].kind in (ScopeKind.FUNCTION, ScopeKind.BLOCK, ScopeKind.CLASS):
            if scope == around:
                return True
            scope = scopes[scope].parent
        return False

    def apply(self, values: Values, arguments: list[Values]) -> Values:
        """Generic types with arguments given to them."""
        found: list[Value] = []
        # Type variables that a name for a type speaks of, in their order: ``Pairs = dict[K, list[V]]``.
        free = unique([p for p in parameters_in(values) if self.rules_of(p.path).type_variables])
        for value in values:
            wanted = self.parameters(value.path, value.scope) if value.tag in _HOLDERS else ()
            aliased = self.aliasing(value) or free
            if wanted and not value.inside and not aliased:
                found.append(with_meaning(value, self.assigned(wanted, arguments)))
            else:
                found += self.substitute((value,), self.assigned(aliased, arguments))
        return trimmed(unique(found))

    def assigned(self, parameters: Values, arguments: list[Values]) -> Meaning:
        """What parameters stand for when arguments are given to the first of them."""
        meaning = dict(zip(parameters, arguments, strict=False))
        for parameter in parameters[len(arguments) :]:
            default = self.default(parameter)
            if default:
                meaning[parameter] = self.substitute(default, meaning)
                continue
            limits: Values = self.solve(("u", parameter), self._limits, parameter)
            if parameters_in(limits):
                meaning[parameter] = self.substitute(limits, meaning)
        return meaning

    def default(self, parameter: Value) -> Values:
        """What a type parameter stands for where no argument is given to it."""
        links = self.links(parameter.path)
        number = links.string_numbers.get(parameter.name, -1)
        given = [links.bindings[5][b] for b in links.names[parameter.scope].get(number, ())]
        return unique([v for default in given for v in self.evaluate(parameter.path, default)])

    def completed(self, values: Values, name: str = "") -> Values:
        """What a name without type arguments means: parameters other than itself stand for their defaults."""
        found: list[Value] = []
        for value in values:
            bare = value.tag in _HOLDERS and not value.inside
            aliased = self.aliasing(value) if value.tag != PARAMETER or value.name != name else ()
            wanted = aliased or (self.parameters(value.path, value.scope) if bare else ())
            if not any(self.default(parameter) for parameter in wanted):
                found.append(value)
            elif aliased:
                found += self.substitute((value,), self.assigned(aliased, []))
            else:
                found.append(with_meaning(value, self.assigned(wanted, [])))
        return unique(found)

    def aliasing(self, value: Value) -> Values:
        """The parameters of the named type that a value is the meaning of."""
        named = [(v.path, v.scope) for v in parameters_in((value,))]
        if value.tag in _HOLDERS:
            links = self.links(value.path)
            around = links.scopes[value.scope].parent
            if value.tag == FUNCTION and links.scopes[around].kind == ScopeKind.CLASS:
                # ``type F<T> = { _(given: T): void }["_"]``: a method of an object type without a name.
                around = links.scopes[around].parent if around not in links.classes else -1
            named.append((value.path, around))
        for path, scope in named:
            scopes = self.links(path).scopes
            while scope >= 0 and scopes[scope].kind == ScopeKind.BLOCK:
                found = self.declared_parameters(path, scope)
                if found:
                    return found
                scope = scopes[scope].parent
        return ()

    # -- what a receiver says about its ancestors' parameters

    def meaning(self, receiver: Value, path: str, scope: int) -> Meaning:
        """What the parameters of a class mean for a receiver that inherits from it."""
        own = dict(pairs(receiver))
        if (receiver.path, receiver.scope) == (path, scope):
            if own:
                own[Value(PARAMETER, path, scope, name=SELF_TYPE)] = (receiver._replace(tag=INSTANCE),)
            return own
        inherited = self._ascend(receiver, path, scope, own, 0)
        known = dict(inherited) if inherited is not None else {}
        known[Value(PARAMETER, path, scope, name=SELF_TYPE)] = (receiver._replace(tag=INSTANCE),)
        return known

    def parents(self, path: str, base: int) -> Values:
        """What a class names as a parent; one with type arguments may be a name for something else."""
        if self.links(path).ops[base] & OP_MASK == Op.INDEX:
            return self.revealed(self.annotation(path, base) or self.evaluate(path, base))
        return self.revealed(self.completed(self.evaluate(path, base)))

    def _ascend(self, owner: Value, path: str, scope: int, own: Meaning, depth: int) -> Meaning | None:
        links = self.links(owner.path)
        for base in links.lists[links.scopes[owner.scope].bases]:
            for value in self.parents(owner.path, base):
                if value.tag not in (CLASS, INSTANCE):
                    continue
                known = {p: self.substitute(v, own) for p, v in pairs(value)}
                if (value.path, value.scope) == (path, scope):
                    return known
                if depth < _MAX_DEPTH:
                    above = self._ascend(value, path, scope, known, depth + 1)
                    if above is not None:
                        return above
        return None

    # -- inference

    def unify(self, declared: Values, actual: Values, meaning: Meaning, depth: int = 0) -> None:
        """Learn from a value what the parameters in its declared type stand for."""
        actual = self.revealed(actual)
        if not actual or depth > _MAX_DEPTH:
            return
        if len(declared) > 1:
            declared, actual = self._unify_alike(declared, actual, meaning, depth)
        for wanted in declared:
            if wanted.tag == PARAMETER:
                others = [v for v in actual if v != wanted]
                if others:
                    meaning[wanted] = settled([*meaning.get(wanted, ()), *others])
            elif wanted.tag in (*_CONTAINERS, *_HOLDERS):
                for given in actual:
                    self._unify_two(wanted, given, meaning, depth)
            elif wanted.tag == CHOICE:
                either = self.alternatives(wanted)
                self.unify(either, actual, meaning, depth + 1)
                for part in [v for v in either if v.tag == PARAMETER and v not in meaning]:
                    self.unify((part,), actual, meaning, depth + 1)

    def _unify_alike(
        self, declared: Values, actual: Values, meaning: Meaning, depth: int
    ) -> tuple[Values, Values]:
        """Of a union, what is the same or of the same class belongs together; what is left of both."""
        wanted = [v for v in declared if v not in actual]
        given = [v for v in actual if v not in declared]
        for one in [v for v in wanted if v.tag in _HOLDERS]:
            same = [v for v in given if v[:3] == one[:3]]
            for other in same:
                self._unify_two(one, other, meaning, depth)
            if same:
                wanted.remove(one)
                given = [v for v in given if v not in same]
        return tuple(wanted), tuple(given)

    def _unify_two(self, wanted: Value, given: Value, meaning: Meaning, depth: int) -> None:
        key = ("y", wanted, given, depth)
        for parameter, values in self.solve(key, self._told, wanted, given, depth + 1):
            meaning[parameter] = settled([*meaning.get(parameter, ()), *values])

    def _told(self, wanted: Value, given: Value, depth: int) -> tuple[tuple[Value, Values], ...]:
        """What one value says about the parameters in one declared type."""
        found: Meaning = {}
        self._unify_one(wanted, given, found, depth)
        return tuple(found.items())

    def _unify_one(self, wanted: Value, given: Value, meaning: Meaning, depth: int) -> None:
        if wanted.tag == SEQUENCE:
            self.unify(wanted.inside[0], elements(given), meaning, depth)
        elif wanted.tag in (MAPPING, TUPLE, RECORD) and given.tag == wanted.tag:
            for part, other in zip(wanted.inside, given.inside, strict=False):
                self.unify(part, other, meaning, depth)
        elif wanted.tag == MAPPING and given.tag == INSTANCE and wanted.inside[1]:
            self.unify(wanted.inside[0], self.looked_up((given,), wanted.inside[1]), meaning, depth)
        elif wanted.tag == TYPE_OF and given.tag == CLASS:
            self.unify(wanted.inside[0], (given._replace(tag=INSTANCE),), meaning, depth)
        elif wanted.tag in (CALLABLE, FUNCTION):
            result = wanted.inside[0] if wanted.tag == CALLABLE else self.meant_result(wanted)
            if parameters_in(result):
                self.unify(result, self.outcome(given), meaning, depth)
            if wanted.tag == FUNCTION == given.tag:
                self._unify_taken(wanted, given, meaning, depth)
        elif wanted.tag == INSTANCE and given.tag == INSTANCE:
            self._unify_classes(wanted, given, meaning, depth)
        elif wanted.tag == INSTANCE and given.tag == CLASS and (made := self.member(wanted, MAKES)):
            known = dict(pairs(wanted))
            for function in self.type_of(made):
                self.unify(self.substitute(self.result(function), known), self.outcome(given), meaning, depth)

    def _unify_taken(self, wanted: Value, given: Value, meaning: Meaning, depth: int) -> None:
        """What a function says that it takes tells what it is to be given."""
        links = self.links(given.path)
        for position, (binding, _) in enumerate(self.parameter_names(given)):
            if links.bindings[4][binding]:
                declared = self.substitute(self.parameter_type(wanted, position), dict(pairs(wanted)))
                taken = self.substitute(self.parameter_type(given, position), dict(pairs(given)))
                self.unify(declared, taken, meaning, depth)

    def outcome(self, given: Value) -> Values:
        """What calling a value gives, as far as it needs no arguments."""
        if given.tag == CLASS:
            return (given._replace(tag=INSTANCE),)
        if given.tag == CALLABLE:
            return given.inside[0]
        return self.meant_result(given) if given.tag == FUNCTION else ()

    def meant_result(self, function: Value) -> Values:
        """A function's result with what is known of its type parameters."""
        return self.substitute(self.result(function._replace(inside=())), dict(pairs(function)))

    def _unify_classes(self, wanted: Value, given: Value, meaning: Meaning, depth: int) -> None:
        asked = dict(pairs(wanted))
        if not any(parameters_in(values) for values in asked.values()):
            if wanted.scope not in self.links(wanted.path).classes:
                self._unify_members(wanted, given, asked, meaning, depth)
            return
        if given.path == wanted.path and given.scope == wanted.scope:
            known: Meaning | None = dict(pairs(given))
        else:
            known = self._ascend(given, wanted.path, wanted.scope, dict(pairs(given)), 0)
        if known is None:
            self._unify_members(wanted, given, asked, meaning, depth)
            return
        for parameter, values in asked.items():
            self.unify(values, known.get(parameter, ()), meaning, depth)

    def _unify_members(
        self, wanted: Value, given: Value, asked: Meaning, meaning: Meaning, depth: int
    ) -> None:
        """A value without a declared class fits a type by its members."""
        links, others = self.links(wanted.path), self.links(given.path)
        if not self.rules_of(wanted.path).structural:
            return
        for number in list(links.names[wanted.scope])[:_MAX_MEMBERS]:
            name = links.strings[number]
            if others.string_numbers.get(name, -1) in others.names[given.scope]:
                declared = self.substitute(self.type_of(Symbol(wanted.path, wanted.scope, name)), asked)
                if parameters_in(declared) or any(v.tag == FUNCTION for v in declared):
                    actual = self.type_of(Symbol(given.path, given.scope, name))
                    known = self.substitute(actual, dict(pairs(given)))
                    self.unify(declared, known, meaning, depth + 1)


def settled(values: list[Value], most: int = _MAX_VALUES) -> Values:
    """The values, each once; of a class that has many meanings of its parameters only the class."""
    found = unique(values)
    if len(found) <= _MAX_MEANINGS:
        return found
    often = Counter(value[:3] for value in found)
    kept = [
        value._replace(inside=()) if value.tag in _HOLDERS and often[value[:3]] > _MAX_MEANINGS else value
        for value in found
    ]
    left = unique(kept)
    # Types of a wide union are each of another class.
    is_wide = len(left) > most and len({value[:3] for value in left}) == len(left)
    return left[: _MAX_WIDE if is_wide else most]


def pairs(value: Value) -> Iterable[tuple[Value, Values]]:
    """Each type parameter of a value with what it stands for."""
    inside = value.inside
    return ((inside[at][0], inside[at + 1]) for at in range(0, len(inside), 2))


def with_meaning(value: Value, meaning: Meaning) -> Value:
    """The value with what its type parameters stand for."""
    inside: list[Values] = []
    for parameter, values in meaning.items():
        inside += ((parameter,), trimmed(values))
    return value._replace(inside=tuple(inside))


def trimmed(values: Values) -> Values:
    """Values without what is too deep inside them: types that hold types may grow at every step."""
    layer: Sequence[Value] = values
    weight, levels = len(values), 0
    while levels < _MAX_DEPTH:
        layer = [inner for value in layer for part in value.inside for inner in part]
        weight += len(layer)
        if weight > _MAX_WEIGHT:
            return _cut(values, levels)
        levels += 1
    return _cut(values, levels) if any(value.inside for value in layer) else values


def _cut(values: Values, levels: int) -> Values:
    return tuple([_shallow(value, levels) if value.inside else value for value in values])


def _shallow(value: Value, levels: int) -> Value:
    if value.tag not in (*_HOLDERS, PARAMETER, CHOICE):
        inside = [_cut(part, levels - 1) if levels else () for part in value.inside]
    elif levels:
        inside = [_cut(part, levels - 1) if at % 2 else part for at, part in enumerate(value.inside)]
    else:
        inside = []
    return value._replace(inside=tuple(inside))


def parameters_in(values: Values, depth: int = 0) -> list[Value]:
    """The type parameters that values speak of, in the order in which types are written."""
    found: list[Value] = []
    for value in values:
        if value.tag == PARAMETER and not value.inside:
            found.append(value)
        elif value.inside and depth < _MAX_DEPTH:
            parts = value.inside[1::2] if value.tag in (*_HOLDERS, PARAMETER, CHOICE) else value.inside
            for part in (*parts[1:], *parts[:1]) if value.tag in (MAPPING, CALLABLE) else parts:
                found += parameters_in(part, depth + 1)
    return found
