"""Results: what functions take and give, which of overloads, and what is of the class they are called on."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection

from cuedeck.code.facts import (
    BIND_MASK,
    MAKES,
    MANY,
    OP_MASK,
    REST,
    ROLE_SHIFT,
    TRAILING,
    TYPE_BINDS,
    Bind,
    Op,
    Role,
    ScopeKind,
)
from cuedeck.code.facts import INSTANCE as OF_INSTANCES
from cuedeck.code.resolution.generics import SELF_TYPE, Meaning, pairs, parameters_in, with_meaning
from cuedeck.code.resolution.types import Typing
from cuedeck.code.resolution.values import (
    CALLABLE,
    CLASS,
    FUNCTION,
    GIVEN,
    INSTANCE,
    LABELLED,
    PARAMETER,
    SEQUENCE,
    SUPER,
    TUPLE,
    Symbol,
    Targets,
    Value,
    Values,
    rest_part,
    sequence,
    unique,
)

_SAME = (Op.AWAIT, Op.WANTED, Op.NARROWED)
_PASSED_ON = 2
_MAX_TRAILING = 8


class Results(Typing):
    """The part of the linker that reads what functions return."""

    def functions_of(self, path: str, value: Value) -> list[Value]:
        """The functions that calling a value runs."""
        if value.tag in (CLASS, SUPER):
            skip = int(value.tag == SUPER)
            made = [m for c in self.rules_of(path).constructors if (m := self.member(value, c, skip=skip))]
            functions = [f for m in made[:1] for f in self.type_of(m)] or self.class_constructors(value)
            if skip and made:
                meaning = self.meaning(value, made[0].path, made[0].scope)
                functions = list(self.substitute(tuple(functions), meaning))
        elif value.tag == INSTANCE:
            call = self.member(value, "__call__") or self.member(value, MAKES)
            functions = list(self.substitute(self.type_of(call), dict(pairs(value)))) if call else []
            if call is None and self.rules_of(path).reads_classes_as_instances:
                return self.functions_of(path, value._replace(tag=CLASS))
            if not call and self.rules_of(value.path).functional_types:
                functions = self.stood_for(value)
        else:
            functions = [value]
        return [function for function in functions if function.tag == FUNCTION]

    def stood_for(self, value: Value) -> list[Value]:
        """The one method that a function stands for which is given as a value of a type."""
        methods = self.unwritten(value)
        if len(methods) != 1:
            return []
        [method] = methods
        owner = self.links(method.path).scopes[method.scope].parent
        return list(self.substitute(methods, self.meaning(value, method.path, owner)))

    @abstractmethod
    def unwritten(self, owner: Value) -> Values:
        """The methods that heirs of a class are to write."""

    def parameter_type(self, function: Value, position: int, *, whole: bool = False) -> Values:
        """What the parameter at a position is declared to be; the last may take the rest."""
        links = self.links(function.path)
        names = self.parameter_names(function)
        last = len(names) - 1
        rest = last >= 0 and position >= last and links.strings[names[last][1]] == REST
        if position > last and not rest:
            return ()
        binding, name = names[min(position, last)]
        declared = self.bound(Symbol(function.path, function.scope, links.strings[name]), binding)
        if not rest or whole:
            return declared
        return unique([v for d in self.concrete(declared) for v in rest_part(d, position - last)])

    def parameter_names(self, function: Value) -> list[tuple[int, int]]:
        """The positional parameters of a function: their bindings and names, without the receiver."""
        links = self.links(function.path)
        receiver = links.scopes[function.scope].receiver
        return sorted(
            (binding, name)
            for name, bindings in links.names[function.scope].items()
            for binding in bindings
            if links.bindings[3][binding] == Bind.PARAMETER and (name != receiver or not receiver)
        )

    def place_of(self, path: str, function: Value, position: int) -> int:
        """The parameter that an argument fills, by its label or its place, or -1."""
        if position > TRAILING + 1:
            return self.labelled_place(function, self.links(path).strings[position - LABELLED])
        further = TRAILING - position
        if not 0 <= further <= _MAX_TRAILING:
            return position
        count = len(self.parameter_names(function))
        if self.rules_of(path).labelled_arguments:
            places = [at for at in range(count) if self.takes_function(function, at)]
            if further < len(places):
                return places[-1 - further]
        return max(0, count - 1 - further)

    def takes_function(self, function: Value, place: int) -> bool:
        """Whether a parameter takes a function."""
        return any(v.tag in (FUNCTION, CALLABLE) for v in self.concrete(self.parameter_type(function, place)))

    def labelled_place(self, function: Value, label: str) -> int:
        """Which parameter has a label."""
        links = self.links(function.path)
        for at, (binding, name) in enumerate(self.parameter_names(function)):
            called = links.bindings[5][binding]
            own = links.b[called] if links.ops[called] & OP_MASK == Op.LITERAL else name
            if links.strings[own] == label:
                return at
        return -1

    def fields_filled(self, path: str, values: Values, position: int) -> Values:
        """What the field holds that a class without a constructor is given by its label."""
        label, found = self.links(path).strings[position - LABELLED], list[Value]()
        for value in values:
            field = self.member(value, label) if value.tag == CLASS else None
            if field is not None and not self.functions_of(path, value):
                found += self.substitute(self.type_of(field), self.meaning(value, field.path, field.scope))
        return unique(found)

    def type_beside(self, path: str, scope: int, name: str, found: Targets) -> Targets:
        """What a name means in a type, where a member of a class around has it too."""
        found = self.rules_of(path).as_types(path, name, found)
        if not self.rules_of(path).types_beside_members:
            return found
        links = self.links(path)
        number, kinds = links.string_numbers.get(name, -1), links.bindings[3]
        for target in found:
            if not isinstance(target, Symbol) or target.path != path:
                return found
            bindings = links.names[target.scope].get(number, ())
            types = any(kinds[b] in (*TYPE_BINDS, Bind.OPAQUE) for b in bindings)
            if types or links.scopes[target.scope].kind != ScopeKind.CLASS:
                return found
        while scope >= 0 and links.scopes[scope].kind != ScopeKind.CLASS:
            scope = links.scopes[scope].parent
        outside = links.scopes[scope].parent if scope >= 0 else -1
        return self.name(path, outside, name) if outside >= 0 else ()

    def by_now(self, path: str, number: int, found: Targets) -> Targets:
        """What a name means in a class's body: not what the body, or only a method, gives it later."""
        links = self.links(path)
        scope, name, place = links.a[number], links.b[number], links.pos[number]
        bindings = links.names[scope].get(name, ())
        if not bindings or any(
            links.bindings[2][b] <= place and not links.bindings[3][b] & OF_INSTANCES for b in bindings
        ):
            return found
        outside = self.name(path, links.scopes[scope].parent, links.strings[name])
        # What only instances hold is no name of the body, where it may be one of the language's own.
        return outside or (() if all(links.bindings[3][b] & OF_INSTANCES for b in bindings) else found)

    def declared_before(self, path: str, number: int, found: Targets) -> Targets:
        """What a name means where a function declares a variable of that name further down only."""
        links = self.links(path)
        name, place = links.b[number], links.pos[number]
        while len(found) == 1 and isinstance(found[0], Symbol) and found[0].path == path:
            scope = found[0].scope
            inside = links.scopes[scope].kind in (ScopeKind.FUNCTION, ScopeKind.BLOCK)
            bindings = links.names[scope].get(name, ()) if inside else ()
            if not bindings or any(
                links.bindings[2][b] <= place or links.bindings[3][b] != Bind.VARIABLE for b in bindings
            ):
                break
            found = self.name(path, links.scopes[scope].parent, links.strings[name])
        return found

    def learn(
        self, path: str, function: Value, arguments: tuple[int, ...], meaning: Meaning, skip: int = -1
    ) -> None:
        several = len(arguments) == 1 and self.rules_of(path).results_fill_parameters
        if not several or not self.learn_from_results(path, function, arguments[0], meaning):
            super().learn(path, function, arguments, meaning, skip)
        if self.rules_of(function.path).structural:
            self.learn_rest(path, function, arguments, meaning)

    def learn_rest(self, path: str, function: Value, arguments: tuple[int, ...], meaning: Meaning) -> None:
        """A type parameter that takes all further arguments, ``...given: T``, stands for a tuple of them."""
        last = len(self.parameter_names(function)) - 1
        if last < 0 or self.taken(function) >= 0:
            return
        declared = self.parameter_type(function, last, whole=True)
        if len(declared) == 1 and declared[0].tag == PARAMETER and not meaning.get(declared[0]):
            parts = tuple(self.evaluate(path, a) or self.keys(path, a) for a in arguments[last:])
            if any(parts):
                meaning[declared[0]] = (Value(TUPLE, inside=parts),)

    def learn_from_results(self, path: str, function: Value, argument: int, meaning: Meaning) -> bool:
        """Learn from the one argument that fills several parameters, if it does: ``f(g())``."""
        if len(self.parameter_names(function)) < 2:
            return False
        given = [v for v in self.evaluate(path, argument) if v.tag == TUPLE]
        for value in given:
            for position, part in enumerate(value.inside):
                self.unify(self.substitute(self.parameter_type(function, position), meaning), part, meaning)
        return bool(given)

    def class_constructors(self, value: Value) -> list[Value]:
        """The functions of a class that are named like it, where those make its instances."""
        if not self.rules_of(value.path).class_constructors or value.tag != CLASS:
            return []
        links = self.links(value.path)
        bindings = links.names[value.scope].get(links.classes.get(value.scope, -1), ())
        made = [
            Value(FUNCTION, value.path, links.bindings[4][binding])
            for binding in bindings
            if links.bindings[3][binding] == Bind.FUNCTION
        ]
        return list(self.substitute(tuple(made), dict(pairs(value))))

    def _type_of(self, symbol: Symbol) -> Values:
        """What a symbol holds by its own file, and by what another says of it; a class is one for both."""
        own = super()._type_of(symbol)
        told = [v for each in self.rules_of(symbol.path).told_beside(symbol) for v in self.type_of(each)]
        return unique([*own, *(v for v in told if v.tag != CLASS)]) if told else own

    def result(self, function: Value) -> Values:
        """What calling a function gives."""
        found: Values = self.solve(("r", function.path, function.scope), self._result, function)
        return found

    def meant_result(self, function: Value) -> Values:
        """A function's result as its decorators and its receiver say."""
        return dict(pairs(function)).get(GIVEN) or super().meant_result(function)

    def _result(self, function: Value) -> Values:
        links = self.links(function.path)
        row = links.scopes[function.scope]
        if row.result:
            return self.annotation(function.path, row.result)
        return unique([v for e in links.lists[row.returns] for v in self.returned(function, e)])

    def guarded(self, path: str, callee: int) -> Values:
        """What a function says of its first argument where it gives true."""
        found: list[Value] = []
        for function in self.evaluate(path, callee):
            if function.tag != FUNCTION:
                continue
            links, guards = self.links(function.path), self.rules_of(function.path).guards
            result = links.scopes[function.scope].result
            is_generic = links.ops[result] & OP_MASK == Op.INDEX
            if is_generic and self.label(function.path, links.a[result]) in guards:
                for told in self.arguments_of(function.path, result)[:1]:
                    found += self.annotation(function.path, told)
        return unique(found)

    def delegated(self, path: str, number: int) -> Values:
        """What handing on all that a generator yields gives: what that gives at its end."""
        links = self.links(path)
        if links.ops[number] & OP_MASK != Op.CALL:
            return ()
        found: list[Value] = []
        for function in self.evaluate(path, links.a[number]):
            if function.tag == FUNCTION:
                ending = self.ending(function)
                given = self.meant_result(function) if ending is None else ending
                found += [v for v in self.waited_for(given) if v.tag != SEQUENCE]
        return unique(found)

    def ending(self, function: Value) -> Values | None:
        """What a generator gives at its end by its annotation, if that is one of a generator."""
        links, rules = self.links(function.path), self.rules_of(function.path)
        result = links.scopes[function.scope].result
        is_generic = links.ops[result] & OP_MASK == Op.INDEX
        if not is_generic or self.label(function.path, links.a[result]) not in rules.generators:
            return None
        told = self.arguments_of(function.path, result)[2:3]
        given = unique([v for each in told for v in self.annotation(function.path, each)])
        return self.substitute(given, dict(pairs(function)))

    def returned(self, function: Value, number: int) -> Values:
        """What one returned expression gives: of the receiver's class, not of the one around the function."""
        path = function.path
        links = self.links(path)
        receiver = links.scopes[function.scope].receiver
        if not receiver and not self.rules_of(path).heirs_give_themselves:
            return self.evaluate(path, number)
        op = links.ops[number] & OP_MASK
        if op == Op.UNION and links.ops[number] >> ROLE_SHIFT != Role.WRITE:
            return unique([v for part in links.lists[links.b[number]] for v in self.returned(function, part)])
        if op == Op.SEQUENCE:
            inside = self.returned(function, links.a[number])
            return (sequence(inside),) if inside else ()
        values = self.evaluate(path, number)
        owner = Value(INSTANCE, path, links.scopes[function.scope].owner)
        # What it was made from does not matter: heirs are made from something else.
        own = [value for value in values if value[:3] == owner[:3]]
        if not own:
            return values
        receivers = Value(PARAMETER, path, owner.scope, name=SELF_TYPE)
        if self.is_receivers(function, number):
            return unique([receivers if value in own else value for value in values])
        may_be = op == Op.NAME and self.may_be_receivers(function, number)
        return unique([receivers, *values]) if may_be else values

    def is_receivers(self, function: Value, number: int) -> bool:
        """Whether an expression is a function's receiver, or another instance of the receiver's class."""
        key = ("o", function.path, function.scope, number)
        return bool(self.solve(key, self._is_receivers, function, number))

    def _is_receivers(self, function: Value, number: int) -> bool:
        links = self.links(function.path)
        op, a, b = links.ops[number] & OP_MASK, links.a[number], links.b[number]
        if op in _SAME:
            return self.is_receivers(function, a)
        if op == Op.SELF:
            return self.rules_of(function.path).heirs_give_themselves
        if op == Op.UNION:
            return all(self.is_receivers(function, part) for part in links.lists[b])
        if op == Op.NAME:
            values = self.giving(function.path, tuple(links.names[function.scope].get(b, ())))
            return bool(values) and all(self.gives_receiver(function, n) for n in values)
        if op == Op.ATTR and (self.is_receivers_class(function, a) or self.is_receivers(function, a)):
            return self.keeps_receiver(function, links.strings[b])
        return op == Op.CALL and self.gives_receivers(function, a, links.lists[b])

    def giving(self, path: str, bindings: tuple[int, ...]) -> list[int]:
        """Of a name's bindings those that give it a value, as a test such as ``isinstance`` does not."""
        kinds, hints, given = self.links(path).bindings[3:]
        return [n for n in bindings if kinds[n] != Bind.VARIABLE or hints[n] != given[n] or not hints[n]]

    def gives_receiver(self, function: Value, binding: int) -> bool:
        """Whether a name is given a function's receiver, or another instance of the receiver's class."""
        kind, hint, given = (column[binding] for column in self.links(function.path).bindings[3:])
        if kind == Bind.SELF:
            return not given
        return kind == Bind.VARIABLE and not hint and self.is_receivers(function, given)

    def may_be_receivers(self, function: Value, number: int) -> bool:
        """Whether one of the values that a name may have where it stands is of the receiver's class."""
        links = self.links(function.path)
        bindings = tuple(links.names[function.scope].get(links.b[number], ()))
        if len(bindings) < 2:
            return False
        standing = links.standing(function.scope, bindings, links.pos[number], lambda _: True)
        return any(self.gives_receiver(function, n) for n in self.giving(function.path, standing))

    def keeps_receiver(self, function: Value, name: str) -> bool:
        """Whether a class only ever keeps an instance of its receiver under a name: ``cls.one = cls()``."""
        links = self.links(function.path)
        bindings = links.names[links.scopes[function.scope].owner].get(links.string_numbers[name], ())
        kinds, hints, given = links.bindings[3:]
        if any(kinds[n] & BIND_MASK != Bind.VARIABLE or hints[n] for n in bindings):
            return False
        values = [given[n] for n in bindings if given[n]]
        return bool(values) and all(
            self.is_receivers(Value(FUNCTION, function.path, self.function_around(function.path, v)), v)
            for v in values
        )

    def function_around(self, path: str, number: int) -> int:
        """The scope of the function, or of what else is no block, whose code an expression begins in."""
        links = self.links(path)
        while links.ops[number] & OP_MASK in (Op.ATTR, Op.CALL, *_SAME):
            number = links.a[number]
        scope = links.a[number] if links.ops[number] & OP_MASK == Op.NAME else 0
        while links.scopes[scope].kind == ScopeKind.BLOCK:
            scope = links.scopes[scope].parent
        return scope

    def gives_receivers(self, function: Value, callee: int, arguments: tuple[int, ...]) -> bool:
        """Whether a call makes an instance of the receiver's class, or gives what it is called on."""
        if self.is_receivers_class(function, callee):
            return True
        links, rules = self.links(function.path), self.rules_of(function.path)
        passing = self.label(function.path, callee) in rules.passing_calls
        if passing and not self.is_own(function.path, callee):
            return any(self.is_receivers(function, argument) for argument in arguments[:1])
        if links.ops[callee] & OP_MASK != Op.ATTR:
            return False
        if links.strings[links.b[callee]] == rules.maker:
            return any(self.is_receivers_class(function, argument) for argument in arguments[:1])
        on = links.a[callee]
        if not (
            self.is_receivers(function, on)
            or self.is_receivers_class(function, on)
            or (links.ops[on] & OP_MASK == Op.CALL and self.label(function.path, links.a[on]) == "super")
        ):
            return False
        methods = [v for v in self.evaluate(function.path, callee) if v.tag == FUNCTION]
        return any(p.name == SELF_TYPE for m in methods for p in parameters_in(self.result(m)))

    def is_receivers_class(self, function: Value, number: int) -> bool:
        """Whether an expression is the receiver's class: ``cls``, ``type(self)``, ``self.__class__``."""
        links = self.links(function.path)
        op, a, b = links.ops[number] & OP_MASK, links.a[number], links.b[number]
        if op == Op.NAME:
            bindings = links.names[function.scope].get(b, ())
            return any(links.bindings[3][n] == Bind.SELF and links.bindings[5][n] for n in bindings)
        if op == Op.ATTR:
            return links.strings[b] == "__class__" and self.is_receivers(function, a)
        if op != Op.CALL or self.label(function.path, a) != "type":
            return False
        return any(self.is_receivers(function, argument) for argument in links.lists[b][:1])

    # -- decorators

    def decorated(self, path: str, scope: int) -> Values:
        """What decorators make of a function or class, where that is something else than a function."""
        links, function = self.links(path), Value(FUNCTION, path, scope)
        if links.scopes[scope].kind == ScopeKind.CLASS:
            return self.wrapping(path, scope)
        found: list[Value] = []
        for decorator in links.lists[links.scopes[scope].decorators]:
            for value in self.evaluate(path, decorator):
                if value.tag == INSTANCE:
                    for run in self.functions_of(path, value):
                        found += self.made_of_function(path, run, function)
                        found += [f for f in self.outcome(run) if f.tag == FUNCTION and self.has_own(f)]
                elif value.tag in (CLASS, FUNCTION, CALLABLE):
                    found += self.made_of_function(path, value, function)
                    found += self.giving_else(path, value, function)
        if found and not any(self.functions_of(path, value) for value in found):
            # Where that is called all the same, it is the function that runs.
            found.append(function)
        return unique(found)

    def wrapping(self, path: str, scope: int) -> Values:
        """What a class becomes whose decorators are classes themselves: an object that keeps it."""
        links = self.links(path)
        decorators = links.lists[links.scopes[scope].decorators]
        makers = [value for decorator in decorators for value in self.evaluate(path, decorator)]
        return unique([value._replace(tag=INSTANCE) for value in makers if value.tag == CLASS])

    def has_own(self, function: Value) -> bool:
        """Whether a function has more parameters than a receiver, ``*args`` and ``**keywords`` to pass on."""
        links = self.links(function.path)
        names = [links.strings[name] for _, name in self.parameter_names(function)]
        return len(names) - (names[:1] == ["self"]) > _PASSED_ON

    def made_of_function(self, path: str, decorator: Value, function: Value) -> Values:
        """What a decorator makes of a function; what that takes and gives tells its type parameters."""
        made = tuple(v for v in self.outcome(decorator) if v.tag == INSTANCE)
        named = decorator.tag == CLASS and self.parameters(decorator.path, decorator.scope)
        if not made or not (named or parameters_in(made)):
            return made
        meaning: Meaning = {}
        for taking in self.functions_of(path, decorator):
            self.unify(self.parameter_type(taking, 0), (function,), meaning)
        return self.substitute(made, meaning)

    def giving_else(self, path: str, decorator: Value, function: Value) -> Values:
        """The function, where a decorator says that calling it gives something else than it does itself."""
        told = [v for made in self.outcome(decorator) if made.tag == CALLABLE for v in made.inside[0]]
        taken = self.first_taken(path, decorator) if told else ()
        if not any(value.tag == CALLABLE for value in taken):
            return ()
        # Of what the function gives nothing need be known: then nothing is known of what that is put into.
        meaning: Meaning = dict.fromkeys(parameters_in(unique(told)), ())
        self.unify(taken, (function,), meaning)
        given = self.substitute(unique(told), meaning)
        if set(given) <= set(self.result(function)):
            return ()
        return (with_meaning(function, {GIVEN: given}),)

    def first_taken(self, path: str, value: Value) -> Values:
        """What something that is called takes first."""
        if value.tag == CALLABLE:
            return unique([v for part in value.inside[1:2] for v in part])
        return unique([v for f in self.functions_of(path, value) for v in self.parameter_type(f, 0)])

    # -- overloads

    def accepting(self, path: str, callee: int, functions: Values) -> Values:
        """Functions without the overloads that do not accept a call: what it gives is not known by them."""
        return tuple(
            f
            for f in functions
            if f.tag != FUNCTION
            or not self.labelled(f.path, f.scope, self.rules_of(f.path).overload_decorators)
            or self.accepts(f, *self.links(path).given(callee))
        )

    def accepts(self, overload: Value, count: int, keywords: Collection[str]) -> bool:
        """Whether an overload can be given so many arguments by their place, and others by name."""
        if count == MANY:
            return True
        links = self.links(overload.path)
        hints, defaults = links.bindings[4:]
        named, demanded, any_more, any_named = list[str](), list[str](), False, False
        for binding, number in self.parameter_names(overload):
            rest = links.ops[hints[binding]] & OP_MASK if hints[binding] else Op.UNKNOWN
            any_more = any_more or rest == Op.SEQUENCE
            any_named = any_named or rest == Op.MAPPING
            if rest in (Op.SEQUENCE, Op.MAPPING):
                continue
            named.append(links.strings[number])
            if len(named) > count and not defaults[binding]:
                demanded.append(links.strings[number])
        # Called on the class, a method is given its receiver too.
        most = len(named) + bool(links.scopes[overload.scope].receiver)
        return (
            set(demanded) <= set(keywords)
            and (any_more or count <= most)
            and (any_named or set(keywords) <= set(named))
        )

    def told_receiver(self, path: str, callee: int, value: Value) -> Values:
        """What a class makes by the type that the constructor which accepts the call gives its receiver."""
        if value.tag != CLASS or value.inside or not self.parameters(value.path, value.scope):
            return ()
        for function in self.accepting(path, callee, tuple(self.functions_of(path, value)))[:1]:
            links = self.links(function.path)
            names = links.names[function.scope].get(links.scopes[function.scope].receiver, ())
            hints = [links.bindings[4][b] for b in names if links.bindings[3][b] == Bind.PARAMETER]
            told = [v for hint in hints for v in self.annotation(function.path, hint)]
            meaning: Meaning = {}
            self.learn(path, function, self.links(path).arguments.get(callee, ()), meaning)
            return self.substitute(tuple(v for v in told if v[1:3] == value[1:3]), meaning)
        return ()

    def fitting(self, functions: Values, count: int) -> Values:
        """Of overloads, those that take that many arguments; all of them when none does."""
        overloads = [f for f in functions if f.tag == FUNCTION]
        if len(overloads) < 2 or (not count and self.rules_of(overloads[0].path).named_arguments):
            return functions
        exact = {f for f in overloads if self.taken(f) == count}
        return tuple(f for f in functions if f.tag != FUNCTION or f in exact) if exact else functions

    def taken(self, function: Value) -> int:
        """How many arguments a function takes; a rest that is a tuple counts by its parts."""
        names = self.parameter_names(function)
        if not names or self.links(function.path).strings[names[-1][1]] != REST:
            return len(names)
        rest = [v for v in self.parameter_type(function, len(names) - 1, whole=True) if v.tag == TUPLE]
        return len(names) - 1 + len(rest[0].inside) if rest else -1

    def takes(self, function: Value, count: int) -> bool:
        """Whether a function can be given that many arguments; those with a default may be left out."""
        taken, names = self.taken(function), self.parameter_names(function)
        defaults = self.links(function.path).bindings[5]
        needed = sum(not defaults[binding] for binding, _ in names)
        return needed <= count <= taken or (taken < 0 and count >= needed - 1)
