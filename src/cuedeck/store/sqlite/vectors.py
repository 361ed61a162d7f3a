"""Vectors on SQLite: fp16 rows, their sketches, and a log of what changed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import apsw

from cuedeck.store.protocol import VectorSpec
from cuedeck.store.sqlite.connection import check_open, fetch
from cuedeck.store.vectors import LOG_KEPT, Logged, VectorRow


def create_vector_table(spec: VectorSpec) -> Iterator[str]:
    """Vectors, their sketches apart so that those load fast, and the order of changes to them."""
    columns = "(id INTEGER PRIMARY KEY, model TEXT NOT NULL, scope TEXT NOT NULL, {} BLOB NOT NULL) STRICT"
    yield f"CREATE TABLE {spec.name} {columns.format('v')}"
    yield f"CREATE TABLE {spec.name}_sketches {columns.format('sketch')}"
    yield f"CREATE INDEX {spec.name}_sketches_model ON {spec.name}_sketches(model)"
    yield f"CREATE TABLE {spec.name}_log (seq INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL) STRICT"


class SqliteVectorTable:
    """The rows of one vector table on one connection."""

    def __init__(self, connection: apsw.Connection, spec: VectorSpec) -> None:
        self._connection = connection
        self._name = spec.name

    def save(self, rows: list[VectorRow]) -> tuple[int, int]:
        before = self._connection.total_changes()
        into = f"INTO {self._name}(id, model, scope, v) VALUES(?, ?, ?, ?)"
        self._each(f"INSERT OR IGNORE {into}", rows)
        if self._connection.total_changes() - before < len(rows):
            # Only what was there before may have a sketch.
            self._each(f"INSERT OR REPLACE {into}", rows)
            self._each(f"DELETE FROM {self._name}_sketches WHERE id = ?", [(row.id,) for row in rows])  # noqa: S608
        return self._log([(row.id,) for row in rows])

    def save_sketches(self, rows: list[VectorRow]) -> None:
        self._each(f"INSERT OR REPLACE INTO {self._name}_sketches VALUES(?, ?, ?, ?)", rows)
        log = f"{self._name}_log"
        oldest = f"DELETE FROM {log} WHERE seq <= (SELECT max(seq) FROM {log}) - ?"  # noqa: S608
        fetch(self._connection, oldest, (LOG_KEPT,))

    def delete(self, ids: Collection[int]) -> tuple[int, int]:
        # Asked to drop what may be there; only what was is news to whoever follows the log.
        sql = f"DELETE FROM {self._name} WHERE id = ? RETURNING id"  # noqa: S608
        gone: list[Any] = self._connection.executemany(sql, ((number,) for number in ids)).fetchall()
        self._each(f"DELETE FROM {self._name}_sketches WHERE id = ?", gone)  # noqa: S608
        return self._log(gone)

    def halves(self, ids: list[int], model: str) -> list[tuple[int, bytes]]:
        import numpy as np

        return fetch(
            self._connection,
            f"SELECT s.id, s.v FROM carray(?) AS c JOIN {self._name} AS s ON s.id = c.value "  # noqa: S608
            "WHERE s.model = ?",
            (apsw.carray(np.array(ids, dtype=np.int64), flags=apsw.SQLITE_CARRAY_INT64), model),
        )

    def count(self, model: str, after: int) -> int:
        found = fetch(
            self._connection,
            f"SELECT (SELECT count(*) FROM {self._name}_sketches WHERE model = ?1) + (SELECT count(*) "  # noqa: S608
            f"FROM {self._name} WHERE id IN (SELECT id FROM {self._name}_log WHERE seq > ?2) AND model = ?1 "
            f"AND id NOT IN (SELECT id FROM {self._name}_sketches))",
            (model, after),
        )
        return int(found[0][0])

    def logged(self) -> Logged:
        # Two questions, for SQLite answers min and max together by reading everything.
        found = fetch(
            self._connection,
            f"SELECT coalesce((SELECT min(seq) FROM {self._name}_log), 0), "  # noqa: S608
            f"coalesce((SELECT max(seq) FROM {self._name}_log), 0)",
        )
        return Logged(fetch(self._connection, "PRAGMA user_version")[0][0], *found[0])

    def sketches(self, model: str) -> Iterator[VectorRow]:
        sql = f"SELECT * FROM {self._name}_sketches WHERE model = ?"  # noqa: S608
        return map(VectorRow._make, self._connection.execute(sql, (model,)))

    def changed(self, after: int) -> Iterator[tuple[int, VectorRow | None]]:
        rows = self._connection.execute(
            f"SELECT l.id, s.id, s.model, s.scope, s.v FROM (SELECT DISTINCT id FROM {self._name}_log "  # noqa: S608
            f"WHERE seq > ?) AS l LEFT JOIN {self._name} AS s ON s.id = l.id",
            (after,),
        )
        return ((number, VectorRow(*own) if own[0] is not None else None) for number, *own in rows)

    def _log(self, ids: list[tuple[int]]) -> tuple[int, int]:
        if not ids:
            return 0, 0
        self._each(f"INSERT INTO {self._name}_log(id) VALUES(?)", ids)
        # Numbers drawn by a transaction that was undone are drawn again, so there are no gaps.
        last = self._connection.last_insert_rowid()
        return last - len(ids), last

    def _each(self, sql: str, rows: Sequence[tuple[Any, ...]]) -> None:
        check_open(self._connection)
        if len(rows) == 1:
            self._connection.execute(sql, rows[0])
        else:
            self._connection.executemany(sql, rows).fetchall()
