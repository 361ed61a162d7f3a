"""Ruby's expressions: what calls give, what blocks are handed, and what branches give."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.facts import TRAILING, Bind, Op, Role, ScopeKind
from cuedeck.code.languages.table import TableWalk, first_of

if TYPE_CHECKING:
    from tree_sitter import Node

# The parameter of a method that holds what it hands to its block.
_BLOCK: Final = b"&"
# The member under which any value has its class.
_CLASS: Final = b"__class__"
# Functions of test frameworks whose block is a class.
_GROUPS: Final = frozenset({"describe", "context", "feature", "shared_examples", "shared_context"})
_OR: Final = ("||", "or")
_AND: Final = ("&&", "and")
_LATE: Final = ("ensure", "else")
_MAX_ARGUMENTS: Final = 8
_MAX_HANDED: Final = 4


class RubyValues(TableWalk):
    """Visits what has a value."""

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.block_scopes: set[int] = set()
        # Those outside of classes in which a function is declared for every object.
        self.open_blocks: set[int] = set()
        # For every time that the method around hands something to its block, what that is.
        self.handing: list[list[int]] = []

    # -- names

    def local(self, name: int, scope: int) -> int:
        """The scope of a local variable, or -1: a name that was given no value before is a method's."""
        while scope >= 0:
            if name in self.names[scope]:
                return scope if self.scopes[scope].kind != ScopeKind.CLASS else -1
            if scope not in self.block_scopes:
                return -1
            scope = self.scopes[scope].parent
        return -1

    def bare(self, node: Node, scope: int, role: int = 0) -> int:
        if self.local(self.name(node), scope) >= 0:
            return self.reference(node, scope, role)
        called = self.row(Op.CALL, self.reference(node, scope, role or Role.CALL))
        around = self.scopes[scope].owner if self.text(node) == "new" else -1
        return called if around < 0 else self.row(Op.NEW, self.row(Op.SELF, around))

    def instance_variable(self, node: Node, scope: int, role: int = 0) -> int:
        owner = self.scopes[scope].owner
        if owner < 0:
            return self.reference(node, scope, role)
        return self.row(Op.ATTR, self.row(Op.SELF, owner), self.name(node), node.start_byte, role)

    # -- calls

    @abstractmethod
    def keyword_call(self, node: Node, scope: int, label: str, arguments: Node | None) -> int | None:
        """What calls of the language itself declare; nothing for any other call."""

    @abstractmethod
    def member_call(self, owner: Node, label: str, arguments: Node | None, scope: int) -> None:
        """What calls on an object declare."""

    def invoke(self, node: Node, scope: int, role: int = 0) -> int:
        owner, name = node.child_by_field_name("receiver"), node.child_by_field_name("method")
        arguments, block = node.child_by_field_name("arguments"), node.child_by_field_name("block")
        label = self.text(name) if name is not None else ""
        if owner is None:
            declared = self.keyword_call(node, scope, label, arguments)
            if declared is not None:
                return declared
        made = label == "new"
        value = self.visit(owner, scope, Role.CALL if made else 0) if owner is not None else 0
        if name is None:
            callee = value  # ``function.(argument)``
        elif owner is not None:
            callee = self.row(Op.ATTR, value, self.name(name), name.start_byte, Role.CALL)
        elif name.type in ("identifier", "constant"):
            callee = self.reference(name, scope, Role.CALL)
        else:
            callee = 0  # ``super``
        given = self.given(arguments, scope, callee)
        if owner is not None:
            self.member_call(owner, label, arguments, scope)
        if label == "call" and owner is not None and owner.type == "identifier":
            self.handing.append(given)
        if block is not None:
            expected = self.row(Op.ARGUMENT, callee, TRAILING)
            given.append(self.closure(block, scope, expected=expected, group=label in _GROUPS))
        called = self.row(Op.CALL, callee, self.items(given[:_MAX_ARGUMENTS]))
        if made:
            around = self.scopes[scope].owner
            of = value if owner is not None else self.row(Op.SELF, around) if around >= 0 else 0
            return self.row(Op.NEW, of, self.items(given[:_MAX_ARGUMENTS])) if of else 0
        if label == "class" and value:
            return self.row(Op.ATTR, value, self.intern(_CLASS))
        return called

    def given(self, arguments: Node | None, scope: int, callee: int) -> list[int]:
        """What a call is given by its place, and then the block that is passed to it."""
        found: list[int] = []
        for child in arguments.named_children if arguments is not None else ():
            if child.type == "block_argument":
                found.append(self.passed(child, scope, callee))
            elif child.type in ("pair", "splat_argument", "hash_splat_argument"):
                self.visit(child, scope)
            else:
                found.append(self.visit(child, scope))
        return found

    def passed(self, node: Node, scope: int, callee: int) -> int:
        """``&:name`` calls a method of what a block would take; ``&block`` is handed that itself."""
        expected = self.row(Op.ARGUMENT, callee, TRAILING)
        inside = first_of(node)
        if inside is None or inside.type != "simple_symbol":
            if inside is not None and inside.type == "identifier":
                self.handing.append([self.row(Op.ARGUMENT, expected, at) for at in range(2)])
            return self.visit(inside, scope) if inside is not None else 0
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        at = inside.start_byte + 1
        name = self.intern(self.source[at : inside.end_byte])
        called = self.row(Op.ATTR, self.row(Op.ARGUMENT, expected, 0), name, at, Role.CALL)
        self.scopes[inner].returns = self.items([self.row(Op.CALL, called)])
        return self.row(Op.FUNCTION, inner)

    def yield_(self, node: Node, scope: int, role: int = 0) -> int:
        arguments = first_of(node)
        given = [self.visit(c, scope) for c in arguments.named_children] if arguments is not None else []
        self.handing.append(given)
        return 0

    def hand_over(self, node: Node, scope: int) -> None:
        """Note what a method hands to its block, as if that were its last parameter."""
        handed = [given for given in self.handing if any(given)]
        if not handed:
            return
        inner = self.scope(ScopeKind.FUNCTION, scope)
        for at in range(min(_MAX_HANDED, max(map(len, handed)))):
            value = self.either([given[at] for given in handed if at < len(given)])
            self.bind(inner, self.intern(b"%d" % at), node.start_byte, Bind.PARAMETER, 0, value)
        taken = self.row(Op.FUNCTION, inner)
        self.bind(scope, self.intern(_BLOCK), node.end_byte, Bind.PARAMETER, 0, taken)

    def closure(
        self, node: Node, scope: int, role: int = 0, *, expected: int = 0, group: bool = False
    ) -> int:
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        self.block_scopes.add(inner)
        if not scope and not group:
            self.open_blocks.add(inner)
        parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
        for position, child in enumerate(parameters.named_children if parameters is not None else ()):
            self.taken(child, inner, self.row(Op.ARGUMENT, expected, position) if expected else 0)
        saved, self.returned = self.returned, []
        value = self.visit(body, inner) if body is not None else 0
        self.scopes[inner].returns = self.items([value] if value else [])
        self.returned = saved
        return self.row(Op.FUNCTION, inner)

    def lambda_(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        self.block_scopes.add(inner)
        for child in node.named_children:
            if child.type == "lambda_parameters":
                for parameter in child.named_children:
                    self.taken(parameter, inner, 0)
            else:
                self.children(child, inner)
        return self.row(Op.FUNCTION, inner)

    def taken(self, node: Node, scope: int, value: int) -> None:
        """Bind what a block takes, or the parts that it is taken apart to."""
        if node.type == "destructured_parameter":
            for position, part in enumerate(node.named_children):
                self.taken(part, scope, self.row(Op.ITEM, value, position) if value else 0)
        elif node.type == "identifier" and value:
            self.bind(scope, self.name(node), node.start_byte, Bind.PARAMETER, 0, value)
        else:
            self.parameter(node, scope)

    # -- values

    def statements(self, node: Node, scope: int, role: int = 0) -> int:
        """The value of the last line, or of one that catches an exception."""
        value, caught = 0, list[int]()
        for child in node.named_children:
            if child.type == "rescue":
                caught.append(self.visit(child, scope))
            elif child.type in _LATE:
                self.visit(child, scope)
            elif child.type != "comment":
                value = self.visit(child, scope)
        return self.either([value, *caught])

    def modified(self, node: Node, scope: int, role: int = 0) -> int:
        """``value if condition``"""
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
        for part in node.named_children:
            if part not in (condition, body):
                self.visit(part, scope)
        if condition is not None:
            self.visit(condition, scope)
        return self.visit(body, scope) if body is not None else 0

    def choice(self, node: Node, scope: int, role: int = 0) -> int:
        """``if`` and ``case``: one of what the branches give."""
        asked = {
            part.start_byte
            for field in ("condition", "value", "pattern", "guard")
            for part in node.children_by_field_name(field)
        }
        given: list[int] = []
        for child in node.named_children:
            value = self.visit(child, scope)
            if child.start_byte not in asked:
                given.append(value)
        return self.either(given)

    def rescue(self, node: Node, scope: int, role: int = 0) -> int:
        caught, variable = node.child_by_field_name("exceptions"), node.child_by_field_name("variable")
        kinds = [self.visit(c, scope) for c in caught.named_children] if caught is not None else []
        name = first_of(variable) if variable is not None else None
        if name is not None and name.type == "identifier":
            held = [self.row(Op.TYPED, kind) for kind in kinds if kind]
            self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, 0, self.either(held))
        body = node.child_by_field_name("body")
        return self.visit(body, scope) if body is not None else 0

    def for_(self, node: Node, scope: int, role: int = 0) -> int:
        pattern, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
        walked = self.visit(value, scope) if value is not None else 0
        if pattern is not None:
            self.taken(pattern, scope, self.row(Op.ELEMENT, walked) if walked else 0)
        body = node.child_by_field_name("body")
        return self.visit(body, scope) if body is not None else 0

    def binary(self, node: Node, scope: int, role: int = 0) -> int:
        """``a || b`` is one of both, ``a && b`` is b, ``a << b`` is a; of others nothing is known."""
        operator = node.child_by_field_name("operator")
        values = [self.visit(child, scope) for child in node.named_children]
        sign = operator.type if operator is not None else ""
        if len(values) != 2 or sign not in (*_OR, *_AND, "<<"):
            return 0
        return self.either(values) if sign in _OR else values[int(sign in _AND)]

    def array(self, node: Node, scope: int, role: int = 0) -> int:
        values = [self.visit(child, scope) for child in node.named_children]
        return self.row(Op.TUPLE, 0, self.items(values), role=Role.WRITE) if any(values) else 0

    def hash_(self, node: Node, scope: int, role: int = 0) -> int:
        held: list[int] = []
        for child in node.named_children:
            value = child.child_by_field_name("value")
            if child.type != "pair" or value is None:
                self.visit(child, scope)
                continue
            key = child.child_by_field_name("key")
            if key is not None:
                self.visit(key, scope)
            held.append(self.visit(value, scope))
        found = self.either(held[:_MAX_ARGUMENTS])
        return self.row(Op.MAPPING, found) if found else 0
