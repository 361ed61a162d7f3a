"""Where things are kept: one protocol, SQLite and PostgreSQL behind it. Import `open_store`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cuedeck.model.errors import CueError, ErrorCode

if TYPE_CHECKING:
    from cuedeck.store.protocol import Store


def open_store(
    url: str | None,
    *,
    root: Path,
    state_root: Path | None = None,
    workspace_id: str,
    busy_timeout: float = 10.0,
    pool_size: int = 8,
) -> Store:
    """The workspace's store: SQLite files in ``.cuedeck/``, or the PostgreSQL server at the URL."""
    if url is None:
        from cuedeck.store.sqlite.store import SqliteStore

        return SqliteStore(root=root, state_root=state_root or root, busy_timeout=busy_timeout)
    if not url.startswith(("postgresql://", "postgres://")):
        raise CueError(
            ErrorCode.CONFIGURATION,
            "store.url is not a PostgreSQL URL",
            data={"setting": "store.url"},
            hint="Use postgresql://user@host/database, or leave store.url unset for SQLite.",
        )
    from cuedeck.store.postgres.store import PostgresStore

    return PostgresStore(url, workspace_id=workspace_id, busy_timeout=busy_timeout, pool_size=pool_size)
