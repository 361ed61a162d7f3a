"""Python's ``match``: what its patterns name and bind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuedeck.code.facts import Bind, Op
from cuedeck.code.languages.python_operators import PythonOperators

if TYPE_CHECKING:
    from tree_sitter import Node


class PythonPatterns(PythonOperators):
    """Visits ``match``; the value of a pattern is what the matched thing then is, 0 if it does not say."""

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.subject: Node | None = None

    def match(self, node: Node, scope: int, role: int = 0) -> int:
        outer = self.subject
        subjects = node.children_by_field_name("subject")
        self.subject = subjects[0] if len(subjects) == 1 else None
        self.children(node, scope)
        self.subject = outer
        return 0

    def case(self, node: Node, scope: int, role: int = 0) -> int:
        subject = self.subject
        told, self.told = self.told, []
        for child in node.named_children:
            value = self.visit(child, scope)
            if child.type == "case_pattern" and value and subject is not None:
                self.narrow(subject, scope, self.rows[(value << 2) + 1])
        self.forget(self.told, node.end_byte, self.last)
        self.told = told
        return 0

    def case_pattern(self, node: Node, scope: int, role: int = 0) -> int:
        value = 0
        for child in node.named_children:
            if child.type == "dotted_name":
                self.dotted_pattern(child, scope, 0)
            else:
                value = self.visit(child, scope)
        return value

    def dotted_pattern(self, node: Node, scope: int, held: int) -> None:
        """A bare name takes what is matched; a name with dots is a constant."""
        if node.named_child_count > 1:
            self.dotted(node, scope)
            return
        [name] = node.named_children
        self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, 0, held)

    def dotted(self, node: Node, scope: int) -> int:
        first, *rest = node.named_children
        value = self.identifier(first, scope)
        for segment in rest:
            value = self.row(Op.ATTR, value, self.name(segment), segment.start_byte)
        return value

    def class_pattern(self, node: Node, scope: int, role: int = 0) -> int:
        value = 0
        for child in node.named_children:
            if child.type == "dotted_name":
                value = self.row(Op.TYPED, self.dotted(child, scope))
            elif child.named_child_count == 1 and child.named_children[0].type == "keyword_pattern":
                self.keyword_pattern(child.named_children[0], scope, value)
            else:
                self.visit(child, scope)
        return value

    def keyword_pattern(self, node: Node, scope: int, owner: int) -> None:
        name, *patterns = node.named_children
        held = self.row(Op.ATTR, owner, self.name(name), name.start_byte)
        for pattern in patterns:
            if pattern.type == "dotted_name":
                self.dotted_pattern(pattern, scope, held)
            else:
                self.visit(pattern, scope)

    def union_pattern(self, node: Node, scope: int, role: int = 0) -> int:
        values = []
        for child in node.named_children:
            if child.type == "dotted_name":
                self.dotted_pattern(child, scope, 0)
            else:
                values.append(self.visit(child, scope))
        if not values or not all(values):
            return 0
        kinds = [self.rows[(value << 2) + 1] for value in values]
        return self.row(Op.TYPED, self.row(Op.UNION, 0, self.items(kinds)))

    def splat_pattern(self, node: Node, scope: int, role: int = 0) -> int:
        for name in node.named_children:
            self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE)
        return 0
