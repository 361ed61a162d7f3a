"""What the built-in workflows keep: file changes, last contents, concept versions and analyses."""

from __future__ import annotations

from cuedeck.store.ddl import Step, index, table
from cuedeck.store.schema import migration


@migration("state", "workflow_records", 1)
def kept() -> list[Step]:
    return [
        table(
            "file_changes",
            [
                "id text not null",
                "path text not null",
                "event text not null",
                "sha256 text",
                "size bigint",
                "at bigint not null",
            ],
            key=["id"],
            audited=True,
        ),
        index("file_changes", "path", "at"),
        index("file_changes", "at"),
        table(
            "file_contents",
            [
                "path text not null",
                "sha256 text not null",
                "content blob not null",
                "at bigint not null",
                "deleted_at bigint",
            ],
            key=["path"],
        ),
        table(
            "concept_versions",
            [
                "path text not null",
                "version integer not null",
                "sha256 text not null",
                "at bigint not null",
                "outline text not null",
                "changes text not null",
            ],
            key=["path", "version"],
        ),
    ]


@migration("index", "workflow_records", 1)
def derived() -> list[Step]:
    return [
        table(
            "analyses",
            ["path text not null", "sha256 text not null", "analysis text not null", "at bigint not null"],
            key=["path"],
        )
    ]
