"""Memories, their links, and what is derived from them."""

from __future__ import annotations

from cuedeck.store.ddl import Step, index, references, table, text_index, vector_table
from cuedeck.store.protocol import TextSpec, VectorSpec
from cuedeck.store.schema import migration

MEMORY_TEXT = TextSpec("memory_text", (("title", 2.0), ("content", 1.0), ("metadata", 0.5), ("tags", 1.0)))
MEMORY_VECTORS = VectorSpec("memory_vectors", 384)


@migration("state", "memories", 1)
def memories() -> list[Step]:
    own = [references(["memory_id"], "memories", ["id"])]
    return [
        table(
            "memories",
            [
                "id text not null",
                "type text not null",
                "title text",
                "content text not null",
                "metadata text not null",
                "tags text not null",
                "project text not null",
                "confidence double precision not null",
                "source_task text",
                "content_hash text not null",
                "duplicate_key text",
                "created_at bigint not null",
                "updated_at bigint not null",
                "deleted_at bigint",
            ],
            key=["id"],
            rid=True,
            audited=True,
        ),
        index("memories", "duplicate_key", unique=True, where="deleted_at IS NULL"),
        index("memories", "project", "type", where="deleted_at IS NULL"),
        index("memories", "type", where="deleted_at IS NULL"),
        index("memories", "deleted_at", where="deleted_at IS NOT NULL"),
        table(
            "memory_links",
            [
                "from_id text not null",
                "to_id text not null",
                "strength double precision not null",
                "reason text not null",
                "origin text not null",
                "created_at bigint not null",
            ],
            key=["from_id", "to_id"],
            references=[
                references(["from_id"], "memories", ["id"]),
                references(["to_id"], "memories", ["id"]),
            ],
            audited=True,
        ),
        index("memory_links", "to_id"),
        table(
            "memory_access",
            ["memory_id text not null", "count bigint not null", "last_at bigint not null"],
            key=["memory_id"],
            references=own,
        ),
        table(
            "memory_signatures",
            ["memory_id text not null", "signature text not null", "shape text not null"],
            key=["memory_id", "signature"],
            references=own,
        ),
        index("memory_signatures", "signature"),
        index("memory_signatures", "shape"),
        table(
            "memory_episodes",
            ["memory_id text not null", "task_key text", "outcome text not null"],
            key=["memory_id"],
            references=own,
        ),
        index("memory_episodes", "task_key"),
        table(
            "memory_embedded",
            ["memory_id text not null", "model text not null", "content_hash text not null"],
            key=["memory_id"],
            references=own,
        ),
        index("memory_embedded", "model"),
        table(
            "memory_files",
            ["project text not null", "path text not null", "file_hash text not null"],
            key=["project", "path"],
        ),
        table(
            "memory_chunks",
            ["memory_id text not null", "project text not null", "path text not null"],
            key=["memory_id"],
            references=own,
        ),
        index("memory_chunks", "project", "path"),
        text_index(MEMORY_TEXT),
        vector_table(MEMORY_VECTORS),
    ]
