"""C and C++: what is declared, inside what is around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from cuedeck.code.extraction.draft import Range


def array_sizes(node: Node) -> Iterator[Node]:
    while node is not None:
        size = node.child_by_field_name("size")
        if size is not None:
            yield size
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type == "parenthesized_declarator" and node.named_child_count:
            inner = node.named_children[-1]
        if inner is None:
            return
        node = inner


def is_pointed_to(function: Node) -> bool:
    """Whether ``(*f)(…)`` is declared: a variable, not a function."""
    inner = function.child_by_field_name("declarator")
    held = (
        inner.named_children[-1] if inner is not None and inner.type == "parenthesized_declarator" else None
    )
    if held is not None and held.type == "qualified_identifier":
        held = held.child_by_field_name("name")
    if held is None or not held.type.startswith(("pointer", "reference")):
        return False
    return "function_declarator" not in [child.type for child in held.named_children]


def parameter_name(node: Node) -> Node | None:
    """The name that a template's parameter declares, behind what limits it."""
    declarator = node.child_by_field_name("declarator")
    leaves = _leaves(node if declarator is None else declarator)
    return next((leaf for leaf in leaves if leaf.type in ("type_identifier", "identifier")), None)


def _leaves(node: Node) -> Iterator[Node]:
    if not node.named_child_count:
        yield node
    for child in node.named_children:
        yield from _leaves(child)


def labelled(name: Node) -> Range:
    """Where the name of a function stands: ``operator bool`` of ``operator bool() const``."""
    taken = name if name.type == "operator_cast" else None
    while taken is not None and taken.type != "parameter_list":
        taken = taken.child_by_field_name("parameters") or taken.child_by_field_name("declarator")
    return name.start_byte, name.end_byte if taken is None else taken.start_byte


def wrapped_name(function: Node) -> Node | None:
    """The name in ``void IN_RAM(name)(int a)``: no function gives a function, so a macro is around it."""
    macro = function.child_by_field_name("declarator")
    if macro is None or macro.type != "function_declarator":
        return None
    listed = macro.child_by_field_name("parameters")
    if listed is None or listed.named_child_count != 1:
        return None
    only = listed.named_children[0]
    named = only.child_by_field_name("type")
    if named is None or named.type != "type_identifier" or named.end_byte != only.end_byte:
        return None
    return named
