"""Learns the space of a workspace's passages while their vectors are made, and keeps it with them."""

from __future__ import annotations

import threading

from cuedeck.documents.space import FEWEST, SAMPLE, Space
from cuedeck.store import documents as rows
from cuedeck.store.protocol import Database, Session
from cuedeck.store.schema.documents import DOCUMENT_VECTORS

ACTOR = "documents"
# It is learnt again when there are so many times more passages, of fewer when no more are on their way.
_GROWTH = 1.5
_GROWTH_AT_REST = 1.1


class Spaces:
    """The space of one model; every process asks the same one, for it lies in the index."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._guard = threading.Lock()
        self._known: tuple[str, int, Space] | None = None

    def current(self, session: Session, model: str) -> Space | None:
        """The space as it was learnt last; none while there are few passages."""
        size = rows.space_size(session, model)
        if size == 0:
            return None
        with self._guard:
            if self._known is None or self._known[:2] != (model, size):
                space = Space.unpacked(rows.space(session, model), DOCUMENT_VECTORS.dimensions)
                self._known = (model, size, space)
            return self._known[2]

    def learn(self, model: str, *, more: bool) -> None:
        """Learn the space anew when enough passages were added; ``more`` when others will follow soon."""
        with self._database.read() as session:
            made = session.vectors(DOCUMENT_VECTORS).count(model=model)
            before = rows.space_size(session, model)
            if made < max(FEWEST, before * (_GROWTH if more else _GROWTH_AT_REST)):
                return
            chunks = rows.sampled_chunks(session, model, SAMPLE // 4)
            index = session.vectors(DOCUMENT_VECTORS)
            vectors = list(index.get(rows.passages_of(chunks), model=model).values())
        import numpy as np

        packed = Space.of(np.stack(vectors)).packed()
        with self._database.write(actor=ACTOR, durable=False) as session:
            rows.put_space(session, model, made, packed)
