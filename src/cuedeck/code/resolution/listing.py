"""What a module or a namespace only lists among its exports: to a checker that list is another thing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from cuedeck.code.facts import OP_MASK, ROLE_SHIFT, Bind, Links, Op, Role
from cuedeck.code.resolution.values import MODULE, Value

if TYPE_CHECKING:
    from cuedeck.code.resolution.linker import Linker

# How many lists of exports may lead from one to the next.
_MOST: Final = 50
_IMPORTING: Final = frozenset({Bind.IMPORT, Bind.MODULE})
_EXPORTED: Final = Op.NAME | Role.EXPORT << ROLE_SHIFT


def is_listed(linker: Linker, path: str, site: int) -> bool:
    """Whether a place takes a name out of what only lists it, ``export { name }``, as ``lib.name`` does."""
    links = linker.links(path)
    if links.ops[site] & OP_MASK != Op.ATTR:
        return False
    name = links.strings[links.b[site]]
    modules = [value for value in linker.meant_on(path, site) if value.tag == MODULE]
    return any(linker.solve(("listed", module, name), _lists, linker, module, name) for module in modules)


def _lists(linker: Linker, module: Value, name: str) -> bool:
    """Whether a module has a name by such a list, its own or one of those that it gives on as a whole."""
    waiting, seen = [module], set[Value]()
    while waiting and len(seen) < _MOST:
        module = waiting.pop()
        if module in seen:
            continue
        seen.add(module)
        links = linker.links(module.path)
        number = links.string_numbers.get(name, -1)
        bindings = links.names[module.scope].get(number, ())
        if bindings:
            return _is_passed_on(links, bindings) or _is_exported_apart(links, module.scope, number, bindings)
        stars = links.names[module.scope].get(links.string_numbers.get("*", -1), ())
        given = (linker.imported(module.path, links.bindings[4][star]) for star in stars)
        waiting += [other for other in given if other is not None]
    return False


def _is_passed_on(links: Links, bindings: Sequence[int]) -> bool:
    """Whether a name is imported or stands for another; ``export import name = a.b`` is that other."""
    rows = [(links.bindings[3][b], links.bindings[4][b]) for b in bindings]
    return any(
        kind in _IMPORTING or (kind == Bind.LINK and links.ops[meant] >> ROLE_SHIFT != Role.IMPORT)
        for kind, meant in rows
    )


def _is_exported_apart(links: Links, scope: int, number: int, bindings: Sequence[int]) -> bool:
    """Whether a name is exported by itself in another place than where it is declared."""
    places = {links.bindings[2][b] for b in bindings}
    rows = [
        row
        for row in links.sites.get(number, ())
        if links.ops[row] == _EXPORTED and links.a[row] == scope and links.pos[row] not in places
    ]
    return bool(rows) and not _renamed(links, scope).issuperset(rows)


def _renamed(links: Links, scope: int) -> set[int]:
    """What a module exports under other names: ``export { name as other }``."""
    kinds, meant = links.bindings[3], links.bindings[4]
    return {meant[b] for bindings in links.names[scope].values() for b in bindings if kinds[b] == Bind.LINK}
