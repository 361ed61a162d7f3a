"""Completes memories whose vector and links did not come in time, in the background."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cuedeck.memory import linking
from cuedeck.memory.records import content_hash, from_row
from cuedeck.search.embedding_queue import EmbeddingQueue
from cuedeck.store import memories as table

if TYPE_CHECKING:
    from cuedeck.search.embedder import Embedder
    from cuedeck.store.protocol import Store, Vector

_PAGE = 1000
ACTOR = "catch-up"


class Completion:
    """One queue per process; the row ``memory_embedded`` decides what is done, whoever did it."""

    def __init__(self, store: Store, embedder: Embedder, *, link_floor: float) -> None:
        self._store = store
        self._embedder = embedder
        self._floor = link_floor
        self._read_as: dict[str, str] = {}
        self._queue: EmbeddingQueue[str] = EmbeddingQueue(embedder, load=self._load, sink=self._sink)
        self._guard = threading.Lock()

    def follow(self, ids: Sequence[str]) -> None:
        """Complete these soon; without a model they are found again when there is one."""
        if ids and self._embedder.unavailable is None:
            self._queue.add(ids)

    def catch_up(self) -> int:
        """Queue everything that lacks a vector of the current model; how many there are."""
        if self._embedder.unavailable is not None:
            return 0
        found, after = 0, ""
        while True:
            with self._store.state.read() as session:
                page = table.incomplete(session, self._embedder.model, after=after, limit=_PAGE)
            self._queue.add(page)
            found += len(page)
            if len(page) < _PAGE:
                return found
            after = page[-1]

    def drain(self, timeout: float) -> bool:
        """Wait until this process has nothing left to complete."""
        return self._queue.drain(timeout)

    def close(self) -> None:
        """Finish the batch at hand."""
        self._queue.close()

    def _load(self, ids: Sequence[str]) -> Mapping[str, str]:
        """The texts of those that another process has not completed meanwhile."""
        with self._store.state.read() as session:
            missing = set(table.incomplete_among(session, ids, self._embedder.model))
            rows = table.by_ids(session, [id for id in ids if id in missing])
        found = [from_row(row) for row in rows]
        with self._guard:
            self._read_as.update((one.id, content_hash(one)) for one in found)
        return {one.id: one.embedded_text for one in found}

    def _sink(self, vectors: Mapping[str, Vector]) -> None:
        with self._guard:
            read_as = {id: self._read_as.pop(id, None) for id in vectors}
        # Not durable of itself: what a power cut takes back is found incomplete and done again.
        with self._store.state.write(actor=ACTOR, durable=False) as session:
            missing = set(table.incomplete_among(session, list(vectors), self._embedder.model))
            # One that changed while the model was reading has been queued again by its own update.
            found = [from_row(row) for row in table.by_ids(session, [id for id in vectors if id in missing])]
            read = [(one, vectors[one.id]) for one in found if read_as[one.id] == content_hash(one)]
            read.sort(key=lambda pair: pair[0].rid)
            linking.complete(session, read, model=self._embedder.model, floor=self._floor)
