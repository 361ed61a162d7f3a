"""Who calls a symbol and whom it calls, to a depth."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import islice

from cuedeck.code.dispatching import passed_on
from cuedeck.code.facts import CALLABLE, ROLE_SHIFT, TYPES, Role
from cuedeck.code.implementing import Compared
from cuedeck.code.locating import PROTOTYPES, Bodies, definitions_of, symbol_of
from cuedeck.code.overloads import overload_at
from cuedeck.code.resolution import uses
from cuedeck.code.resolution.uses import DISPATCH
from cuedeck.code.resolution.values import FUNCTION, Symbol, Value
from cuedeck.code.snapshot import Snapshot
from cuedeck.code.symbols import SymbolRecord


@dataclass(frozen=True, slots=True)
class Call:
    """One step of the graph: the symbol at the other end, and where the call stands."""

    symbol: SymbolRecord
    path: str
    line: int
    depth: int
    why: str = ""  # what it rests on that no name at the place of the call says


def callers(snapshot: Snapshot, record: SymbolRecord, depth: int, limit: int) -> tuple[list[Call], bool]:
    """The symbols that call this one, nearest first, and whether there are more."""
    step = partial(_callers, until=time.thread_time() + uses.SECONDS)
    return _spread(snapshot, record, depth, limit, step)


def callees(snapshot: Snapshot, record: SymbolRecord, depth: int, limit: int) -> tuple[list[Call], bool]:
    """The symbols this one calls, nearest first, and whether there are more."""
    return _spread(snapshot, record, depth, limit, _callees)


# The symbol at the other end, the file and line of the call, and why it counts.
_Site = tuple[SymbolRecord, str, int, str]
# The calls of a symbol, and whether these are all.
_Step = Callable[[Snapshot, SymbolRecord], tuple[list[_Site], bool]]


def _spread(
    snapshot: Snapshot, record: SymbolRecord, depth: int, limit: int, step: _Step
) -> tuple[list[Call], bool]:
    found: list[Call] = []
    seen: set[str] = set()
    frontier, more = [record], False
    for level in range(1, depth + 1):
        following: list[SymbolRecord] = []
        for current in frontier:
            steps, whole = step(snapshot, current)
            more = more or not whole
            for other, path, line, why in steps:
                if other.symbol_id in seen:
                    continue
                seen.add(other.symbol_id)
                if len(found) >= limit:
                    return found, True
                found.append(Call(other, path, line, level, why))
                # What calls itself is one of its callers, and nothing new to follow.
                if other.symbol_id != record.symbol_id:
                    following.append(other)
        frontier = following
    return found, more


def _callers(snapshot: Snapshot, record: SymbolRecord, until: float) -> tuple[list[_Site], bool]:
    """What calls a symbol by its own name, and behind that what calls it through an interface."""
    references = snapshot.references(record)
    symbol = symbol_of(snapshot, record)
    through = passed_on(snapshot, symbol, until) if symbol is not None else Compared()
    named = sorted((*references.named[0], *references.constructions))
    found = [
        (enclosing_record(snapshot, site.path, site.offset), site.path, site.line, why)
        for sites, why in ((named, ""), (through.sites, DISPATCH))
        for site in sites
        if site.edge == "calls"
    ]
    return found, through.whole and not references.unseen


def enclosing_record(snapshot: Snapshot, path: str, offset: int) -> SymbolRecord:
    """The function, class or other owner around a place, else the module."""
    outline = snapshot.outline(path)
    number = outline.enclosing(offset)
    while number >= 0 and outline.definitions[number].kind not in CALLABLE | TYPES:
        number = outline.definitions[number].parent
    return snapshot.symbols(path).record(number)


def _callees(snapshot: Snapshot, record: SymbolRecord) -> tuple[list[_Site], bool]:
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
    if symbol is None or (rules.overloads and not rules.prototypes):
        return found
    place = snapshot.outline(record.path).definitions[record.number].name_at
    with snapshot.lock:
        chosen = overload_at(snapshot, symbol, place)
        declared = (symbol, *rules.twins(symbol))
    for same in declared:
        for number in definitions_of(snapshot, same):
            scope = snapshot.outline(same.path).definitions[number].scope
            if chosen is None or Value(FUNCTION, same.path, scope) in chosen:
                found[same.path, number] = None
    return found


def _calls_between(snapshot: Snapshot, path: str, start: int, end: int) -> list[_Site]:
    outline, links = snapshot.outline(path), snapshot.links(path)
    bodies = Bodies(snapshot)
    found = []
    for site, (op, pos) in enumerate(zip(links.ops, links.pos, strict=True)):
        if op >> ROLE_SHIFT != Role.CALL or not start <= pos < end:
            continue
        with snapshot.lock:
            targets = snapshot.linker.targets(path, site)
        called = _called(snapshot, [target for target in targets if isinstance(target, Symbol)], bodies)
        found += [(record, path, outline.line_of(pos), "") for record in called]
    return found


def _called(snapshot: Snapshot, targets: list[Symbol], bodies: Bodies) -> Iterable[SymbolRecord]:
    """The first definition of each target, if it can be called; prototypes only where nothing has a body."""
    declared: list[tuple[Symbol, SymbolRecord]] = []
    for target in targets:
        records = map(snapshot.symbols(target.path).record, definitions_of(snapshot, target))
        in_question = islice(records, None if snapshot.files[target.path].language in PROTOTYPES else 1)
        declared += ((target, record) for record in in_question if record.kind in CALLABLE | TYPES)
    if len(declared) > 1:
        declared = [pair for pair in declared if bodies.has(pair[1])] or declared
    found: dict[Symbol, SymbolRecord] = {}
    for target, record in declared:
        found.setdefault(target, record)
    return found.values()
