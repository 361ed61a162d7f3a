"""Questions to the change log, on both engines."""

from __future__ import annotations

import pytest

from cuedeck.store.changes import changes_between, last_seq, oldest
from cuedeck.store.protocol import Store
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
