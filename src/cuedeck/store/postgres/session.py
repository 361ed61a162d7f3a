"""One PostgreSQL transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import psycopg

from cuedeck.store.portable import for_postgres, postgres_parameters
from cuedeck.store.postgres.failures import translated
from cuedeck.store.postgres.pool import Connection
from cuedeck.store.postgres.text import PostgresTextIndex
from cuedeck.store.protocol import Dialect, Row, TextIndex, TextSpec, VectorIndex, VectorSpec

_IDENTIFIED = (
    "SELECT 1 FROM information_schema.columns WHERE table_schema = 'cuedeck' "
    "AND table_name = %(table)s AND column_name = 'rid'"
)


class PostgresSession:
    """Statements of one transaction on one connection."""

    def __init__(self, connection: Connection, workspace: str, identified: dict[str, bool]) -> None:
        self._connection = connection
        self._workspace = workspace
        self._identified = identified
        self._after_commit: list[Callable[[], None]] = []

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

    def insert(self, table: str, row: Mapping[str, Any], /) -> int:
        names = ", ".join(row)
        marks = ", ".join(f":{name}" for name in row)
        sql = f"INSERT INTO {table}({names}) VALUES({marks})"
        if self._has_rid(table):
            return int(self.value(f"{sql} RETURNING rid", **row))
        self.run(sql, **row)
        return 0

    def upsert(self, table: str, row: Mapping[str, Any], /, *, key: Sequence[str]) -> None:
        names = ", ".join(row)
        marks = ", ".join(f":{name}" for name in row)
        changed = ", ".join(f"{name} = excluded.{name}" for name in row if name not in key)
        action = f"UPDATE SET {changed}" if changed else "NOTHING"
        self.run(
            f"INSERT INTO {table}({names}) VALUES({marks}) ON CONFLICT ({', '.join(key)}) DO {action}",
            **row,
        )

    def text(self, spec: TextSpec, /) -> TextIndex:
        return PostgresTextIndex(self._connection, self._workspace, spec)

    def vectors(self, spec: VectorSpec, /) -> VectorIndex:
        from cuedeck.store.postgres.vectors import PostgresVectorIndex

        return PostgresVectorIndex(self._connection, self._workspace, spec)

    def after_commit(self, action: Callable[[], None], /) -> None:
        self._after_commit.append(action)

    def committed(self) -> None:
        """Do what was to be done once the transaction is durable."""
        for action in self._after_commit:
            action()

    def _execute(self, sql: str, params: Mapping[str, Any]) -> psycopg.Cursor[Row]:
        return self._connection.execute(for_postgres(sql), postgres_parameters(params))

    def _has_rid(self, table: str) -> bool:
        if table not in self._identified:
            found = self._connection.execute(_IDENTIFIED, {"table": table}).fetchone()
            self._identified[table] = found is not None
        return self._identified[table]


def _plain(row: Row) -> Row:
    """The row as SQLite gives it: ``SELECT *`` must not show the tenant."""
    row.pop("workspace_id", None)
    return row
