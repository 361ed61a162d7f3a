"""A small domain that uses everything a store offers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cuedeck.store.ddl import index, references, table, text_index, vector_table
from cuedeck.store.postgres.store import PostgresStore
from cuedeck.store.protocol import Store, TextSpec, VectorSpec
from cuedeck.store.schema import DatabaseName, Migration, migrations
from cuedeck.store.sqlite.store import SqliteStore

TEXT = TextSpec("sample_text", (("title", 3.0), ("body", 1.0)))
VECTORS = VectorSpec("sample_vectors", 64)

NOTES = Migration(
    "state",
    "sample",
    1,
    (
        table(
            "notes",
            [
                "id text not null",
                "title text not null",
                "secret text",
                "picture blob",
                "done integer not null default 0",
                "score double precision",
                "created_at bigint not null default 0",
                "deleted_at bigint",
            ],
            key=["id"],
            rid=True,
            audited=True,
            unlogged=["secret"],
        ),
        table(
            "note_tags",
            ["note_id text not null", "tag text not null"],
            key=["note_id", "tag"],
            references=[references(["note_id"], "notes", ["id"])],
            audited=True,
        ),
        table("diaries", ["user_id text not null", "id text not null"], key=["id"], owned_by_user=True),
        index("notes", "created_at", where="deleted_at IS NULL"),
        text_index(TEXT),
        vector_table(VECTORS),
    ),
)
CACHE = Migration("index", "sample", 1, (table("files", ["path text not null"], key=["path"]),))


def sample_schema(database: DatabaseName) -> Sequence[Migration]:
    """The change log and the sample domain."""
    log = [made for made in migrations(database) if made.domain == "changes"]
    return [*log, *(made for made in (NOTES, CACHE) if made.database == database)]


def open_sample(
    url: str | None, root: Path, workspace_id: str, *, busy_timeout: float = 10.0, pool_size: int = 8
) -> Store:
    """A store with the sample's tables, both databases open."""
    if url is None:
        made = SqliteStore(root=root, state_root=root, busy_timeout=busy_timeout, known=sample_schema)
        return opened(made)
    return PostgresStore(
        url,
        workspace_id=workspace_id,
        busy_timeout=busy_timeout,
        pool_size=pool_size,
        known=sample_schema,
    )


def opened(store: Store) -> Store:
    """The store with both databases open, which else happens when each is first used."""
    try:
        for database in (store.state, store.index):
            assert database.generation is not None
    except BaseException:
        store.close()
        raise
    return store


class Taken(list[Any]):
    """What is idle, of which another thread takes the last one just now."""

    def pop(self, *_at: Any) -> Any:
        raise IndexError
