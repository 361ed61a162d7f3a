"""Types made of others by embedding them, as in Go, and the files that have them without a look at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from cuedeck.code.facts import OP_MASK, ROLE_SHIFT, Bind, Links, Op, Role, Scope, ScopeKind

_KIND: Final = Scope._fields.index("kind")
_BASES: Final = Scope._fields.index("bases")
_EMBEDDED: Final = frozenset(op | Role.EXTENDS << ROLE_SHIFT for op in (Op.NAME, Op.ATTR))


def embedded(name: str) -> str:
    """Among the names of a file: a type of it embeds one of that name."""
    return f"embeds {name}"


def asked(name: str) -> str:
    """Among the names of a file: an interface of it asks for a method of that name."""
    return f"asks {name}"


def names_sought(links: Links) -> list[str]:
    """What a file is found by when types are compared: what it embeds, and what its interfaces ask for."""
    holders, names, _, kinds, *_ = links.bindings
    classes = {scope for scope, kind in enumerate(_column(links, _KIND)) if kind == ScopeKind.CLASS}
    methods = {
        links.strings[name]
        for scope, name, kind in zip(holders, names, kinds, strict=True)
        if kind == Bind.FUNCTION and scope in classes
    }
    types = {name for _, _, name in embeddings(links)}
    return [*map(embedded, sorted(types)), *map(asked, sorted(methods))]


def embeddings(links: Links) -> Iterator[tuple[int, int, str]]:
    """What the types of a file embed: the scope of the type, the expression, and the last name in it."""
    for scope, listed in enumerate(_column(links, _BASES)):
        for base in links.lists[listed]:
            row = links.a[base] if links.ops[base] & OP_MASK == Op.INDEX else base
            if links.ops[row] in _EMBEDDED:
                yield scope, base, links.strings[links.b[row]]


def _column(links: Links, field: int) -> Sequence[int]:
    """One field of every scope, without a row for each."""
    scopes = links.scopes
    return scopes.columns[field * scopes.count : (field + 1) * scopes.count]
