"""Statements that define several names: what they say of one of them, which alone tells a change of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

    from cuedeck.code.extraction.draft import Range

_BY_KEY: Final = ("object_pattern",)
_BY_POSITION: Final = (
    "array_pattern",
    "pattern_list",
    "tuple_pattern",
    "list_pattern",
    "left_assignment_list",
    "variable_list",
    "pattern",
)
_VALUES: Final = ("expression_list", "tuple", "list")


def one_of(parts: list[Range], elements: Sequence[Range], own: int) -> list[Range]:
    """Parts of a statement with one element of a list in place of all of them."""
    return _replaced(parts, (elements[0][0], elements[-1][1]), [elements[own]])


def bound_in(parts: list[Range], pattern: Node, at: int, values: Sequence[Node] = ()) -> list[Range]:
    """Parts of a statement with what leads to one name of its pattern, and the value that is that name's."""
    node: Node | None = pattern
    while node is not None:
        if node.type in _BY_KEY or node.type in _BY_POSITION:
            listed = [child for child in node.named_children if child.type != "comment"]
            own = next(n for n, child in enumerate(listed) if child.start_byte <= at < child.end_byte)
            if node.type in _BY_KEY and listed[own].type == "rest_pattern":
                break  # which is what the others leave
            kept = [range_of(listed[own])]
            if node == pattern and len(values) == len(listed):
                parts = one_of(parts, [range_of(value) for value in values], own)
            elif node.type in _BY_POSITION:
                kept = [*commas_before(node, at), *kept]
            parts = _replaced(parts, _inside(node), kept)
        node = next((c for c in node.named_children if c.start_byte <= at < c.end_byte), None)
    return parts


def assigned(assignment: Node | None, at: int) -> Sequence[Range]:
    """What ``a, b = …`` or ``a = b = …`` of Python says of one of the names."""
    if assignment is None:
        return ()
    left, last = assignment.child_by_field_name("left"), assignment
    while (inner := last.child_by_field_name("right")) is not None and inner.type == "assignment":
        last = inner
    target, value = last.child_by_field_name("left"), last.child_by_field_name("right")
    if left is None or target is None:
        return [range_of(assignment)]
    values = value.named_children if value is not None and value.type in _VALUES else ()
    return bound_in([range_of(left), (target.end_byte, last.end_byte)], left, at, values)


def commas_before(node: Node, at: int) -> list[Range]:
    """They tell a name's position among others."""
    return [range_of(child) for child in node.children if child.type == "," and child.end_byte <= at]


def range_of(node: Node) -> Range:
    return node.start_byte, node.end_byte


def _inside(node: Node) -> Range:
    """A list without its brackets, if it has any."""
    first, last = node.children[0], node.children[-1]
    return range_of(node) if first.is_named else (first.end_byte, last.start_byte)


def _replaced(parts: list[Range], inside: Range, kept: Sequence[Range]) -> list[Range]:
    found: list[Range] = []
    for start, end in parts:
        if start <= inside[0] and inside[1] <= end:
            found += [(start, inside[0]), *kept, (inside[1], end)]
        else:
            found.append((start, end))
    return found
