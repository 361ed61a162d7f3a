"""C#'s expressions and patterns: what they give, and what they bind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cuedeck.code.facts import Bind, Op, Role, ScopeKind
from cuedeck.code.languages.table import TableWalk, first_of

if TYPE_CHECKING:
    from tree_sitter import Node

VALUES: Final = {
    "postfix_unary_expression": "only",
    "conditional_expression": "conditional",
    "binary_expression": "binary",
    "assignment_expression": "assignment",
    "default_expression": "default",
    "with_expression": "with_",
    "switch_expression": "switch",
    "switch_statement": "switch_statement",
    "is_pattern_expression": "is_pattern",
    "recursive_pattern": "recursive",
    "declaration_pattern": "pattern",
    "catch_declaration": "pattern",
    "var_pattern": "pattern",
    "declaration_expression": "pattern",
    "cast_expression": "cast",
    "as_expression": "as_",
}

_BRANCHES: Final = ("consequence", "alternative")
_ELSE: Final = "??"


class CSharpValues(TableWalk):
    """Visits what has a value."""

    matched = 0  # the value that a pattern is held against

    def conditional(self, node: Node, scope: int, role: int = 0) -> int:
        branches = [node.child_by_field_name(field) for field in _BRANCHES]
        for child in node.named_children:
            if child not in branches:
                self.visit(child, scope)
        return self.either([self.visit(branch, scope) for branch in branches if branch is not None])

    def binary(self, node: Node, scope: int, role: int = 0) -> int:
        values = [self.visit(child, scope) for child in node.named_children]
        return self.either(values) if any(child.type == _ELSE for child in node.children) else 0

    def assignment(self, node: Node, scope: int, role: int = 0) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None:
            self.visit(left, scope, Role.WRITE)
        return self.visit(right, scope) if right is not None else 0

    def default(self, node: Node, scope: int, role: int = 0) -> int:
        of = node.child_by_field_name("type")
        return self.row(Op.TYPED, self.visit(of, scope, Role.TYPE)) if of is not None else 0

    def with_(self, node: Node, scope: int, role: int = 0) -> int:
        """``record with { Name = "x" }``"""
        copied, *changes = node.named_children
        value = self.visit(copied, scope)
        for change in changes:
            name, *given = change.named_children
            self.row(Op.ATTR, value, self.name(name), name.start_byte, Role.WRITE)
            for part in given:
                self.visit(part, scope)
        return value

    def against(self, value: int, node: Node, scope: int) -> int:
        """Visit a pattern, or what holds some, that a value is held against."""
        saved, self.matched = self.matched, value
        given = self.visit(node, scope)
        self.matched = saved
        return given

    def is_pattern(self, node: Node, scope: int, role: int = 0) -> int:
        value, pattern = node.child_by_field_name("expression"), node.child_by_field_name("pattern")
        held = self.visit(value, scope) if value is not None else 0
        if pattern is not None:
            self.against(held, pattern, scope)
        return 0

    def switch_statement(self, node: Node, scope: int, role: int = 0) -> int:
        value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        held = self.visit(value, scope) if value is not None else 0
        return self.against(held, body, scope) if body is not None else 0

    def switch(self, node: Node, scope: int, role: int = 0) -> int:
        value, *arms = node.named_children
        held, given = self.visit(value, scope), []
        for arm in arms:
            inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
            *patterns, result = arm.named_children or [arm]
            for pattern in patterns:
                self.against(held, pattern, inner)
            given.append(self.visit(result, inner))
        return self.either(given)

    def recursive(self, node: Node, scope: int, role: int = 0) -> int:
        """``Type { Name: pattern } name``"""
        of, name = node.child_by_field_name("type"), node.child_by_field_name("name")
        kind = self.visit(of, scope, Role.TYPE) if of is not None else 0
        value = self.row(Op.TYPED, kind) if kind else self.matched
        for child in node.named_children:
            if child.type == "property_pattern_clause":
                for part in child.named_children:
                    self.subpattern(part, scope, value)
            elif child not in (of, name):
                self.against(0, child, scope)
        if name is not None:
            self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, kind, 0 if kind else value)
        return 0

    def subpattern(self, node: Node, scope: int, owner: int) -> None:
        member, *patterns = node.named_children
        held = self.member_of(owner, member)
        for pattern in patterns:
            self.against(held, pattern, scope)

    def member_of(self, owner: int, member: Node) -> int:
        """``Name`` or ``Home.City`` of a value."""
        name = member
        if member.type == "member_access_expression":
            outer = first_of(member)
            owner = self.member_of(owner, outer) if outer is not None else 0
            name = member.child_by_field_name("name") or member
        return self.row(Op.ATTR, owner, self.name(name), name.start_byte)

    def pattern(self, node: Node, scope: int, role: int = 0) -> int:
        """``Type name`` or ``var name``"""
        of, name = node.child_by_field_name("type"), node.child_by_field_name("name")
        annotation = self.visit(of, scope, Role.TYPE) if of is not None else 0
        value = 0 if annotation else self.matched
        for leaf in self.binding_names(name) if name is not None else ():
            self.bind(scope, self.name(leaf), leaf.start_byte, Bind.VARIABLE, annotation, value)
        return 0

    def as_(self, node: Node, scope: int, role: int = 0) -> int:
        values = [self.visit(c, scope, Role.TYPE if n else 0) for n, c in enumerate(node.named_children)]
        return self.row(Op.TYPED, values[-1]) if values else 0
