"""Who calls a symbol and whom it calls, to a depth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cuedeck.code.facts import CALLABLE, ROLE_SHIFT, TYPES, Role
from cuedeck.code.locating import definitions_of, symbol_of
from cuedeck.code.resolution.values import Symbol
from cuedeck.code.snapshot import Snapshot
from cuedeck.code.symbols import SymbolRecord


@dataclass(frozen=True, slots=True)
class Call:
    """One step of the graph: the symbol at the other end, and where the call stands."""

    symbol: SymbolRecord
    path: str
    line: int
    depth: int


def callers(snapshot: Snapshot, record: SymbolRecord, depth: int, limit: int) -> tuple[list[Call], bool]:
    """The symbols that call this one, nearest first, and whether there are more."""
    return _spread(snapshot, record, depth, limit, _callers)


def callees(snapshot: Snapshot, record: SymbolRecord, depth: int, limit: int) -> tuple[list[Call], bool]:
    """The symbols this one calls, nearest first, and whether there are more."""
    return _spread(snapshot, record, depth, limit, _callees)


# The symbols at the other end, each with the place of the call, and whether these are all.
_Step = Callable[[Snapshot, SymbolRecord], tuple[list[tuple[SymbolRecord, str, int]], bool]]


def _spread(
    snapshot: Snapshot, record: SymbolRecord, depth: int, limit: int, step: _Step
) -> tuple[list[Call], bool]:
    found: list[Call] = []
    seen = {record.symbol_id}
    frontier, more = [record], False
    for level in range(1, depth + 1):
        following: list[SymbolRecord] = []
        for current in frontier:
            steps, whole = step(snapshot, current)
            more = more or not whole
            for other, path, line in steps:
                if other.symbol_id in seen:
                    continue
                seen.add(other.symbol_id)
                if len(found) >= limit:
                    return found, True
                found.append(Call(other, path, line, level))
                following.append(other)
        frontier = following
    return found, more


def _callers(snapshot: Snapshot, record: SymbolRecord) -> tuple[list[tuple[SymbolRecord, str, int]], bool]:
    found = []
    references = snapshot.references(record)
    for site in references.resolved:
        if site.edge == "calls":
            found.append((enclosing_record(snapshot, site.path, site.offset), site.path, site.line))
    return found, not references.unseen


def enclosing_record(snapshot: Snapshot, path: str, offset: int) -> SymbolRecord:
    """The function, class or other owner around a place, else the module."""
    outline = snapshot.outline(path)
    number = outline.enclosing(offset)
    while number >= 0 and outline.definitions[number].kind not in CALLABLE | TYPES:
        number = outline.definitions[number].parent
    return snapshot.symbols(path).record(number)


def _callees(snapshot: Snapshot, record: SymbolRecord) -> tuple[list[tuple[SymbolRecord, str, int]], bool]:
    if record.number < 0:
        return _calls_between(snapshot, record.path, 0, snapshot.outline(record.path).size + 1), True
    found = []
    for path, number in _bodies(snapshot, record):
        definition = snapshot.outline(path).definitions[number]
        found += _calls_between(snapshot, path, definition.start, definition.end)
    return found, True


def _bodies(snapshot: Snapshot, record: SymbolRecord) -> dict[tuple[str, int], None]:
    """Where a symbol's code may stand: here, and at its other declarations where they are one thing."""
    found = {(record.path, record.number): None}
    rules = snapshot.rules(record.path)
    symbol = symbol_of(snapshot, record)
    if symbol is None or rules.overloads:
        return found
    for same in (symbol, *rules.twins(symbol)):
        found |= {(same.path, number): None for number in definitions_of(snapshot, same)}
    for path in snapshot.files_defining(record.name) if record.language == "cpp" else ():
        for number in snapshot.outline(path).named(record.name):
            if symbol_of(snapshot, snapshot.symbols(path).record(number)) == symbol:
                found[path, number] = None
    return found


def _calls_between(
    snapshot: Snapshot, path: str, start: int, end: int
) -> list[tuple[SymbolRecord, str, int]]:
    outline, links = snapshot.outline(path), snapshot.links(path)
    found = []
    for site, (op, pos) in enumerate(zip(links.ops, links.pos, strict=True)):
        if op >> ROLE_SHIFT != Role.CALL or not start <= pos < end:
            continue
        with snapshot.lock:
            targets = snapshot.linker.targets(path, site)
        for target in targets:
            if isinstance(target, Symbol):
                for number in definitions_of(snapshot, target)[:1]:
                    called = snapshot.symbols(target.path).record(number)
                    if called.kind in CALLABLE | TYPES:
                        found.append((called, path, outline.line_of(pos)))
    return found
