"""Narrowing: which of the values that an expression may have are left where a condition was passed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from cuedeck.code.facts import BIND_MASK, OP_MASK, REST, ROLE_SHIFT, TYPE_ROLES, Bind, Op, Role, ScopeKind
from cuedeck.code.resolution.generics import Meaning, pairs, parameters_in
from cuedeck.code.resolution.protocols import Protocols
from cuedeck.code.resolution.values import (
    CALLABLE,
    CALLED,
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    KEY,
    MAPPING,
    PARAMETER,
    SEQUENCE,
    TUPLE,
    Symbol,
    Value,
    Values,
    restricted,
    unique,
)

# The constants that a type allows: texts as written, members of enumerations as symbols.
Constants = frozenset[str | Symbol]

_CALLED: Final = (FUNCTION, CALLABLE, CLASS)
_HELD: Final = (INSTANCE, SEQUENCE, MAPPING, TUPLE)
_CONTAINERS: Final = (Op.SEQUENCE, Op.MAPPING, Op.TUPLE)
_FALSE: Final = frozenset({"false", "null", "undefined", "0", '"'})
_MAX_DEPTH: Final = 8
_MORE: Final = 4


class Narrowing(Protocols):
    """The part of the linker that knows what conditions say about values."""

    def narrow(self, path: str, number: int, tests: Iterable[int]) -> Values:
        """What an expression may be worth where these tests were passed."""
        links = self.links(path)
        values = self.concrete(self.evaluate(path, number))
        for test in tests:
            sign, _, rest = links.strings[links.b[test]].partition(" ")
            if sign == "+given":
                values = self.last_given(path, number, links.a[test]) or values
                continue
            values = self.passed(path, values, sign[0] == "+", sign[1:], rest, links.a[test])
        return values

    def meant_on(self, path: str, number: int) -> Values:
        """The values whose member is meant; of a language that casts when it must, those declared.

        A key that each type of an expected union has is the union's, whichever its constants choose.
        """
        links = self.links(path)
        on = links.a[number]
        if links.ops[on] & OP_MASK != Op.NARROWED:
            return self.spaces(path, number) or self.evaluate(path, on)
        name = links.strings[links.b[number]]
        if self.rules_of(path).casts_when_needed:
            declared = self.evaluate(path, links.a[on])
            if any(self.attribute_of(value, name) for value in self.concrete(declared)):
                return declared
        elif self.is_written(path, on):
            declared, kept = self.evaluate(path, links.a[on]), self.evaluate(path, on)
            if all(self.attribute_of(value, name) for value in self.concrete(declared) if value not in kept):
                return declared
        return self.spaces(path, number) or self.evaluate(path, on)

    def is_written(self, path: str, narrowed: int) -> bool:
        """Whether what is narrowed is expected of an object, by the constants that are written in it."""
        links = self.links(path)
        return any(links.strings[links.b[test]][:5] == "+set " for test in links.lists[links.b[narrowed]])

    def spaces(self, path: str, number: int) -> Values:
        """The namespace in front of a type, where a value or a class has its name too."""
        links = self.links(path)
        on = links.a[number]
        if links.ops[number] >> ROLE_SHIFT not in TYPE_ROLES or links.ops[on] & OP_MASK != Op.NAME:
            return ()
        found: list[Value] = []
        for target in self.targets(path, on) if self.rules_of(path).structural else ():
            if isinstance(target, Symbol):
                others = self.links(target.path)
                bindings = others.names[target.scope].get(others.string_numbers.get(target.name, -1), ())
                spaces = [b for b in bindings if others.bindings[3][b] == Bind.NAMESPACE]
                if len(spaces) < len(bindings):
                    found += [v for b in spaces for v in self.bound(target, b)]
        name = links.strings[links.b[number]]
        return unique([v for v in found if self.attribute_of(v, name)])

    def satisfying(self, path: str, values: Values, side: int) -> Values:
        """The values that several tests leave."""
        links = self.links(path)
        for test in links.lists[links.b[side]]:
            sign, _, rest = links.strings[links.b[test]].partition(" ")
            values = self.passed(path, values, sign[0] == "+", sign[1:], rest, links.a[test])
        return values

    def asserts(self, path: str, callee: int) -> bool:
        """Whether a function returns only if its first argument is true."""
        values = self.evaluate(path, callee)
        for function in values:
            if function.tag == FUNCTION:
                links = self.links(function.path)
                result = links.scopes[function.scope].result
                told = links.ops[result] & OP_MASK == Op.PREDICATE and not links.a[result]
                if told and links.strings[links.b[result]] == self.tested(function, "0"):
                    return True
        foreign = all(value.tag == EXTERNAL for value in values)
        return foreign and self.label(path, callee) in self.rules_of(path).asserting

    def last_given(self, path: str, member: int, value: int) -> Values:
        """What a member holds since it was given a value; of one that is computed that is not known.

        A container that is given to a declared member holds what the declaration says.
        """
        written = self.links(path).ops[value] & OP_MASK in _CONTAINERS
        for target in self.targets(path, member):
            if isinstance(target, Symbol):
                links = self.links(target.path)
                bindings = links.names[target.scope].get(links.string_numbers[target.name], ())
                if any(links.bindings[3][b] & BIND_MASK == Bind.FUNCTION for b in bindings):
                    return ()
                if written and any(links.bindings[4][b] for b in bindings):
                    return ()
                if any(v.tag == INSTANCE and self.member(v, "__set__") for v in self.type_of(target)):
                    return ()
        return self.concrete(self.evaluate(path, value))

    def passed(self, path: str, values: Values, holds: bool, word: str, key: str, operand: int) -> Values:
        """The values that one test leaves."""
        match word:
            case "equals" | "set":
                return self.equalling(path, values, holds, key, operand) if len(values) > 1 else values
            case "true":
                return self.holding(values, holds, key) if len(values) > 1 else values
            case "instanceof":
                classes = [v for v in self.evaluate(path, operand) if v.tag == CLASS]
                wanted = tuple(v._replace(tag=INSTANCE) for v in classes)
                return self.among(values, wanted, holds) if wanted else values
            case "predicate":
                return self.predicated(path, values, holds, key, operand)
            case "typeof":
                return of_type(values, holds, key)
            case "in":
                having = [v for v in values if v.tag == INSTANCE and self.member(v, key) is not None]
                kept = having if holds else [v for v in values if v not in having]
                return tuple(kept) or values
            case "either":
                links = self.links(path)
                sides = links.lists[links.b[operand]]
                return unique([v for side in sides for v in self.satisfying(path, values, side)])
            case "asserts":
                links = self.links(path)
                callee, side = links.lists[links.b[operand]]
                return self.satisfying(path, values, side) if self.asserts(path, callee) else values
            case "array":
                arrays = [v for v in values if v.tag in (SEQUENCE, TUPLE)]
                kept = arrays if holds else [v for v in values if v not in arrays]
                return tuple(kept) or values
        return values

    def utility(self, path: str, label: str, arguments: tuple[int, ...]) -> Values | None:
        """What a well-known type that is computed from others annotates."""
        rules = self.rules_of(path)
        if label in rules.results_of and arguments:
            given = self.annotation(path, arguments[0])
            return self.looked_up(given, (Value(KEY, name=CALLED),)) if given else ()
        if label in rules.taken_by and arguments:
            called = self.told(path, arguments[0])
            return unique([v for given in called for v in self.taken_together(path, given)])
        if len(arguments) != 2:
            return None
        if label in rules.merging:
            second = self.told(path, arguments[1])
            names = [name for value in second for name in self.member_names(value)]
            return (*restricted(self.told(path, arguments[0]), "-", names), *second)
        if label in rules.leaving_out or label in rules.keeping:
            names = sorted(self.key_names(path, arguments[1]))
            sign = "-" if label in rules.leaving_out else "+"
            values = self.told(path, arguments[0])
            return restricted(values, sign, names) if names else values
        return None

    def key_names(self, path: str, number: int, depth: int = 0) -> set[str]:
        """The names that a type of keys consists of: texts, or ``keyof T``."""
        links = self.links(path)
        op, a, b = links.ops[number] & OP_MASK, links.a[number], links.b[number]
        if depth > _MAX_DEPTH:
            return set()
        if op == Op.INDEX and links.ops[a] & OP_MASK == Op.LITERAL:
            whose = [v for of in links.lists[b] for v in self.told(path, of)]
            return {name for value in whose for name in self.member_names(value)}
        if op == Op.TYPED:
            return self.key_names(path, a, depth + 1)
        if op == Op.UNION and not a:
            return set().union(*(self.key_names(path, item, depth + 1) for item in links.lists[b]))
        constants = self.constants(path, number)
        if constants is None and op in (Op.NAME, Op.ATTR):
            return set().union(
                *(self.key_names(at, row, depth + 1) for at, row in self.named_as(path, number))
            )
        return {text[1:] for text in constants or () if isinstance(text, str) and text[:1] == '"'}

    def named_as(self, path: str, number: int) -> Iterator[tuple[str, int]]:
        """What a name for a type stands for, as it is written."""
        for target in self.targets(path, number):
            if isinstance(target, Symbol):
                links = self.links(target.path)
                for binding in links.names[target.scope].get(links.string_numbers.get(target.name, -1), ()):
                    if links.bindings[3][binding] == Bind.ALIAS and links.bindings[4][binding]:
                        yield target.path, links.bindings[4][binding]

    def told(self, path: str, number: int) -> Values:
        """What an annotation means; a conditional type is decided, if nothing in it is open."""
        values = self.annotation(path, number)
        return values if parameters_in(values) else self.revealed(values)

    def taken_together(self, path: str, value: Value) -> list[Value]:
        """What a function, or the constructor of a class, takes; a rest counts for a few arguments."""
        if value.tag == CALLABLE:
            return [Value(TUPLE, inside=value.inside[1:])]
        functions = self.functions_of(path, value)
        if not functions and value.tag == INSTANCE:
            functions = self.functions_of(path, value._replace(tag=CLASS))
        found = []
        for function in functions:
            names = self.parameter_names(function)
            rest = names and self.links(function.path).strings[names[-1][1]] == REST
            known = dict(pairs(function))
            taken = range(len(names) + (_MORE if rest else 0))
            parts = (self.substitute(self.parameter_type(function, at), known) for at in taken)
            found.append(Value(TUPLE, inside=tuple(parts)))
        return found

    def member_names(self, value: Value) -> list[str]:
        """The names of the members that a type declares itself."""
        if value.tag != INSTANCE:
            return []
        links = self.links(value.path)
        return [links.strings[name] for name in links.names[value.scope]]

    # -- classes

    def reaching(self, symbol: Symbol, use: tuple[str, int, int]) -> Values | None:
        """What a variable holds where it is used, that of a comprehension by the tests in this."""
        links, (path, _, number) = self.links(symbol.path), use
        home = links.scopes[symbol.scope]
        if home.kind != ScopeKind.BLOCK or not home.ended or path != symbol.path:
            return super().reaching(symbol, use)
        bindings = links.names[symbol.scope][links.string_numbers[symbol.name]]
        return self.proven(symbol, tuple(bindings), links.pos[number])

    def proven(self, symbol: Symbol, bindings: tuple[int, ...], place: int) -> Values:
        """What some bindings give a name, without what tests that have passed or failed exclude.

        A test binds its name to what it asks for, by a hint that is the value too. What the name is given
        behind a test was not tested; given between the test and where that holds, in a branch, it is what it
        was given or has been tested.
        """
        links = self.links(symbol.path)
        number = links.string_numbers[symbol.name]
        said = links.proven(symbol.scope, number, place)
        if not said:
            return self.held_at(symbol, bindings, place)
        places, _, hints, values = links.bindings[2:]
        bound = links.names[symbol.scope].get(number, ())
        tests = {places[b]: hints[b] for b in bound if hints[b] and hints[b] == values[b]}
        # In a comprehension the names are given behind what is collected, and only once.
        in_order = links.scopes[symbol.scope].kind != ScopeKind.BLOCK
        given = [places[b] for b in bound if in_order and places[b] not in tests]
        said = [
            (at, passed, start)
            for at, passed, start in said
            if at in tests
            and not any(min(at, place) < g < max(at, place) and not at < g < start for g in given)
        ]
        asked = {at for at, _, _ in said}
        tested = [b for b in bindings if places[b] not in asked]
        branch = [b for b in tested if any(at < places[b] < start for at, _, start in said)]
        if not all(self.bound(symbol, b) for b in branch):
            return self.held_at(symbol, bindings, place)
        base = tuple(b for b in tested if b not in branch)
        found = self.held_at(symbol, base, place) if base else ()
        brought = self.held_at(symbol, tuple(branch), place) if branch else ()
        for at, passed, _ in said:
            found = self.left_at(symbol.path, found, tests[at], passed)
            if brought and all(places[b] < at for b in branch):
                brought = self.left_at(symbol.path, brought, tests[at], passed)
        return unique([*found, *brought]) if branch else found

    def left_at(self, path: str, values: Values, test: int, passed: bool) -> Values:
        """What a test leaves of values: of a class, or by what their members are equal to."""
        links = self.links(path)
        if links.ops[test] & OP_MASK != Op.TEST:
            return self.left_by(values, self.annotation(path, test), passed)
        _, _, member = links.strings[links.b[test]].partition(" ")
        some = self.concrete(values)
        return self.equalling(path, some, passed, member, links.a[test]) if len(some) > 1 else values

    def held_at(self, symbol: Symbol, bindings: tuple[int, ...], place: int) -> Values:
        """What bindings give a name at a place: what it is declared as, or the heir of that it was given."""
        links = self.links(symbol.path)
        kinds, hints, values = links.bindings[3:]
        telling = tuple([b for b in bindings if hints[b] and hints[b] != values[b]])
        found = self.type_of_bindings(symbol, bindings)
        variables = [b for b in bindings if kinds[b] == Bind.VARIABLE and values[b]]
        if not telling or not variables:
            return found
        declared = self.type_of_bindings(symbol, telling)
        reached = links.standing(
            symbol.scope, bindings, place, lambda b: bool(self.bound(symbol, b)), declared=False
        )
        plain = frozenset().union(*(self.plain_types(symbol.path, hints[b]) for b in telling))
        held: list[Value] = []
        for binding in reached:
            if kinds[binding] != Bind.VARIABLE or hints[binding] == values[binding] != 0:
                held += self.bound(symbol, binding)
            elif values[binding]:
                given = self.evaluate(symbol.path, values[binding])
                if plain and not declared:
                    given = tuple(v for v in given if self.inherits(v, plain))
                held += self.assigned_as(given, declared) or declared
        return unique(held) or found

    def plain_types(self, path: str, hint: int) -> frozenset[str]:
        """The plain types that an annotation consists of; nothing if there is more to it."""
        links, rules = self.links(path), self.rules_of(path)
        op, label = links.ops[hint] & OP_MASK, self.label(path, hint)
        if label:
            return frozenset((label,)) & rules.plain_types
        optional = op == Op.INDEX and self.label(path, links.a[hint]) in ("Optional", "Union")
        items = (
            self.arguments_of(path, hint)
            if optional
            else links.lists[links.b[hint]]
            if op == Op.UNION
            else ()
        )
        parts = [self.plain_types(path, item) for item in items if item]
        return frozenset().union(*parts) if parts and all(parts) else frozenset()

    def inherits(self, value: Value, names: frozenset[str]) -> bool:
        """Whether a value's class, or an ancestor, names one of some foreign parents."""
        lineage = self.lineage(value) if value.tag == INSTANCE else ()
        return any(
            self.label(path, base) in names
            for path, scope in lineage
            for base in self.links(path).lists[self.links(path).scopes[scope].bases]
        )

    def assigned_as(self, values: Values, declared: Values) -> Values:
        """What values are that were given to what is declared: themselves, if they are heirs of that."""
        wanted = {value[:3]: value for value in declared if value.tag in (CLASS, INSTANCE)}
        places = {(value.path, value.scope) for value in wanted.values()}
        promised = any(self.is_protocol(value) for value in wanted.values())
        found: list[Value] = []
        for value in self.concrete(values):
            if value[:3] in wanted:
                found.append(wanted[value[:3]])
            elif all(known.tag == EXTERNAL for known in declared) or (
                value.tag in (CLASS, INSTANCE) and (promised or not places.isdisjoint(self.lineage(value)))
            ):
                found.append(value)
            else:
                found += declared
        return unique(found)

    def is_protocol(self, value: Value) -> bool:
        """Whether a class only says what members others have."""
        links = self.links(value.path)
        bases = links.lists[links.scopes[value.scope].bases]
        named = [links.a[b] if links.ops[b] & OP_MASK == Op.INDEX else b for b in bases]
        return any(self.label(value.path, base) == "Protocol" for base in named)

    def left_by(self, values: Values, wanted: Values, passed: bool) -> Values:
        """What is left of values where they are, or are not, of some classes."""
        if not wanted:
            return values
        values = self.concrete(values)
        places = {(v.path, v.scope) for v in wanted if v.tag == INSTANCE}
        fitting = [v for v in values if v.tag == INSTANCE and not places.isdisjoint(self.lineage(v))]
        if not passed:
            return tuple(v for v in values if v not in fitting)
        known = {(v.path, v.scope) for v in values if v.tag == INSTANCE}
        heirs = [v for v in wanted if v.tag == INSTANCE and not known.isdisjoint(self.lineage(v))]
        return unique([*fitting, *heirs]) or unique([*values, *wanted])

    def among(self, values: Values, wanted: Values, holds: bool) -> Values:
        """The values that are, or are not, of some classes; a class that is an heir is what is left of it."""
        places = {(v.path, v.scope) for v in wanted}
        fitting = [v for v in values if v.tag == INSTANCE and not places.isdisjoint(self.lineage(v))]
        if not holds:
            return tuple(v for v in values if v not in fitting)
        return tuple(fitting) or wanted

    def predicated(self, path: str, values: Values, holds: bool, key: str, operand: int) -> Values:
        """What a function that tells the type of its argument leaves; other functions leave everything."""
        for function in self.evaluate(path, operand):
            if function.tag != FUNCTION:
                continue
            links = self.links(function.path)
            result = links.scopes[function.scope].result
            if links.ops[result] & OP_MASK != Op.PREDICATE or not links.a[result]:
                continue
            if links.strings[links.b[result]] != self.tested(function, key):
                continue
            wanted = self.annotation(function.path, links.a[result])
            if holds and any(v.tag == PARAMETER for v in wanted):
                wanted = self.substitute(wanted, self.told_by_call(path, operand, function))
            if any(v.tag in (PARAMETER, EXTERNAL) for v in wanted):
                return values
            if not wanted and not holds:
                return values
            if self.is_joint(function.path, links.a[result]):
                # ``x is A & { b: B }``: what is left otherwise may be an A.
                return unique([*self.among(values, wanted, holds), *wanted]) if holds else values
            # ``this is Either<never, R>``: what is left otherwise may be of the same class.
            told = links.ops[links.a[result]] & OP_MASK == Op.INDEX
            return self.among(values, wanted, holds) or (values if told else ())
        return values

    def told_by_call(self, path: str, callee: int, function: Value) -> Meaning:
        """What a call that is a test says about its function's type parameters."""
        links, meaning = self.links(path), Meaning()
        for site in links.sites.get(links.b[callee]):
            if links.pos[site] == links.pos[callee] and site in links.arguments:
                self.learn(path, function, links.arguments[site], meaning)
        return meaning

    def is_joint(self, path: str, number: int, depth: int = 0) -> bool:
        """Whether a type is several at once, ``A & B``, maybe under a name."""
        links = self.links(path)
        op = links.ops[number] & OP_MASK
        if op == Op.UNION or depth > _MAX_DEPTH:
            return links.ops[number] >> ROLE_SHIFT == Role.EXTENDS
        if op in (Op.TYPED, Op.INDEX):
            return self.is_joint(path, links.a[number], depth + 1)
        named = self.targets(path, number) if op in (Op.NAME, Op.ATTR) else ()
        for target in named:
            if isinstance(target, Symbol):
                links = self.links(target.path)
                for binding in links.names[target.scope].get(links.string_numbers.get(target.name, -1), ()):
                    kind, hint = links.bindings[3][binding], links.bindings[4][binding]
                    if kind == Bind.ALIAS and self.is_joint(target.path, hint, depth + 1):
                        return True
        return False

    def tested(self, function: Value, key: str) -> str:
        """The name of the parameter at a position."""
        if key == "this":
            return key
        names = self.parameter_names(function)
        position = int(key)
        return self.links(function.path).strings[names[position][1]] if position < len(names) else ""

    # -- constants

    def equalling(self, path: str, values: Values, holds: bool, key: str, operand: int) -> Values:
        """The values whose member may, or need not, be one of some constants."""
        given = self.constants(path, operand)
        if given is None:
            return values
        kept = []
        for value in values:
            member = self.member(value, key) if value.tag == INSTANCE else None
            allowed = self.member_constants(member) if member is not None else None
            if allowed is not None and are_unlisted(given) != are_unlisted(allowed):
                allowed = None
            if allowed is None or (not given.isdisjoint(allowed) if holds else not allowed <= given):
                kept.append(value)
        return tuple(kept) or values

    def holding(self, values: Values, holds: bool, key: str) -> Values:
        """The values whose member may count as true, or as false."""
        kept = []
        for value in values:
            member = self.member(value, key) if value.tag == INSTANCE else None
            allowed = self.member_constants(member) if member is not None else None
            if (
                allowed is None
                or are_unlisted(allowed)
                or any((constant in _FALSE) != holds for constant in allowed)
            ):
                kept.append(value)
        return tuple(kept) or values

    def member_constants(self, symbol: Symbol) -> Constants | None:
        """The constants that a member may hold; nothing when it may hold anything else."""
        found: Constants | None = self.solve(("k", symbol), self._member_constants, symbol)
        return found or None

    def _member_constants(self, symbol: Symbol) -> Constants | None:
        links = self.links(symbol.path)
        found: Constants = frozenset()
        for binding in links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ()):
            hint = links.bindings[4][binding]
            if links.bindings[3][binding] & BIND_MASK != Bind.VARIABLE or not hint:
                return None
            allowed = self.constants(symbol.path, hint)
            if allowed is None:
                return None
            found |= allowed
        return found

    def constants(self, path: str, number: int, depth: int = 0) -> Constants | None:
        """The constants that a type or an expression consists of; nothing when there is more to it."""
        links = self.links(path)
        op, a, b = links.ops[number] & OP_MASK, links.a[number], links.b[number]
        if depth > _MAX_DEPTH:
            return None
        if op == Op.LITERAL:
            return frozenset((links.strings[b],)) if b else None
        if op in (Op.TYPED, Op.NARROWED):
            return self.constants(path, a, depth + 1)
        literal = op == Op.INDEX and self.label(path, a) in self.rules_of(path).literal_forms
        if op == Op.UNION or literal:
            items = self.arguments_of(path, number) if literal else links.lists[b]
            parts = [self.constants(path, item, depth + 1) for item in items]
            known = [part for part in parts if part is not None]
            return frozenset().union(*known) if known and len(known) == len(parts) else None
        if op in (Op.NAME, Op.ATTR):
            return self.named_constants(path, number, depth)
        return None

    def named_constants(self, path: str, number: int, depth: int) -> Constants | None:
        found: Constants = frozenset()
        targets = self.targets(path, number)
        if not targets:
            return self.unlisted_member(path, number)
        for target in targets:
            if not isinstance(target, Symbol):
                return None
            links = self.links(target.path)
            for binding in links.names[target.scope].get(links.string_numbers.get(target.name, -1), ()):
                kind, x, y = (column[binding] for column in links.bindings[3:])
                kind &= BIND_MASK
                named: Constants | None = None
                if kind == Bind.ALIAS and x:
                    named = self.constants(target.path, x, depth + 1)
                elif kind == Bind.VARIABLE and links.ops[y] & OP_MASK == Op.LITERAL:
                    named = self.constants(target.path, y, depth + 1)
                elif kind == Bind.VARIABLE:
                    named = frozenset((target,))
                elif kind == Bind.CLASS:
                    named = self.enumerated(target.path, x)
                if named is None:
                    return None
                found |= named
        return found or None

    def unlisted_member(self, path: str, number: int) -> Constants | None:
        """A member of a module's variable that nobody declares: ``Code.late``, if ``Code`` was computed."""
        links = self.links(path)
        owners = self.targets(path, links.a[number]) if links.ops[number] & OP_MASK == Op.ATTR else ()
        if len(owners) != 1 or not isinstance(owners[0], Symbol) or owners[0].scope:
            return None
        return frozenset((owners[0]._replace(name=f"{owners[0].name}.{links.strings[links.b[number]]}"),))

    def enumerated(self, path: str, scope: int) -> Constants | None:
        """The members of an enumeration, as the texts they are; nothing for any other class."""
        links = self.links(path)
        found: set[str | Symbol] = set()
        for name, bindings in links.names[scope].items():
            if any(links.bindings[3][b] != Bind.VARIABLE or links.bindings[4][b] for b in bindings):
                return None
            values = [links.bindings[5][b] for b in bindings]
            texts = [links.strings[links.b[y]] for y in values if links.ops[y] & OP_MASK == Op.LITERAL]
            found |= set(texts) or {Symbol(path, scope, links.strings[name])}
        return frozenset(found) or None


def are_unlisted(constants: Constants) -> bool:
    """Whether constants are members that nobody declares: only such are told apart by their names."""
    return all(isinstance(constant, Symbol) and "." in constant.name for constant in constants)


def of_type(values: Values, holds: bool, words: str) -> Values:
    """The values for which ``typeof`` gives one of these words, or none of them."""
    named = words.split("|")
    kept = []
    for value in values:
        if value.tag in _CALLED:
            fits = "function" in named
        elif value.tag in _HELD:
            fits = "object" in named
        else:
            kept.append(value)
            continue
        if fits == holds:
            kept.append(value)
    return unique(kept)
