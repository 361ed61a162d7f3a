"""What may be anything to a checker, ``any``: joined with other types it leaves nothing of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cuedeck.code.facts import OP_MASK, ROLE_SHIFT, Bind, Links, Op, Role
from cuedeck.code.resolution.values import FUNCTION, Symbol

if TYPE_CHECKING:
    from cuedeck.code.resolution.conventions import ProvingLinker

_ANY: Final = "any"
_MAX_DEPTH: Final = 30
# What is taken from anything, called, awaited or made of it is anything.
_TAKEN: Final = frozenset(
    {
        Op.ATTR,
        Op.INDEX,
        Op.CALL,
        Op.NEW,
        Op.AWAIT,
        Op.NARROWED,
        Op.WANTED,
        Op.TYPED,
        Op.ELEMENT,
        Op.ITEM,
        Op.MEMBERS,
        Op.ARGUMENT,
    }
)
_DECLARED: Final = (Bind.VARIABLE, Bind.PARAMETER)


class _Frame(NamedTuple):
    """The arguments that a named type is told, and where these are written."""

    path: str
    arguments: tuple[int, ...]
    around: _Frame | None


def swallows(linker: ProvingLinker, path: str, row: int) -> bool:
    """Whether several types are joined of which one is anything: then so is the whole."""
    links = linker.links(path)
    # An object stands beside the type that is expected of it.
    parts = [part for part in _joined(links, row) if links.ops[part] & OP_MASK != Op.SELF]
    return any(is_anything(linker, path, part) for part in parts)


def _joined(links: Links, row: int) -> tuple[int, ...]:
    """The parts of a union or an intersection; what has the members of another type is neither."""
    if links.ops[row] & OP_MASK != Op.UNION or links.a[row] or links.ops[row] >> ROLE_SHIFT == Role.WRITE:
        return ()
    parts = links.lists[links.b[row]]
    return () if any(links.ops[part] & OP_MASK == Op.MAPPING for part in parts) else parts


def spreads_anything(linker: ProvingLinker, path: str, scope: int) -> bool:
    """Whether an object's members are also those of anything: ``{ own, ...rest }``."""
    links = linker.links(path)
    bases = links.lists[links.scopes[scope].bases] if scope not in links.classes else ()
    spread = [base for base in bases if links.ops[base] >> ROLE_SHIFT not in (Role.EXTENDS, Role.IMPLEMENTS)]
    return any(is_anything(linker, path, base) for base in spread)


def is_anything(linker: ProvingLinker, path: str, row: int) -> bool:
    """Whether an expression, or what a type says, is certainly anything."""
    return bool(linker.solve(("any", path, row), _is_anything, linker, path, row, None, 0))


def _is_anything(linker: ProvingLinker, path: str, row: int, frame: _Frame | None, depth: int) -> bool:
    links = linker.links(path)
    op, a = links.ops[row] & OP_MASK, links.a[row]
    if depth > _MAX_DEPTH or not row:
        return False
    if op == Op.LITERAL:
        return links.strings[a] == _ANY
    if op == Op.UNION:
        return any(_is_anything(linker, path, part, frame, depth + 1) for part in _joined(links, row))
    if op == Op.NAME:
        return _names_anything(linker, path, row, None, frame, depth)
    if op == Op.INDEX and links.ops[a] & OP_MASK == Op.NAME:
        told = _Frame(path, linker.arguments_of(path, row), frame)
        return _names_anything(linker, path, a, told, frame, depth)
    if op == Op.SELF:
        return spreads_anything(linker, path, a)
    if op not in _TAKEN:
        return False
    return _is_anything(linker, path, a, frame, depth + 1) or (
        op == Op.CALL and _gives_anything(linker, path, a)
    )


def _names_anything(
    linker: ProvingLinker, path: str, row: int, told: _Frame | None, frame: _Frame | None, depth: int
) -> bool:
    """Whether a name stands for anything, where it is told types, and where it may be a type parameter."""
    for symbol in linker.targets(path, row):
        if not isinstance(symbol, Symbol):
            continue
        if linker.is_imported(symbol):
            return True
        links = linker.links(symbol.path)
        bindings = links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ())
        kinds, hints, given = links.bindings[3:]
        for alias in [hints[b] for b in bindings if kinds[b] == Bind.ALIAS and hints[b]][:1]:
            return _is_anything(linker, symbol.path, alias, told or _Frame(path, (), frame), depth + 1)
        if bindings and all(kinds[b] == Bind.OPAQUE for b in bindings):
            return _is_told_anything(linker, symbol, frame, depth)
        held = [hints[b] or given[b] for b in bindings if kinds[b] in _DECLARED]
        declared = [hints[b] for b in bindings if kinds[b] in _DECLARED and hints[b]]
        parts = [part for part in declared or held if part]
        return bool(parts) and all(_is_anything(linker, symbol.path, p, None, depth + 1) for p in parts)
    return False


def _is_told_anything(linker: ProvingLinker, parameter: Symbol, frame: _Frame | None, depth: int) -> bool:
    """Whether a named type is told anything for one of its type parameters."""
    names = [p.name for p in linker.declared_parameters(parameter.path, parameter.scope)]
    if frame is None or parameter.name not in names[: len(frame.arguments)]:
        return False
    argument = frame.arguments[names.index(parameter.name)]
    return _is_anything(linker, frame.path, argument, frame.around, depth + 1)


def _gives_anything(linker: ProvingLinker, path: str, callee: int) -> bool:
    """Whether all that a call may run is declared to give anything."""
    functions = [v for v in linker.evaluate(path, callee) if v.tag == FUNCTION]
    results = [(f.path, linker.links(f.path).scopes[f.scope].result) for f in functions]
    return bool(results) and all(result and is_anything(linker, at, result) for at, result in results)
