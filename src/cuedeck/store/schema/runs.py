"""The workflow journal: runs, their steps, and how far each trigger has read."""

from __future__ import annotations

from cuedeck.store.ddl import Step, index, references, table
from cuedeck.store.schema import migration


@migration("state", "runs", 1)
def journal() -> list[Step]:
    return [
        table(
            "runs",
            [
                "id text not null",
                "workflow text not null",
                "name text not null",
                "status text not null",
                "trigger text not null",
                "priority integer not null",
                "input text not null",
                "result text",
                "error text",
                "progress double precision not null",
                "idempotency_key text",
                "attempt integer not null",
                "run_at bigint not null",
                "created_at bigint not null",
                "started_at bigint",
                "ended_at bigint",
                "owner text",
                "lease_until bigint",
                "fence integer not null",
                "cancel_requested integer not null",
            ],
            key=["id"],
        ),
        index("runs", "workflow", "idempotency_key", unique=True, where="idempotency_key IS NOT NULL"),
        index(
            "runs", "status", "priority", "run_at", "id", where="status = 'pending'", name="runs_queue_index"
        ),
        index("runs", "lease_until", where="status = 'running'", name="runs_lease_index"),
        index("runs", "created_at", "id"),
        index("runs", "workflow", "created_at", "id"),
        table(
            "steps",
            [
                "run_id text not null",
                "seq integer not null",
                "name text not null",
                "output text not null",
                "started_at bigint not null",
                "ended_at bigint not null",
            ],
            key=["run_id", "seq"],
            references=[references(["run_id"], "runs", ["id"])],
        ),
        table(
            "trigger_cursors",
            ["name text not null", "source text not null", "position bigint not null"],
            key=["name"],
        ),
        table(
            "written_files",
            ["workflow text not null", "path text not null", "sha256 text not null"],
            key=["workflow", "path"],
        ),
    ]
