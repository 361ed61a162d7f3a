"""Notes what memories cite, says what of it has changed, and follows citations from either end."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cuedeck.citations.following import around, memory_text, thing_named
from cuedeck.citations.lookup import Lookup
from cuedeck.citations.mentions import Kind
from cuedeck.citations.model import Around, Stale, Thing
from cuedeck.citations.symbols import change_of, digest_of
from cuedeck.memory.model import MemoryType
from cuedeck.model.clock import now_ms
from cuedeck.store import citations as table
from cuedeck.store import memories
from cuedeck.store.citations import CitationRow

if TYPE_CHECKING:
    from cuedeck.memory.model import Memory
    from cuedeck.workspace import Workspace

_CITED_BY = 20

log = logging.getLogger(__name__)


class Citations:
    """The citations of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._state = workspace.store.state

    def note(self, memory: Memory, *, actor: str) -> None:
        """Keep what a memory cites, with what each symbol is like now; replaces an earlier note."""
        try:
            self._note(memory, actor)
        except Exception:
            # The memory is durable: a repository that cannot be read must not make it look lost.
            log.exception("what %s cites was not noted", memory.id)

    def _note(self, memory: Memory, actor: str) -> None:
        if memory.type is MemoryType.CODE_CHUNK:
            return
        lookup = Lookup(self._workspace)
        things = [thing for thing in lookup.cited(memory_text(memory)) if thing.name != memory.id]
        rows = [self._row(memory.id, thing, lookup) for thing in things]
        with self._state.read() as session:
            if not rows and not table.of_memories(session, [memory.id]):
                return
        with self._state.write(actor=actor) as session:
            if memories.find(session, memory.id, deleted=True) is not None:
                table.put(session, memory.id, rows)

    def stale(self, ids: Sequence[str]) -> dict[str, list[Stale]]:
        """What has changed since the memories that cite it were written, by memory."""
        with self._state.read() as session:
            rows = table.of_memories(session, ids)
        lookup = Lookup(self._workspace)
        found: dict[str, list[Stale]] = {}
        for row in rows:
            changed = self._change(row, lookup)
            if changed is not None:
                found.setdefault(row.memory_id, []).append(changed)
        return found

    def citing(self, places: Sequence[tuple[str, str]]) -> list[str]:
        """The memories that cite any of some symbols, given by qualified name and file."""
        found: dict[str, None] = {}
        with self._state.read() as session:
            for name, path in places:
                for row in table.citing(session, Kind.SYMBOL, name, path):
                    found.setdefault(row.memory_id)
        return list(found)[:_CITED_BY]

    def around(self, what: str) -> Around:
        """What a symbol, file, memory, task, card or run cites, and what cites it."""
        lookup = Lookup(self._workspace)
        thing = thing_named(self._workspace, lookup, what)
        stale = self.stale([thing.name]).get(thing.name, []) if thing.kind == Kind.MEMORY else []
        return around(self._workspace, lookup, thing, tuple(stale))

    def _row(self, memory_id: str, thing: Thing, lookup: Lookup) -> CitationRow:
        digest = ""
        if thing.kind == Kind.SYMBOL and lookup.snapshot is not None:
            digest = digest_of(lookup.snapshot, thing.path, thing.name)
        path = thing.name if thing.kind == Kind.FILE else thing.path
        return CitationRow(memory_id, thing.kind, thing.name, path, digest, now_ms())

    def _change(self, row: CitationRow, lookup: Lookup) -> Stale | None:
        if row.kind == Kind.SYMBOL and lookup.snapshot is not None:
            with lookup.snapshot.lock:
                return change_of(lookup.snapshot, row)
        if row.kind == Kind.FILE and not (self._workspace.root / row.path).exists():
            return Stale(Kind.FILE, row.target, row.path, "removed")
        return None
