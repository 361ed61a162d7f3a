"""Vectors on SQLite: fp16 rows, their sketches, and a log of what changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import apsw

from cuedeck.store.protocol import VectorSpec
from cuedeck.store.sqlite.connection import fetch
from cuedeck.store.vectors import LOG_KEPT, SketchRow, VectorRow


def create_vector_table(spec: VectorSpec) -> Iterator[str]:
    """Vectors, their sketches apart so that those load fast, and the order of changes to them."""
    yield f"CREATE TABLE {spec.name} (id INTEGER PRIMARY KEY, model TEXT NOT NULL, v BLOB NOT NULL) STRICT"
    yield (
        f"CREATE TABLE {spec.name}_sketches (id INTEGER PRIMARY KEY, model TEXT NOT NULL, "
        "scope TEXT NOT NULL, sketch BLOB NOT NULL) STRICT"
    )
    yield f"CREATE INDEX {spec.name}_sketches_model ON {spec.name}_sketches(model)"
    yield f"CREATE TABLE {spec.name}_log (seq INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL) STRICT"


class SqliteVectorTable:
    """The rows of one vector table on one connection."""

    def __init__(self, connection: apsw.Connection, spec: VectorSpec) -> None:
        self._connection = connection
        self._name = spec.name

    def save(self, rows: list[VectorRow]) -> None:
        self._each(
            f"INSERT OR REPLACE INTO {self._name} VALUES(?, ?, ?)",
            ((row.id, row.model, row.halves) for row in rows),
        )
        self._each(
            f"INSERT OR REPLACE INTO {self._name}_sketches VALUES(?, ?, ?, ?)",
            ((row.id, row.model, row.scope, row.sketch) for row in rows),
        )
        self._log(row.id for row in rows)

    def delete(self, ids: Collection[int]) -> None:
        # Asked to drop what may be there; only what was is news to whoever follows the log.
        sql = f"DELETE FROM {self._name} WHERE id = ? RETURNING id"  # noqa: S608
        gone: list[Any] = self._connection.executemany(sql, ((number,) for number in ids)).fetchall()
        if gone:
            self._each(f"DELETE FROM {self._name}_sketches WHERE id = ?", gone)  # noqa: S608
            self._log(number for (number,) in gone)

    def halves(self, ids: list[int], model: str) -> list[tuple[int, bytes]]:
        import numpy as np

        return fetch(
            self._connection,
            f"SELECT s.id, s.v FROM carray(?) AS c JOIN {self._name} AS s ON s.id = c.value "  # noqa: S608
            "WHERE s.model = ?",
            (apsw.carray(np.array(ids, dtype=np.int64), flags=apsw.SQLITE_CARRAY_INT64), model),
        )

    def count(self, model: str) -> int:
        sql = f"SELECT count(*) FROM {self._name}_sketches WHERE model = ?"  # noqa: S608
        return int(fetch(self._connection, sql, (model,))[0][0])

    def content(self) -> int:
        return int(fetch(self._connection, "PRAGMA user_version")[0][0])

    def log_bounds(self) -> tuple[int, int]:
        # Two questions, for SQLite answers min and max together by reading everything.
        first, last = fetch(
            self._connection,
            f"SELECT coalesce((SELECT min(seq) FROM {self._name}_log), 0), "  # noqa: S608
            f"coalesce((SELECT max(seq) FROM {self._name}_log), 0)",
        )[0]
        return first, last

    def sketches(self, model: str) -> Iterator[SketchRow]:
        sql = f"SELECT id, scope, sketch FROM {self._name}_sketches WHERE model = ?"  # noqa: S608
        rows: Iterator[Any] = self._connection.execute(sql, (model,))
        return (SketchRow(number, scope, sketch) for number, scope, sketch in rows)

    def changed(self, model: str, after: int) -> list[SketchRow]:
        rows = fetch(
            self._connection,
            f"SELECT l.id, s.scope, s.sketch FROM (SELECT DISTINCT id FROM {self._name}_log "  # noqa: S608
            f"WHERE seq > ?) AS l LEFT JOIN {self._name}_sketches AS s ON s.id = l.id AND s.model = ?",
            (after, model),
        )
        return [SketchRow(number, scope or "", sketch) for number, scope, sketch in rows]

    def _log(self, ids: Iterable[int]) -> None:
        log = f"{self._name}_log"
        self._each(f"INSERT INTO {log}(id) VALUES(?)", ((number,) for number in ids))
        fetch(
            self._connection,
            f"DELETE FROM {log} WHERE seq <= (SELECT max(seq) FROM {log}) - ?",  # noqa: S608
            (LOG_KEPT,),
        )

    def _each(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> None:
        self._connection.executemany(sql, rows).fetchall()
