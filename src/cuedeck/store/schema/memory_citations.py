"""What memories cite, with what it was when they were written."""

from __future__ import annotations

from cuedeck.store.ddl import Step, index, references, table
from cuedeck.store.schema import migration


@migration("state", "memory_citations", 1)
def citations() -> list[Step]:
    return [
        table(
            "memory_citations",
            [
                "memory_id text not null",
                "kind text not null",
                "target text not null",
                "path text not null",
                "digest text not null",
                "at bigint not null",
            ],
            key=["memory_id", "kind", "target", "path"],
            references=[references(["memory_id"], "memories", ["id"])],
        ),
        index("memory_citations", "kind", "target"),
        index("memory_citations", "path"),
    ]
