"""Vectors on SQLite: fp16 rows in the database, sketches in memory, exact scores for the few."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import apsw

from cuedeck.store.protocol import Scope, Vector, VectorHit, VectorRecord, VectorSpec
from cuedeck.store.sqlite.connection import fetch
from cuedeck.store.tokens import scope_tokens

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cuedeck.store.sketch import Sketches
    from cuedeck.store.sqlite.file import OpenFile
    from cuedeck.store.sqlite.matrix import Matrix

# A reader further behind than this loads everything again.
LOG_KEPT = 100_000
_BATCH = 1_000


def create_vector_table(spec: VectorSpec) -> Iterator[str]:
    """Vectors, their sketches apart so that those load fast, and the order of changes to them."""
    yield f"CREATE TABLE {spec.name} (id INTEGER PRIMARY KEY, model TEXT NOT NULL, v BLOB NOT NULL) STRICT"
    yield (
        f"CREATE TABLE {spec.name}_sketches (id INTEGER PRIMARY KEY, model TEXT NOT NULL, "
        "scope TEXT NOT NULL, sketch BLOB NOT NULL) STRICT"
    )
    yield f"CREATE INDEX {spec.name}_sketches_model ON {spec.name}_sketches(model)"
    yield f"CREATE TABLE {spec.name}_log (seq INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL) STRICT"


class VectorCache:
    """The matrices of an open file, caught up by sequence before each use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._matrices: dict[tuple[str, str], Matrix] = {}

    @property
    def lock(self) -> threading.Lock:
        """Held while a matrix is read or caught up."""
        return self._lock

    def matrix(self, connection: apsw.Connection, spec: VectorSpec, model: str) -> Matrix:
        """The matrix as of this connection's committed data; the caller holds the lock."""
        from cuedeck.store.sqlite.matrix import Matrix

        key = (spec.name, model)
        first, last = fetch(
            connection,
            # Two questions, for SQLite answers min and max together by reading everything.
            f"SELECT coalesce((SELECT min(seq) FROM {spec.name}_log), 0), "  # noqa: S608
            f"coalesce((SELECT max(seq) FROM {spec.name}_log), 0)",
        )[0]
        matrix = self._matrices.get(key)
        if matrix is None or matrix.seq < first - 1 or matrix.wasteful:
            # Another model's matrix has had its day.
            self._matrices = {k: m for k, m in self._matrices.items() if k[0] != spec.name}
            matrix = self._matrices[key] = Matrix(spec.dimensions)
            _load(matrix, connection, spec, model)
            matrix.seq = last
        elif matrix.seq < last:
            _catch_up(matrix, connection, spec, model)
            matrix.seq = last
        return matrix


class SqliteVectorIndex:
    """Nearest neighbours over one vector table, inside a session."""

    def __init__(self, connection: apsw.Connection, spec: VectorSpec, file: OpenFile) -> None:
        self._connection = connection
        self._spec = spec
        self._file = file
        # What this transaction has changed: others may not see it, and this one must.
        self._pending: dict[int, VectorRecord | None] = {}

    def put(self, records: Iterable[VectorRecord]) -> None:
        pending = iter(records)
        while batch := list(islice(pending, _BATCH)):
            self._put(batch)

    def _put(self, batch: list[VectorRecord]) -> None:
        import numpy as np

        from cuedeck.store.sketch import sketch
        from cuedeck.store.vector import checked

        halves = np.stack([checked(record, self._spec) for record in batch]).astype(np.float16)
        self._each(
            f"INSERT OR REPLACE INTO {self._spec.name} VALUES(?, ?, ?)",
            ((r.id, r.model, half.tobytes()) for r, half in zip(batch, halves, strict=True)),
        )
        packed = _packed(sketch(halves.astype(np.float32)))
        self._each(
            f"INSERT OR REPLACE INTO {self._spec.name}_sketches VALUES(?, ?, ?, ?)",
            (
                (r.id, r.model, " ".join(scope_tokens(r.scope)), row.tobytes())
                for r, row in zip(batch, packed, strict=True)
            ),
        )
        self._changed({record.id: record for record in batch})

    def drop(self, ids: Collection[int]) -> None:
        for table in (self._spec.name, f"{self._spec.name}_sketches"):
            self._each(f"DELETE FROM {table} WHERE id = ?", ((number,) for number in ids))  # noqa: S608
        self._changed(dict.fromkeys(ids))

    def nearest(
        self, vector: Vector, *, model: str, scope: Scope = (), limit: int = 50, floor: float = -1.0
    ) -> list[VectorHit]:
        import numpy as np

        from cuedeck.store.vector import cosines, halved

        if limit <= 0 or any(not group for group in scope):
            return []
        query = np.asarray(vector, dtype=np.float32)
        named = [scope_tokens(group) for group in scope]
        scores = self._committed(query, model, named, limit, floor)
        for number, record in self._pending.items():
            scores.pop(number, None)
            if record is not None and record.model == model and _inside(record, named):
                scores[number] = cosines(halved(record.vector)[None, :], query)[0]
        ranked = sorted((-cosine, number) for number, cosine in scores.items() if cosine >= floor)
        return [VectorHit(number, -negative) for negative, number in ranked[:limit]]

    def get(self, ids: Collection[int], *, model: str) -> dict[int, Vector]:
        if not ids:
            return {}
        found, matrix = self._vectors(list(ids), model)
        return dict(zip(found, matrix, strict=True))

    def count(self, *, model: str) -> int:
        sql = f"SELECT count(*) FROM {self._spec.name}_sketches WHERE model = ?"  # noqa: S608
        return int(fetch(self._connection, sql, (model,))[0][0])

    def _committed(
        self, query: Vector, model: str, scope: Scope, limit: int, floor: float
    ) -> dict[int, float]:
        """Scores of every committed record that can be among the best."""
        # Records this transaction changed drop out of the ranking, so as many more are asked for.
        wanted = limit + len(self._pending)
        with self._file.vectors.lock, self._file.reading() as reader:
            matrix = self._file.vectors.matrix(reader, self._spec, model)
            near = matrix.candidates(query, scope, wanted, floor)
        return self._scores(near, query, model)

    def _scores(self, ids: list[int], query: Vector, model: str) -> dict[int, float]:
        if not ids:
            return {}
        from cuedeck.store.vector import cosines

        found, matrix = self._vectors(ids, model)
        return dict(zip(found, cosines(matrix, query), strict=True))

    def _vectors(self, ids: list[int], model: str) -> tuple[list[int], npt.NDArray[np.float32]]:
        import numpy as np

        rows = fetch(
            self._connection,
            f"SELECT s.id, s.v FROM carray(?) AS c JOIN {self._spec.name} AS s ON s.id = c.value "  # noqa: S608
            "WHERE s.model = ?",
            (apsw.carray(np.array(ids, dtype=np.int64), flags=apsw.SQLITE_CARRAY_INT64), model),
        )
        blob = b"".join(blob for _, blob in rows)
        halves = np.frombuffer(blob, dtype=np.float16).reshape(len(rows), self._spec.dimensions)
        return [number for number, _ in rows], halves.astype(np.float32)

    def _changed(self, changed: dict[int, Any]) -> None:
        self._pending.update(changed)
        log = f"{self._spec.name}_log"
        self._each(f"INSERT INTO {log}(id) VALUES(?)", ((number,) for number in changed))
        fetch(
            self._connection,
            f"DELETE FROM {log} WHERE seq <= (SELECT max(seq) FROM {log}) - ?",  # noqa: S608
            (LOG_KEPT,),
        )

    def _each(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> None:
        self._connection.executemany(sql, rows).fetchall()


def _load(matrix: Matrix, connection: apsw.Connection, spec: VectorSpec, model: str) -> None:
    cursor: Iterator[Any] = connection.execute(
        f"SELECT id, scope, sketch FROM {spec.name}_sketches WHERE model = ?",  # noqa: S608
        (model,),
    )
    while batch := list(islice(cursor, 20_000)):
        _add(matrix, batch)


def _catch_up(matrix: Matrix, connection: apsw.Connection, spec: VectorSpec, model: str) -> None:
    changed = fetch(
        connection,
        f"SELECT DISTINCT l.id, s.scope, s.sketch FROM {spec.name}_log AS l "  # noqa: S608
        f"LEFT JOIN {spec.name}_sketches AS s ON s.id = l.id AND s.model = ? WHERE l.seq > ?",
        (model, matrix.seq),
    )
    matrix.remove(number for number, _, words in changed if words is None)
    _add(matrix, [row for row in changed if row[2] is not None])


def _add(matrix: Matrix, rows: list[tuple[int, str, bytes]]) -> None:
    if not rows:
        return
    matrix.add(
        [number for number, _, _ in rows],
        _unpacked([blob for _, _, blob in rows]),
        (scope.split(" ") for _, scope, _ in rows),
    )


def _packed(sketches: Sketches) -> npt.NDArray[np.uint8]:
    """Words, scale, error and codes side by side."""
    import numpy as np

    numbers = np.stack((sketches.scales, sketches.errors), axis=1)
    parts = (sketches.words, numbers, sketches.codes)
    return np.concatenate([np.ascontiguousarray(part).view(np.uint8) for part in parts], axis=1)


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
