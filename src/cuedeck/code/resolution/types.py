"""Light types: what an expression may be worth, from annotations, assignments, calls and results."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Final

from cuedeck.code.facts import (
    BIND_MASK,
    INSTANCE,
    OP_MASK,
    RECEIVER,
    ROLE_SHIFT,
    TYPE_BINDS,
    TYPE_ROLES,
    Bind,
    Op,
    Role,
    ScopeKind,
)
from cuedeck.code.resolution.forms import Forms
from cuedeck.code.resolution.generics import (
    SELF_TYPE,
    Meaning,
    parameters_in,
    trimmed,
)
from cuedeck.code.resolution.values import (
    CLASS,
    FUNCTION,
    KEY,
    LISTED,
    MODULE,
    PARAMETER,
    RECORD,
    SUPER,
    TUPLE,
    Symbol,
    Target,
    Targets,
    Value,
    Values,
    mapping,
    sequence,
    unique,
)
from cuedeck.code.resolution.values import (
    INSTANCE as INSTANCE_OF,
)

_NAMED: Final = (Op.NAME, Op.ATTR)
# Decorators that are members of what they decorate: ``@name.setter``.
_ACCESSORS: Final = ("setter", "getter")
_MAX_VALUES: Final = 24
# Each type of a wide union may hold another under the same name.
_MAX_HELD: Final = 100


class Typing(Forms):
    """The part of the linker that follows values; ``Linker`` supplies the names."""

    @abstractmethod
    def global_value(self, path: str, found: Targets) -> Targets:
        """What a name means as a value that a global block has as a type only: another one's variable."""

    @abstractmethod
    def name(self, path: str, scope: int, name: str) -> Targets:
        """What a bare name means in a scope."""

    @abstractmethod
    def called(self, path: str, callee: int, arguments: tuple[int, ...]) -> Values:
        """What a call gives."""

    @abstractmethod
    def derived(self, path: str, op: int, a: int, b: int) -> Values:
        """Parts of a value: an item, what it yields, what entering it gives, an exception caught."""

    @abstractmethod
    def waited_for(self, values: Values) -> Values:
        """What waiting for values gives."""

    @abstractmethod
    def operated(self, values: Values, method: str) -> Values:
        """What an operator gives."""

    @abstractmethod
    def indexed(self, path: str, number: int) -> Values:
        """What an index gives."""

    @abstractmethod
    def attribute_values(self, path: str, number: int) -> Values:
        """What a member holds, as the type arguments of its owner say."""

    @abstractmethod
    def entry(self, path: str, owner: int, name: str) -> Values:
        """What a value holds under a name that is no member, where members and entries are one."""

    @abstractmethod
    def expected(self, path: str, callee: int, position: int) -> Values:
        """What a function's parameter takes."""

    @abstractmethod
    def created(self, path: str, made: int, arguments: tuple[int, ...]) -> Values:
        """A new instance of what a type expression names."""

    @abstractmethod
    def narrow(self, path: str, number: int, tests: Iterable[int]) -> Values:
        """What an expression may be worth where tests were passed."""

    @abstractmethod
    def members(self, path: str, owner: int, key: int) -> Values:
        """What the members of a type hold that a key names; without a key all of them."""

    @abstractmethod
    def either(self, path: str, number: int) -> Values:
        """What any of some alternatives may be worth."""

    @abstractmethod
    def provided(self, path: str, number: int) -> Values:
        """What a name means that the language provides."""

    @abstractmethod
    def lent_values(self, path: str, number: int) -> Values:
        """What the members declared elsewhere give that a value has not itself."""

    @abstractmethod
    def read_through(self, owner: Value, member: Symbol, held: Values) -> Values:
        """What reading a member gives whose value says itself what is read."""

    @abstractmethod
    def constant(self, member: Symbol) -> Values:
        """An instance of its enumeration, where a member is one of that's constants."""

    @abstractmethod
    def attribute_of(self, value: Value, name: str) -> Targets:
        """What ``value.name`` names."""

    @abstractmethod
    def oneself(self, path: str, scope: int) -> Values:
        """What methods of a class are called on."""

    @abstractmethod
    def decorated(self, path: str, scope: int) -> Values:
        """What decorators make of a function or class, where that is something else than a function."""

    def values(self, targets: Targets, use: tuple[str, int, int] | None = None) -> Values:
        """What the things that names lead to are worth; ``use`` is the path, scope and row of the name."""
        found: list[Value] = []
        for target in targets:
            if isinstance(target, Symbol):
                reaching = self.reaching(target, use) if use is not None else None
                found += self.type_of(target) if reaching is None else reaching
            else:
                found.append(target)
        return unique(found)

    def type_of(self, symbol: Symbol) -> Values:
        """What a symbol holds."""
        result: Values = self.solve(("t", symbol), self._type_of, symbol)
        return result

    def _type_of(self, symbol: Symbol) -> Values:
        links = self.links(symbol.path)
        number = links.string_numbers.get(symbol.name)
        bindings = links.names[symbol.scope].get(number, ()) if number is not None else ()
        return self._type_of_bindings(symbol, tuple(bindings))

    def _type_of_bindings(self, symbol: Symbol, bindings: tuple[int, ...]) -> Values:
        links = self.links(symbol.path)
        kinds, xs, ys = links.bindings[3:]
        declared = [b for b in bindings if kinds[b] & BIND_MASK in (Bind.VARIABLE, Bind.PARAMETER) and xs[b]]
        rules = self.rules_of(symbol.path)
        if rules.typed_members_first and any(kinds[b] == Bind.FUNCTION for b in bindings):
            # What instances are given under the name of a function is of the type that this says.
            bindings = tuple([b for b in bindings if not kinds[b] & INSTANCE])
        if all(xs[b] == ys[b] for b in declared):
            # Only tests such as ``isinstance`` say what it is: they hide nothing.
            declared = []
        if declared and (rules.overloads or rules.fields_beside_methods or rules.labelled_arguments):
            declared += [b for b in bindings if kinds[b] == Bind.FUNCTION]
        found: list[Value] = []
        for binding in declared or self.signatures(symbol.path, bindings):
            found += self.bound(symbol, binding)
            if len(found) > (_MAX_HELD if kinds[binding] == Bind.FUNCTION else _MAX_VALUES):
                break
        return unique(found)

    def signatures(self, path: str, bindings: tuple[int, ...]) -> tuple[int, ...]:
        """The bindings without the function that only carries out what others of its name promise."""
        wanted = self.rules_of(path).overload_decorators
        if not wanted or len(bindings) < 2:
            return bindings
        links = self.links(path)
        kinds, scopes = links.bindings[3], links.bindings[4]
        functions = [b for b in bindings if kinds[b] == Bind.FUNCTION]
        promised = [b for b in functions if self.labelled(path, scopes[b], wanted)]
        return tuple(promised) if promised else bindings

    def reaching(self, symbol: Symbol, use: tuple[str, int, int]) -> Values | None:
        """What a variable that is no member holds where it is used, as far as the order tells; else None."""
        path, scope, number = use
        if not self.rules_of(path).reads_in_order or path != symbol.path:
            return None
        links = self.links(path)
        if links.scopes[symbol.scope].kind not in (ScopeKind.FUNCTION, ScopeKind.MODULE):
            return None
        while links.scopes[scope].kind == ScopeKind.BLOCK:
            scope = links.scopes[scope].parent
        bindings = links.names[symbol.scope].get(links.string_numbers[symbol.name], ())
        hints, given = links.bindings[4:]
        if scope != symbol.scope or (len(bindings) < 2 and not any(hints[b] and given[b] for b in bindings)):
            return None
        place = links.pos[number]
        # What a name is given, ``x = x.next()``, is evaluated before it is given: rows are in that order.
        earlier = tuple(
            [b for b in bindings if links.bindings[2][b] < place and (hints[b] or number > given[b])]
        )
        # A loop may bring back what is assigned further down: then all of them count.
        plain = [b for b in earlier if links.bindings[3][b] == Bind.VARIABLE and not (hints[b] or given[b])]
        if len(earlier) in (len(plain), len(bindings)):
            earlier = bindings
        standing = links.standing(symbol.scope, earlier, place, lambda b: bool(self.bound(symbol, b)))
        return self.proven(symbol, standing, place)

    @abstractmethod
    def proven(self, symbol: Symbol, bindings: tuple[int, ...], place: int) -> Values:
        """What some bindings give a name, without what tests that have passed or failed exclude."""

    def type_of_bindings(self, symbol: Symbol, bindings: tuple[int, ...]) -> Values:
        """What a symbol holds when only some of its bindings count."""
        result: Values = self.solve(("b", symbol, bindings), self._type_of_bindings, symbol, bindings)
        return result

    def bound(self, symbol: Symbol, binding: int) -> Values:
        """What one binding gives its name."""
        path = symbol.path
        links = self.links(path)
        kind, x, y = (column[binding] for column in links.bindings[3:])
        kind &= BIND_MASK & ~INSTANCE
        if kind == Bind.FUNCTION:
            if links.scopes[symbol.scope].kind in (ScopeKind.CLASS, ScopeKind.EXTENSION):
                label = self.labelled(path, x, self.rules_of(path).property_decorators)
                if label:
                    return () if label == "setter" else self.result(Value(FUNCTION, path, x))
            return self.decorated(path, x) or (Value(FUNCTION, path, x),)
        if kind == Bind.CLASS:
            return (*self.decorated(path, x), Value(CLASS, path, x))
        if kind == Bind.NAMESPACE:
            return (Value(MODULE, path, x),)
        if kind == Bind.SELF:
            return self.instance_type(Value(CLASS if y else INSTANCE_OF, path, x))
        if kind in (Bind.VARIABLE, Bind.PARAMETER):
            if self.is_type_variable(path, y):
                return (Value(PARAMETER, path, symbol.scope, name=symbol.name),)
            if x and not (y and self.label(path, x) in self.rules_of(path).qualifiers):
                return self.annotation(path, x)
            inherited = self.inherited_parameter(symbol) if kind == Bind.PARAMETER else ()
            return inherited or (self.evaluate(path, y) if y else self.told_later(symbol))
        if kind == Bind.OPAQUE:
            return (Value(PARAMETER, path, symbol.scope, name=symbol.name),)
        if kind == Bind.ALIAS:
            generic = links.ops[x] & OP_MASK == Op.INDEX
            return self.evaluate(path, x) or (self.annotation(path, x) if generic else ())
        return ()

    def oneself_as_expected(self, path: str, scope: int, function: int) -> Values:
        """What a function is called on by what is expected of it, else an object and what it is to be."""
        links = self.links(path)
        whole = links.b[function] if links.ops[function] & OP_MASK == Op.WANTED else 0
        told = self.expected(path, function, RECEIVER)
        itself = () if told else self.oneself(path, scope)
        return told or (unique([*itself, *self.evaluate(path, whole)]) if whole else itself)

    def inherited_parameter(self, symbol: Symbol) -> Values:
        """What a method's parameter without a type is by the method that it overrides."""
        if not self.rules_of(symbol.path).inherits_parameters:
            return ()
        links = self.links(symbol.path)
        owner = links.scopes[symbol.scope].owner
        name = links.methods.get(symbol.scope)
        if name is None or owner < 0:
            return ()
        above = self.member(Value(CLASS, symbol.path, owner), links.strings[name], skip=1)
        for function in self.type_of(above) if above is not None else ():
            if function.tag == FUNCTION:
                others = self.links(function.path)
                number = others.string_numbers.get(symbol.name, -1)
                for binding in others.names[function.scope].get(number, ()):
                    if others.bindings[3][binding] == Bind.PARAMETER and others.bindings[4][binding]:
                        return self.annotation(function.path, others.bindings[4][binding])
        return ()

    def is_type_variable(self, path: str, number: int) -> bool:
        """Whether a variable's value makes it a type parameter."""
        links = self.links(path)
        return (
            links.ops[number] & OP_MASK == Op.CALL
            and self.label(path, links.a[number]) in self.rules_of(path).type_variables
        )

    def instance_type(self, value: Value) -> Values:
        """The class itself, or the one that an extension extends."""
        links = self.links(value.path)
        row = links.scopes[value.scope]
        if row.kind == ScopeKind.EXTENSION and row.result:
            owners = [v for v in self.annotation(value.path, row.result) if v.tag in (CLASS, INSTANCE_OF)]
            if owners:
                return tuple(value._replace(path=v.path, scope=v.scope, inside=v.inside) for v in owners)
        return (value,)

    def labelled(self, path: str, scope: int, wanted: frozenset[str]) -> str:
        """The name of a function's decorator that is one of some, if it has one."""
        links, row = self.links(path), self.labelling(path, scope, wanted)
        return links.strings[links.b[row]] if row else ""

    def labelling(self, path: str, scope: int, wanted: frozenset[str]) -> int:
        """The decorator of a function or class that has one of some names, or 0."""
        links = self.links(path)
        for decorator in links.lists[links.scopes[scope].decorators]:
            if links.ops[decorator] & OP_MASK == Op.CALL:
                decorator = links.a[decorator]
            if links.ops[decorator] & OP_MASK in _NAMED:
                label = links.strings[links.b[decorator]]
                bare = links.ops[decorator] & OP_MASK == Op.NAME
                if label in wanted and not (bare and label in _ACCESSORS):
                    return decorator
        return 0

    # -- annotations

    def annotation(self, path: str, number: int) -> Values:
        """What a value annotated so may be."""
        result: Values = self.solve(("h", path, number), self._annotation, path, number)
        return result

    def _annotation(self, path: str, number: int) -> Values:
        links = self.links(path)
        op = links.ops[number] & OP_MASK
        if op in _NAMED:
            return self.completed(self.named_type(path, number), links.strings[links.b[number]])
        if op == Op.UNION and not links.a[number]:
            return unique([v for item in links.lists[links.b[number]] for v in self.annotation(path, item)])
        if op == Op.INDEX:
            return self.generic(path, number)
        if op == Op.WANTED:
            return self.annotation(path, links.a[number])
        if op == Op.SELF and links.b[number] == 1:
            return (Value(PARAMETER, path, links.a[number], name=SELF_TYPE),)
        if op == Op.TUPLE:
            items = tuple(self.annotation(path, item) for item in links.lists[links.b[number]])
            return (Value(TUPLE, inside=items),) if any(items) else ()
        return self.instances(path, self.evaluate(path, number))

    def named_type(self, path: str, number: int) -> Values:
        """What a name annotates, as far as that needs no type arguments."""
        links = self.links(path)
        if links.strings[links.b[number]] in self.rules_of(path).self_types:
            return self.around(path, number)
        if self.rules_of(path).overloads and (types := self.types_named(path, number)):
            return self.instances(path, types)
        aliased = [self.aliased_type(t) for t in self.targets(path, number) if isinstance(t, Symbol)]
        if any(aliased):
            return unique([v for values in aliased for v in values])
        return self.instances(path, self.evaluate(path, number))

    def types_named(self, path: str, number: int) -> Values:
        """What a name means as a type, where it also names a value: a field, a function, a variable."""
        found: list[Value] = []
        for target in self.targets(path, number):
            if isinstance(target, Symbol):
                links = self.links(target.path)
                bindings = links.names[target.scope].get(links.string_numbers.get(target.name, -1), ())
                types = [b for b in bindings if links.bindings[3][b] in TYPE_BINDS]
                if len(types) < len(bindings):
                    found += [v for b in types for v in self.bound(target, b)]
        return unique(found)

    def aliased_type(self, symbol: Symbol) -> Values:
        """What a variable means as a type, when its value is written like one."""
        links = self.links(symbol.path)
        if not self.rules_of(symbol.path).type_variables:
            return ()
        bindings = links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ())
        found: list[Value] = []
        for binding in bindings:
            kind, y = links.bindings[3][binding], links.bindings[5][binding]
            if kind == Bind.VARIABLE and links.ops[y] & OP_MASK in (Op.INDEX, Op.UNION):
                found += self.annotation(symbol.path, y)
        return unique(found)

    def instances(self, path: str, values: Values) -> Values:
        """Instances of classes; everything else as it is, functions where they can be types."""
        functions = self.rules_of(path).function_types
        kept = values if functions else [v for v in values if v.tag != FUNCTION]
        return unique([Value(INSTANCE_OF, v.path, v.scope) if v.tag == CLASS else v for v in kept])

    def around(self, path: str, number: int) -> Values:
        """An instance of the class that an annotation stands in."""
        links = self.links(path)
        while links.ops[number] & OP_MASK == Op.ATTR:
            number = links.a[number]
        owner = links.scopes[links.a[number]].owner if links.ops[number] & OP_MASK == Op.NAME else -1
        if owner >= 0 and (links.scopes[owner].kind == ScopeKind.CLASS or self.rules_of(path).open_self):
            return (Value(PARAMETER, path, owner, name=SELF_TYPE),)
        return self.instance_type(Value(INSTANCE_OF, path, owner)) if owner >= 0 else ()

    # -- expressions

    def evaluate(self, path: str, number: int) -> Values:
        """What an expression may be worth."""
        if not number:
            return ()
        found: Values = self.solve(("e", path, number), self._evaluate, path, number)
        return found

    def _evaluate(self, path: str, number: int) -> Values:
        links = self.links(path)
        op, a, b = links.ops[number] & OP_MASK, links.a[number], links.b[number]
        if op in _NAMED and links.ops[number] >> ROLE_SHIFT in TYPE_ROLES and self.rules_of(path).structural:
            types = self.types_named(path, number)
            if types:
                return types
        match op:
            case Op.NAME:
                targets = self.targets(path, number)
                if links.ops[number] >> ROLE_SHIFT not in TYPE_ROLES:
                    targets = self.global_value(path, targets)
                found = self.values(targets, (path, a, number))
                return found or self.provided(path, number)
            case Op.ATTR:
                held = self.attribute_values(path, number) or self.entry(path, a, links.strings[b])
                return held or self.lent_values(path, number)
            case Op.MODULE | Op.IMPORTED | Op.INTRINSIC | Op.KEYWORD:
                return self.values(self.targets(path, number))
            case Op.CALL:
                return self.called(path, a, links.lists[b])
            case Op.LITERAL if links.strings[b][:1] == "[" and self.rules_of(path).structural:
                return (Value(KEY, name=links.strings[b]),)
            case Op.INDEX:
                return self.indexed(path, number)
            case Op.UNION:
                return self.either(path, number)
            case Op.AWAIT:
                return self.waited_for(self.evaluate(path, a))
            case Op.WANTED:
                return self.owner_wanted(path, a, b)
            case Op.TUPLE:
                items = tuple(self.evaluate(path, item) for item in links.lists[b][:8])
                kind = LISTED if links.ops[number] >> ROLE_SHIFT == Role.WRITE else ""
                return (Value(TUPLE, inside=items, name=kind),) if any(items) else ()
            case Op.SEQUENCE:
                inside = trimmed(self.evaluate(path, a))
                return (sequence(inside),) if inside or self.rules_of(path).keeps_empty else ()
            case Op.MAPPING:
                held, keys = trimmed(self.evaluate(path, a)), trimmed(self.evaluate(path, b)) if b else ()
                return (mapping(held, keys),) if held or keys else ()
            case Op.NEW:
                return self.created(path, a, links.lists[b]) if a else ()
            case Op.TYPED:
                return self.annotation(path, a) if a else ()
            case Op.SELF:
                return self.oneself_as_expected(path, a, b) if b > 1 else self.oneself(path, a)
            case Op.SUPER:
                return tuple(v._replace(tag=SUPER) for v in self.instance_type(Value(INSTANCE_OF, path, a)))
            case Op.FUNCTION:
                return (Value(FUNCTION, path, a),)
            case Op.ARGUMENT:
                return self.expected(path, a, b)
            case Op.MEMBERS:
                return self.members(path, a, b)
            case Op.OPERATED:
                return self.operated(self.concrete(self.evaluate(path, a)), links.strings[b])
            case Op.NARROWED:
                return self.narrow(path, a, links.lists[b])
            case Op.ITEM | Op.ELEMENT | Op.ENTERED | Op.CAUGHT | Op.PREDICATE:
                return self.derived(path, op, a, b)
        return ()

    def held(self, owner: Value, name: str) -> Values:
        """What one value holds under a name."""
        if owner.tag == RECORD:
            return owner.inside[0] if owner.name == name else ()
        return tuple([v for target in self.attribute_of(owner, name) for v in self.worth(owner, target)])

    def worth(self, owner: Value, target: Target) -> Values:
        """What a member of a value is, as the type arguments of the value say."""
        if not isinstance(target, Symbol):
            return (target,)
        held = self.constant(target) or self.type_of(target)
        if held and owner.tag in (CLASS, INSTANCE_OF, SUPER):
            held = self.substitute(held, self.meaning(owner, target.path, target.scope))
            held = self.read_through(owner, target, held)
        return held

    def learn(
        self, path: str, function: Value, arguments: tuple[int, ...], meaning: Meaning, skip: int = -1
    ) -> None:
        """What the arguments of a call say about a function's type parameters."""
        for position, argument in enumerate(arguments):
            declared = self.parameter_type(function, position) if argument and position != skip else ()
            if parameters_in(declared) or any(self.is_written_out(v) for v in declared):
                given = self.evaluate(path, argument) or self.keys(path, argument)
                self.unify(self.substitute(declared, meaning), given, meaning)

    def is_written_out(self, declared: Value) -> bool:
        """Whether a type has no name, so that it may speak of type parameters without being told any."""
        unnamed = declared.tag == INSTANCE_OF and declared.scope not in self.links(declared.path).classes
        return unnamed or declared.tag == FUNCTION
