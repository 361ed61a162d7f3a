"""Python's operators: what comparing, joining and turning things gives, and what a comparison tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cuedeck.code.facts import OP_MASK, ROLE_SHIFT, Op, Role
from cuedeck.code.languages.python_expressions import PythonExpressions

if TYPE_CHECKING:
    from tree_sitter import Node

_COMPARED: Final = {"==": True, "is": True, "in": True, "!=": False, "is not": False, "not in": False}
# Around a comparison whose value is made use of; elsewhere only its truth is.
_KEPT: Final = ("assignment", "named_expression", "parenthesized_expression", "return_statement")
_COMPARISONS: Final = {
    "==": b"__eq__",
    "!=": b"__ne__",
    "<": b"__lt__",
    "<=": b"__le__",
    ">": b"__gt__",
    ">=": b"__ge__",
}
_OPERATORS: Final = {
    "+": b"__add__",
    "-": b"__sub__",
    "*": b"__mul__",
    "/": b"__truediv__",
    "//": b"__floordiv__",
    "%": b"__mod__",
    "**": b"__pow__",
    "@": b"__matmul__",
    "&": b"__and__",
    "^": b"__xor__",
    "<<": b"__lshift__",
    ">>": b"__rshift__",
}
_SIGNS: Final = {"+": b"__pos__", "-": b"__neg__", "~": b"__invert__"}
_JOINED: Final = Op.UNION | Role.WRITE << ROLE_SHIFT


class PythonOperators(PythonExpressions):
    """Visits operators; a comparison's value is what its method gives, and of no interest as a condition."""

    def comparison(self, node: Node, scope: int, role: int = 0) -> int:
        """``type(x) is C`` tells what ``isinstance(x, C)`` does, ``x.kind == "a"`` what types x may be."""
        start = node.start_byte
        if node.named_child_count != 2:
            return self.children(node, scope)
        left, sign, right = node.children
        holds = _COMPARED.get(sign.type)
        value = self.visit(left, scope)
        if holds is not None and left.type == "attribute":
            texts = self.texts(right)
            if texts:
                self.discriminate(left, scope, texts, holds)
                return self.compared(node, value, sign.type)
        kind = self.visit(right, scope)
        if left.type == "call" and kind and self.source[start : start + 5] == b"type(" and holds is not None:
            given = left.children[-1].named_children
            if len(given) == 1 and "in" not in sign.type:
                self.tell(given[0], scope, kind, holds)
        return self.compared(node, value, sign.type)

    def compared(self, node: Node, value: int, sign: str) -> int:
        around = node.parent
        if not value or sign not in _COMPARISONS or around is None or around.type not in _KEPT:
            return 0
        return self.row(Op.OPERATED, value, self.intern(_COMPARISONS[sign]))

    def binary(self, node: Node, scope: int, role: int = 0) -> int:
        chain: list[Node] = []
        while node.type == "binary_operator":
            parts = node.named_children
            if len(parts) < 2:
                break
            chain.append(node)
            node = parts[0]
        value = self.visit(node, scope, role)
        for step in reversed(chain):
            right = self.visit(step.named_children[-1], scope, role)
            operator = step.child_by_field_name("operator")
            sign = operator.type if operator is not None else ""
            if sign == "|":
                op = Op.UNION if role == Role.TYPE else _JOINED
                value = self.row(op, 0, self.items([value, right]))
            elif value and sign in _OPERATORS:
                value = self.row(Op.OPERATED, value, self.intern(_OPERATORS[sign]))
        return value

    def unary(self, node: Node, scope: int, role: int = 0) -> int:
        value = self.visit(node.named_children[-1], scope)
        sign = node.children[0].type
        known = value and sign in _SIGNS and self.rows[4 * value] & OP_MASK != Op.LITERAL
        return self.row(Op.OPERATED, value, self.intern(_SIGNS[sign])) if known else 0

    def boolean(self, node: Node, scope: int, role: int = 0) -> int:
        """``a or b`` is either, ``a and b`` the second: the first only where that is false."""
        both = any(child.type == "and" for child in node.children)
        left, *others = (child for child in node.named_children if child.kind_id != self.comment_kind)
        told, denied = len(self.told), len(self.denied)
        values = [self.visit(left, scope)]
        passed, failed = self.told[told:], self.denied[denied:]
        if (passed or failed) and both and self.certain(left)[0]:
            self.prove(passed, failed, left.end_byte, node.end_byte)
        values += [self.visit(c, scope) for c in others]
        return values[-1] if both else self.row(Op.UNION, 0, self.items(values))
