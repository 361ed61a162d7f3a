"""Vectors of symbols: made in the background, shared by all refs, searched inside one."""

from __future__ import annotations

import hashlib
import threading
import time
import weakref
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cuedeck.code.indexing import ACTOR
from cuedeck.code.search.meaning import meaning_text
from cuedeck.search.embedding_queue import EmbeddingQueue
from cuedeck.store.code_vectors import drop_orphans, with_vector
from cuedeck.store.protocol import VectorRecord
from cuedeck.store.schema.code import CODE_VECTORS

if TYPE_CHECKING:
    from cuedeck.code.engine import Code
    from cuedeck.code.snapshot import Snapshot
    from cuedeck.search.embedder import Embedder
    from cuedeck.store.protocol import Vector

_LOOK_AGAIN_SECONDS: Final = 5.0
REST_SECONDS: Final = 300.0
_WIDEST: Final = 32_768
_FEW: Final = 512


@dataclass(slots=True)
class _Missing:
    """What a ref still lacks, as of a moment."""

    keys: set[int]
    at: float


class SymbolVectors:
    """The meanings of a workspace's symbols."""

    def __init__(self, code: Code, embedder: Embedder, limit: int) -> None:
        self._code = code
        self._store = code.store
        self.embedder = embedder
        self._limit = limit
        self._queue: EmbeddingQueue[int] = EmbeddingQueue(
            embedder, load=self._texts, sink=self._put, gave_up=self._rest
        )
        # Until when what failed is left alone: a store that was busy or full may take it then.
        self._resting: dict[int, float] = {}
        self._homes: dict[int, weakref.ref[Snapshot]] = {}
        self._missing: weakref.WeakKeyDictionary[Snapshot, _Missing] = weakref.WeakKeyDictionary()
        self._guard = threading.Lock()
        self._serving = False
        # How many vectors there were when those of symbols that are gone were last looked for.
        self._kept = 0

    @property
    def enabled(self) -> bool:
        """Whether symbols get vectors at all."""
        return self._limit > 0

    def start(self) -> None:
        """From now on make vectors for whatever ref is asked about, and for what is checked out."""
        self._serving = True
        ready = self._code.ready() if self.enabled and self.embedder.unavailable is None else None
        if ready is not None:
            self.follow(ready)

    def close(self) -> None:
        """Finish the batch at hand."""
        self._queue.close()

    def seen(self, snapshot: Snapshot) -> None:
        """A ref was asked about: in a serving process its vectors follow."""
        if self._serving:
            self.follow(snapshot)

    def follow(self, snapshot: Snapshot) -> None:
        """Make the vectors that a ref lacks."""
        if not self.enabled or self.embedder.unavailable is not None:
            return
        missing = self._lacking(snapshot)
        if not missing:
            return
        with self._guard:
            now = time.monotonic()
            asleep = {key for key, until in self._resting.items() if until > now}
            busy = self._homes.keys() | asleep
            new = [key for key in self._chosen(snapshot) if key in missing and key not in busy]
            self._homes.update(dict.fromkeys(new, weakref.ref(snapshot)))
        self._queue.add(new)

    def pending(self, snapshot: Snapshot) -> int:
        """How many symbols of a ref still wait for their vector."""
        return len(self._lacking(snapshot)) if self.enabled else 0

    def waiting(self, snapshot: Snapshot, slots: Collection[int]) -> set[int]:
        """Those of the slots whose vector is still to be made."""
        lacking = self._lacking(snapshot)
        return {slot for slot in slots if int(snapshot.lexicon.keys[slot]) in lacking}

    def wait(self, snapshot: Snapshot, seconds: float) -> None:
        """Give the vectors of a ref a moment to arrive."""
        deadline = time.monotonic() + seconds
        while self._lacking(snapshot) and (left := deadline - time.monotonic()) > 0:
            # What is still lacking once all work is done will not come.
            if self._queue.drain(min(left, 0.2)) or self.embedder.unavailable is not None:
                return

    def nearest(
        self, snapshot: Snapshot, vector: Vector, wanted: int, allows: Callable[[int], bool]
    ) -> dict[int, float]:
        """Slots of the symbols of a ref that are closest in meaning and allowed, each with its cosine."""
        places = snapshot.lexicon.slots_by_key
        width = wanted
        while True:
            with self._store.index.read() as session:
                hits = session.vectors(CODE_VECTORS).nearest(vector, model=self.embedder.model, limit=width)
            found = {s: hit.cosine for hit in hits for s in places.get(hit.id, ()) if allows(s)}
            # Symbols of other refs, or outside the filters: look further while they crowd out the others.
            if len(found) >= wanted or len(hits) < width or width >= _WIDEST:
                return found
            width *= 4

    def cosines(self, snapshot: Snapshot, vector: Vector, slots: Collection[int]) -> dict[int, float]:
        """The cosines of some slots, as far as they have vectors."""
        keys = {slot: int(snapshot.lexicon.keys[slot]) for slot in slots}
        wanted = sorted({key for key in keys.values() if key})
        with self._store.index.read() as session:
            stored = session.vectors(CODE_VECTORS).get(wanted, model=self.embedder.model)
        return {slot: float(stored[key] @ vector) for slot, key in keys.items() if key in stored}

    # -- what is to be done

    def _chosen(self, snapshot: Snapshot) -> list[int]:
        """The keys of a ref that get vectors: public ones first, tests and copies last."""
        import numpy as np

        lexicon = snapshot.lexicon
        slots = np.flatnonzero(lexicon.keys)
        private = lexicon.keys[slots] & 1
        order = np.lexsort((slots, private, -lexicon.where.worth[lexicon.places[slots]]))
        return list(dict.fromkeys(lexicon.keys[slots[order]].tolist()))[: self._limit]

    def _lacking(self, snapshot: Snapshot) -> set[int]:
        held = self._missing.get(snapshot)
        if held is None or (held.keys and time.monotonic() - held.at > _LOOK_AGAIN_SECONDS):
            chosen = self._chosen(snapshot)
            with self._store.index.read() as session:
                known = with_vector(session, chosen, self.embedder.model)
            held = self._missing[snapshot] = _Missing(set(chosen) - known, time.monotonic())
        return held.keys

    # -- the queue's two ends

    def _texts(self, keys: Sequence[int]) -> Mapping[int, str]:
        with self._store.index.read() as session:
            known = with_vector(session, keys, self.embedder.model)
        texts: dict[int, str] = {}
        for key in keys:
            home = self._homes.get(key)
            snapshot = home() if home is not None else None
            text = self._text(snapshot, key) if snapshot is not None and key not in known else None
            if text is not None:
                texts[key] = text
        self._done(key for key in keys if key not in texts)
        return texts

    def _text(self, snapshot: Snapshot, key: int) -> str | None:
        """A symbol's text, unless its file has changed since."""
        lexicon = snapshot.lexicon
        slot = lexicon.slots_by_key[key][0]
        path, number = lexicon.where.paths[lexicon.places[slot]][0], lexicon.number(slot) - 1
        source = snapshot.source(path)
        if source is None or not _is_blob(source, snapshot.files[path].oid):
            return None
        definition = snapshot.outline(path).definitions[number]
        return meaning_text(definition, snapshot.symbols(path).local(number), source)

    def _put(self, vectors: Mapping[int, Vector]) -> None:
        model = self.embedder.model
        with self._store.index.write(actor=ACTOR, durable=False) as session:
            index = session.vectors(CODE_VECTORS)
            held = index.count(model=model)
            if held > 2 * max(self._kept, min(self._limit, _FEW)):
                self._kept = held - drop_orphans(session)
            index.put(VectorRecord(key, model, vector) for key, vector in vectors.items())
        self._done(vectors)
        for missing in list(self._missing.values()):
            missing.keys.difference_update(vectors)

    def _rest(self, key: int) -> None:
        """Leave a symbol without its vector for a while."""
        self._done([key])
        with self._guard:
            self._resting[key] = time.monotonic() + REST_SECONDS

    def _done(self, keys: Iterable[int]) -> None:
        with self._guard:
            for key in keys:
                self._homes.pop(key, None)
                self._resting.pop(key, None)


def _is_blob(data: bytes, oid: str) -> bool:
    head = b"blob %d\0" % len(data)
    made = hashlib.sha256 if len(oid) == 64 else hashlib.sha1
    return made(head + data, usedforsecurity=False).hexdigest() == oid
