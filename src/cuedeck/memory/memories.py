"""The memory engine: what it means to store, find, read, change, delete and link a memory."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cuedeck.memory import checks, graph, history, linking, past, searching
from cuedeck.memory.completion import Completion
from cuedeck.memory.drafts import checked, checked_changes, drafted
from cuedeck.memory.masking import Masking
from cuedeck.memory.model import Access, Draft, Link, Memory, MemoryType, Neighbour, Origin, embedded_text
from cuedeck.memory.query import Found, Query
from cuedeck.memory.records import (
    access_from,
    content_hash,
    dump,
    duplicate_key,
    from_row,
    text_record,
    to_row,
)
from cuedeck.model.clock import now_ms
from cuedeck.model.errors import CueError, ErrorCode, invalid, not_found
from cuedeck.store import memories as table
from cuedeck.store.changes import forget
from cuedeck.store.schema.memories import MEMORY_TEXT, MEMORY_VECTORS

if TYPE_CHECKING:
    from cuedeck.config.sections import MemorySection
    from cuedeck.search.embedder import Embedder
    from cuedeck.store.protocol import Row, Session, Store, Vector

# How long a reply waits for the model before vector and links follow later.
MODEL_SECONDS = 2.0
LOOK_SECONDS = 60.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of a draft."""

    memory: Memory
    links: tuple[Link, ...]
    duplicate: bool
    complete: bool
    masked: int


class Memories:
    """The memories of a workspace; any number of processes may share them."""

    def __init__(self, store: Store, embedder: Embedder, section: MemorySection) -> None:
        self.state = store.state
        self._guard = threading.Lock()
        self._next_look = 0.0
        self._counted = (-1, 0)
        self._any_vectors = False
        self._embedder = embedder
        self.section = section
        self.completion = Completion(store, embedder, link_floor=section.link_floor)

    @property
    def model(self) -> str:
        """The model whose vectors count."""
        return self._embedder.model

    def store(self, draft: Draft, *, actor: str) -> Stored:
        """Remember something, or say which memory already holds it."""
        masking = Masking(self.section.secrets)
        draft = masking.draft(checked(draft))
        key = duplicate_key(draft)
        with self.state.read() as session:
            known = self._duplicate(session, key)
        if known:
            return replace(known, masked=masking.count)
        vector = self.vector(embedded_text(draft.title, draft.content))
        with self.state.write(actor=actor) as session:
            known = self._duplicate(session, key)
            if known:
                return replace(known, masked=masking.count)
            memory, links = self.add(session, drafted(draft), vector)
        if vector is None:
            self.completion.follow([memory.id])
        return Stored(memory, tuple(links), False, vector is not None, masking.count)

    def store_episode(self, draft: Draft, *, actor: str) -> Stored:
        """Remember a checked and masked episode; each attempt is one, alike or not."""
        vector = self.vector(embedded_text(draft.title, draft.content))
        with self.state.write(actor=actor) as session:
            memory, links = self.add(session, drafted(draft), vector, unique=False)
        if vector is None:
            self.completion.follow([memory.id])
        return Stored(memory, tuple(links), False, vector is not None, 0)

    def store_many(self, drafts: Iterable[Draft], *, actor: str) -> list[Stored]:
        """Remember many at once; vectors and links follow in the background."""
        masking = Masking(self.section.secrets)
        wanted = [masking.draft(checked(draft)) for draft in drafts]
        stored: list[Stored] = []
        with self.state.write(actor=actor) as session:
            for draft in wanted:
                known = self._duplicate(session, duplicate_key(draft))
                if known is None:
                    memory, _ = self.add(session, drafted(draft), None)
                    known = Stored(memory, (), False, False, 0)
                stored.append(known)
        self.completion.follow([one.memory.id for one in stored if not one.complete])
        return stored

    def add(
        self, session: Session, memory: Memory, vector: Vector | None, *, unique: bool = True
    ) -> tuple[Memory, list[Link]]:
        """Write a new memory and everything found by, in the caller's transaction."""
        memory = replace(memory, rid=table.insert(session, to_row(memory, unique=unique)))
        _index(session, memory)
        if vector is None:
            return memory, []
        return memory, self._complete(session, memory, vector)

    def search(self, query: Query) -> Found:
        """The memories that match, best first."""
        checks.query(query.text)
        # What was stored may have to be read as it was then, whether or not it has a vector now.
        vector = self.vector(query.text) if query.as_of is not None or self._has_vectors() else None
        floor = self.section.search_floor
        with self.state.read() as session:
            if query.as_of is not None:
                history.check_time(query.as_of)
                return past.search_past(session, query, vector, embedder=self._embedder, floor=floor)
            return searching.search(session, query, vector, model=self.model, floor=floor)

    def read(self, id: str, *, depth: int = 1, actor: str) -> tuple[Memory, Access, list[Neighbour]]:
        """A memory with what surrounds it; counts as an access."""
        if not 1 <= depth <= 3:
            raise invalid("depth", "an integer from 1 to 3", depth)
        wanted = checks.memory_id("id", id)
        with self.state.write(actor=actor) as session:
            memory = _living(session, wanted)
            access = access_from(table.count_access(session, memory.id, now_ms()))
            return memory, access, graph.neighbourhood(session, memory.id, depth)

    def peek(self, id: str) -> tuple[Memory, Access, list[Link]]:
        """A memory in any state, without leaving a trace."""
        wanted = checks.memory_id("id", id)
        with self.state.read() as session:
            row = table.find(session, wanted, deleted=True)
            if row is None:
                raise _unknown(wanted)
            return from_row(row), access_from(table.access(session, wanted)), graph.links(session, wanted)

    def page(
        self, *, type: MemoryType | None, project: str | None, deleted: bool, after: str, limit: int
    ) -> list[Memory]:
        """Memories in order of id, from the one after ``after``."""
        with self.state.read() as session:
            rows = table.listed(
                session, after=after, limit=limit, deleted=deleted, type=str(type or ""), project=project
            )
        return [from_row(row) for row in rows]

    def newest(
        self, *, type: MemoryType | None = None, project: str | None = None, limit: int, offset: int = 0
    ) -> list[Memory]:
        """Living memories, the one changed last first."""
        with self.state.read() as session:
            rows = table.newest(session, limit=limit, offset=offset, type=str(type or ""), project=project)
        return [from_row(row) for row in rows]

    def update(self, id: str, changes: Mapping[str, Any], *, actor: str) -> Stored:
        """Change the named fields and keep the others; metadata is merged."""
        wanted = checks.memory_id("id", id)
        masking = Masking(self.section.secrets)
        fields = checked_changes(changes, masking)
        if not fields:
            raise invalid("update", "at least one of content, title, metadata, tags, confidence", "nothing")
        read = self._read_after(wanted, fields)
        with self.state.write(actor=actor) as session:
            memory = self.change(session, _living(session, wanted), fields, read)
            links = graph.links(session, memory.id)
            complete = not table.incomplete_one(session, memory.id, self.model)
        if not complete:
            self.completion.follow([memory.id])
        return Stored(memory, tuple(links), False, complete, masking.count)

    def change(
        self,
        session: Session,
        old: Memory,
        fields: Mapping[str, Any],
        read: tuple[str, Vector] | None = None,
    ) -> Memory:
        """Apply checked fields to a living memory, in the caller's transaction.

        ``read`` is a text and its vector; when somebody else changed the memory meanwhile, it is of no use.
        """
        merged = dict(fields)
        if "metadata" in merged:
            merged["metadata"] = checks.metadata({**old.metadata, **merged["metadata"]})
        memory = replace(old, **merged, updated_at=max(now_ms(), old.updated_at))
        table.change(session, memory.id, self._columns(session, old, memory, merged))
        _index(session, memory)
        if memory.embedded_text == old.embedded_text:
            if memory.tags != old.tags:
                linking.move_scope(session, memory, model=self.model)
        elif read is not None and read[0] == memory.embedded_text:
            self._complete(session, memory, read[1])
        else:
            # The old vector would answer for a text that is gone.
            session.vectors(MEMORY_VECTORS).drop([memory.rid])
            table.drop_auto_links(session, [memory.id])
            table.forget_embedded(session, memory.id)
        return memory

    def delete(self, id: str, *, actor: str) -> int:
        """Hide a memory everywhere at once; when it happened."""
        wanted = checks.memory_id("id", id)
        with self.state.write(actor=actor) as session:
            return self.hide(session, _living(session, wanted))

    def hide(self, session: Session, memory: Memory) -> int:
        """Delete softly, in the caller's transaction."""
        at = now_ms()
        table.change(session, memory.id, {"deleted_at": at})
        session.text(MEMORY_TEXT).drop([memory.rid])
        session.vectors(MEMORY_VECTORS).drop([memory.rid])
        table.forget_embedded(session, memory.id)
        # What is deleted must not make the next look for its failure longer.
        table.put_signatures(session, memory.id, ())
        return at

    def restore(self, id: str, *, actor: str) -> Memory:
        """Undo a delete of the last ninety days."""
        wanted = checks.memory_id("id", id)
        with self.state.write(actor=actor) as session:
            row = table.find(session, wanted, deleted=True)
            if row is None or row["deleted_at"] is None:
                raise not_found(
                    f"There is no deleted memory {wanted}", hint="`cue memory list --deleted` shows them."
                )
            memory = self.unhide(session, from_row(row))
        self.completion.follow([memory.id])
        return memory

    def unhide(self, session: Session, memory: Memory) -> Memory:
        """Bring a deleted memory back, in the caller's transaction."""
        twin = table.twin_of(session, memory.id)
        if twin is not None:
            raise CueError(
                ErrorCode.VALIDATION,
                f"{twin} holds the same content now",
                data={"field": "id", "expected": "content that is not stored again", "actual": memory.id},
                hint=f"Delete {twin} first, or keep it instead.",
            )
        table.change(session, memory.id, {"deleted_at": None})
        _index(session, memory)
        return replace(memory, deleted_at=None)

    def check_remembered(self, id: str) -> None:
        """Raise NOT_FOUND when there is nothing to forget, neither a memory nor a word of it in the log."""
        with self.state.read() as session:
            _remembered(session, checks.memory_id("id", id))

    def forget(self, id: str, *, actor: str) -> None:
        """Remove a memory, its links and everything the change log says about them, for good."""
        wanted = checks.memory_id("id", id)
        with self.state.write(actor=actor) as session:
            row = _remembered(session, wanted)
            if row is not None:
                self._purge(session, row["rid"], wanted)
            forget(session, "memories", wanted)
            table.forget_links_in_log(session, wanted)

    def purge(self, *, before: int, actor: str = "purge", limit: int = 500) -> int:
        """Remove what was deleted before a time, a bounded batch at once; how many went."""
        with self.state.write(actor=actor) as session:
            old = table.deleted_before(session, before, limit)
            for row in old:
                self._purge(session, row["rid"], row["id"])
            return len(old)

    def _purge(self, session: Session, rid: int, id: str) -> None:
        session.text(MEMORY_TEXT).drop([rid])
        session.vectors(MEMORY_VECTORS).drop([rid])
        table.remove(session, id)

    def link(self, from_id: str, to_id: str, *, reason: str, strength: float, actor: str) -> Link:
        """Join two memories by hand."""
        one, other = checks.memory_id("from_id", from_id), checks.memory_id("to_id", to_id)
        if one == other:
            raise invalid("to_id", "another memory than from_id", to_id)
        checks.share("strength", strength)
        text = Masking(self.section.secrets).text(checks.reason(reason))
        with self.state.write(actor=actor) as session:
            _living(session, one)
            _living(session, other)
            link = Link(one, other, strength, text, Origin.MANUAL, now_ms())
            linking.put(session, link)
            return link

    def mark_success(self, session: Session, memory_id: str, summary: str | None) -> None:
        """Record that an episode led to the solution of its task; part of the caller's transaction."""
        from cuedeck.memory.episodes import Outcome, outcome_of

        memory = _living(session, checks.memory_id("resolved_by", memory_id))
        told = {"outcome": "success"}
        if summary and outcome_of(memory.metadata) is Outcome.FAILURE:
            # Its approach is what had failed.
            told["resolution"] = Masking(self.section.secrets).text(summary)
        self.change(session, memory, {"metadata": told})

    def stats(self, *, project: str | None = None, type: MemoryType | None = None) -> dict[str, Any]:
        """Exact numbers, by type, project and tag."""
        from cuedeck.memory.statistics import statistics

        with self.state.read() as session:
            return statistics(session, self.model, project, type)

    def pending(self) -> int:
        """How many memories still wait for their vector and links; counted again after any commit."""
        version = self.state.version()
        if self._counted[0] != version:
            with self.state.read() as session:
                self._counted = (version, table.count_incomplete(session, self.model))
        return self._counted[1]

    def awake(self) -> None:
        """Look, now and then and in the background, for what was left incomplete."""
        with self._guard:
            due = time.monotonic() >= self._next_look
            if due:
                self._next_look = time.monotonic() + LOOK_SECONDS
        if due:
            threading.Thread(target=self._look, name="memory-catch-up", daemon=True).start()

    def _look(self) -> None:
        try:
            self.completion.catch_up()
        except CueError as error:
            # A closed or locked store: the next look, or the next process, does it.
            log.info("Catching up later: %s", error.message)

    def close(self) -> None:
        """Stop background work; what is left is found again by the next process."""
        self.completion.close()

    def _has_vectors(self) -> bool:
        """Whether there is any to compare with; the model is not loaded in vain."""
        if not self._any_vectors:
            with self.state.read() as session:
                self._any_vectors = session.vectors(MEMORY_VECTORS).count(model=self.model) > 0
        return self._any_vectors

    def vector(self, text: str) -> Vector | None:
        """What the model makes of a text, if it answers in time."""
        made = self._embedder.try_embed([text], MODEL_SECONDS)
        return None if made is None else made[0]

    def _read_after(self, id: str, fields: Mapping[str, Any]) -> tuple[str, Vector] | None:
        """The text the memory will have, if it changes, and its vector."""
        if not {"content", "title"} & fields.keys():
            return None
        with self.state.read() as session:
            old = _living(session, id)
        new = replace(old, **{name: fields[name] for name in ("content", "title") if name in fields})
        vector = None if new.embedded_text == old.embedded_text else self.vector(new.embedded_text)
        return None if vector is None else (new.embedded_text, vector)

    def _complete(self, session: Session, memory: Memory, vector: Vector) -> list[Link]:
        made = linking.complete(session, [(memory, vector)], model=self.model, floor=self.section.link_floor)
        return made[memory.id]

    def _duplicate(self, session: Session, key: str) -> Stored | None:
        row = table.with_duplicate_key(session, key)
        if row is None:
            return None
        complete = not table.incomplete_one(session, row["id"], self.model)
        return Stored(from_row(row), tuple(graph.links(session, row["id"])), True, complete, 0)

    def _columns(
        self, session: Session, old: Memory, memory: Memory, changed: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Only the columns somebody named: a neighbour's change of another field stays."""
        columns: dict[str, Any] = {"updated_at": memory.updated_at}
        for name in changed:
            value = getattr(memory, name)
            columns[name] = (
                dump(list(value) if name == "tags" else value) if name in ("tags", "metadata") else value
            )
        if memory.embedded_text != old.embedded_text:
            columns["content_hash"] = content_hash(memory)
        if memory.type is not MemoryType.CODE_CHUNK and duplicate_key(memory) != duplicate_key(old):
            key = duplicate_key(memory)
            twin = table.with_duplicate_key(session, key)
            columns["duplicate_key"] = key if twin is None or twin["id"] == memory.id else None
        return columns


def _living(session: Session, id: str) -> Memory:
    row = table.find(session, id)
    if row is None:
        raise _unknown(id)
    return from_row(row)


def _remembered(session: Session, id: str) -> Row | None:
    """The memory in any state, or nothing where only the change log still speaks of it."""
    row = table.find(session, id, deleted=True)
    if row is None and not table.in_log(session, id):
        raise _unknown(id)
    return row


def _unknown(id: str) -> CueError:
    return not_found(f"There is no memory {id}", hint="search (`cue memory search`) finds the ids.", id=id)


def _index(session: Session, memory: Memory) -> None:
    """Write what a memory is found by: its words and, for an episode, what failed in it."""
    session.text(MEMORY_TEXT).put([text_record(memory)])
    if memory.type is MemoryType.EPISODE:
        # The readers of failures are many, and listing or searching needs none of them.
        from cuedeck.memory.episodes import index_episode

        index_episode(session, memory)
