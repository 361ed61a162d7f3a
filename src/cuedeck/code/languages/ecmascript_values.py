"""JavaScript and TypeScript: values as facts, and what their surroundings expect of them."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.facts import Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.ecmascript_guards import GuardWalk
from cuedeck.code.languages.table import first_of

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS: Final = ("arrow_function", "function_expression", "generator_function", "function")
_TYPED: Final = ("object", "array", *FUNCTIONS)
_MAX_ARGUMENTS: Final = 12
_MAX_TEXT: Final = 32
# An object with more keys is data.
_MAX_KEYS: Final = 100
_MEMBERS: Final = (Kind.METHOD, Kind.PROPERTY, Kind.FIELD)
# Objects that are written where they are spread, perhaps on a condition.
_WRITTEN: Final = ("object", "parenthesized_expression")


class ValueWalk(GuardWalk):
    """Visits calls, objects, arrays and JSX.

    ``given`` visits a value where a type is expected of it: the keys of an object, the elements of an array
    and the parameters of a function then mean what that type says.
    """

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.wanted: dict[int, int] = {}  # what is expected of objects, by their scopes

    fixed = False  # inside ``as const``, where texts are their own types
    method_expected = 0  # what the method of an object that is visited next is expected to be

    @abstractmethod
    def function_value(
        self,
        node: Node,
        scope: int,
        *,
        name: Node | None = None,
        whole: Node | None = None,
        expected: int = 0,
        home: int | None = None,
    ) -> int:
        """Visit a function that is a value; ``home`` is the scope that it is a member of."""

    def given(self, node: Node, scope: int, expected: int) -> int:
        """Visit a value of which a type is expected; 0 when none is."""
        match node.type:
            case "object":
                return self.object(node, scope, expected=expected)
            case "array" if expected:
                return self.array(node, scope, expected=expected)
            case "arrow_function" | "function_expression":
                return self.function_value(node, scope, expected=expected)
            case "parenthesized_expression" | "await_expression":
                inner = next((c for c in node.named_children if c.type != "comment"), None)
                value = self.given(inner, scope, expected) if inner is not None else 0
                return self.row(Op.AWAIT, value) if value and node.type == "await_expression" else value
            case "ternary_expression":
                return self.ternary(node, scope, expected=expected)
            case "binary_expression" if expected:
                return self.binary(node, scope, expected=expected)
            case "as_expression" | "satisfies_expression" if expected:
                return self.cast(node, scope, expected=expected)
            case "call_expression" if expected:
                return self.call(node, scope, expected=expected)
            case "new_expression" if expected:
                return self.new(node, scope, expected=expected)
            case "string" if self.fixed:
                return self.literal(node)
        return self.visit(node, scope)

    def call(self, node: Node, scope: int, role: int = 0, *, expected: int = 0) -> int:
        fragment = self.require_source(node)
        if fragment is not None:
            number = self.imported(self.text(fragment))
            stem = self.intern(self.stem(fragment))
            loaded = self.row(Op.MODULE, number, stem, fragment.start_byte, Role.IMPORT)
            whole = self.row(Op.IMPORTED, number, self.intern(b"="), fragment.start_byte, Role.IMPORT)
            return self.row(Op.UNION, 0, self.items([loaded, whole]))
        return self.applied(Op.CALL, node, "function", scope, expected)

    def new(self, node: Node, scope: int, role: int = 0, *, expected: int = 0) -> int:
        return self.applied(Op.NEW, node, "constructor", scope, expected)

    def applied(self, op: int, node: Node, field: str, scope: int, expected: int) -> int:
        """A call or construction: of what, with which type arguments, and what it is given."""
        target = node.child_by_field_name(field)
        if target is None:
            return self.children(node, scope)
        callee = self.visit(target, scope, Role.CALL)
        generics = next((c for c in node.named_children if c.type == "type_arguments"), None)
        if generics is not None:
            inner = [self.visit(c, scope, Role.TYPE) for c in generics.named_children if c.type != "comment"]
            callee = self.row(Op.INDEX, callee, self.items(inner))
        elif expected and callee:
            callee = self.row(Op.WANTED, callee, expected)
        given = self.arguments(node, target, scope, callee, skip=generics)
        return self.row(op, callee, self.items(given[:_MAX_ARGUMENTS]))

    def arguments(
        self, node: Node, target: Node, scope: int, callee: int, *, skip: Node | None = None
    ) -> list[int]:
        """Visit what a call is given; each argument is expected to be what its parameter takes."""
        values: list[int] = []
        for child in node.named_children:
            if child in (target, skip):
                continue
            if child.type != "arguments":
                self.visit(child, scope)
                continue
            arguments = [c for c in child.named_children if c.type != "comment"]
            for position, argument in enumerate(arguments):
                typed = argument.type in _TYPED or _takes_function(argument)
                expected = self.row(Op.ARGUMENT, callee, position) if callee and typed else 0
                short = is_short_text(argument)
                values.append(self.literal(argument) if short else self.given(argument, scope, expected))
        return values

    def subscript(self, node: Node, scope: int, role: int = 0) -> int:
        parts = [c for c in node.named_children if c.type not in ("optional_chain", "comment")]
        name = first_of(parts[-1]) if len(parts) > 1 and parts[-1].type == "string" else None
        if name is not None and parts[-1].named_child_count == 1:
            # ``x["name"]`` is ``x.name``, which a private member may be reached by.
            return self.row(Op.ATTR, self.visit(parts[0], scope), self.name(name), name.start_byte, role)
        values = [self.literal(c) if c.type == "number" else self.visit(c, scope) for c in parts]
        return self.row(Op.INDEX, values[0], self.items(values[1:])) if values else 0

    def ternary(self, node: Node, scope: int, role: int = 0, *, expected: int = 0) -> int:
        parts = [c for c in node.named_children if c.type != "comment"]
        if not parts:
            return 0
        self.visit(parts[0], scope)
        saved, values = self.guards, list[int]()
        for holds, part in zip((True, False), parts[1:], strict=False):
            self.guards = self.knowing(parts[0], scope, holds)
            values.append(self.given(part, scope, expected))
            self.guards = saved
        return self.row(Op.UNION, 0, self.items(values))

    def cast(self, node: Node, scope: int, role: int = 0, *, expected: int = 0) -> int:
        parts = node.named_children
        if len(parts) == 1:
            saved, self.fixed = self.fixed, True
            made = self.given(parts[0], scope, expected)
            self.fixed = saved
            return made
        hint = self.visit(parts[-1], scope, Role.TYPE) if len(parts) > 1 else 0
        typed = self.row(Op.TYPED, hint) if hint else 0
        value = self.given(parts[0], scope, typed) if parts else 0
        # The grammar takes the last name of ``x satisfies a.b.C`` for a member of the whole.
        cut = node.parent is not None and node.parent.type == "member_expression"
        if node.type == "satisfies_expression" and not cut:
            # Keys mean what the type says; what comes out is the value, whatever it was compared with.
            return self.lists[self.rows[4 * value + 2]][-1] if parts[0].type == "object" else value
        return typed or value

    def assertion(self, node: Node, scope: int, role: int = 0) -> int:
        parts = node.named_children
        hints = [self.visit(c, scope, Role.TYPE) for c in parts[0].named_children] if parts else []
        typed = self.row(Op.TYPED, hints[0]) if hints and hints[0] else 0
        value = self.given(parts[-1], scope, typed) if len(parts) > 1 else 0
        return typed or value

    def array(self, node: Node, scope: int, role: int = 0, *, expected: int = 0) -> int:
        element = self.row(Op.ELEMENT, expected) if expected else 0
        values: list[int] = []
        spread = False
        for child in node.named_children:
            if child.type == "spread_element":
                values.append(self.row(Op.ELEMENT, self.only(child, scope)))
                spread = True
            elif child.type != "comment":
                values.append(self.given(child, scope, element))
        if spread:
            return self.row(Op.SEQUENCE, self.row(Op.UNION, 0, self.items(values)))
        return self.row(Op.TUPLE, 0, self.items(values))

    def object(
        self, node: Node, scope: int, role: int = 0, *, expected: int = 0, into: int | None = None
    ) -> int:
        """An object is its own little class, unless a type says what it is, or the class that it fills."""
        inner = self.scope(ScopeKind.CLASS, scope) if into is None else into
        self.scopes[inner].owner = inner
        expected = self.discriminated(node, scope, expected) if expected else 0
        if expected:
            self.wanted[inner] = expected
        bases: list[int] = []
        for child in node.named_children:
            match child.type:
                case "pair":
                    self.pair(child, scope, inner, expected)
                case "shorthand_property_identifier":
                    value = self.reference(child, scope)
                    self.member_of(child, inner, value, expected)
                case "method_definition":
                    name = child.child_by_field_name("name")
                    name = self.unquoted(name) if name is not None else None
                    if name is not None and name.type == "computed_property_name":
                        self.method_expected = self.row(Op.INDEX, expected) if expected else 0
                    elif name is not None and not name.named_child_count:
                        self.method_expected = self.expect(name, expected)
                    self.visit(child, inner)
                case "spread_element":
                    spread = first_of(child)
                    if spread is not None and spread.type in _WRITTEN:
                        bases.append(self.given(spread, scope, expected))
                    else:
                        bases.append(self.only(child, scope))
                case _:
                    self.visit(child, scope)
        # What is spread later comes before what was spread earlier.
        known = self.lists[self.scopes[inner].bases]
        self.scopes[inner].bases = self.items([*known, *filter(None, reversed(bases))])
        own = self.row(Op.SELF, inner)
        return self.row(Op.UNION, 0, self.items([expected, own])) if expected else own

    def expect(self, key: Node, expected: int) -> int:
        """The member of the expected type that a key sets."""
        return self.row(Op.ATTR, expected, self.name(key), key.start_byte) if expected else 0

    def contain(self, number: int, begun: int, outer: int) -> None:
        """Members of objects that were defined inside another definition belong to it."""
        for definition in self.definitions[begun:number]:
            if definition[2] == outer and definition[1] in _MEMBERS:
                definition[2] = number

    def keys(self, number: int, begun: int, value: Node | None) -> None:
        """The keys of an object that a variable is given are its fields."""
        while value is not None and value.type in ("as_expression", "parenthesized_expression"):
            value = first_of(value)
        if value is None or value.type != "object" or value.named_child_count > _MAX_KEYS:
            return
        known = {definition[6] for definition in self.definitions[begun:]}
        for child in value.named_children:
            key = child.child_by_field_name("key") if child.type == "pair" else None
            key = self.unquoted(key) if key is not None else None
            if key is not None and self.text(key).isidentifier() and key.start_byte not in known:
                self.definitions[self.define(Kind.FIELD, key, child, 0)][2] = number

    def pair(self, node: Node, scope: int, inner: int, expected: int) -> None:
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        if key is None or value is None:
            return
        key = self.unquoted(key)
        if key.type not in ("property_identifier", "string_fragment"):
            self.visit(key, scope)
            made = self.given(value, scope, self.row(Op.INDEX, expected) if expected else 0)
            self.bind_key(key, inner, 0, made)
            return
        wanted = self.expect(key, expected)
        named = key.type == "property_identifier"
        if named and value.type in FUNCTIONS:
            made = self.function_value(value, scope, name=key, whole=node, expected=wanted, home=inner)
        else:
            begun = len(self.definitions)
            made = self.given(value, scope, wanted)
            if len(self.definitions) > begun and value.type == "object":
                number = self.define(Kind.FIELD, key, node, inner)
                if number >= 0:
                    self.contain(number, begun, self.definition_of(inner))
        if named or self.text(key).isidentifier():
            self.member_of(key, inner, made, 0, self.assigned_type(node, scope))

    def assigned_type(self, node: Node, scope: int) -> int:
        """The type that a comment says of what a member is given."""
        return 0

    def member_of(self, key: Node, inner: int, value: int, expected: int, hint: int = 0) -> None:
        self.expect(key, expected)
        self.bind(inner, self.name(key), key.start_byte, Bind.VARIABLE, hint, value)

    def jsx_element(self, node: Node, scope: int, role: int = 0) -> int:
        """An element with content; a function in it is what the component's ``children`` takes."""
        opening = node.child_by_field_name("open_tag")
        properties = self.opened(opening, scope) if opening is not None else 0
        for child in node.named_children:
            if child == opening:
                continue
            is_value = child.type == "jsx_expression"
            inner = [c for c in child.named_children if c.type != "comment"] if is_value else []
            if properties and len(inner) == 1 and inner[0].type in FUNCTIONS:
                key = self.row(Op.LITERAL, 0, self.intern(b'"children'))
                self.given(inner[0], scope, self.row(Op.MEMBERS, properties, key))
            else:
                self.visit(child, scope)
        return 0

    def jsx(self, node: Node, scope: int, role: int = 0) -> int:
        self.opened(node, scope)
        return 0

    def opened(self, node: Node, scope: int) -> int:
        """Visit a tag with its attributes; what the component takes."""
        name = node.child_by_field_name("name")
        properties = self.tag(name, scope)[1] if name is not None else 0
        for child in node.named_children:
            if child.type != "jsx_attribute":
                if child != name:
                    self.visit(child, scope)
                continue
            parts = child.named_children
            wanted = self.expect(parts[0], properties) if parts[0].type == "property_identifier" else 0
            for part in parts[1:]:
                values = part.named_children if part.type == "jsx_expression" else [part]
                for value in values:
                    self.given(value, scope, wanted)
        return properties

    def tag(self, name: Node, scope: int) -> tuple[int, int]:
        """The component or element that a tag names, and what its attributes set."""
        if name.type == "identifier" and self.source[name.start_byte : name.start_byte + 1].islower():
            element = self.row(Op.INTRINSIC, 0, self.name(name), name.start_byte)
            return element, element
        made = self.visit(name, scope, Role.CALL)
        return made, self.row(Op.ARGUMENT, made, 0) if made else 0

    def closing(self, node: Node, scope: int, role: int = 0) -> int:
        name = node.child_by_field_name("name")
        return self.tag(name, scope)[0] if name is not None else 0


def _takes_function(node: Node) -> bool:
    """Whether a node is a call with a function among its arguments."""
    given = node.child_by_field_name("arguments") if node.type == "call_expression" else None
    return given is not None and any(child.type in FUNCTIONS for child in given.named_children)


def is_short_text(node: Node) -> bool:
    """Whether a value is a text that may choose something."""
    return node.type == "string" and node.end_byte - node.start_byte < _MAX_TEXT
