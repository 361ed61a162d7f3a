"""Swift's expressions: what calls are given, what closures take, what bindings hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cuedeck.code.facts import TRAILING, Bind, Op, Role, ScopeKind
from cuedeck.code.languages.table import TableWalk, first_of

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_ARGUMENTS: Final = 16
_UNNAMED: Final = (b"$0", b"$1", b"$2")


class SwiftValues(TableWalk):
    """Visits what has a value."""

    def call(self, node: Node, scope: int, role: int = 0) -> int:
        target, *rest = node.named_children
        suffix = rest[-1] if rest else None
        if suffix is not None and self._is_index(suffix):
            values = [self.visit(target, scope), self.visit(suffix, scope)]
            return self.row(Op.INDEX, values[0], self.items(values[1:]))
        callee = self.visit(target, scope, Role.CALL)
        given: list[int] = []
        trailing = False
        for part in suffix.named_children if suffix is not None else ():
            if part.type == "value_arguments":
                given += [
                    self.argument(child, scope, callee, at) for at, child in enumerate(part.named_children)
                ]
            elif part.type == "lambda_literal":
                expected = self.row(Op.ARGUMENT, callee, TRAILING) if not trailing else 0
                given.append(self.closure(part, scope, expected=expected))
                trailing = True
            else:
                self.visit(part, scope)
        return self.row(Op.CALL, callee, self.items(given[:_MAX_ARGUMENTS]))

    def code(self, node: Node, scope: int, role: int = 0) -> int:
        """What a property runs when it is read or set, with variables of its own."""
        saved, self.returned = self.returned, []
        self.children(node, self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner))
        self.returned = saved
        return 0

    def macro(self, node: Node, scope: int, role: int = 0) -> int:
        """``#name(…)`` is no function of that name."""
        for child in node.named_children:
            if child.type != "simple_identifier":
                self.visit(child, scope)
        return 0

    def _is_index(self, suffix: Node) -> bool:
        return self.source[suffix.start_byte : suffix.start_byte + 1] == b"["

    def argument(self, node: Node, scope: int, callee: int, position: int) -> int:
        value = node.child_by_field_name("value")
        if value is None or value.type != "lambda_literal":
            return self.visit(node, scope)
        return self.closure(value, scope, expected=self.row(Op.ARGUMENT, callee, position))

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
        saved, self.returned = self.returned, []
        value = 0
        for child in node.named_children:
            if child != declared:
                value = self.only(child, inner) if child.type == "statements" else self.visit(child, inner)
        self.scopes[inner].returns = self.items([value, *self.returned[:8]])
        self.returned = saved
        return self.row(Op.FUNCTION, inner)

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
                    name = names[0]
                    self.bind(scope, self.name(name), name.start_byte, Bind.PARAMETER, of, taken)
                position += 1

    def if_(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        self.conditions(node, inner, scope)
        return 0

    def guard(self, node: Node, scope: int, role: int = 0) -> int:
        self.conditions(node, scope, scope)
        return 0

    def conditions(self, node: Node, inner: int, outside: int) -> None:
        """``let x = value`` binds a value that is there; ``let x`` one of the same name outside."""
        bound: Node | None = None
        names = {name.start_byte for name in node.children_by_field_name("bound_identifier")}
        for child in node.children:
            if child.start_byte in names:
                self._hold(bound, inner, outside, 0)
                bound = child
            elif child.type in ("statements", "else", "if_statement") or child.type in (",", "{"):
                self._hold(bound, inner, outside, 0)
                bound = None
                if child.is_named:
                    self.visit(child, outside if child.type == "if_statement" else inner)
            elif child.is_named and child.type not in ("value_binding_pattern", "type_annotation"):
                value = self.visit(child, inner)
                if bound is not None:
                    self._hold(bound, inner, outside, value or -1)
                    bound = None
            elif child.is_named:
                self.visit(child, inner, Role.TYPE)

    def _hold(self, bound: Node | None, inner: int, outside: int, value: int) -> None:
        if bound is None:
            return
        if not value:
            value = self.reference(bound, outside if inner != outside else self.scopes[inner].parent)
        self.bind(inner, self.name(bound), bound.start_byte, Bind.VARIABLE, 0, max(value, 0))

    def for_(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        item, collection = node.child_by_field_name("item"), node.child_by_field_name("collection")
        value = self.visit(collection, scope) if collection is not None else 0
        if item is not None:
            self.taken(item, inner, self.row(Op.ELEMENT, value) if value else 0)
        for child in node.named_children:
            if child not in (item, collection):
                self.visit(child, inner)
        return 0

    def taken(self, node: Node, scope: int, value: int) -> None:
        """Bind the names of a pattern to a value, or to its parts."""
        parts = [child for child in node.named_children if child.type == "pattern"]
        for position, part in enumerate(parts):
            self.taken(part, scope, self.row(Op.ITEM, value, position) if value else 0)
        for leaf in node.named_children if not parts else ():
            if leaf.type == "simple_identifier":
                self.bind(scope, self.name(leaf), leaf.start_byte, Bind.VARIABLE, 0, value)

    def case(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        for child in node.named_children:
            if child.type == "switch_pattern":
                for pattern in child.named_children:
                    self.case_pattern(pattern, inner, binding=False)
            else:
                self.visit(child, inner)
        return 0

    def case_pattern(self, node: Node, scope: int, *, binding: bool) -> None:
        """``case let .one(a)`` and ``case .one(let a)``: what follows ``let`` is new."""
        if node.type != "pattern":
            self.visit(node, scope)
            return
        binding = binding or any(child.type == "value_binding_pattern" for child in node.children)
        inside = any(child.type == "pattern" for child in node.named_children)
        for child in node.named_children:
            if child.type == "pattern":
                self.case_pattern(child, scope, binding=binding)
            elif child.type == "simple_identifier" and binding and not inside:
                self.bind(scope, self.name(child), child.start_byte, Bind.VARIABLE)
            elif child.type != "value_binding_pattern":
                self.visit(child, scope)

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
        return self.either([self.visit(child, scope) for child in node.named_children][-2:])

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
