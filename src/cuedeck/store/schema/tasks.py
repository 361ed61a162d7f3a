"""Tasks that agents claim, what each waits for, and the counters their ids come from."""

from __future__ import annotations

from cuedeck.store.ddl import Step, index, references, statement, table
from cuedeck.store.schema import migration


@migration("state", "tasks", 1)
def agent_tasks() -> list[Step]:
    return [
        table(
            "agent_tasks",
            [
                "id text not null",
                "project text not null",
                "type text not null",
                "name text not null",
                "description text not null",
                "status text not null",
                "priority integer not null",
                "files_exclusive text not null",
                "files_readonly text not null",
                "parent text",
                "suggested_model text",
                "agent text",
                "lease_until bigint",
                "block_reason text",
                "resolved_by text",
                "summary text",
                "source text",
                "created_at bigint not null",
                "updated_at bigint not null",
                "completed_at bigint",
            ],
            key=["id"],
            rid=True,
            audited=True,
        ),
        index("agent_tasks", "type", "status", "priority", "rid", name="agent_tasks_queue_index"),
        index("agent_tasks", "parent", where="parent IS NOT NULL"),
        index("agent_tasks", "project", "rid"),
        index("agent_tasks", "source", unique=True, where="source IS NOT NULL"),
        table(
            "agent_task_needs",
            ["task_id text not null", "needs_id text not null"],
            key=["task_id", "needs_id"],
            references=[references(["task_id"], "agent_tasks", ["id"])],
        ),
        index("agent_task_needs", "needs_id"),
        table(
            "agent_task_counters",
            ["project text not null", "type text not null", "last integer not null"],
            key=["project", "type"],
        ),
    ]


@migration("state", "tasks", 2)
def children_by_status() -> list[Step]:
    """An epic asks which statuses its children have, and there may be thousands of them."""
    dropped = "DROP INDEX agent_tasks_parent_index"
    return [
        statement(sqlite=dropped, postgres=dropped),
        index("agent_tasks", "parent", "status", where="parent IS NOT NULL"),
    ]
