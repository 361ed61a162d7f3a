"""What the rows of one file say by themselves."""

from __future__ import annotations

from typing import Final

from cuedeck.code.facts import OP_MASK, Links, Op, ScopeKind

_MADE: Final = frozenset({Op.CALL, Op.ATTR, Op.INDEX, Op.UNION})
# What stands around a callee that is told types, or of which something is expected.
_AROUND: Final = frozenset({Op.INDEX, Op.WANTED})


def is_class_of(links: Links, scope: int, name: int) -> bool:
    """Whether a scope holds the members of a class of that name."""
    row = links.scopes[scope]
    if row.kind != ScopeKind.EXTENSION:
        return links.classes.get(scope) == name
    number = row.result
    while links.ops[number] & OP_MASK == Op.INDEX:
        number = links.a[number]
    return links.ops[number] & OP_MASK in (Op.NAME, Op.ATTR) and links.b[number] == name


def made_of(links: Links, expression: int, name: int) -> bool:
    """Whether a call or a member begins with a name, or is given it."""
    op, a, b = links.ops[expression] & OP_MASK, links.a[expression], links.b[expression]
    if op == Op.NAME:
        return b == name
    parts = links.lists[b] if op in (Op.CALL, Op.UNION) else ()
    return any(made_of(links, part, name) for part in (a, *parts)) if op in _MADE else False


def is_made(links: Links, callee: int) -> bool:
    """Whether ``new`` makes an instance of what an expression names."""
    row = callee
    while True:
        try:
            row = links.ops.index(Op.NEW, row + 1)
        except ValueError:
            return False
        made = links.a[row]
        while made > callee and links.ops[made] & OP_MASK in _AROUND:
            made = links.a[made]
        if made == callee:
            return True
