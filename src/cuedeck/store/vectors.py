"""Nearest neighbours the same way on both engines: sketches in memory choose, stored vectors decide."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from cuedeck.store.protocol import Reached, Scope, Vector, VectorHit, VectorRecord, VectorSpec
from cuedeck.store.tokens import scope_line, scope_tokens
from cuedeck.store.vector import cosines, halved, halves

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cuedeck.store.matrix import Matrix
    from cuedeck.store.sketch import Sketches

# A process further behind than this loads everything again.
LOG_KEPT = 100_000
# Sketches are stored so many at a time: what is logged since a multiple of it may have none yet.
SKETCHED = 1_024
_BATCH = 1_000
_MATRICES = 8


class VectorRow(NamedTuple):
    """A vector as it is stored, or the sketch made of it."""

    id: int
    model: str
    scope: str
    data: bytes


class Logged(NamedTuple):
    """Which database it is, and the first and last sequence number in the log; zeros when it is empty."""

    content: int
    first: int
    last: int


class VectorTable(Protocol):
    """What an engine does for vectors: rows in, rows out, and in which order they changed."""

    def save(self, rows: list[VectorRow]) -> tuple[int, int]:
        """Add or replace halves, forget their sketches, log the ids; the last number before and after."""

    def save_sketches(self, rows: list[VectorRow]) -> None:
        """Keep sketches, and forget what is too old in the log."""

    def delete(self, ids: Collection[int]) -> tuple[int, int]:
        """Remove, and log those that were there; the last number before and after."""

    def halves(self, ids: list[int], model: str) -> list[tuple[int, bytes]]:
        """The stored halves, little-endian, of those that are there."""

    def count(self, model: str, after: int) -> int:
        """How many vectors of that model have sketches, or were logged after a sequence number."""

    def logged(self) -> Logged:
        """How far the log goes; the content changes when the tables were replaced by others."""

    def sketches(self, model: str) -> Iterator[VectorRow]:
        """Every stored sketch of a model."""

    def changed(self, after: int) -> Iterator[tuple[int, VectorRow | None]]:
        """What was logged after a sequence number, each id once, as it is now."""


class Matrices:
    """The matrices of one database, caught up by sequence before each use."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._content = 0
        self._matrices: dict[tuple[str, str], Matrix] = {}

    def matrix(self, table: VectorTable, spec: VectorSpec, model: str) -> Matrix:
        """The matrix as of the table's committed data; the caller holds the lock."""
        from cuedeck.store.matrix import Matrix

        content, first, last = table.logged()
        if content != self._content:
            self._matrices.clear()
            self._content = content
        key = (spec.name, model)
        matrix = self._matrices.pop(key, None)
        if matrix is None or matrix.seq < first - 1 or matrix.wasteful:
            matrix = Matrix(spec.dimensions)
            matrix.seq = last - last % SKETCHED
            rows = table.sketches(model)
            while batch := list(islice(rows, 20_000)):
                _add(matrix, batch, _unpacked([row.data for row in batch]))
        if matrix.seq < last:
            changed = table.changed(matrix.seq)
            while some := list(islice(changed, 20_000)):
                kept = [row for _, row in some if row is not None and row.model == model]
                matrix.remove(number for number, _ in some)
                if kept:
                    _add(matrix, kept, _sketches(kept))
            matrix.seq = last
        # The least recently used goes when there are too many.
        self._matrices[key] = matrix
        while len(self._matrices) > _MATRICES:
            del self._matrices[next(iter(self._matrices))]
        return matrix


class SketchedVectors:
    """The vector index of one session."""

    def __init__(
        self,
        spec: VectorSpec,
        table: VectorTable,
        cache: Matrices,
        committed: Callable[[], AbstractContextManager[VectorTable]],
    ) -> None:
        self._spec = spec
        self._table = table
        self._cache = cache
        self._committed = committed
        # What this transaction has changed: others may not see it, and this one must.
        self._pending: dict[int, VectorRecord | None] = {}

    def put(self, records: Iterable[VectorRecord]) -> None:
        incoming = iter(records)
        while batch := {record.id: record for record in islice(incoming, _BATCH)}:
            rows = [
                VectorRow(one.id, one.model, scope_line(one.scope), halves(one.vector, self._spec))
                for one in batch.values()
            ]
            self._sketch(*self._table.save(rows))
            self._pending |= batch

    def drop(self, ids: Collection[int]) -> None:
        if ids:
            self._sketch(*self._table.delete(ids))
            self._pending.update(dict.fromkeys(ids))

    def nearest(
        self, vector: Vector, *, model: str, scope: Scope = (), limit: int = 50, floor: float = -1.0
    ) -> list[VectorHit]:
        import numpy as np

        if limit <= 0 or any(not group for group in scope):
            return []
        query = np.asarray(vector, dtype=np.float32)
        named = [scope_tokens(group) for group in scope]
        with self._matrix(model) as matrix:
            # Records this transaction changed drop out of the ranking, so as many more are asked for.
            near = matrix.candidates(query, named, limit + len(self._pending), floor)
        scores = self._cosines(query, near, model) | dict(self._pending_cosines(query, model, named))
        return _ranked(scores, floor, limit)

    def nearest_each(
        self,
        vectors: Sequence[Vector],
        *,
        model: str,
        limit: int,
        floor: float,
        without: Collection[int] = (),
    ) -> list[list[VectorHit]]:
        import numpy as np

        if limit <= 0 or not vectors:
            return [[] for _ in vectors]
        queries = [np.asarray(vector, dtype=np.float32) for vector in vectors]
        hidden = {*without, *self._pending}
        with self._matrix(model) as matrix:
            near = matrix.candidates_each(queries, limit + matrix.known(hidden), floor)
        ids, stored = self._stored(sorted({one for each in near for one in each} - hidden), model)
        place = {number: at for at, number in enumerate(ids)}
        found = []
        for query, each in zip(queries, near, strict=True):
            there = [number for number in each if number in place]
            scores = dict(zip(there, cosines(stored[[place[one] for one in there]], query), strict=True))
            own = self._pending_cosines(query, model, ())
            scores.update((number, cosine) for number, cosine in own if number not in without)
            found.append(_ranked(scores, floor, limit))
        return found

    def reaching(
        self,
        vector: Vector,
        *,
        model: str,
        floor: float,
        scope: Scope = (),
        limit: int = 50,
        also: Collection[int] = (),
    ) -> Reached:
        import numpy as np

        from cuedeck.store.matrix import Reach

        query = np.asarray(vector, dtype=np.float32)
        named = [scope_tokens(group) for group in scope]
        reach = Reach([], [], [])
        if all(named):
            with self._matrix(model) as matrix:
                reach = matrix.reach(query, named, limit + len(self._pending), floor)
        inside = {*reach.nearest, *reach.doubtful}
        stored = self._cosines(query, inside.union(also), model)
        scores = {number: cosine for number, cosine in stored.items() if number in inside}
        scores.update(self._pending_cosines(query, model, named))
        ids = set(reach.certain).difference(self._pending)
        ids.update(number for number, cosine in scores.items() if cosine >= floor)
        stored.update(self._pending_cosines(query, model, ()))
        besides = {number: stored[number] for number in also if number in stored}
        return Reached(_ranked(scores, floor, limit), ids, besides)

    def get(self, ids: Collection[int], *, model: str) -> dict[int, Vector]:
        found, vectors = self._stored(list(ids), model)
        return dict(zip(found, vectors, strict=True))

    def count(self, *, model: str) -> int:
        last = self._table.logged().last
        return self._table.count(model, last - last % SKETCHED)

    @contextmanager
    def _matrix(self, model: str) -> Iterator[Matrix]:
        # The connection first: nobody who holds the lock may have to wait for one.
        with self._committed() as table, self._cache.lock:
            yield self._cache.matrix(table, self._spec, model)

    def _cosines(self, query: Vector, ids: Iterable[int], model: str) -> dict[int, float]:
        """The cosines of stored records that this transaction has not changed."""
        found, vectors = self._stored([number for number in ids if number not in self._pending], model)
        return dict(zip(found, cosines(vectors, query), strict=True))

    def _pending_cosines(self, query: Vector, model: str, scope: Scope) -> Iterator[tuple[int, float]]:
        """The cosines of what this transaction has put."""
        for number, record in self._pending.items():
            if record is not None and record.model == model and _inside(record, scope):
                yield number, cosines(halved(record.vector)[None, :], query)[0]

    def _sketch(self, before: int, last: int) -> None:
        """Store sketches when the log has come to another multiple."""
        if before // SKETCHED == last // SKETCHED:
            return
        changed = list(self._table.changed(before - before % SKETCHED))
        rows = (row for _, row in changed if row is not None)
        while some := list(islice(rows, _BATCH)):
            self._table.save_sketches(_packed(some))

    def _stored(self, ids: list[int], model: str) -> tuple[list[int], npt.NDArray[np.float32]]:
        import numpy as np

        rows = self._table.halves(ids, model) if ids else []
        halves = np.frombuffer(b"".join(blob for _, blob in rows), dtype="<f2")
        return [number for number, _ in rows], halves.reshape(-1, self._spec.dimensions).astype(np.float32)


def _ranked(scores: Mapping[int, float], floor: float, limit: int) -> list[VectorHit]:
    ranked = sorted((-cosine, number) for number, cosine in scores.items() if cosine >= floor)
    return [VectorHit(number, -negative) for negative, number in ranked[:limit]]


def _sketches(rows: list[VectorRow]) -> Sketches:
    import numpy as np

    from cuedeck.store.sketch import sketch

    halves = np.frombuffer(b"".join([row.data for row in rows]), dtype="<f2")
    return sketch(halves.reshape(len(rows), -1).astype(np.float32))


def _packed(rows: list[VectorRow]) -> list[VectorRow]:
    """The sketches of vectors as they are stored: words, scale, error and codes side by side."""
    made = _sketches(rows)
    columns = zip(made.words, made.scales, made.errors, made.codes, strict=True)
    data = (b"".join((w.tobytes(), s.tobytes(), e.tobytes(), c.tobytes())) for w, s, e, c in columns)
    return [row._replace(data=one) for row, one in zip(rows, data, strict=True)]


def _add(matrix: Matrix, rows: list[VectorRow], sketches: Sketches) -> None:
    matrix.add([row.id for row in rows], sketches, (row.scope.split(" ") for row in rows))


def _unpacked(blobs: list[bytes]) -> Sketches:
    import numpy as np

    from cuedeck.store.sketch import WORDS, Sketches

    table = np.frombuffer(b"".join(blobs), dtype=np.uint8).reshape(len(blobs), -1)
    split = WORDS * 8
    numbers = np.ascontiguousarray(table[:, split : split + 8]).view(np.float32)
    return Sketches(
        np.ascontiguousarray(table[:, :split]).view(np.uint64),
        table[:, split + 8 :].view(np.int8),
        numbers[:, 0],
        numbers[:, 1],
    )


def _inside(record: VectorRecord, scope: Scope) -> bool:
    mine = set(scope_tokens(record.scope))
    return all(mine.intersection(group) for group in scope)
