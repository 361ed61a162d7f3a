"""One person's todos and what their changes replaced; kept out of the change log, which others read."""

from __future__ import annotations

from cuedeck.store.ddl import Step, index, table
from cuedeck.store.schema import migration


@migration("state", "todos", 1)
def todos() -> list[Step]:
    return [
        table(
            "todos",
            [
                "user_id text not null",
                "id text not null",
                "title text not null",
                "title_key text not null",
                "description text",
                "due_date text",
                "created_at bigint not null",
                "updated_at bigint not null",
                "completed_at bigint",
            ],
            key=["user_id", "id"],
            rid=True,
            owned_by_user=True,
        ),
        index("todos", "user_id", "created_at", "rid"),
        index("todos", "user_id", "title_key"),
        table(
            "todo_changes",
            [
                "user_id text not null",
                "id text not null",
                "what text not null",
                "before text not null",
                "at bigint not null",
            ],
            key=["user_id", "id"],
            rid=True,
            owned_by_user=True,
        ),
        index("todo_changes", "user_id", "rid"),
    ]
