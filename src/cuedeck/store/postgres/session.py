"""One PostgreSQL transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from cuedeck.store.portable import for_postgres, insertion, plain_rows, postgres_parameters
from cuedeck.store.postgres.failures import translated
from cuedeck.store.postgres.pool import Connection
from cuedeck.store.postgres.vectors import PostgresVectorTable
from cuedeck.store.protocol import Dialect, Row, TextIndex, TextSpec, VectorIndex, VectorSpec
from cuedeck.store.text import PiecedText
from cuedeck.store.text_cache import TextCache
from cuedeck.store.vectors import Matrices, SketchedVectors, VectorTable

_IDENTIFIED = (
    "SELECT 1 FROM information_schema.columns WHERE table_schema = 'cuedeck' "
    "AND table_name = %(table)s AND column_name = 'rid'"
)


@dataclass(frozen=True, slots=True)
class Shared:
    """What the sessions of one database have in common, and how one that writes reads as others do."""

    identified: dict[str, bool]
    vectors: Matrices
    texts: TextCache
    reading: Callable[[], AbstractContextManager[Connection]] | None = None


class PostgresSession:
    """Statements of one transaction on one connection."""

    def __init__(self, connection: Connection, shared: Shared) -> None:
        self._connection = connection
        self._shared = shared
        self._vectors: dict[str, SketchedVectors] = {}

    @property
    def dialect(self) -> Dialect:
        return Dialect.POSTGRES

    @property
    def skip_locked(self) -> str:
        return "FOR UPDATE SKIP LOCKED"

    def rows(self, sql: str, /, **params: Any) -> list[Row]:
        with translated():
            return [_plain(found) for found in self._execute(sql, params).fetchall()]

    def row(self, sql: str, /, **params: Any) -> Row | None:
        with translated():
            found = self._execute(sql, params).fetchone()
            return None if found is None else _plain(found)

    def value(self, sql: str, /, **params: Any) -> Any:
        found = self.row(sql, **params)
        return None if found is None else next(iter(found.values()))

    def run(self, sql: str, /, **params: Any) -> int:
        with translated():
            return max(0, self._execute(sql, params).rowcount)

    def run_many(self, sql: str, params: Iterable[Mapping[str, Any]], /) -> None:
        with translated(), self._connection.cursor() as cursor:
            cursor.executemany(for_postgres(sql), [postgres_parameters(each) for each in params])

    def insert_many(
        self,
        table: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        /,
        *,
        key: Sequence[str] = (),
    ) -> None:
        sql = insertion(table, tuple(columns), ("workspace_id", *key) if key else (), "%s")
        values = list(plain_rows(columns, rows))
        with translated(), self._connection.cursor() as cursor:
            if len(values) == 1:
                # For a single row executemany sends more messages than it saves.
                cursor.execute(sql, values[0])
            else:
                cursor.executemany(sql, values)

    def insert(self, table: str, row: Mapping[str, Any], /) -> int:
        sql = insertion(table, tuple(row), (), ":{}")
        if self._has_rid(table):
            return int(self.value(f"{sql} RETURNING rid", **row))
        self.run(sql, **row)
        return 0

    def upsert(self, table: str, row: Mapping[str, Any], /, *, key: Sequence[str]) -> None:
        self.run(insertion(table, tuple(row), tuple(key), ":{}"), **row)

    def text(self, spec: TextSpec, /) -> TextIndex:
        return PiecedText(self, self._shared.texts, spec)

    def vectors(self, spec: VectorSpec, /) -> VectorIndex:
        if spec.name not in self._vectors:
            table = PostgresVectorTable(self._connection, spec)
            self._vectors[spec.name] = SketchedVectors(
                spec, table, self._shared.vectors, lambda: self._committed_vectors(spec, table)
            )
        return self._vectors[spec.name]

    @contextmanager
    def _committed_vectors(self, spec: VectorSpec, table: VectorTable) -> Iterator[VectorTable]:
        """What everyone sees, whatever this transaction has done: the cache is shared."""
        if self._shared.reading is None:
            yield table
            return
        with self._shared.reading() as connection:
            yield PostgresVectorTable(connection, spec)

    def _execute(self, sql: str, params: Mapping[str, Any]) -> psycopg.Cursor[Row]:
        return self._connection.execute(for_postgres(sql), postgres_parameters(params), binary=True)

    def _has_rid(self, table: str) -> bool:
        if table not in self._shared.identified:
            found = self._connection.execute(_IDENTIFIED, {"table": table}).fetchone()
            self._shared.identified[table] = found is not None
        return self._shared.identified[table]


def _plain(row: Row) -> Row:
    """The row as SQLite gives it: ``SELECT *`` must not show the tenant."""
    row.pop("workspace_id", None)
    return row
