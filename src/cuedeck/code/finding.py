"""The answer to "who refers to this": the symbol that is meant, its references, and where each stands."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from cuedeck.code.callgraph import enclosing_record
from cuedeck.code.dispatching import dispatched, with_dispatched
from cuedeck.code.implementing import Compared, implementations
from cuedeck.code.imported import imported_at, loaded_at
from cuedeck.code.locating import (
    around,
    at_line,
    definitions_of,
    given_at,
    locate,
    meant_at,
    name_parts,
    symbol_of,
)
from cuedeck.code.resolution import uses
from cuedeck.code.resolution.uses import Site
from cuedeck.code.resolution.values import Symbol
from cuedeck.code.search.ranking import Query, Ranking
from cuedeck.code.served import clean_path
from cuedeck.code.snapshot import Snapshot
from cuedeck.code.symbols import SymbolRecord
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store.code_names import defined

_MAX_CONTEXT: Final = 240
MAX_CANDIDATES: Final = 20
_LOOKED_AT: Final = 50
_SUGGESTED: Final = 3
_ALIKE: Final = 60
# Of a name of so many letters others that differ in a few may be meant.
_TYPED: Final = 4
_LETTERS: Final = 2
_NEARLY: Final = 80


@dataclass(frozen=True, slots=True)
class FoundSite:
    """A reference as a reader wants it."""

    path: str
    line: int
    edge: str
    layer: str
    context: str
    within: SymbolRecord
    likely: str


@dataclass(frozen=True, slots=True)
class Found:
    """A symbol and what refers to it."""

    snapshot: Snapshot
    symbol: SymbolRecord
    references: Sequence[Site]
    possible: Sequence[Site]
    candidates: Sequence[SymbolRecord]
    unseen: int = 0  # files that use the name and were not looked at in time
    compared: bool = True  # whether there was time for all interfaces and types that may go together

    @property
    def left(self) -> list[str]:
        """What there was no time for."""
        names = f"{self.unseen} files with this name are not looked at yet; ask again for them"
        types = "not all interfaces and types were compared in time; ask again for what is left"
        return [text for text, is_left in ((names, self.unseen), (types, not self.compared)) if is_left]

    def sites(self, sites: Sequence[Site]) -> Iterator[FoundSite]:
        """The sites with their source line and enclosing symbol."""
        lines: dict[str, list[bytes]] = {}
        for site in sites:
            if site.path not in lines:
                lines[site.path] = (self.snapshot.source(site.path) or b"").split(b"\n")
            text = lines[site.path][site.line - 1] if site.line <= len(lines[site.path]) else b""
            yield FoundSite(
                site.path,
                site.line,
                site.edge,
                self.snapshot.files[site.path].layer,
                _shown(text.decode("utf-8", "replace").strip()),
                enclosing_record(self.snapshot, site.path, site.offset),
                site.likely,
            )


def _shown(line: str) -> str:
    return line if len(line) <= _MAX_CONTEXT else line[: _MAX_CONTEXT - 1] + "…"


def meant(snapshot: Snapshot, name: str, path: str | None, line: int | None) -> list[SymbolRecord]:
    """The definitions that may be meant, the likeliest first."""
    file = snapshot.spelled(clean_path(path)) if path is not None else None
    records = locate(snapshot, name, path=file)
    if line is None:
        return records
    return at_line(snapshot, records, line) or meant_at(snapshot, name, file, line) or around(records, line)


def no_symbol(snapshot: Snapshot, name: str, path: str | None, line: int | None) -> CueError:
    """The error when nothing is called so, with what is called nearly so."""
    where = f" in {path[:200]}" if path is not None else f" at line {line}" if line is not None else ""
    near = similar_names(snapshot, name)
    suggestion = f"Did you mean {' or '.join(near)}? " if near else ""
    return CueError(
        ErrorCode.SYMBOL_NOT_FOUND,
        f"There is no symbol {name[:200]}{where} on {snapshot.ref}",
        data={"symbol_name": name[:200], "ref": snapshot.ref, "nearest": near},
        hint=f"{suggestion}search_code finds symbols by part of a name or by words.",
    )


def chosen(
    snapshot: Snapshot, name: str, *, path: str | None = None, line: int | None = None
) -> tuple[SymbolRecord, list[SymbolRecord]]:
    """The definition that is meant, and the others of that name."""
    records = meant(snapshot, name, path, line)
    if not records:
        raise no_symbol(snapshot, name, path, line)
    return records[0], records[1:]


def similar_names(snapshot: Snapshot, name: str) -> list[str]:
    """The qualified names most like one that does not exist: written nearly so, or sharing a word with it."""
    asked = (name_parts(name) or [name])[-1][:200]
    found, _ = Ranking(snapshot, Query(asked)).best(_LOOKED_AT)
    records = [each.record for each in found]
    records += [record for near in _mistyped(snapshot, asked) for record in locate(snapshot, near)[:1]]
    alike = {record.qualified_name: _likeness(asked, record.name) for record in records}
    likely = [name for name, score in alike.items() if score >= _ALIKE]
    return sorted(likely, key=lambda name: (-alike[name], name))[:_SUGGESTED]


def _likeness(asked: str, name: str) -> float:
    """From 0 to 100; letters of the other case count where hardly anything else differs."""
    from rapidfuzz import fuzz

    return max(fuzz.ratio(asked, name), fuzz.ratio(asked.lower(), name.lower(), score_cutoff=_NEARLY))


def _mistyped(snapshot: Snapshot, asked: str) -> list[str]:
    """The names that differ from one in a few letters."""
    from rapidfuzz import fuzz, process

    if len(asked) < _TYPED:
        return []
    with snapshot.cache.store.index.read() as session:
        names = defined(session, len(asked) - _LETTERS, len(asked) + _LETTERS)
    near = process.extract(
        asked, sorted(names), scorer=fuzz.ratio, processor=str.lower, score_cutoff=_NEARLY, limit=_LOOKED_AT
    )
    return [name for name, _, _ in near]


def is_named_at(snapshot: Snapshot, record: SymbolRecord, path: str | None, line: int | None) -> bool:
    """Whether a definition was asked for by where it stands, not by a use of it or by its name alone."""
    return path is not None and line is not None and bool(at_line(snapshot, [record], line))


def _given_again(snapshot: Snapshot, symbol: Symbol, path: str | None, line: int | None) -> int | None:
    """Where a variable is given a value on a line that is asked about, after the first."""
    if path is None or line is None or snapshot.spelled(clean_path(path)) != symbol.path:
        return None
    return given_at(snapshot, symbol, line)


def find(
    snapshot: Snapshot,
    name: str,
    *,
    path: str | None = None,
    line: int | None = None,
    kind: str | None = None,
) -> Found:
    """Everything that refers to a symbol."""
    if not snapshot.files:
        raise CueError(
            ErrorCode.NO_EDGES_AVAILABLE,
            f"There is no source file on {snapshot.ref}",
            hint="index_status says what was skipped, and why.",
        )
    records = meant(snapshot, name, path, line)
    variable = loaded_at(snapshot, name, path, line) if records else imported_at(snapshot, name, path, line)
    if variable is not None:
        keep = [site for site in variable.uses if kind in (None, site.edge)]
        return Found(snapshot, variable.record, keep, [], records[:MAX_CANDIDATES])
    if not records:
        raise no_symbol(snapshot, name, path, line)
    record, others = records[0], records[1:]
    same = symbol_of(snapshot, record)
    until = time.thread_time() + uses.SECONDS
    with snapshot.lock:
        placed = is_named_at(snapshot, record, path, line)
        again = None if placed or same is None else _given_again(snapshot, same, path, line)
        placed = placed or again is not None
        found = snapshot.references(record, apart=placed, place=again)
        silent = passed_on = Compared()
        if same is not None and kind == "implements":
            silent = implementations(snapshot, same, until)
        if same is not None:
            passed_on = dispatched(snapshot, same, until)
        declared = (same, *snapshot.rules(same.path).twins(same)) if same is not None else ()
    certain, maybe = (found.resolved, found.possible) if placed else found.named
    reaching = with_dispatched(certain, passed_on.sites)
    keep = [site for site in reaching if kind is None or site.edge == kind] + [*silent.sites]
    rest = [site for site in maybe if kind is None or site.edge == kind]
    twins = {(each.path, number) for each in declared for number in definitions_of(snapshot, each)}
    apart = (other for other in others if (other.path, other.number) not in twins)
    named = list(islice(apart, MAX_CANDIDATES))
    return Found(snapshot, record, keep, rest, named, found.unseen, silent.whole and passed_on.whole)
