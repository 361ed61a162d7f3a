"""Rust's patterns: which names they bind, and to which part of a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from cuedeck.code.facts import Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.table import TableWalk, doc_above

if TYPE_CHECKING:
    from tree_sitter import Node

# Variants of types that stand for their first argument hold what those stand for.
_SAME: Final = (b"Some", b"Ok")
_OTHER: Final = (b"Err",)
_WRAPPERS: Final = ("ref_pattern", "mut_pattern", "reference_pattern", "match_pattern")
_LEAVES: Final = ("identifier", "shorthand_field_identifier")
_ENDED: Final = ("statement", "declaration", "item")


class RustPatterns(TableWalk):
    """Visits what takes values apart; a variant is a class of its own below its enum."""

    def pattern(self, node: Node, scope: int, value: int, annotation: int = 0, kind: str = "") -> None:
        """Bind the names of a pattern to the parts of a value, and visit what else it names."""
        shape = node.type
        if shape in _LEAVES:
            if self._binds(node):
                self.assign(node, scope, annotation, value, kind, node)
            else:
                self.reference(node, scope)
        elif shape in _WRAPPERS:
            for child in node.named_children[-1:]:
                self.pattern(child, scope, value, annotation, kind)
        elif shape == "tuple_struct_pattern":
            self._taken_apart(node, scope, value)
        elif shape == "struct_pattern":
            self._fields(node, scope)
        elif shape in ("tuple_pattern", "slice_pattern"):
            for position, child in enumerate(_before_rest(node.children)):
                op = (Op.ITEM, value, position) if shape == "tuple_pattern" else (Op.ELEMENT, value)
                self.pattern(child, scope, self.row(*op) if value else 0)
        elif shape in ("or_pattern", "captured_pattern"):
            for child in node.named_children:
                self.pattern(child, scope, value)
        else:
            self.visit(node, scope)

    def _taken_apart(self, node: Node, scope: int, value: int) -> None:
        """``Variant(a, b)``"""
        of, *parts = node.children
        made = self.visit(of, scope)
        label = self.source[of.start_byte : of.end_byte].rpartition(b"::")[2]
        whole = self.row(Op.NEW, made)
        for position, part in enumerate(_before_rest(parts)):
            if label in _SAME or label in _OTHER:
                held = value if label in _SAME else 0
            else:
                held = self.row(Op.ATTR, whole, self.intern(b"%d" % position))
            self.pattern(part, scope, held)

    def _fields(self, node: Node, scope: int) -> None:
        """``Type { a, b: pattern }``"""
        of, *parts = node.named_children
        whole = self.row(Op.NEW, self.visit(of, scope))
        for part in parts:
            name, inner = part.child_by_field_name("name"), part.child_by_field_name("pattern")
            if name is None:
                continue
            held = self.row(Op.ATTR, whole, self.name(name), name.start_byte)
            self.pattern(inner or name, scope, held)

    def _binds(self, node: Node) -> bool:
        """Whether a name in a pattern is a new one: constants and variants begin with a capital."""
        first = self.source[node.start_byte : node.start_byte + 1]
        return not first.isupper()

    def bound_names(self, node: Node) -> Iterator[Node]:
        """The names that a pattern binds."""
        if node.type in _LEAVES:
            if self._binds(node):
                yield node
        elif node.type == "field_pattern":
            inner = node.child_by_field_name("pattern") or node.child_by_field_name("name")
            if inner is not None:
                yield from self.bound_names(inner)
        elif node.type.endswith("pattern"):
            named = node.named_children
            for child in named[1:] if node.type in ("tuple_struct_pattern", "struct_pattern") else named:
                yield from self.bound_names(child)

    def variable(self, node: Node, scope: int, role: int = 0) -> int:
        pattern = node.child_by_field_name("pattern")
        if pattern is None:
            return super().variable(node, scope, role)
        hint, given = node.child_by_field_name("type"), node.child_by_field_name("value")
        annotation = self.visit(hint, scope, Role.TYPE) if hint is not None else 0
        begun = len(self.rows)
        value = self.visit(given, scope) if given is not None else 0
        self.see_outer([*self.bound_names(pattern)], scope, begun)
        told = self.row(Op.TYPED, annotation) if annotation else value
        self.pattern(pattern, scope, told, annotation)
        otherwise = node.child_by_field_name("alternative")
        if otherwise is not None:
            self.visit(otherwise, scope)
        return value

    def take(self, pattern: Node, scope: int, annotation: int, value: int) -> None:
        """Bind a parameter, and the names that it is taken apart to."""
        while pattern.type in _WRAPPERS and pattern.named_child_count:
            pattern = pattern.named_children[-1]
        default = 0 if annotation else value
        self.bind(scope, self.name(pattern), pattern.start_byte, Bind.PARAMETER, annotation, default)
        if pattern.type != "identifier":
            self.pattern(pattern, scope, value)

    def match(self, node: Node, scope: int, role: int = 0) -> int:
        of, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        value = self.visit(of, scope) if of is not None else 0
        given: list[int] = []
        for arm in body.named_children if body is not None else ():
            inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
            pattern, result = arm.child_by_field_name("pattern"), arm.child_by_field_name("value")
            if pattern is None or result is None:
                self.visit(arm, inner)
                continue
            condition = pattern.child_by_field_name("condition")
            for child in pattern.named_children[:1]:
                self.pattern(child, inner, value)
            if condition is not None:
                self.visit(condition, inner)
            given.append(self.visit(result, inner))
        return self.either(given)

    def if_(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        given: list[int] = []
        for field, place in (("condition", inner), ("consequence", inner), ("alternative", scope)):
            part = node.child_by_field_name(field)
            if part is not None:
                given.append(self.visit(part, place))
        return self.either(given[1:])

    def block(self, node: Node, scope: int, role: int = 0) -> int:
        return self.last(node, self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner))

    def last(self, node: Node, scope: int) -> int:
        """Visit the parts of a block, whose value is that of its last expression."""
        value = 0
        child = None
        for child in node.named_children:
            value = self.visit(child, scope)
        if child is None or self.source[child.end_byte - 1 : child.end_byte] == b";":
            return 0
        return 0 if child.type.endswith(_ENDED) and child.type != "expression_statement" else value

    def positions(self, node: Node, scope: int, role: int = 0) -> int:
        """The fields of ``struct Name(A, B)`` are named by their positions."""
        types = node.children_by_field_name("type")
        for position, of in enumerate(types):
            annotation = self.visit(of, scope, Role.TYPE)
            self.bind(scope, self.intern(b"%d" % position), of.start_byte, Bind.VARIABLE, annotation)
        return 0

    def variant(self, node: Node, scope: int, role: int = 0) -> int:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None:
            return self.children(node, scope)
        inner = self.scope(ScopeKind.CLASS, scope)
        self.scopes[inner].owner = inner
        self.bind(scope, self.name(name), name.start_byte, Bind.CLASS, inner)
        self.define(Kind.MEMBER, name, node, scope, own=inner, doc=doc_above(node))
        self.scopes[inner].bases = self.items([self.row(Op.SELF, scope)])
        for child in node.named_children:
            if child != name:
                self.visit(child, inner if child == body else scope)
        return 0


def _before_rest(parts: list[Node]) -> Iterator[Node]:
    """The parts of a pattern whose position is known: those before ``..``."""
    for part in parts:
        if part.type == "remaining_field_pattern":
            return
        if part.type == "_" or (part.is_named and "comment" not in part.type):
            yield part
