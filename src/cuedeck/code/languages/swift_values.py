"""Swift's expressions: what calls are given, what closures take, what bindings hold."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.facts import TRAILING, Bind, Op, Role, ScopeKind
from cuedeck.code.languages.table import TableWalk, first_of
from cuedeck.code.resolution.values import LABELLED

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_ARGUMENTS: Final = 16
_UNNAMED: Final = (b"$0", b"$1", b"$2")
_PAIR: Final = 2
_ELEMENT: Final = -1  # any element of a list, where others are positions in a tuple
_RANGES: Final = frozenset(
    {
        "range_expression",
        "open_start_range_expression",
        "open_end_range_expression",
        "fully_open_range",
    }
)
# Of expressions that give one of their parts, which parts those are.
_PARTS: Final = {
    "try_expression": slice(-1, None),
    "await_expression": slice(-1, None),
    "ternary_expression": slice(-2, None),
    "nil_coalescing_expression": slice(-1, None),
    "tuple_expression": slice(None),
    "array_literal": slice(None),
}


class SwiftValues(TableWalk):
    """Visits what has a value."""

    # What is expected where a member stands without an owner, by the place of its name.
    wanted: dict[int, int]
    # What key paths begin with, by their place.
    roots: dict[int, int]
    giving = 0  # the type of what is given back

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.wanted, self.roots = {}, {}

    def expect(self, node: Node, expected: int, *, typed: bool = False) -> None:
        """Note what is expected of an expression, for members in it that stand without an owner."""
        if not expected:
            return
        names = list(self._leading(node))
        if not names:
            return
        whole = self.row(Op.TYPED, expected) if typed else expected
        for at, parts in names:
            value = whole
            for part in parts:
                element = part == _ELEMENT
                value = self.row(Op.ELEMENT, value) if element else self.row(Op.ITEM, value, part)
            # A set of options is written like a list of them.
            self.wanted[at] = self.either([value, whole]) if parts == (_ELEMENT,) else value

    def _leading(self, node: Node, parts: tuple[int, ...] = ()) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Where members without an owner stand that are of the type of an expression, or of its parts."""
        if self.source[node.start_byte : node.start_byte + 1] == b".":
            yield node.start_byte + 1, parts
            return
        inner = node.named_children[_PARTS[node.type]] if node.type in _PARTS else []
        for position, child in enumerate(inner):
            if node.type == "array_literal":
                yield from self._leading(child, (*parts, _ELEMENT))
            elif node.type == "tuple_expression" and len(inner) > 1:
                yield from self._leading(child, (*parts, position))
            else:
                yield from self._leading(child, parts)

    def worth(self, node: Node, scope: int, expected: int, *, typed: bool = False) -> int:
        """Visit a value of which something is expected: a type, or what an expression is."""
        if node.type == "lambda_literal" and expected:
            taker = self.row(Op.TYPED, expected) if typed else expected
            return self.closure(node, scope, expected=taker)
        self.expect(node, expected, typed=typed)
        return self.visit(node, scope)

    def call(self, node: Node, scope: int, role: int = 0) -> int:
        target, *rest = node.named_children
        suffix = rest[-1] if rest else None
        if suffix is not None and self._is_index(suffix):
            value = self.visit(target, scope)
            self.visit(suffix, scope)
            given = [child for part in suffix.named_children for child in part.named_children]
            parts = [self.row(Op.SEQUENCE, 0)] if any(map(_is_range, given)) else [0]
            return self.row(Op.INDEX, value, self.items(parts))
        if target.type in ("array_literal", "dictionary_literal"):
            # ``[Item]()``
            held = [self.row(Op.TYPED, self.visit(of, scope, Role.TYPE)) for of in target.named_children]
            self.given_to(suffix, scope, 0)
            return self._container(target, held)
        callee = self.visit(target, scope, Role.CALL)
        return self.row(Op.CALL, callee, self.items(self.given_to(suffix, scope, callee)[:_MAX_ARGUMENTS]))

    def constructor(self, node: Node, scope: int, role: int = 0) -> int:
        """``Box<Item>()``"""
        target, *rest = node.named_children
        made = self.visit(target, scope, Role.CALL)
        given = self.given_to(rest[-1] if rest else None, scope, made)
        return self.row(Op.CALL, made, self.items(given[:_MAX_ARGUMENTS]))

    def given_to(self, suffix: Node | None, scope: int, callee: int) -> list[int]:
        """Visit what a call is given; of several closures behind it the further ones are named."""
        given: list[int] = []
        label: Node | None = None
        parts = suffix.named_children if suffix is not None else []
        further = sum(part.type == "simple_identifier" for part in parts)
        for part in parts:
            if part.type == "value_arguments":
                children = part.named_children
                given += [self.argument(child, scope, callee, at) for at, child in enumerate(children)]
            elif part.type == "simple_identifier":
                label = part
            elif part.type == "lambda_literal":
                at = LABELLED + self.name(label) if label is not None else TRAILING - further
                expected = self.row(Op.ARGUMENT, callee, at) if callee else 0
                given.append(self.closure(part, scope, expected=expected))
            else:
                self.visit(part, scope)
        return given

    def array(self, node: Node, scope: int, role: int = 0) -> int:
        return self._container(node, [self.visit(child, scope) for child in node.named_children])

    def _container(self, node: Node, parts: list[int]) -> int:
        if node.type == "array_literal":
            element = self.either(dict.fromkeys(parts[:_MAX_ARGUMENTS]))
            return self.row(Op.SEQUENCE, element) if element else 0
        keys, values = (self.either(parts[at : 2 * _MAX_ARGUMENTS : 2]) for at in (0, 1))
        return self.row(Op.MAPPING, values, keys) if keys or values else 0

    def key_path_root(self, node: Node, scope: int, role: int = 0) -> int:
        """``\\Item.name`` begins with some item, ``\\.name`` with what is expected."""
        of = first_of(node)
        if of is None:
            return self.roots.pop(node.start_byte, 0)
        return self.row(Op.TYPED, self.visit(of, scope, Role.TYPE))

    def key_path(self, node: Node, scope: int, expected: int) -> int:
        """A key path that a call is given is a function of what the call hands over."""
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        if expected:
            self.roots[node.start_byte] = self.row(Op.ARGUMENT, expected, 0)
        self.scopes[inner].returns = self.items([self.visit(node, scope)])
        return self.row(Op.FUNCTION, inner)

    def assignment(self, node: Node, scope: int, role: int = 0) -> int:
        target, result = node.child_by_field_name("target"), node.child_by_field_name("result")
        value = self.visit(target, scope) if target is not None else 0
        if result is not None:
            self.worth(result, scope, value)
        return 0

    def comparison(self, node: Node, scope: int, role: int = 0) -> int:
        """What is compared with a value is expected to be like it."""
        left, right = node.child_by_field_name("lhs"), node.child_by_field_name("rhs")
        value = self.visit(left, scope) if left is not None else 0
        if right is not None:
            self.worth(right, scope, value)
        return 0

    def return_(self, node: Node, scope: int, role: int = 0) -> int:
        value = 0
        for child in node.named_children:
            value = self.worth(child, scope, self.giving, typed=True)
        if value:
            self.returned.append(value)
        return 0

    def body_of(self, node: Node, scope: int, giving: int) -> None:
        """Visit what a function runs; a single expression is what it gives."""
        saved, self.giving = self.giving, giving
        statements = [c for c in node.named_children if c.type == "statements"]
        if len(statements) == 1 and statements[0].named_child_count == 1:
            self.expect(statements[0].named_children[0], giving, typed=True)
        self.children(node, scope)
        self.giving = saved

    def tuple_(self, node: Node, scope: int, role: int = 0) -> int:
        """``(a)`` is a."""
        values = [self.visit(child, scope) for child in node.named_children if child.type != "comment"]
        if len(values) < _PAIR:
            return values[0] if values else 0
        return self.row(Op.TUPLE, 0, self.items(values[:_MAX_ARGUMENTS]))

    def tuple_type(self, node: Node, scope: int, role: int = 0) -> int:
        parts = node.named_children
        types = [self.visit(child, scope, Role.TYPE) for child in parts]
        if len(types) < _PAIR:
            return types[0] if types else 0
        whole = self.row(Op.TUPLE, 0, self.items(types))
        labels = [part.child_by_field_name("name") for part in parts]
        if all(label is None or label.type != "simple_identifier" for label in labels):
            return whole
        fields = self.scope(ScopeKind.CLASS, scope)
        for label, of in zip(labels, types, strict=True):
            if label is not None and label.type == "simple_identifier":
                self.bind(fields, self.name(label), label.start_byte, Bind.VARIABLE, of)
        return self.either([whole, self.row(Op.SELF, fields)])

    def tuple_part(self, node: Node, scope: int, role: int = 0) -> int:
        """``name: Type``"""
        return self.visit(node.named_children[-1], scope, Role.TYPE) if node.named_children else 0

    def code(self, node: Node, scope: int, role: int = 0) -> int:
        """What a property runs when it is read or set, with variables of its own."""
        self.accessors(node, scope, 0)
        return 0

    def accessors(self, node: Node, scope: int, giving: int) -> None:
        saved, self.returned = self.returned, []
        self.body_of(node, self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner), giving)
        self.returned = saved

    def macro(self, node: Node, scope: int, role: int = 0) -> int:
        """``#name(…)`` is no function of that name."""
        for child in node.named_children:
            if child.type != "simple_identifier":
                self.visit(child, scope)
        return 0

    def _is_index(self, suffix: Node) -> bool:
        return self.source[suffix.start_byte : suffix.start_byte + 1] == b"["

    def argument(self, node: Node, scope: int, callee: int, position: int) -> int:
        value, label = node.child_by_field_name("value"), node.child_by_field_name("name")
        if value is None or not callee:
            return self.visit(node, scope)
        return self.handed(value, label, scope, callee, position)

    def attribute(self, node: Node, scope: int, role: int = 0) -> int:
        """``@Option(name: .long)`` makes what it names."""
        callee = position = 0
        label: Node | None = None
        labels = {
            child.start_byte
            for child, after in pairwise(node.children)
            if child.type == "simple_identifier" and after.type == ":"
        }
        for child in node.named_children:
            if not callee and child.type == "user_type":
                callee = self.visit(child, scope, Role.TYPE)
            elif child.start_byte in labels:
                label = child
            else:
                self.handed(child, label, scope, callee, position)
                label, position = None, position + 1
        return 0

    def handed(self, value: Node, label: Node | None, scope: int, callee: int, position: int) -> int:
        """Visit what a parameter is given."""
        at = LABELLED + self.name(label) if label is not None else position
        if self.source[value.start_byte : value.start_byte + 1] == b"\\":
            return self.key_path(value, scope, self.row(Op.ARGUMENT, callee, at))
        if value.type != "lambda_literal" and next(self._leading(value), None) is None:
            return self.visit(value, scope)
        return self.worth(value, scope, self.row(Op.ARGUMENT, callee, at))

    def closure(self, node: Node, scope: int, role: int = 0, *, expected: int = 0) -> int:
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        declared = node.child_by_field_name("type")
        if declared is not None:
            self._closure_type(declared, inner, expected)
        elif expected:
            text = self.source[node.start_byte : node.end_byte]
            for position, name in enumerate(_UNNAMED):
                if name in text:
                    taken = self.row(Op.ARGUMENT, expected, position)
                    self.bind(inner, self.intern(name), node.start_byte, Bind.PARAMETER, 0, taken)
        saved, self.returned, self.giving = (self.returned, self.giving), [], 0
        value = 0
        for child in node.named_children:
            if child.type == "capture_list":
                self.captures(child, scope, inner)
            elif child != declared:
                value = self.only(child, inner) if child.type == "statements" else self.visit(child, inner)
        self.scopes[inner].returns = self.items([value, *self.returned[:8]])
        self.returned, self.giving = saved
        return self.row(Op.FUNCTION, inner)

    def captures(self, node: Node, outside: int, inner: int) -> None:
        """``[weak self, name = value]``"""
        for item in node.named_children:
            name, value = item.child_by_field_name("name"), item.child_by_field_name("value")
            if name is not None and value is not None:
                held = self.visit(value, outside)
                self.bind(inner, self.name(name), name.start_byte, Bind.VARIABLE, 0, held)
            elif name is not None and self.source[name.start_byte : name.end_byte] != b"self":
                self.reference(name, outside)

    def _closure_type(self, node: Node, scope: int, expected: int) -> None:
        """``(a: A, b) -> C in``"""
        position = 0
        for part in node.named_children:
            if part.type != "lambda_function_type_parameters":
                self.scopes[scope].result = self.visit(part, scope, Role.TYPE)
                continue
            for parameter in part.named_children:
                names = parameter.children_by_field_name("name")
                of = 0
                for child in names[1:]:
                    of = self.visit(child, scope, Role.TYPE) or of
                taken = self.row(Op.ARGUMENT, expected, position) if expected and not of else 0
                if names:
                    at = names[0].start_byte
                    name = self.intern(unprojected(self.source[at : names[0].end_byte]))
                    self.bind(scope, name, at, Bind.PARAMETER, of, taken)
                position += 1

    def as_(self, node: Node, scope: int, role: int = 0) -> int:
        of, given = node.child_by_field_name("name"), node.child_by_field_name("expr")
        if given is not None:
            self.visit(given, scope)
        return self.row(Op.TYPED, self.visit(of, scope, Role.TYPE)) if of is not None else 0

    def postfix(self, node: Node, scope: int, role: int = 0) -> int:
        """``x!`` is x."""
        target, operation = node.child_by_field_name("target"), node.child_by_field_name("operation")
        value = self.visit(target, scope) if target is not None else 0
        return value if operation is not None and operation.type == "bang" else 0

    def alternatives(self, node: Node, scope: int, role: int = 0) -> int:
        """``a ?? b`` and ``c ? a : b``: one of the last two."""
        values: list[int] = []
        for child in node.named_children:
            if values and node.type == "nil_coalescing_expression":
                self.expect(child, values[-1])
            values.append(self.visit(child, scope))
        return self.either(values[-2:])

    def dictionary(self, node: Node, scope: int, role: int = 0) -> int:
        key, *held = [self.visit(child, scope, Role.TYPE) for child in node.named_children]
        return self.row(Op.MAPPING, self.row(Op.TYPED, held[0]), self.row(Op.TYPED, key)) if held else 0

    def function_type(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.FUNCTION, scope)
        taken, result = node.child_by_field_name("params"), node.child_by_field_name("name")
        for position, item in enumerate(taken.named_children if taken is not None else ()):
            of = item.child_by_field_name("name") or first_of(item)
            hint = self.visit(of, scope, Role.TYPE) if of is not None else 0
            self.bind(inner, self.intern(b"%d" % position), item.start_byte, Bind.PARAMETER, hint)
        if result is not None:
            self.scopes[inner].result = self.visit(result, scope, Role.TYPE)
        return self.row(Op.FUNCTION, inner)


def _is_range(argument: Node) -> bool:
    """Whether an index is that of several elements."""
    value = argument.child_by_field_name("value")
    return value is not None and value.type in _RANGES


def places(node: Node, field: str) -> set[int]:
    """Where the parts of a node begin that a field names."""
    return {child.start_byte for child in node.children_by_field_name(field)}


def unprojected(name: bytes) -> bytes:
    """The property that ``$name`` is made of; ``$0`` is what a closure takes."""
    return name[1:] if name[:1] == b"$" and not name[1:2].isdigit() else name
