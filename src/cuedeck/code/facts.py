"""What is known about one blob: definitions, scopes, bindings and every expression that names something.

Facts never depend on a path or a ref. All positions are byte offsets; all numbers are columns, so a blob of
a thousand lines costs a few kilobytes in memory and on disk.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

# Raise this when extraction changes what it records: stored facts of another version are extracted anew.
EXTRACTOR_VERSION: Final = 97


class Op:
    """Kinds of expression. A row is (op, a, b, pos); row 0 is the unknown expression."""

    UNKNOWN: Final = 0
    NAME: Final = 1  # a = scope, b = string
    ATTR: Final = 2  # a = object expression, b = string
    CALL: Final = 3  # a = callee, b = list of positional arguments; Python keeps their number as its role
    INDEX: Final = 4  # a = value, b = list of indices (also generic arguments)
    TUPLE: Final = 5  # b = list of items, as WRITE in any order; a = scope, of two types compared in it
    UNION: Final = 6  # b = list, as WRITE by ``|``, EXTENDS by ``&``; a = types a conditional one compares
    AWAIT: Final = 7  # a = awaited expression
    SEQUENCE: Final = 8  # a = element expression, for comprehensions and homogeneous literals
    TEXT: Final = 9  # a string literal
    KEYWORD: Final = 10  # a = callee, b = string: the name of a keyword argument; a WRITE of the row before
    IMPORTED: Final = 11  # a = import, b = string: a name taken out of a module
    MODULE: Final = 12  # a = import, b = string: the module itself, or one segment of its path
    NEW: Final = 13  # a = type expression: a new instance of it
    SELF: Final = 14  # a = class scope: the current instance, b = 1: any heir's, else what is expected around
    SUPER: Final = 15  # a = class scope: its parent's part of the current instance
    ITEM: Final = 16  # a = expression, b = position: one part of a destructured value
    ELEMENT: Final = 17  # a = expression, b = 0, KEYS, HELD or ENDING: what iterating over it yields
    FUNCTION: Final = 18  # a = scope: an anonymous function
    ENTERED: Final = 19  # a = expression: what entering it as a context gives
    MAPPING: Final = 20  # a = value expression, for dictionary literals; b = key expression
    TYPED: Final = 21  # a = type expression: some value of that type
    CAUGHT: Final = 22  # a = expression: an exception of that type
    LITERAL: Final = 23  # b = string: a literal of a named built-in type; a = string: that type itself
    ARGUMENT: Final = 24  # a = callee, b = position: what its parameter there expects
    NARROWED: Final = 25  # a = expression, b = list of tests that it has passed
    TEST: Final = 26  # a = operand, b = string: sign, word and key of what a condition says
    # a = type or 0, b = string: the parameter that is of it, or true, when this is; b = 0: as callee a says
    PREDICATE: Final = 27
    INTRINSIC: Final = 28  # b = string: an element of a language inside the language, by its tag
    MEMBERS: Final = 29  # a = type, b = type of the key or 0: what its members of that key, or any, hold
    OPERATED: Final = 30  # a = left operand, b = string: the method that the operator calls
    WANTED: Final = 31  # a = callee, b = expression: what its call is expected to give


# From where on the earlier values of a name end that is given something made of them.
RENEWED: Final = 1
# Of what a container yields, only its keys; what it holds, whatever the key; what it gives at its end.
KEYS: Final = 1
HELD: Final = 2
ENDING: Final = 3
# The name of a parameter that takes all further arguments, where its own name is bound to what they are.
REST: Final = "..."
CONDITION: Final = "where"  # what an extension binds that is for some of a type's values only
# Positions of arguments: the last one, wherever that is; and what a function is called on.
TRAILING: Final = 1 << 16
RECEIVER: Final = TRAILING + 1
# The member by which a type says what `new` gives of a value of it.
MAKES: Final = "new()"


class Role:
    """Why an expression names something; kept in the high bits of its op."""

    READ: Final = 0
    CALL: Final = 1
    EXTENDS: Final = 2
    IMPLEMENTS: Final = 3
    WRITE: Final = 4
    EXPORT: Final = 5
    TYPE: Final = 6
    IMPORT: Final = 7


TYPE_ROLES: Final = frozenset({Role.TYPE, Role.EXTENDS, Role.IMPLEMENTS})
ROLE_SHIFT: Final = 5
OP_MASK: Final = (1 << ROLE_SHIFT) - 1
# The number of positional arguments of a call that has so many or more, or unpacks some.
MANY: Final = 7

# Ops that name something at ``pos`` through the string ``b``.
NAMING: Final = frozenset({Op.NAME, Op.ATTR, Op.KEYWORD, Op.IMPORTED, Op.MODULE, Op.INTRINSIC})
_IS_NAMING: Final = bytes(op & OP_MASK in NAMING for op in range(256))


class Bind:
    """How a scope got a name. A row is (scope, string, pos, kind, x, y)."""

    # x = scope; y = 1 for its own file, in Rust for a macro; 2 for a prototype of C, a bodiless one of Java
    FUNCTION: Final = 0
    CLASS: Final = 1  # x = scope
    IMPORT: Final = 2  # x = import, y = string: the name inside the module
    MODULE: Final = 3  # x = import, y = 1 when the name stands for the whole dotted path
    STAR: Final = 4  # x = import
    VARIABLE: Final = 5  # x = annotation, y = value; in C an unknown one for ``extern``
    PARAMETER: Final = 6  # x = annotation, y = default, or that it may be left out
    SELF: Final = 7  # x = class scope, y = 1 for the class itself
    OPAQUE: Final = 8  # a name whose value is not followed; x = bound of a type parameter, y = its default
    ALIAS: Final = 9  # x = type expression that the name stands for
    NAMESPACE: Final = 10  # x = scope: an inline module or namespace
    LINK: Final = 11  # x = expression: another name for exactly what it names


TYPE_BINDS: Final = frozenset({Bind.CLASS, Bind.ALIAS})
# Set on a binding made through the instance (``self.x = ...``) rather than in the class body.
INSTANCE: Final = 0x20
BIND_MASK: Final = 0x1F


class ScopeKind:
    """What a scope is, which decides who may see its names."""

    MODULE: Final = 0
    CLASS: Final = 1
    FUNCTION: Final = 2
    BLOCK: Final = 3  # comprehension, block, arm
    NAMESPACE: Final = 4
    TAGS: Final = 6  # the names of C's structures, which stand apart from all others
    EXTENSION: Final = 5  # members added to a class declared elsewhere: impl, receiver method, extension


class Kind:
    """Kinds of symbol, in the contract's short words."""

    MODULE: Final = "module"
    FUNCTION: Final = "fn"
    METHOD: Final = "method"
    CLASS: Final = "class"
    STRUCT: Final = "struct"
    INTERFACE: Final = "interface"
    TRAIT: Final = "trait"
    ENUM: Final = "enum"
    UNION: Final = "union"
    MEMBER: Final = "enum_member"
    CONSTANT: Final = "const"
    VARIABLE: Final = "variable"
    FIELD: Final = "field"
    TYPE: Final = "type"
    MACRO: Final = "macro"
    NAMESPACE: Final = "namespace"
    PROPERTY: Final = "property"


KINDS: Final = tuple(value for name, value in vars(Kind).items() if name.isupper())

# Members that are hashed with their owner, and the bytes of the two hashes.
UNHASHED: Final = frozenset({Kind.FIELD, Kind.MEMBER})
CONTENT: Final = 6
SHAPE: Final = 4

CALLABLE: Final = frozenset({Kind.FUNCTION, Kind.METHOD, Kind.MACRO})
TYPES: Final = frozenset(
    {Kind.CLASS, Kind.STRUCT, Kind.INTERFACE, Kind.TRAIT, Kind.ENUM, Kind.UNION, Kind.TYPE}
)


class Definition(NamedTuple):
    """One symbol of a blob."""

    name: str
    kind: str
    parent: int  # the enclosing definition, or -1
    scope: int  # its own scope, or -1
    start: int
    end: int
    name_at: int
    line_start: int  # 1-based
    line_end: int
    signature: str
    doc_start: int
    doc_end: int
    content: bytes
    shape: bytes
    within: str = ""  # the owner's name where the owner is declared elsewhere, `::` between its parts


Called = tuple[str, str, int, str]  # what names a definition: its name, kind, parent and ``within``
Key = tuple[str, str, int]  # a definition in any version of its file: kind, name in the file, ordinal
# Of a file with very many definitions so many are kept.
_MOST_MADE: Final = 1024


class Definitions(Sequence[Definition]):
    """Definitions by number, each made when first asked for: of most files few ever are."""

    __slots__ = ("_made", "_make", "called", "contents", "names")

    def __init__(
        self,
        names: tuple[str, ...],
        called: Callable[[], Iterable[Called]],
        contents: Callable[[], Iterable[bytes]],
        make: Callable[[int], Definition],
    ) -> None:
        self.names = names
        self.called = called
        self.contents = contents
        self._make = make
        self._made: dict[int, Definition] = {}

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Definition]:
        # Not kept: whoever looks at all of them seldom does so twice.
        return (self._made.get(number) or self._make(number) for number in range(len(self.names)))

    def __getitem__(self, number: int) -> Definition:  # type: ignore[override]
        found = self._made.get(number)
        if found is None:
            if len(self._made) >= _MOST_MADE:
                self._made.clear()
            found = self._made[number] = self._make(range(len(self.names))[number])
        return found


class Scope(NamedTuple):
    """A region in which names are bound; lists are indices into ``Links.lists``."""

    kind: int
    parent: int
    owner: int  # the class scope around it, or -1
    definition: int  # or -1
    result: int  # annotated result of a function; target of an extension
    returns: int
    bases: int
    decorators: int
    receiver: int  # string of the first parameter of a method, or 0
    globals: int
    ended: int  # bindings that do not count: a name or 0 for all, placed between two, for places between two


class Import(NamedTuple):
    """A module as the source names it: ``level`` counts leading dots."""

    module: str
    level: int


@dataclass(frozen=True)
class Outline:
    """The definitions of a blob and where its lines start."""

    language: str
    size: int
    lines: array[int]
    definitions: Sequence[Definition]
    broken: bool = False
    generated: bool = False
    problem: str | None = None

    def line_of(self, offset: int) -> int:
        """The 1-based line of a byte offset."""
        return bisect_right(self.lines, offset)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The bare name of each definition."""
        definitions = self.definitions
        return (
            definitions.names if isinstance(definitions, Definitions) else tuple(d.name for d in definitions)
        )

    def called(self) -> Iterable[Called]:
        """What names each definition, without making the definitions."""
        definitions = self.definitions
        if isinstance(definitions, Definitions):
            return definitions.called()
        return ((d.name, d.kind, d.parent, d.within) for d in definitions)

    @cached_property
    def locals(self) -> tuple[str, ...]:
        """The name of each definition with its owners, inside the file."""
        names: list[str] = []
        for bare, _, parent, within in self.called():
            name = f"{within}::{bare}" if within else bare
            # Owners come before what they own.
            names.append(f"{names[parent]}::{name}" if 0 <= parent < len(names) else name)
        return tuple(names)

    @cached_property
    def ordinals(self) -> tuple[int, ...]:
        """Which of several definitions of one kind and name each is."""
        seen: dict[tuple[str, str], int] = {}
        found: list[int] = []
        for (_, kind, _, _), name in zip(self.called(), self.locals, strict=True):
            count = seen.get((kind, name), 0)
            seen[kind, name] = count + 1
            found.append(count)
        return tuple(found)

    @cached_property
    def numbers(self) -> dict[Key, int]:
        """Where each definition is, by what makes it the same in another version of the file."""
        columns = zip(self.called(), self.locals, self.ordinals, strict=True)
        return {
            (kind, name, ordinal): number for number, ((_, kind, _, _), name, ordinal) in enumerate(columns)
        }

    @cached_property
    def hashed(self) -> dict[Key, bytes]:
        """What the definitions that are hashed hold."""
        definitions = self.definitions
        contents = (
            definitions.contents()
            if isinstance(definitions, Definitions)
            else (definition.content for definition in definitions)
        )
        return {
            key: content
            for key, content in zip(self.numbers, contents, strict=True)
            if key[0] not in UNHASHED
        }

    def named(self, name: str) -> list[int]:
        """The definitions of a bare name."""
        names, at = self.names, -1
        return [at := names.index(name, at + 1) for _ in range(names.count(name))]

    @cached_property
    def _around(self) -> tuple[array[int], array[int]]:
        """Where each definition starts, and the one that it stands in, or -1."""
        spans = [(definition.start, definition.end) for definition in self.definitions]
        outer, inside = array("i"), [-1]
        for number, (start, _) in enumerate(spans):
            while inside[-1] >= 0 and spans[inside[-1]][1] <= start:
                inside.pop()
            outer.append(inside[-1])
            inside.append(number)
        return array("I", [start for start, _ in spans]), outer

    def enclosing(self, offset: int) -> int:
        """The innermost function, class or other owner around an offset, or -1."""
        starts, outer = self._around
        number = bisect_right(starts, offset) - 1
        while number >= 0 and self.definitions[number].end <= offset:
            number = outer[number]
        return number


class Occurrences:
    """The rows in which a column holds a number: found when asked for, as few of them ever are."""

    __slots__ = ("_data", "_found", "_kept", "_width")

    def __init__(self, column: array[int], kept: bytes | None = None) -> None:
        self._data = column.tobytes()
        self._kept = kept
        self._width = column.itemsize
        self._found: dict[int, tuple[int, ...]] = {}

    def get(self, number: int | None, default: tuple[int, ...] = ()) -> tuple[int, ...]:
        """The rows that hold the number, ascending; only those kept."""
        if number is None or not 0 <= number < 1 << 8 * self._width:
            return default
        found = self._found.get(number)
        if found is None:
            found = self._found[number] = tuple(self._rows(number))
        return found or default

    def _rows(self, number: int) -> Iterator[int]:
        width, data, kept = self._width, self._data, self._kept
        wanted = number.to_bytes(width, sys.byteorder)
        at = data.find(wanted)
        while at >= 0:
            row, past = divmod(at, width)
            if past:
                at = data.find(wanted, at + 1)
                continue
            if kept is None or kept[row]:
                yield row
            at = data.find(wanted, at + width)


class Lists:
    """Many short lists in two columns: where each ends, and what all of them hold."""

    __slots__ = ("_ends", "_items")

    def __init__(self, ends: array[int], items: array[int]) -> None:
        self._ends = ends
        self._items = items

    def __getitem__(self, number: int) -> tuple[int, ...]:
        if not number:
            return ()
        return tuple(self._items[self._ends[number - 1] : self._ends[number]])

    def __len__(self) -> int:
        return len(self._ends)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return map(self.__getitem__, range(len(self._ends)))


class ScopeNames:
    """For every scope a table of its names with their bindings, made when first looked into."""

    __slots__ = ("_made", "_names", "_rows")

    def __init__(self, scopes: array[int], names: array[int]) -> None:
        self._rows = Occurrences(scopes)
        self._names = names
        self._made: dict[int, dict[int, tuple[int, ...]]] = {}

    def __getitem__(self, scope: int) -> dict[int, tuple[int, ...]]:
        found = self._made.get(scope)
        if found is None:
            rows: dict[int, list[int]] = {}
            for row in self._rows.get(scope):
                rows.setdefault(self._names[row], []).append(row)
            found = self._made[scope] = {name: tuple(held) for name, held in rows.items()}
        return found


class Scopes(dict[int, Scope]):
    """Scopes by number, cut out of one column when first asked for: of most files few ever are."""

    __slots__ = ("columns", "count")

    def __init__(self, columns: array[int]) -> None:
        self.columns = columns
        self.count = len(columns) // len(Scope._fields)

    def __missing__(self, number: int) -> Scope:
        if not 0 <= number < self.count:
            raise IndexError(number)
        found = self[number] = Scope._make(self.columns[number :: self.count])
        return found


class Imports:
    """The imported modules of a blob, in two columns."""

    __slots__ = ("_levels", "_modules")

    def __init__(self, modules: tuple[str, ...], levels: array[int]) -> None:
        self._modules = modules
        self._levels = levels

    def __getitem__(self, number: int) -> Import:
        return Import(self._modules[number], self._levels[number])

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Import]:
        return map(Import, self._modules, self._levels)


@dataclass(frozen=True)
class Links:
    """What resolution needs of a blob, as columns."""

    strings: tuple[str, ...]
    ops: array[int]
    a: array[int]
    b: array[int]
    pos: array[int]
    lists: Lists | tuple[tuple[int, ...], ...]  # the first is empty
    bindings: tuple[array[int], ...]  # scope, name, pos, kind, x, y
    scopes: Scopes
    imports: Imports | tuple[Import, ...]

    def scope_rows(self) -> Iterator[Scope]:
        """Every scope in order."""
        return map(self.scopes.__getitem__, range(self.scopes.count))

    @cached_property
    def string_numbers(self) -> dict[str, int]:
        """Where each string is."""
        return {text: number for number, text in enumerate(self.strings)}

    @cached_property
    def names(self) -> ScopeNames:
        """For every scope its names, each with the bindings that made it."""
        return ScopeNames(self.bindings[0], self.bindings[1])

    @cached_property
    def sites(self) -> Occurrences:
        """The expressions that use each string as a name."""
        return Occurrences(self.b, self.ops.tobytes().translate(_IS_NAMING))

    @cached_property
    def arguments(self) -> dict[int, tuple[int, ...]]:
        """What each callee is called with, also where it is told types."""
        found = {}
        for number, op in enumerate(self.ops):
            if op & OP_MASK == Op.CALL:
                callee = self.a[number]
                found[callee] = self.lists[self.b[number]]
                if self.ops[callee] & OP_MASK == Op.INDEX:
                    found.setdefault(self.a[callee], found[callee])
        return found

    def given(self, callee: int) -> tuple[int, dict[str, int]]:
        """How many arguments a callee is given by their place, and the others by name, 0 if not known."""
        named: dict[str, int] = {}
        for number in range(callee + 1, len(self.ops)):
            if self.a[number] == callee:
                op = self.ops[number] & OP_MASK
                if op == Op.KEYWORD:
                    known = self.ops[number] >> ROLE_SHIFT == Role.WRITE
                    named[self.strings[self.b[number]]] = number - 1 if known else 0
                elif op == Op.CALL:
                    return self.ops[number] >> ROLE_SHIFT, named
        return MANY, named

    @cached_property
    def methods(self) -> dict[int, int]:
        """The name of each function that a class declares, by its scope."""
        owners, names, _, kinds, scopes, _ = self.bindings
        return {
            scopes[number]: names[number]
            for number, kind in enumerate(kinds)
            if kind == Bind.FUNCTION and self.scopes[owners[number]].kind == ScopeKind.CLASS
        }

    @cached_property
    def classes(self) -> dict[int, int]:
        """The name of each class, by its scope."""
        _, names, _, kinds, scopes, _ = self.bindings
        return {scopes[number]: names[number] for number, kind in enumerate(kinds) if kind == Bind.CLASS}

    def standing(
        self,
        scope: int,
        bindings: tuple[int, ...],
        place: int,
        known: Callable[[int], bool],
        *,
        declared: bool = True,
    ) -> tuple[int, ...]:
        """Of a name's bindings those that count at a place; types that are ``declared`` always may.

        One that is made of what its name held before ends that only if what it gives is known.
        """
        _, names, places, _, hints, values = self.bindings
        ended = iter(self.lists[self.scopes[scope].ended])
        for name, low, high, start, end in zip(ended, ended, ended, ended, ended, strict=True):
            if start <= place < end and name in (0, names[bindings[0]]):
                if low == RENEWED and not any(places[b] == high and known(b) for b in bindings):
                    continue
                always = [declared and hints[b] and hints[b] != values[b] for b in bindings]
                kept = [b for b, a in zip(bindings, always, strict=True) if a or not low <= places[b] < high]
                bindings = tuple(kept) or bindings
        return bindings

    def proven(self, scope: int, name: int, place: int) -> list[tuple[int, bool, int]]:
        """The tests of a name that have passed, or failed, at a place: where each stands, and holds from."""
        rows = zip(*[iter(self.lists[self.scopes[scope].ended])] * 5, strict=True)
        here = [r for r in rows if r[0] == name and r[1] >= r[2] and r[3] <= place < r[4]]
        return [(at, low == at, start) for _, low, at, start, _ in here]

    def lasting(self, scope: int, bindings: tuple[int, ...]) -> tuple[int, ...]:
        """Of a name's bindings those outside of what only exceptions lead to, if there are others."""
        places = self.bindings[2]
        ended = self.lists[self.scopes[scope].ended]
        ranges = list(zip(ended[1::5], ended[2::5], strict=True))
        return tuple(b for b in bindings if all(not a <= places[b] < z for a, z in ranges)) or bindings

    @cached_property
    def renamed(self) -> dict[int, list[int]]:
        """Import bindings under another name, by the name inside the module."""
        found: dict[int, list[int]] = {}
        for number, kind in enumerate(self.bindings[3]):
            if kind == Bind.IMPORT and self.bindings[1][number] != self.bindings[5][number]:
                found.setdefault(self.bindings[5][number], []).append(number)
        return found

    @cached_property
    def forwarding(self) -> tuple[int, ...]:
        """Bindings that are another name for what an expression names."""
        return tuple(number for number, kind in enumerate(self.bindings[3]) if kind == Bind.LINK)

    @cached_property
    def bound(self) -> Occurrences:
        """The bindings of each string, in any scope."""
        return Occurrences(self.bindings[1])


@dataclass(frozen=True)
class Facts:
    """Everything extracted from one blob."""

    outline: Outline
    links: Links
