"""Questions to the change log, on both engines."""

from __future__ import annotations

from typing import Any, cast

import pytest

from cuedeck.store.changes import changes_after, changes_between, last_seq, newest, oldest
from cuedeck.store.protocol import Dialect, Row, Session, Store
from cuedeck.tasks.agent_task import TaskDraft
from cuedeck.tasks.agent_tasks import AgentTasks


def test_a_span_is_read_in_pages_and_only_of_the_tables_asked_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cuedeck.store.changes._PAGE", 2)
    tasks = AgentTasks(store, lease_seconds=60, mark_success=lambda _session, _id: None)
    made = [tasks.create(TaskDraft("HB", f"Task {number}")).id for number in range(5)]
    with store.state.read() as session:
        begun = oldest(session)
        assert begun is not None
        span = (begun, begun + 3_600_000)
        assert [change.id for change in changes_between(session, *span, ["agent_tasks"])] == made
        assert list(changes_between(session, *span, ["memories"])) == []
        assert list(changes_between(session, 0, begun, ["agent_tasks"])) == []
        assert last_seq(session) > last_seq(session, begun) == 0


class Explained:
    """A session that keeps how each of its statements would be carried out."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.row = session.row
        self.steps: list[str] = []

    def rows(self, sql: str, **params: Any) -> list[Row]:
        plan = self._session.rows(f"EXPLAIN QUERY PLAN {sql}", **params)
        self.steps += [row["detail"] for row in plan]
        return self._session.rows(sql, **params)


def test_the_log_is_read_in_its_own_order_and_not_sorted_by_every_reader(store: Store) -> None:
    tasks = AgentTasks(store, lease_seconds=60, mark_success=lambda _session, _id: None)
    tasks.create(TaskDraft("HB", "Task"))
    with store.state.read() as session:
        if session.dialect is not Dialect.SQLITE:
            pytest.skip("PostgreSQL plans by statistics")
        explained = Explained(session)
        asked = cast(Session, explained)
        assert changes_after(asked, after=0, limit=5, tables=["agent_tasks"])
        assert newest(asked, limit=5, tables=["agent_tasks"])
        assert list(changes_between(asked, 0, 2**53, ["agent_tasks"]))
    assert explained.steps and not [step for step in explained.steps if "TEMP B-TREE" in step]
