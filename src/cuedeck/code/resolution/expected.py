"""Keys of objects: whether what is expected where one is written may be a type that does not have it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from cuedeck.code.facts import OP_MASK, REST, ROLE_SHIFT, Bind, Op, Role, ScopeKind
from cuedeck.code.resolution.choosing import is_left_out
from cuedeck.code.resolution.generics import pairs, parameters_in
from cuedeck.code.resolution.values import CALLABLE, FUNCTION, PARAMETER, Symbol, Value, unique

if TYPE_CHECKING:
    from cuedeck.code.resolution.linker import Linker

_NAMED: Final = (Op.NAME, Op.ATTR)
_DECLARED: Final = (Bind.VARIABLE, Bind.PARAMETER)
# Types that never have a member of the project.
_WITHOUT: Final = (Op.LITERAL, Op.SEQUENCE, Op.TUPLE, Op.FUNCTION, Op.MAPPING)
_NOTHING: Final = ("undefined", "null")
_IMPOSSIBLE: Final = "never"
_PRESENT: Final = "NonNullable"
_PARTIAL: Final = "Partial"
_MAX_DEPTH: Final = 12
_MAX_TYPES: Final = 100
_MAX_JOINED: Final = 50


class _Frame(NamedTuple):
    """What the type parameters of a named type stand for: types of a file, in a frame of their own."""

    path: str
    arguments: tuple[int, ...]
    around: _Frame | None


class _Type(NamedTuple):
    """One of the types that are expected: an expression of a file, 0 for none, such as ``undefined``."""

    path: str = ""
    row: int = 0
    partial: bool = False  # whether all its members may be left out
    frame: _Frame | None = None  # what the type parameters that it speaks of stand for


def may_lack(linker: Linker, path: str, site: int) -> bool:
    """Whether a site is a key of an object where, beside what has that key, something else is expected.

    ``{ retries: 3 }`` for ``Options | undefined``: as a whole, that type has no such member.
    """
    links = linker.links(path)
    if links.ops[site] != Op.ATTR:
        return False
    places, scopes = links.bindings[2], links.bindings[0]
    # What a key names is bound in its object, too, which sets it apart from an attribute of JSX.
    if not any(
        places[b] == links.pos[site] and links.scopes[scopes[b]].kind == ScopeKind.CLASS
        for b in links.bound.get(links.b[site], ())
    ):
        return False
    key = _Key(linker, path, links.strings[links.b[site]])
    return key.is_missed(key.expected(path, links.a[site]))


class _Key:
    """A key, and the types that are expected of the object it stands in."""

    def __init__(self, linker: Linker, path: str, name: str) -> None:
        self.linker = linker
        self.name = name
        self.rules = linker.rules_of(path)
        self.looked = 0
        self.strict, self.left_out = self.rules.counts_nothing(path)

    def is_missed(self, types: Sequence[_Type]) -> bool:
        """Whether one of the types lacks the key; of one alone, that stands for something else."""
        if len(types) == 1 and types[0].row:
            return self.is_intersection(types[0]) and self.lacks(types[0])
        return any(map(self.lacks, types))

    def lacks(self, of: _Type) -> bool:
        links = self.linker.links(of.path) if of.row else None
        if links is None or links.ops[of.row] & OP_MASK in _WITHOUT:
            return True
        if self.is_intersection(of):
            parts = self.joined(of)
            several = any(len(part) > 1 for part in parts)
            return several and all(any(map(self.lacks, part)) for part in parts if part)
        return not self.has(of, self.name)

    def has(self, of: _Type, name: str) -> bool:
        values = self.linker.concrete(self.linker.annotation(of.path, of.row))
        targets = (target for value in values for target in self.linker.attribute_of(value, name))
        return any(isinstance(target, Symbol) for target in targets)

    def leaves_out(self, of: _Type, name: str) -> bool:
        """Whether a type says of all its members that they may be left out, and has one of that name."""
        if not self.is_intersection(of):
            return of.partial
        return any(t.partial and self.has(t, name) for part in self.joined(of) for t in part)

    def is_intersection(self, of: _Type) -> bool:
        op = self.linker.links(of.path).ops[of.row] if of.row else Op.UNKNOWN
        return op & OP_MASK == Op.UNION and op >> ROLE_SHIFT == Role.EXTENDS

    def is_conditional(self, of: _Type) -> bool:
        """Whether a type, or a part of it, is one of two by a condition."""
        if self.is_intersection(of):
            return any(self.is_conditional(t) for part in self.joined(of) for t in part if t != of)
        links = self.linker.links(of.path) if of.row else None
        return links is not None and links.ops[of.row] & OP_MASK == Op.UNION and links.a[of.row] > 0

    def joined(self, of: _Type) -> list[list[_Type]]:
        """The types that each part of an intersection is one of; none of one that goes on without end."""
        self.looked += 1
        if self.looked > _MAX_JOINED:
            return []
        links = self.linker.links(of.path)
        return [self.types(of.path, part, of.frame) for part in links.lists[links.b[of.row]]]

    def nothing(self, counts: bool) -> list[_Type]:
        """``undefined`` and ``null``, where they count as types of their own."""
        return [_Type()] if counts else []

    # -- what is expected

    def expected(self, path: str, row: int, depth: int = 0) -> list[_Type]:
        """The types that may be expected by an expression of what is expected; none if that is not known."""
        links = self.linker.links(path)
        op, a, b = links.ops[row] & OP_MASK, links.a[row], links.b[row]
        if depth > _MAX_DEPTH:
            return []
        match op:
            case Op.TYPED:
                return self.types(path, a)
            case Op.NARROWED | Op.WANTED:
                return self.expected(path, a, depth + 1)
            case Op.ARGUMENT:
                return self.chosen(self.taken(path, a, b))
            case Op.CALL:
                return self.chosen(self.given(path, a))
            case Op.NAME:
                named = self.linker.targets(path, row)
                symbols = [target for target in named if isinstance(target, Symbol)]
                return [t for symbol in symbols for t in self.declared(symbol, counts=self.strict)]
            case Op.ATTR:
                return self.held(path, row, links.strings[b], depth)
            case Op.ELEMENT:
                return [t for whole in self.expected(path, a, depth + 1) for t in self.elements(whole)]
            case Op.INDEX if not links.lists[b]:
                return [t for whole in self.expected(path, a, depth + 1) for t in self.entries(whole)]
        return []

    def chosen(self, signatures: Iterable[list[_Type]]) -> list[_Type]:
        """Of what overloads expect, what as a whole has the key."""
        known = list(signatures)
        return next((types for types in known if not self.is_missed(types)), known[0] if known else [])

    def taken(self, path: str, callee: int, position: int) -> Iterator[list[_Type]]:
        """What the functions that a call may run take at a position."""
        linker = self.linker
        values = linker.concrete(linker.evaluate(path, callee))
        functions = tuple(dict.fromkeys(f for value in values for f in linker.functions_of(path, value)))
        for function in linker.agreeing(path, functions, linker.links(path).arguments.get(callee, ())):
            links, names = linker.links(function.path), linker.parameter_names(function)
            if position >= len(names) - 1 and names and links.strings[names[-1][1]] == REST:
                if self.tells(path, callee, function, len(names) - 1):
                    yield [_Type()]
                continue
            if position >= len(names):
                continue
            binding = names[position][0]
            hint, default = links.bindings[4][binding], links.bindings[5][binding]
            if self.says_itself(path, callee, function, position):
                yield [_Type()]
                continue
            types = self.types(function.path, hint)
            if default and links.ops[default] & OP_MASK != Op.ARGUMENT:
                types += self.nothing(self.strict)
            yield types

    def says_itself(self, path: str, callee: int, function: Value, position: int) -> bool:
        """Whether an argument tells a type parameter that functions beside it take and nothing else has.

        Of ``render<T>(of: (told: T) => void, by: T)`` T is the type of the object in ``render(ask, { … })``.
        """
        linker, asked = self.linker, self.tells(path, callee, function, position)
        if asked is None:
            return False
        others = [at for at in range(len(linker.parameter_names(function))) if at != position]
        told = [self.spoken(value, asked) for at in others for value in linker.parameter_type(function, at)]
        return any(takes for takes, _ in told) and not any(gives for _, gives in told)

    def tells(self, path: str, callee: int, function: Value, position: int) -> Value | None:
        """The type parameter that a parameter is declared as, where the call does not say what it is."""
        declared = self.linker.parameter_type(function, position, whole=True)
        is_told = self.linker.links(path).ops[callee] & OP_MASK == Op.INDEX
        if is_told or len(declared) != 1 or declared[0][:3] != (PARAMETER, function.path, function.scope):
            return None
        return declared[0]

    def spoken(self, value: Value, parameter: Value) -> tuple[bool, bool]:
        """Whether a function takes a type parameter, and whether it gives it; anything else may give it."""
        linker = self.linker
        if value.tag == CALLABLE:
            takes = unique([v for part in value.inside[1:] for v in part])
            return parameter in parameters_in(takes), parameter in parameters_in(value.inside[0])
        if value.tag != FUNCTION:
            return False, parameter in parameters_in((value,))
        meaning = dict(pairs(value))
        taken = [linker.parameter_type(value, at) for at in range(len(linker.parameter_names(value)))]
        takes = linker.substitute(unique([v for part in taken for v in part]), meaning)
        gives = linker.substitute(linker.result(value._replace(inside=())), meaning)
        return parameter in parameters_in(takes), parameter in parameters_in(gives)

    def given(self, path: str, callee: int) -> Iterator[list[_Type]]:
        """What the functions that are expected give."""
        for value in self.linker.concrete(self.linker.evaluate(path, callee)):
            for function in self.linker.functions_of(path, value) if value.tag == FUNCTION else ():
                yield self.types(
                    function.path, self.linker.links(function.path).scopes[function.scope].result
                )

    def held(self, path: str, row: int, name: str, depth: int) -> list[_Type]:
        """What a member of what is expected holds, or an entry of it."""
        owner, role = self.linker.links(path).a[row], self.linker.links(path).ops[row] >> ROLE_SHIFT
        values = self.linker.concrete(self.linker.evaluate(path, owner))
        targets = (target for value in values for target in self.linker.attribute_of(value, name))
        members = dict.fromkeys(target for target in targets if isinstance(target, Symbol))
        # What is assigned to a member is not left out.
        counts = self.left_out and role != Role.WRITE
        each = [list(self.declared(member, counts=counts)) for member in members]
        owners = self.expected(path, owner, depth + 1)
        # Of a conditional type only one side is meant.
        decides = len(each) > 1 and any(map(self.is_conditional, owners))
        found = self.chosen(each) if decides else [t for types in each for t in types]
        if not members:
            return [t for whole in owners for t in self.entries(whole)]
        return [*found, *self.nothing(counts and any(self.leaves_out(whole, name) for whole in owners))]

    def declared(self, symbol: Symbol, *, counts: bool) -> Iterator[_Type]:
        """What a variable, a parameter or a member is declared to hold, perhaps counting that it is not."""
        links = self.linker.links(symbol.path)
        for binding in links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ()):
            kind, hint, value = (column[binding] for column in links.bindings[3:])
            if kind in _DECLARED and hint:
                yield from self.types(symbol.path, hint)
                if is_left_out(links.ops[value], links.a[value]):
                    yield from self.nothing(counts)

    def elements(self, whole: _Type) -> list[_Type]:
        """What a container that is expected holds; whether it may be left out itself is of no account."""
        links = self.linker.links(whole.path) if whole.row else None
        if links is None:
            return []
        if links.ops[whole.row] & OP_MASK == Op.SEQUENCE:
            return self.types(whole.path, links.a[whole.row], whole.frame)
        told = self.told(whole, self.rules.sequences)
        return self.types(whole.path, told[0], whole.frame) if told else []

    def entries(self, whole: _Type) -> list[_Type]:
        """What a dictionary that is expected holds."""
        held = self.held_under_any_key(whole) if whole.row else 0
        found = self.types(whole.path, held, whole.frame)
        return [*found, *self.nothing(self.left_out and whole.partial)] if found else []

    def held_under_any_key(self, whole: _Type) -> int:
        """What a dictionary holds as it is written: ``Record<Key, Held>``, ``{ [key in Key]: Held }``."""
        links = self.linker.links(whole.path)
        if links.ops[whole.row] & OP_MASK == Op.MAPPING:
            return links.a[whole.row]
        told = self.told(whole, self.rules.mappings)
        return told[1] if len(told) > 1 else 0

    def told(self, of: _Type, labels: frozenset[str]) -> tuple[int, ...]:
        """The arguments of a generic type that is none of the project's and has one of some names."""
        links = self.linker.links(of.path)
        if (
            links.ops[of.row] & OP_MASK != Op.INDEX
            or self.linker.label(of.path, links.a[of.row]) not in labels
        ):
            return ()
        own = self.linker.is_own(of.path, links.a[of.row])
        return () if own else self.linker.arguments_of(of.path, of.row)

    # -- types as they are written

    def types(self, path: str, row: int, frame: _Frame | None = None) -> list[_Type]:
        """The types that a type, as it is written, is one of."""
        found: list[_Type] = []
        for of in self.parts(path, row, frame, 0) if row else ():
            found.append(of)
            if len(found) == _MAX_TYPES:
                break
        return found

    def parts(self, path: str, row: int, frame: _Frame | None, depth: int) -> Iterator[_Type]:
        links = self.linker.links(path)
        op, a, b = links.ops[row] & OP_MASK, links.a[row], links.b[row]
        if depth > _MAX_DEPTH or not row:
            return
        if op in (Op.TYPED, Op.WANTED):
            yield from self.parts(path, a, frame, depth + 1)
        elif op == Op.UNION and not a and links.ops[row] >> ROLE_SHIFT != Role.EXTENDS:
            items = links.lists[b]
            if any(links.ops[item] & OP_MASK == Op.MAPPING for item in items):
                yield _Type(path, row, frame=frame)  # a type that has the members of another
            else:
                for item in items:
                    yield from self.parts(path, item, frame, depth + 1)
        elif op == Op.LITERAL:
            yield from self.plain(path, row)
        elif op == Op.ATTR and links.ops[a] & OP_MASK == Op.TYPED:
            yield from self.held(path, row, links.strings[b], depth + 1)
        elif op in _NAMED:
            yield from self.named(path, row, _Frame(path, (), frame), depth)
        elif op == Op.INDEX:
            yield from self.generic(path, row, frame, depth)
        else:
            yield _Type(path, row, frame=frame)

    def plain(self, path: str, row: int) -> Iterator[_Type]:
        links = self.linker.links(path)
        if links.strings[links.b[row]] in _NOTHING or links.strings[links.a[row]] in _NOTHING:
            yield from self.nothing(self.strict)
        elif links.strings[links.a[row]] != _IMPOSSIBLE:
            yield _Type(path, row)

    def generic(self, path: str, row: int, frame: _Frame | None, depth: int) -> Iterator[_Type]:
        """``Name<Arguments>``: a type of the project, or a well-known one that is made from others."""
        linker, base = self.linker, self.linker.links(path).a[row]
        label, arguments = linker.label(path, base), linker.arguments_of(path, row)
        if linker.is_own(path, base):
            named = list(self.named(path, linker.plain(path, base), _Frame(path, arguments, frame), depth))
            itself = len(named) == 1 and named[0].row == linker.plain(path, base) and named[0].path == path
            for of in [_Type(path, row, frame=frame)] if itself else named:
                yield of._replace(partial=of.partial or _PARTIAL in label)
        elif label in self.rules.promises or not arguments:
            yield _Type()
        elif label in self.rules.transparent:
            for of in self.parts(path, arguments[0], frame, depth + 1):
                if label != _PRESENT or of.row:
                    yield of._replace(partial=of.partial or _PARTIAL in label)
        else:
            chosen = label in self.rules.leaving_out or label in self.rules.keeping
            from_ = self.parts(path, arguments[0], frame, depth + 1) if chosen else ()
            yield _Type(path, row, any(of.partial for of in from_), frame)

    def named(self, path: str, row: int, frame: _Frame, depth: int) -> Iterator[_Type]:
        """What a name stands for: another type, a type parameter that is told, or itself."""
        for symbol in self.linker.targets(path, row)[:1]:
            links = self.linker.links(symbol.path) if isinstance(symbol, Symbol) else None
            if links is None or not isinstance(symbol, Symbol):
                break
            for binding in links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ()):
                kind, of, default = (column[binding] for column in links.bindings[3:])
                if kind == Bind.ALIAS and of:
                    yield from self.parts(symbol.path, of, frame, depth + 1)
                    return
                if kind == Bind.OPAQUE and links.scopes[symbol.scope].kind == ScopeKind.BLOCK:
                    yield from self.parameter(symbol, frame.around, default, depth) or [_Type(path, row)]
                    return
        yield _Type(path, row)

    def parameter(self, symbol: Symbol, frame: _Frame | None, default: int, depth: int) -> list[_Type]:
        """What a type parameter of a named type stands for."""
        names = [p.name for p in self.linker.declared_parameters(symbol.path, symbol.scope)]
        if frame is not None and symbol.name in names[: len(frame.arguments)]:
            told = frame.arguments[names.index(symbol.name)]
            return list(self.parts(frame.path, told, frame.around, depth + 1))
        return list(self.parts(symbol.path, default, None, depth + 1))
