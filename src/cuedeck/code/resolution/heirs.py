"""Keywords: whether what takes one may be an heir, of which nobody knows what its constructor takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuedeck.code.facts import OP_MASK, Bind, Op
from cuedeck.code.resolution.values import Symbol

if TYPE_CHECKING:
    from cuedeck.code.resolution.linker import Linker


def may_make_heir(linker: Linker, path: str, site: int) -> bool:
    """Whether a site is a keyword of ``cls(size=1)``, where ``cls`` is what a method is called on."""
    links = linker.links(path)
    callee = links.a[site]
    if links.ops[site] & OP_MASK != Op.KEYWORD or links.ops[callee] & OP_MASK != Op.NAME:
        return False
    number, kinds, itself = links.b[callee], links.bindings[3], links.bindings[5]
    scopes = [t.scope for t in linker.targets(path, callee) if isinstance(t, Symbol) and t.path == path]
    bound = [b for scope in scopes for b in links.names[scope].get(number, ())]
    return any(kinds[b] == Bind.SELF and itself[b] for b in bound)
