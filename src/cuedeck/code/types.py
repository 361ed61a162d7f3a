"""Light types: what an expression may be worth, from annotations, assignments, calls and results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.facts import BIND_MASK, INSTANCE, OP_MASK, Bind, Op, ScopeKind
from cuedeck.code.values import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    MAPPING,
    SEQUENCE,
    SUPER,
    TUPLE,
    Symbol,
    Targets,
    Value,
    Values,
    elements,
    mapping,
    sequence,
    unique,
)
from cuedeck.code.values import (
    INSTANCE as INSTANCE_OF,
)

if TYPE_CHECKING:
    from cuedeck.code.facts import Links
    from cuedeck.code.rules import Rules

_NAMED: Final = (Op.NAME, Op.ATTR)
_MAX_VALUES: Final = 24


class Typing(ABC):
    """The part of the linker that follows values; ``Linker`` supplies the names."""

    rules_of: Callable[[str], Rules]

    @abstractmethod
    def links(self, path: str) -> Links:
        """The links of a file."""

    @abstractmethod
    def solve(self, key: Any, compute: Callable[..., Any], *arguments: Any) -> Any:
        """Compute once, cutting cycles."""

    @abstractmethod
    def name(self, path: str, scope: int, name: str) -> Targets:
        """What a bare name means in a scope."""

    @abstractmethod
    def targets(self, path: str, number: int) -> Targets:
        """What an expression names."""

    @abstractmethod
    def member(self, owner: Value, name: str, *, skip: int = 0) -> Symbol | None:
        """The member a class or its ancestors declare."""

    def values(self, targets: Targets, use: tuple[str, int, int] | None = None) -> Values:
        """What the things that names lead to are worth; ``use`` is the path, scope and place of the name."""
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
        kinds, xs = links.bindings[3], links.bindings[4]
        declared = [b for b in bindings if kinds[b] & BIND_MASK in (Bind.VARIABLE, Bind.PARAMETER) and xs[b]]
        found: list[Value] = []
        for binding in declared or bindings:
            found += self.bound(symbol, binding)
            if len(found) > _MAX_VALUES:
                break
        return unique(found)

    def reaching(self, symbol: Symbol, use: tuple[str, int, int]) -> Values | None:
        """What a variable of a function holds at a place, as far as the order of lines tells; else None."""
        path, scope, place = use
        if not self.rules_of(path).reads_in_order or path != symbol.path:
            return None
        links = self.links(path)
        if links.scopes[symbol.scope].kind != ScopeKind.FUNCTION:
            return None
        while links.scopes[scope].kind == ScopeKind.BLOCK:
            scope = links.scopes[scope].parent
        bindings = links.names[symbol.scope].get(links.string_numbers[symbol.name], [])
        if scope != symbol.scope or len(bindings) < 2:
            return None
        earlier = [b for b in bindings if links.bindings[2][b] < place]
        # A loop may bring back what is assigned further down: then all of them count.
        if not earlier or len(earlier) == len(bindings):
            earlier = bindings
        return self.type_of_bindings(symbol, tuple(earlier))

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
                label = self.accessor(path, x)
                if label:
                    return () if label == "setter" else self.result(Value(FUNCTION, path, x))
            return (Value(FUNCTION, path, x),)
        if kind == Bind.CLASS:
            return (Value(CLASS, path, x),)
        if kind == Bind.NAMESPACE:
            return (Value(1, path, x),)
        if kind == Bind.SELF:
            return self.instance_type(Value(CLASS if y else INSTANCE_OF, path, x))
        if kind in (Bind.VARIABLE, Bind.PARAMETER):
            return self.annotation(path, x) if x else self.evaluate(path, y) if y else ()
        if kind in (Bind.ALIAS, Bind.OPAQUE):
            return self.evaluate(path, x) if x else ()
        return ()

    def instance_type(self, value: Value) -> Values:
        """The class itself, or the one that an extension extends."""
        links = self.links(value.path)
        row = links.scopes[value.scope]
        if row.kind == ScopeKind.EXTENSION and row.result:
            owners = [v for v in self.evaluate(value.path, row.result) if v.tag in (CLASS, INSTANCE_OF)]
            if owners:
                return tuple(value._replace(path=v.path, scope=v.scope) for v in owners)
        return (value,)

    def accessor(self, path: str, scope: int) -> str:
        """The decorator that makes a method an attribute, if it has one."""
        links = self.links(path)
        wanted = self.rules_of(path).property_decorators
        for decorator in links.lists[links.scopes[scope].decorators]:
            if links.ops[decorator] & OP_MASK == Op.CALL:
                decorator = links.a[decorator]
            if links.ops[decorator] & OP_MASK in _NAMED:
                label = links.strings[links.b[decorator]]
                if label in wanted:
                    return label
        return ""

    # -- annotations

    def annotation(self, path: str, number: int) -> Values:
        """What a value annotated so may be."""
        result: Values = self.solve(("h", path, number), self._annotation, path, number)
        return result

    def _annotation(self, path: str, number: int) -> Values:
        links = self.links(path)
        op = links.ops[number] & OP_MASK
        if op in _NAMED:
            if links.strings[links.b[number]] in self.rules_of(path).self_types:
                return self.around(path, number)
            return self.instances(path, self.evaluate(path, number))
        if op == Op.UNION:
            return unique([v for item in links.lists[links.b[number]] for v in self.annotation(path, item)])
        if op == Op.INDEX:
            return self.generic(path, number)
        if op == Op.TUPLE:
            items = tuple(self.annotation(path, item) for item in links.lists[links.b[number]])
            return (Value(TUPLE, inside=items),) if any(items) else ()
        return self.instances(path, self.evaluate(path, number))

    def instances(self, path: str, values: Values) -> Values:
        """Instances of classes; everything else as it is, functions where they can be types."""
        functions = self.rules_of(path).function_types
        return unique(
            [
                Value(INSTANCE_OF, v.path, v.scope) if v.tag == CLASS else v
                for v in values
                if functions or v.tag != FUNCTION
            ]
        )

    def around(self, path: str, number: int) -> Values:
        """An instance of the class that an annotation stands in."""
        links = self.links(path)
        owner = links.scopes[links.a[number]].owner if links.ops[number] & OP_MASK == Op.NAME else -1
        return self.instance_type(Value(INSTANCE_OF, path, owner)) if owner >= 0 else ()

    def generic(self, path: str, number: int) -> Values:
        """What ``Base[arguments]`` annotates."""
        links = self.links(path)
        base, arguments = links.a[number], links.lists[links.b[number]]
        if len(arguments) == 1 and links.ops[arguments[0]] & OP_MASK == Op.TUPLE:
            arguments = links.lists[links.b[arguments[0]]]
        rules = self.rules_of(path)
        label = links.strings[links.b[base]] if links.ops[base] & OP_MASK in _NAMED else ""
        if label in rules.transparent:
            used = (
                arguments if label == "Union" else arguments[-1:] if label == "Coroutine" else arguments[:1]
            )
            return unique([v for item in used for v in self.annotation(path, item)])
        if label in ("type", "Type"):
            return unique(
                [
                    v._replace(tag=CLASS)
                    for item in arguments
                    for v in self.annotation(path, item)
                    if v.tag == INSTANCE_OF
                ]
            )
        if label in rules.sequences:
            inside = self.annotation(path, arguments[0]) if arguments else ()
            return (sequence(inside),) if inside else ()
        if label in rules.mappings:
            inside = self.annotation(path, arguments[-1]) if len(arguments) > 1 else ()
            return (mapping(inside),) if inside else ()
        if label in ("tuple", "Tuple"):
            items = tuple(self.annotation(path, item) for item in arguments)
            return (Value(TUPLE, inside=items),) if any(items) else ()
        if label == "Callable":
            return ()
        known = self.annotation(path, base)
        if any(value.tag != EXTERNAL for value in known) or not arguments:
            return known
        # A foreign container: what comes out of it is what was put in.
        inside = unique([v for item in arguments for v in self.annotation(path, item)])
        if inside and rules.foreign_wrappers:
            return (sequence(inside), *self.annotation(path, arguments[0]))
        return (sequence(inside),) if inside else known

    # -- expressions

    def result(self, function: Value) -> Values:
        """What calling a function gives."""
        found: Values = self.solve(("r", function.path, function.scope), self._result, function)
        return found

    def _result(self, function: Value) -> Values:
        links = self.links(function.path)
        row = links.scopes[function.scope]
        if row.result:
            return self.annotation(function.path, row.result)
        return unique([v for e in links.lists[row.returns] for v in self.evaluate(function.path, e)])

    def evaluate(self, path: str, number: int) -> Values:
        """What an expression may be worth."""
        if not number:
            return ()
        found: Values = self.solve(("e", path, number), self._evaluate, path, number)
        return found

    def _evaluate(self, path: str, number: int) -> Values:
        links = self.links(path)
        op, a, b = links.ops[number] & OP_MASK, links.a[number], links.b[number]
        match op:
            case Op.NAME:
                return self.values(self.targets(path, number), (path, a, links.pos[number]))
            case Op.ATTR:
                return self.values(self.targets(path, number)) or self.entry(path, a)
            case Op.MODULE | Op.IMPORTED:
                return self.values(self.targets(path, number))
            case Op.CALL:
                return self.called(path, a, links.lists[b])
            case Op.INDEX:
                return self.indexed(path, a)
            case Op.UNION:
                return unique([v for item in links.lists[b] for v in self.evaluate(path, item)])
            case Op.AWAIT:
                return self.evaluate(path, a)
            case Op.TUPLE:
                items = tuple(self.evaluate(path, item) for item in links.lists[b][:8])
                return (Value(TUPLE, inside=items),) if any(items) else ()
            case Op.SEQUENCE | Op.MAPPING:
                inside = self.evaluate(path, a)
                return ((sequence if op == Op.SEQUENCE else mapping)(inside),) if inside else ()
            case Op.NEW | Op.TYPED:
                return self.annotation(path, a) if a else ()
            case Op.SELF:
                return self.instance_type(Value(INSTANCE_OF, path, a))
            case Op.SUPER:
                return tuple(v._replace(tag=SUPER) for v in self.instance_type(Value(INSTANCE_OF, path, a)))
            case Op.FUNCTION:
                return (Value(FUNCTION, path, a),)
            case Op.ARGUMENT:
                return self.expected(path, a, b)
            case Op.ITEM | Op.ELEMENT | Op.ENTERED | Op.CAUGHT:
                return self.derived(path, op, a, b)
        return ()

    def expected(self, path: str, callee: int, position: int) -> Values:
        """What a function's parameter takes, so what an argument without a type of its own is."""
        links = self.links(path)
        found: list[Value] = []
        for value in self.evaluate(path, callee):
            if value.tag == CLASS:
                made = [m for c in self.rules_of(path).constructors if (m := self.member(value, c))]
                functions = [f for m in made[:1] for f in self.type_of(m)]
            else:
                call = self.member(value, "__call__") if value.tag == INSTANCE_OF else None
                functions = list(self.type_of(call)) if call else [value]
            for function in functions:
                if function.tag == FUNCTION:
                    found += self.parameter_type(function, position)
        if not found and links.ops[callee] & OP_MASK == Op.ARGUMENT:
            found += self.handed(path, links.a[callee], position)
        return unique(found)

    def parameter_type(self, function: Value, position: int) -> Values:
        """What the parameter at a position is declared to be; the last may take the rest."""
        links = self.links(function.path)
        names = [
            (binding, links.bindings[1][binding])
            for bindings in links.names[function.scope].values()
            for binding in bindings
            if links.bindings[3][binding] == Bind.PARAMETER
        ]
        if position >= len(names):
            return ()
        binding, name = sorted(names)[position]
        return self.bound(Symbol(function.path, function.scope, links.strings[name]), binding)

    def handed(self, path: str, callee: int, position: int) -> Values:
        """What a container's method gives to the function it is called with."""
        links = self.links(path)
        label = links.strings[links.b[callee]] if links.ops[callee] & OP_MASK == Op.ATTR else ""
        if label not in self.rules_of(path).callback_methods or position != int(label.startswith("reduce")):
            return ()
        owners = self.evaluate(path, links.a[callee])
        return unique([v for o in owners for v in (elements(o) or ((o,) if o.tag == INSTANCE_OF else ()))])

    def entry(self, path: str, owner: int) -> Values:
        """What a mapping holds under a name, where members and entries are one."""
        if not self.rules_of(path).foreign_wrappers:
            return ()
        held = [v for v in self.evaluate(path, owner) if v.tag == MAPPING]
        return unique([v for value in held for v in value.inside[0]])

    def derived(self, path: str, op: int, a: int, b: int) -> Values:
        """Parts of a value: an item, what it yields, what entering it gives, an exception caught."""
        found: list[Value] = []
        for value in self.evaluate(path, a):
            if op == Op.ITEM:
                if value.tag == TUPLE:
                    found += value.inside[b] if b < len(value.inside) else ()
                elif value.tag == SEQUENCE:
                    found += value.inside[0]
            elif op == Op.ELEMENT:
                found += (
                    ()
                    if value.tag == MAPPING
                    else elements(value) or self.protocol(value, "__iter__", "__aiter__", "__getitem__")
                )
            elif op == Op.ENTERED:
                found += self.protocol(value, "__enter__", "__aenter__") or (elements(value) or (value,))
            elif value.tag == CLASS:
                found.append(value._replace(tag=INSTANCE_OF))
            elif value.tag == TUPLE:
                found += [v._replace(tag=INSTANCE_OF) for v in elements(value) if v.tag == CLASS]
        return unique(found)

    def protocol(self, value: Value, *names: str) -> Values:
        """What the first of these methods gives; containers it gives are opened."""
        if value.tag != INSTANCE_OF:
            return ()
        for name in names:
            method = self.member(value, name)
            if method:
                given = unique([v for f in self.type_of(method) if f.tag == FUNCTION for v in self.result(f)])
                if name in ("__iter__", "__aiter__"):
                    return unique([v for g in given for v in elements(g)])
                return given
        return ()

    def indexed(self, path: str, number: int) -> Values:
        found: list[Value] = []
        for value in self.evaluate(path, number):
            if value.tag in (SEQUENCE, MAPPING, TUPLE):
                found += elements(value)
            elif value.tag in (CLASS, FUNCTION):
                found.append(value)
            else:
                found += self.protocol(value, "__getitem__")
        return unique(found)

    def called(self, path: str, callee: int, arguments: tuple[int, ...]) -> Values:
        """What a call gives."""
        links = self.links(path)
        op = links.ops[callee] & OP_MASK
        label = links.strings[links.b[callee]] if op in _NAMED else ""
        if op == Op.NAME and label in _BUILT_IN:
            special = self.built_in(path, callee, label, arguments)
            if special is not None:
                return special
        if label == "cast" and arguments:
            return self.annotation(path, arguments[0])
        found: list[Value] = []
        for value in self.evaluate(path, callee):
            if value.tag == CLASS:
                found.append(value._replace(tag=INSTANCE_OF))
            elif value.tag == FUNCTION:
                found += self.result(value)
            elif value.tag == INSTANCE_OF:
                found += self.protocol(value, "__call__")
        if not found and op == Op.ATTR:
            found += self.container_call(path, links.a[callee], label, arguments)
        return unique(found)

    def built_in(self, path: str, callee: int, label: str, arguments: tuple[int, ...]) -> Values | None:
        """Python's super, type and the functions that keep their argument's elements."""
        links = self.links(path)
        owner = links.scopes[links.a[callee]].owner
        if label == "super":
            return (Value(SUPER, path, owner),) if owner >= 0 else ()
        if not arguments or self.name(path, links.a[callee], label):
            return None
        given = self.evaluate(path, arguments[0])
        if label == "type":
            return tuple(v._replace(tag=CLASS) for v in given if v.tag == INSTANCE_OF)
        inside = unique([v for g in given for v in elements(g)])
        if label == "enumerate":
            return (sequence((Value(TUPLE, inside=((), inside)),)),) if inside else ()
        if label in ("next", "anext", "min", "max"):
            return inside
        return (sequence(inside),) if inside else ()

    def container_call(self, path: str, owner: int, label: str, arguments: tuple[int, ...]) -> Values:
        """Methods of containers, which are declared nowhere in the project."""
        rules = self.rules_of(path)
        found: list[Value] = []
        for value in self.evaluate(path, owner):
            if label in rules.mapping_methods and arguments:
                given = [
                    v for f in self.evaluate(path, arguments[0]) if f.tag == FUNCTION for v in self.result(f)
                ]
                found += [sequence(unique(given))] if given and value.tag != INSTANCE_OF else given
            elif label in rules.same_methods:
                found.append(value)
            elif value.tag == MAPPING and label == "values":
                found.append(sequence(value.inside[0]))
            elif value.tag == MAPPING and label == "items":
                found.append(sequence((Value(TUPLE, inside=((), value.inside[0])),)))
            elif value.tag in (SEQUENCE, MAPPING, TUPLE):
                if label in rules.element_methods:
                    found += elements(value)
                elif label in rules.container_methods:
                    found.append(value)
        return unique(found)


_BUILT_IN: Final = frozenset(
    {
        "super",
        "type",
        "list",
        "sorted",
        "reversed",
        "set",
        "tuple",
        "frozenset",
        "iter",
        "next",
        "enumerate",
        "anext",
        "min",
        "max",
    }
)
