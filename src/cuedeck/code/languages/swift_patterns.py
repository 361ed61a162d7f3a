"""Swift's patterns and conditions: what they name, and what they bind to parts of a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from cuedeck.code.facts import Bind, Op, Role, ScopeKind
from cuedeck.code.languages.swift_values import SwiftValues

if TYPE_CHECKING:
    from tree_sitter import Node

# Where the conditions of a statement end.
_BODY: Final = frozenset({"{", "else", "statements", "if_statement"})
# The case of what may be missing, which is the value itself.
_PRESENT: Final = b"some"


class SwiftPatterns(SwiftValues):
    """Visits what takes values apart."""

    subject = 0  # what is switched over

    def if_(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        self.conditions(node, inner, scope)
        return 0

    def guard(self, node: Node, scope: int, role: int = 0) -> int:
        self.conditions(node, scope, scope)
        return 0

    def conditions(self, node: Node, inner: int, outside: int) -> None:
        for group in _groups(node):
            if group[0].type == "case":
                self.matched_condition(group[1:], inner)
            elif group[0].type not in _BODY:
                self.condition(group, inner, outside)
            elif group[0].is_named:
                self.visit(group[0], outside if group[0].type == "if_statement" else inner)

    def condition(self, group: Sequence[Node], inner: int, outside: int) -> None:
        """``let x = value`` binds a value that is there; ``let x`` one of the same name outside."""
        is_binding = any(child.type == "value_binding_pattern" for child in group)
        bound = next((c for c in group if is_binding and c.type == "simple_identifier"), None)
        of = value = 0
        begun = len(self.rows)
        for child in group:
            if child.type == "type_annotation":
                of = self.visit(child, inner, Role.TYPE)
            elif child.is_named and child != bound and child.type != "value_binding_pattern":
                value = self.visit(child, inner) or -1
        if bound is not None:
            self.see_outer([bound], inner, begun)
            if not value:
                value = self.reference(bound, outside if inner != outside else self.scopes[inner].parent)
            self.bind(inner, self.name(bound), bound.start_byte, Bind.VARIABLE, of, max(value, 0))

    def matched_condition(self, group: Sequence[Node], scope: int) -> None:
        """``case pattern = value``"""
        sign = next((at for at, child in enumerate(group) if child.type == "="), len(group))
        value = 0
        for child in group[sign + 1 :]:
            value = self.visit(child, scope) if child.is_named else value
        self.matched([child for child in group[:sign] if child.is_named], scope, value, binding=False)

    def for_(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        item, collection = node.child_by_field_name("item"), node.child_by_field_name("collection")
        value = self.visit(collection, scope) if collection is not None else 0
        if item is not None:
            is_case = bool(item.children) and item.children[0].type == "case"
            element = self.row(Op.ELEMENT, value) if value else 0
            self.pattern(item, inner, element, binding=not is_case)
        for child in node.named_children:
            if child not in (item, collection):
                self.visit(child, inner)
        return 0

    def switch(self, node: Node, scope: int, role: int = 0) -> int:
        over = node.child_by_field_name("expr")
        saved, self.subject = self.subject, self.visit(over, scope) if over is not None else 0
        for child in node.named_children:
            if child != over:
                self.visit(child, scope)
        self.subject = saved
        return 0

    def case(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        for child in node.named_children:
            if child.type == "switch_pattern":
                for pattern in child.named_children:
                    self.pattern(pattern, inner, self.subject)
            else:
                self.visit(child, inner)
        return 0

    def catch(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        for child in node.named_children:
            if child.type == "pattern":
                self.pattern(child, inner, 0)
            else:
                self.visit(child, inner)
        return 0

    def pattern(self, node: Node, scope: int, subject: int, *, binding: bool = False) -> None:
        """Bind the names of a pattern to what they stand for in a value."""
        children = node.named_children if node.type == "pattern" else [node]
        self.matched(children, scope, subject, binding=binding)

    def matched(self, children: Sequence[Node], scope: int, subject: int, *, binding: bool) -> None:
        """``case let .one(a)`` and ``case .one(let a)``: what follows ``let`` is new."""
        binding = binding or any(child.type == "value_binding_pattern" for child in children)
        parts = [child for child in children if child.type == "pattern"]
        names = [child for child in children if child.type == "simple_identifier"]
        types = [child for child in children if child.type.endswith("_type")]
        if names and (parts or types or self.source[names[0].start_byte - 1 : names[0].start_byte] == b"."):
            self._case_of(names[0], types, parts, scope, subject, binding)
        elif parts:
            if types:
                subject = self.row(Op.TYPED, self.visit(types[-1], scope, Role.TYPE))
            for position, part in enumerate(parts):
                taken = self.row(Op.ITEM, subject, position) if subject and len(parts) > 1 else subject
                self.pattern(part, scope, taken, binding=binding)
        elif names and binding:
            self.bind(scope, self.name(names[0]), names[0].start_byte, Bind.VARIABLE, 0, subject)
        else:
            for child in children:
                self.expect(child, subject)
                self.visit(child, scope, Role.TYPE if child in types else 0)

    def _case_of(
        self,
        name: Node,
        types: Sequence[Node],
        parts: Sequence[Node],
        scope: int,
        subject: int,
        binding: bool,
    ) -> None:
        """``.one(let a, .two)``, ``Shape.one(let a)``"""
        if types:
            owner = self.visit(types[0], scope, Role.TYPE)
            case = self.row(Op.ATTR, owner, self.name(name), name.start_byte)
        else:
            if subject:
                self.wanted[name.start_byte] = subject
            case = self.reference(name, scope)
        is_present = self.source[name.start_byte : name.end_byte] == _PRESENT
        for position, part in enumerate(parts):
            if part.named_children and part.named_children[0].type == "wildcard_pattern":
                continue
            carried = subject if is_present else self.row(Op.ARGUMENT, case, position)
            self.pattern(part, scope, carried, binding=binding)


def _groups(node: Node) -> Iterator[list[Node]]:
    """The conditions of a statement, each as the nodes that it is written with, and what follows them."""
    group: list[Node] = []
    depth = 0
    for child in node.children[1:]:
        depth += (child.type == "(") - (child.type == ")")
        if child.type in _BODY:
            if group:
                yield group
            group = []
            yield [child]
        elif child.type == "," and not depth:
            if group:
                yield group
            group = []
        elif child.type != "}":
            group.append(child)
    if group:
        yield group
