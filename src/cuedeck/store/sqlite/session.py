"""One SQLite transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import apsw

from cuedeck.store.portable import for_sqlite, insertion, plain_rows, plain_values, sqlite_parameters
from cuedeck.store.protocol import Dialect, Row, TextIndex, TextSpec, VectorIndex, VectorSpec
from cuedeck.store.sqlite.connection import check_open, fetch
from cuedeck.store.sqlite.vectors import SqliteVectorTable
from cuedeck.store.text import PiecedText
from cuedeck.store.vectors import SketchedVectors, VectorTable

if TYPE_CHECKING:
    from cuedeck.store.sqlite.file import OpenFile


class SqliteSession:
    """Statements of one transaction on one connection."""

    dialect = Dialect.SQLITE
    skip_locked = ""

    def __init__(self, connection: apsw.Connection, file: OpenFile, *, writes: bool) -> None:
        self._connection = connection
        self._file = file
        self._writes = writes
        self._translated = file.translated
        self._vectors: dict[str, SketchedVectors] = {}

    def rows(self, sql: str, /, **params: Any) -> list[Row]:
        with self._translated:
            cursor = self._execute(sql, params)
            first = cursor.fetchone()
            if first is None:
                return []
            # A finished cursor no longer tells its columns.
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, found, strict=True)) for found in (first, *cursor.fetchall())]

    def row(self, sql: str, /, **params: Any) -> Row | None:
        with self._translated:
            cursor = self._execute(sql, params)
            found = cursor.fetchone()
            if found is None:
                return None
            names = [column[0] for column in cursor.description]
            cursor.close(True)
            return dict(zip(names, found, strict=True))

    def value(self, sql: str, /, **params: Any) -> Any:
        with self._translated:
            cursor = self._execute(sql, params)
            found = cursor.fetchone()
            cursor.close(True)
            return None if found is None else found[0]

    def run(self, sql: str, /, **params: Any) -> int:
        with self._translated:
            before = self._connection.total_changes()
            _drain(self._execute(sql, params))
            if self._connection.total_changes() == before:
                return 0
            # changes() leaves out what triggers did.
            return int(self._connection.changes())

    def run_many(self, sql: str, params: Iterable[Mapping[str, Any]], /) -> None:
        with self._translated:
            self._execute_many(for_sqlite(sql), (sqlite_parameters(each) for each in params))

    def insert_many(
        self,
        table: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        /,
        *,
        key: Sequence[str] = (),
    ) -> None:
        with self._translated:
            sql = insertion(table, tuple(columns), tuple(key), "?")
            self._execute_many(sql, plain_rows(columns, rows))

    def insert(self, table: str, row: Mapping[str, Any], /) -> int:
        self._keep(insertion(table, tuple(row), (), "?"), row)
        return self._connection.last_insert_rowid() if self._has_rid(table) else 0

    def upsert(self, table: str, row: Mapping[str, Any], /, *, key: Sequence[str]) -> None:
        self._keep(insertion(table, tuple(row), tuple(key), "?"), row)

    def text(self, spec: TextSpec, /) -> TextIndex:
        return PiecedText(self, self._file.texts, spec)

    def vectors(self, spec: VectorSpec, /) -> VectorIndex:
        if spec.name not in self._vectors:
            table = SqliteVectorTable(self._connection, spec)
            self._vectors[spec.name] = SketchedVectors(
                spec, table, self._file.vectors, lambda: self._committed_vectors(spec, table)
            )
        return self._vectors[spec.name]

    @contextmanager
    def _committed_vectors(self, spec: VectorSpec, table: VectorTable) -> Iterator[VectorTable]:
        """What everyone sees, whatever this transaction has done: the cache is shared."""
        if not self._writes:
            yield table
            return
        with self._file.reading() as connection:
            yield SqliteVectorTable(connection, spec)

    def _keep(self, sql: str, row: Mapping[str, Any]) -> None:
        with self._translated:
            check_open(self._connection)
            self._connection.execute(sql, plain_values(row))

    def _execute(self, sql: str, params: Mapping[str, Any]) -> apsw.Cursor:
        check_open(self._connection)
        return self._connection.execute(for_sqlite(sql), sqlite_parameters(params))

    def _execute_many(self, sql: str, rows: Iterable[Any]) -> None:
        check_open(self._connection)
        _drain(self._connection.executemany(sql, rows))

    def _has_rid(self, table: str) -> bool:
        if table not in self._file.identified:
            sql = "SELECT 1 FROM pragma_table_info(?) WHERE name = 'rid'"
            self._file.identified[table] = bool(fetch(self._connection, sql, (table,)))
        return self._file.identified[table]


def _drain(cursor: apsw.Cursor) -> None:
    """Run the statement to its end: apsw stops at each row."""
    for _ in cursor:
        pass
