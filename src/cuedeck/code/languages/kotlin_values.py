"""Kotlin's expressions: what calls are given, what lambdas take, and what branches give."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.facts import OP_MASK, RECEIVER, TRAILING, Bind, Op, Role, ScopeKind
from cuedeck.code.languages.kotlin_guards import Guard, KotlinGuards
from cuedeck.code.languages.table import first_of

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
# ``a to b`` is a pair.
_PAIRING: Final = b"to"
_TOLD: Final = ("parenthesized_expression", "lambda_literal")
_TRUTH: Final = (b"true", b"false")
# What stands behind ``$`` in a text, which the grammar takes for text.
_NAME: Final = re.compile(rb"[^\W\d]\w*")


class KotlinValues(KotlinGuards):
    """Visits what has a value."""

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.lambda_scopes: set[int] = set()
        # What the companions of classes give them.
        self.companions: dict[int, list[int]] = {}

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
        owner = self.rows[4 * value + 1]
        if any(child.type == "::" for child in node.children) and self.label_of(owner)[:1].isupper():
            # ``T::name`` is a member of some T.
            self.rows[4 * value + 1] = self.row(Op.TYPED, owner)
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
        body, around = node.named_children, self.guards
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
            self.forget({self.intern(_IT)})
            taken = self.row(Op.ARGUMENT, expected, 0)
            self.bind(inner, self.intern(_IT), node.start_byte, Bind.PARAMETER, 0, taken)
        saved, self.returned = self.returned, []
        value = 0
        for child in body:
            value = self.visit(child, inner)
        self.scopes[inner].returns = self.items([value])
        self.returned, self.guards = saved, around
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
            self.forget({self.name(name)})
            self.bind(scope, self.name(name), name.start_byte, Bind.PARAMETER, of, 0 if of else value)

    def for_(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        variables = [c for c in node.named_children if c.type.endswith("variable_declaration")]
        others = [c for c in node.named_children if c not in variables]
        value, around = self.visit(others[0], scope) if others else 0, self.guards
        for variable in variables:
            self.taken(variable, inner, self.row(Op.ELEMENT, value) if value else 0)
        for child in others[1:]:
            self.visit(child, inner)
        self.guards = around
        return 0

    def when(self, node: Node, scope: int, role: int = 0) -> int:
        """``when``: one of what the branches give."""
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        entries, around, subject = node.named_children, self.guards, 0
        if entries and entries[0].type == "when_subject":
            subject = self.subject(entries[0], inner)
            entries = entries[1:]
        given = [self.entry_value(entry, inner, subject) for entry in entries if entry.type == "when_entry"]
        self.guards = around
        return self.either(given)

    def subject(self, node: Node, scope: int) -> int:
        """The name of what ``when`` tells cases of, which may be given there."""
        value = self.visit(node.named_children[-1], scope) if node.named_child_count else 0
        first = first_of(node)
        if first is not None and first.type == "variable_declaration":
            self.taken(first, scope, value)
            first = first_of(first)
        return self.name(first) if first is not None and first.type == "identifier" else 0

    def entry_value(self, node: Node, scope: int, subject: int) -> int:
        """One line of ``when``."""
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        tests = node.children_by_field_name("condition")
        kinds: list[int] = []
        for test in tests:
            of = first_of(test) if test.type == "type_test" else None
            if of is None:
                self.visit(test, inner)
            else:
                kinds.append(self.visit(of, inner, Role.TYPE))
        told = self.told_by(tests[0]) if len(tests) == 1 and not kinds else ()
        if subject and kinds and len(kinds) == len(tests):
            holds = all(test.children[0].type == "is" for test in tests)
            told = (Guard(subject, holds, self.either(kinds)),)
        body = [child for child in node.named_children if child not in tests]
        return self.either([self.within(child, inner, told) for child in body])

    def binary(self, node: Node, scope: int, role: int = 0) -> int:
        """``a ?: b`` is one of both; of other operators nothing is known."""
        if any(child.type in ("&&", "||") for child in node.children):
            return self.conditions(node, scope)
        inner, given = node.child_by_field_name("left"), node.child_by_field_name("right")
        if inner is not None and given is not None and self.is_told(inner, given):
            return self.told_call(inner, given, scope)
        values = [self.visit(child, scope) for child in node.named_children]
        return self.either(values) if any(child.type == "?:" for child in node.children) else 0

    def is_told(self, inner: Node, given: Node) -> bool:
        """Whether ``f<T>(x)`` or ``f<T> { }`` was taken for two comparisons."""
        if inner.type != "binary_expression" or given.type not in _TOLD:
            return False
        left, right = inner.child_by_field_name("left"), inner.child_by_field_name("right")
        if left is None or right is None:
            return False
        before = self.source[left.end_byte : right.start_byte]
        return before == b"<" and self.source[right.end_byte : given.start_byte].rstrip() == b">"

    def told_call(self, inner: Node, given: Node, scope: int) -> int:
        target, of = inner.named_children[0], inner.named_children[-1]
        callee = self.visit(target, scope, Role.CALL)
        told = self.type_reference(of, scope) if of.type == "identifier" else self.visit(of, scope)
        callee = self.row(Op.INDEX, callee, self.items([told]))
        if given.type == "lambda_literal":
            expected = self.row(Op.ARGUMENT, callee, TRAILING)
            receiver = self.row(Op.ARGUMENT, expected, RECEIVER)
            handed = self.closure(given, scope, expected=expected, receiver=receiver)
            return self.row(Op.CALL, callee, self.items([handed]))
        arguments = [self.visit(child, scope) for child in given.named_children]
        return self.row(Op.CALL, callee, self.items(arguments))

    def bare(self, node: Node, scope: int, role: int = 0) -> int:
        if self.source[node.start_byte : node.end_byte] in _TRUTH:
            return self.row(Op.LITERAL, 0, self.intern(b"Boolean"))
        value = self.reference(node, scope, role)
        return self.guarded(value, self.name(node)) if self.guards and not role else value

    def text_literal(self, node: Node, scope: int, role: int = 0) -> int:
        """A text, in which names stand behind ``$`` or expressions in ``${}``."""
        marked = False
        for child in node.named_children:
            if child.type != "string_content":
                self.visit(child, scope)
            elif marked:
                self.behind_dollar(child, scope)
            marked = self.source[child.start_byte : child.end_byte] == b"$"
        return self.row(Op.TEXT, 0)

    def behind_dollar(self, node: Node, scope: int) -> None:
        found = _NAME.match(self.source, node.start_byte, node.end_byte)
        if found is not None and found[0] != THIS:
            self.row(Op.NAME, scope, self.intern(found[0]), node.start_byte)

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
        left = self.visit(on, scope)
        callee = self.row(Op.ATTR, left, self.name(name), name.start_byte, Role.CALL)
        right = self.visit(given, scope)
        called = self.row(Op.CALL, callee, self.items([right]))
        if self.source[name.start_byte : name.end_byte] != _PAIRING:
            return called
        return self.either([called, self.row(Op.TUPLE, 0, self.items([left, right]))])

    def unary(self, node: Node, scope: int, role: int = 0) -> int:
        """``x!!`` is x; the grammar takes ``!x.y`` for a member of ``!x``."""
        value = self.only(node, scope)
        inside = node.parent is not None and node.parent.type == "navigation_expression"
        return value if inside or any(child.type == "!!" for child in node.children) else 0

    def as_(self, node: Node, scope: int, role: int = 0) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None:
            self.visit(left, scope)
        return self.row(Op.TYPED, self.visit(right, scope, Role.TYPE)) if right is not None else 0

    def lines(self, node: Node, scope: int, role: int = 0) -> int:
        """A block, whose value is that of its last line where one is wanted."""
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        value, around = 0, self.guards
        for child in node.named_children:
            value = self.visit(child, inner)
            self.guards += self.left_behind(child)
        self.guards = around
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
