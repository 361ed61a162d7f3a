"""Kotlin's expressions: what calls are given, what lambdas take, and what branches give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.facts import OP_MASK, RECEIVER, TRAILING, Bind, Op, Role, ScopeKind
from cuedeck.code.languages.table import TableWalk, first_of

if TYPE_CHECKING:
    from tree_sitter import Node

# What a function that extends a type calls its receiver, and a lambda its only parameter.
THIS: Final = b"this"
_IT: Final = b"it"
# Functions of the language whose lambdas see the members of a value as their own.
_ON_ITSELF: Final = (b"apply", b"run")
_ON_FIRST: Final = b"with"
# Those that give what they are called on: by their bare names, the instance around.
_ITSELF: Final = ("apply", "also")
# What a class calls its companion that has no name; its members are the class's own.
COMPANION: Final = b"Companion"
_PARTS: Final = (b"values", b"keys", b"entries")
_MAX_ARGUMENTS: Final = 16
_TRUTH: Final = (b"true", b"false")


class KotlinValues(TableWalk):
    """Visits what has a value."""

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.lambda_scopes: set[int] = set()

    def this(self, node: Node, scope: int, role: int = 0) -> int:
        """The receiver of the function around, perhaps that of a lambda, or the instance."""
        found: list[int] = []
        around, owner = scope, self.scopes[scope].owner
        while around >= 0 and around != owner:
            receiver = self.scopes[around].receiver
            if receiver:
                found.append(self.row(Op.NAME, around, receiver))
                if around not in self.lambda_scopes:
                    return self.either(found)
            around = self.scopes[around].parent
        return self.either([*found, super().this(node, scope, role)])

    def member(self, node: Node, scope: int, role: int = 0) -> int:
        value = super().member(node, scope, role)
        if self.label_of(value) == COMPANION:
            return self.rows[4 * value + 1]
        if role != Role.CALL and self.label_of(value) in _PARTS:
            # Maps have as properties what containers have as methods elsewhere.
            return self.either([value, self.row(Op.CALL, value)])
        return value

    def function_type(self, node: Node, scope: int, role: int = 0) -> int:
        """``A.(B) -> C``: called on an A with a B, it gives a C."""
        inner = self.scope(ScopeKind.FUNCTION, scope)
        *before, result = node.named_children
        for part in before:
            if part.type == "function_type_parameters":
                for position, of in enumerate(part.named_children):
                    taken = self.visit(of, scope, Role.TYPE)
                    self.bind(inner, self.intern(b"%d" % position), of.start_byte, Bind.PARAMETER, taken)
            else:
                self.scopes[inner].receiver = self.intern(THIS)
                of_type = self.visit(part, scope, Role.TYPE)
                self.bind(inner, self.intern(THIS), part.start_byte, Bind.PARAMETER, of_type)
        self.scopes[inner].result = self.visit(result, scope, Role.TYPE)
        return self.row(Op.FUNCTION, inner)

    def call(self, node: Node, scope: int, role: int = 0) -> int:
        target = first_of(node)
        if target is None:
            return 0
        parts = node.named_children[1:]
        if target.type == "call_expression" and parts and parts[0].type == "annotated_lambda":
            # ``f(x) { }`` is one call, which the grammar nests.
            inner = first_of(target)
            if inner is not None and target.named_children[-1].type == "value_arguments":
                target, parts = inner, [*target.named_children[1:], *parts]
        if target.type == "identifier" and self.text(target) in _ITSELF and self.scopes[scope].owner >= 0:
            around = self.this(target, scope)
            callee = self.row(Op.ATTR, around, self.name(target), target.start_byte, Role.CALL)
        else:
            callee = self.visit(target, scope, Role.CALL)
        given: list[int] = []
        for part in parts:
            if part.type == "type_arguments":
                told = [self.visit(child, scope, Role.TYPE) for child in part.named_children]
                callee = self.row(Op.INDEX, callee, self.items(told))
            elif part.type == "value_arguments":
                given += [
                    self.argument(child, scope, callee, at) for at, child in enumerate(part.named_children)
                ]
            elif part.type == "annotated_lambda":
                given.append(self.handed(part, scope, callee, given))
            else:
                self.visit(part, scope)
        return self.row(Op.CALL, callee, self.items(given[:_MAX_ARGUMENTS]))

    def argument(self, node: Node, scope: int, callee: int, position: int) -> int:
        named = node.type == "value_argument" and any(child.type == "=" for child in node.children)
        if named and (name := first_of(node)) is not None:
            self.row(Op.KEYWORD, callee, self.name(name), name.start_byte)
            self.visit(node.named_children[-1], scope)
            return 0  # its place tells nothing
        only = node.named_children[-1] if node.type == "value_argument" and node.named_child_count else node
        if only.type == "lambda_literal":
            return self.closure(only, scope, expected=self.row(Op.ARGUMENT, callee, position))
        return self.visit(node, scope)

    def handed(self, node: Node, scope: int, callee: int, given: list[int]) -> int:
        """The lambda behind a call."""
        literal = node.named_children[-1] if node.named_child_count else None
        if literal is None or literal.type != "lambda_literal":
            return self.visit(node, scope)
        expected = self.row(Op.ARGUMENT, callee, TRAILING)
        receiver = self.seen_by(callee, given) or self.row(Op.ARGUMENT, expected, RECEIVER)
        return self.closure(literal, scope, expected=expected, receiver=receiver)

    def seen_by(self, callee: int, given: list[int]) -> int:
        """The value whose members a lambda sees by their bare names."""
        op, owner = self.rows[4 * callee : 4 * callee + 2]
        label = self.label_of(callee)
        if op & OP_MASK == Op.ATTR and label in _ON_ITSELF:
            return owner
        return given[0] if label == _ON_FIRST and len(given) == 1 else 0

    def closure(self, node: Node, scope: int, role: int = 0, *, expected: int = 0, receiver: int = 0) -> int:
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        parameters = first_of(node)
        body = node.named_children
        if receiver:
            self.scopes[inner].receiver = self.intern(THIS)
            self.bind(inner, self.intern(THIS), node.start_byte, Bind.PARAMETER, 0, receiver)
            self.lambda_scopes.add(inner)
        if parameters is not None and parameters.type == "lambda_parameters":
            body = body[1:]
            for position, child in enumerate(parameters.named_children):
                taken = self.row(Op.ARGUMENT, expected, position) if expected else 0
                self.taken(child, inner, taken)
        elif expected:
            taken = self.row(Op.ARGUMENT, expected, 0)
            self.bind(inner, self.intern(_IT), node.start_byte, Bind.PARAMETER, 0, taken)
        saved, self.returned = self.returned, []
        value = 0
        for child in body:
            value = self.visit(child, inner)
        self.scopes[inner].returns = self.items([value])
        self.returned = saved
        return self.row(Op.FUNCTION, inner)

    def taken(self, node: Node, scope: int, value: int) -> None:
        """Bind a variable, or several that a value is taken apart to."""
        if node.type == "multi_variable_declaration":
            for position, part in enumerate(node.named_children):
                self.taken(part, scope, self.row(Op.ITEM, value, position) if value else 0)
            return
        name, of = first_of(node), 0
        for child in node.named_children[1:]:
            of = self.visit(child, scope, Role.TYPE) or of
        if name is not None:
            self.bind(scope, self.name(name), name.start_byte, Bind.PARAMETER, of, 0 if of else value)

    def for_(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        variables = [c for c in node.named_children if c.type.endswith("variable_declaration")]
        others = [c for c in node.named_children if c not in variables]
        value = self.visit(others[0], scope) if others else 0
        for variable in variables:
            self.taken(variable, inner, self.row(Op.ELEMENT, value) if value else 0)
        for child in others[1:]:
            self.visit(child, inner)
        return 0

    def choice(self, node: Node, scope: int, role: int = 0) -> int:
        """``if`` and ``when``: one of what the branches give."""
        first = first_of(node)
        if first is not None and first.type == "when_subject" and first.named_child_count == 1:
            for entry in node.named_children[1:]:
                self.tested(first.named_children[0], entry, scope)
        condition = node.child_by_field_name("condition")
        given: list[int] = []
        for child in node.named_children:
            value = self.visit(child, scope)
            if child != condition and child.type != "when_subject":
                given.append(value)
        return self.either(given)

    def tested(self, subject: Node, entry: Node, scope: int) -> None:
        """What the conditions of a line of ``when`` say of its subject."""
        for test in entry.children_by_field_name("condition"):
            of = first_of(test) if test.type == "type_test" else None
            if of is not None:
                self.may_be(subject, self.visit(of, scope, Role.TYPE), scope)

    def entry_value(self, node: Node, scope: int, role: int = 0) -> int:
        """One line of ``when``."""
        value = 0
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        for child in node.named_children:
            value = self.visit(child, inner)
        return value

    def binary(self, node: Node, scope: int, role: int = 0) -> int:
        """``a ?: b`` is one of both; of other operators nothing is known."""
        inner, given = node.child_by_field_name("left"), node.child_by_field_name("right")
        if inner is not None and given is not None and self.is_told(inner, given):
            return self.told_call(inner, given, scope)
        values = [self.visit(child, scope) for child in node.named_children]
        return self.either(values) if any(child.type == "?:" for child in node.children) else 0

    def is_told(self, inner: Node, given: Node) -> bool:
        """Whether ``f<T>(x)`` was taken for two comparisons."""
        if inner.type != "binary_expression" or given.type != "parenthesized_expression":
            return False
        left, right = inner.child_by_field_name("left"), inner.child_by_field_name("right")
        if left is None or right is None:
            return False
        before = self.source[left.end_byte : right.start_byte]
        return before == b"<" and self.source[right.end_byte : given.start_byte] == b">"

    def told_call(self, inner: Node, given: Node, scope: int) -> int:
        target, of = inner.named_children[0], inner.named_children[-1]
        callee = self.visit(target, scope, Role.CALL)
        told = self.type_reference(of, scope) if of.type == "identifier" else self.visit(of, scope)
        callee = self.row(Op.INDEX, callee, self.items([told]))
        arguments = [self.visit(child, scope) for child in given.named_children]
        return self.row(Op.CALL, callee, self.items(arguments))

    def bare(self, node: Node, scope: int, role: int = 0) -> int:
        if self.source[node.start_byte : node.end_byte] in _TRUTH:
            return self.row(Op.LITERAL, 0, self.intern(b"Boolean"))
        return self.reference(node, scope, role)

    def number(self, node: Node, scope: int, role: int = 0) -> int:
        """A literal is known by its type."""
        last = self.source[node.end_byte - 1 : node.end_byte]
        kind = b"Char" if last == b"'" else b"Long" if last == b"L" else b"Int"
        if node.type == "float_literal":
            kind = b"Float" if last in b"fF" else b"Double"
        return self.row(Op.LITERAL, 0, self.intern(kind))

    def infix(self, node: Node, scope: int, role: int = 0) -> int:
        """``a name b`` calls a function of a."""
        if node.named_child_count != 3:
            return self.children(node, scope)
        on, name, given = node.named_children
        callee = self.row(Op.ATTR, self.visit(on, scope), self.name(name), name.start_byte, Role.CALL)
        return self.row(Op.CALL, callee, self.items([self.visit(given, scope)]))

    def is_(self, node: Node, scope: int, role: int = 0) -> int:
        """``x is T``: x may be a T."""
        on, of = node.child_by_field_name("left"), node.child_by_field_name("right")
        if on is None or of is None:
            return self.children(node, scope)
        self.visit(on, scope)
        self.may_be(on, self.visit(of, scope, Role.TYPE), scope)
        return 0

    def may_be(self, node: Node, of: int, scope: int) -> None:
        """Note what a test says of a variable."""
        name = self.name(node) if node.type == "identifier" else 0
        while name and of and self.scopes[scope].kind in (ScopeKind.FUNCTION, ScopeKind.BLOCK):
            if name in self.names[scope]:
                self.bind(scope, name, node.start_byte, Bind.VARIABLE, of, of)
                return
            scope = self.scopes[scope].parent

    def unary(self, node: Node, scope: int, role: int = 0) -> int:
        """``x!!`` is x."""
        value = self.only(node, scope)
        return value if any(child.type == "!!" for child in node.children) else 0

    def as_(self, node: Node, scope: int, role: int = 0) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None:
            self.visit(left, scope)
        return self.row(Op.TYPED, self.visit(right, scope, Role.TYPE)) if right is not None else 0

    def lines(self, node: Node, scope: int, role: int = 0) -> int:
        """A block, whose value is that of its last line where one is wanted."""
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        value = 0
        for child in node.named_children:
            value = self.visit(child, inner)
        return value

    def delegate(self, node: Node, scope: int, role: int = 0) -> int:
        """``by lazy { value }`` holds what the lambda gives."""
        value = self.only(node, scope)
        op, callee, given = self.rows[4 * value : 4 * value + 3]
        if op & OP_MASK == Op.CALL and self.label_of(callee) == b"lazy" and given and self.lists[given]:
            return self.row(Op.CALL, self.lists[given][-1])
        return 0

    def label_of(self, number: int) -> bytes:
        op, _, name = self.rows[4 * number : 4 * number + 3]
        return self.numbers.texts[name] if op & OP_MASK in (Op.NAME, Op.ATTR) else b""
