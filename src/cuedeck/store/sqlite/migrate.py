"""Bring a SQLite file to the current schema, or refuse one from the future."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from cuedeck.model.clock import now_ms
from cuedeck.store.errors import differing, too_new
from cuedeck.store.schema import Migration
from cuedeck.store.sqlite.connection import fetch
from cuedeck.store.sqlite.ddl import rebuild_audit, statements

_HISTORY = (
    "CREATE TABLE IF NOT EXISTS migrations(domain TEXT NOT NULL, number INTEGER NOT NULL, "
    "applied_at INTEGER NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (domain, number)) STRICT, WITHOUT ROWID"
)


def pending(connection: apsw.Connection, known: Sequence[Migration], shown: str) -> list[Migration]:
    """The migrations this file still lacks."""
    applied = _applied(connection)
    wanted = {(m.domain, m.number): m for m in known}
    for name, digest in sorted(applied.items()):
        if name not in wanted:
            raise too_new(shown, f"{name[0]}/{name[1]}")
        if wanted[name].digest != digest:
            raise differing(shown, f"{name[0]}/{name[1]}")
    return [m for name, m in wanted.items() if name not in applied]


def apply(connection: apsw.Connection, missing: list[Migration]) -> None:
    """Apply and record them; the caller holds the write transaction."""
    fetch(connection, _HISTORY)
    for migration in missing:
        for step in migration.steps:
            for text in statements(step):
                fetch(connection, text)
        connection.execute(
            "INSERT INTO migrations VALUES(?, ?, ?, ?)",
            (migration.domain, migration.number, now_ms(), migration.digest),
        ).fetchall()
    if _exists(connection, "audited_tables"):
        rebuild_audit(connection)


def _applied(connection: apsw.Connection) -> dict[tuple[str, int], str]:
    if not _exists(connection, "migrations"):
        return {}
    rows = fetch(connection, "SELECT * FROM migrations")
    # Builds before the first release recorded no digest.
    return {(domain, number): "".join(digest) for domain, number, _, *digest in rows}


def _exists(connection: apsw.Connection, table: str) -> bool:
    """Asked with a statement: apsw's own table_exists looks at a schema read before the lock."""
    return bool(fetch(connection, "SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)))
