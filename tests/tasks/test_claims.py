"""Agents in processes of their own, some of which die: every task is done once, nobody collides.

`CUEDECK_CLAIMS=50x1000` runs that many processes on that many tasks; the default is short.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from cuedeck.store import open_store
from cuedeck.store.protocol import Change, Session, Store
from cuedeck.tasks.agent_task import TaskDraft, TaskStatus, TaskType
from cuedeck.tasks.agent_tasks import AgentTasks
from cuedeck.tasks.files import Held

AGENTS, TASKS = map(int, os.environ.get("CUEDECK_CLAIMS", "4x40").split("x"))
LEASE_SECONDS = 1 if AGENTS <= 10 else 10

AGENT = """
import os, random, sys, time
from pathlib import Path
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store import open_store
from cuedeck.tasks.agent_tasks import AgentTasks

root, url, workspace, name, lease = sys.argv[1:]
chance = random.Random(name)
store = open_store(url or None, root=Path(root), workspace_id=workspace, busy_timeout=60, pool_size=1)
tasks = AgentTasks(store, lease_seconds=int(lease), mark_success=lambda *_: None)
while True:
    found = tasks.claim(name)
    if found.task is None:
        if found.reason.startswith("All"):
            break
        time.sleep(0.02)
        continue
    if chance.random() < 0.02:
        os._exit(9)
    time.sleep(chance.random() / 500)
    try:
        tasks.complete(found.task.id, agent=name)
    except CueError as error:
        if error.code is not ErrorCode.VALIDATION:
            raise
"""


def no_memory(_session: Session, _memory_id: str, _summary: str | None) -> None:
    raise AssertionError("no task here names an episode")


def fill(tasks: AgentTasks) -> None:
    """Tasks with dependencies on earlier ones, overlapping files and epics."""
    chance = random.Random(7)
    epics = [tasks.create(TaskDraft("CA", f"epic {n}", type=TaskType.EPIC)).id for n in range(3)]
    made: list[str] = []
    for number in range(TASKS):
        needs = tuple(chance.sample(made[-20:], chance.randint(0, min(2, len(made[-20:])))))
        files = tuple({f"src/{chance.choice('abcdefgh')}/{chance.randint(0, 3)}.py" for _ in range(2)})
        if number % 25 == 0:
            files = ("src/a",)
        draft = TaskDraft(
            "CA",
            f"task {number}",
            priority=chance.randint(1, 5),
            depends_on=needs,
            files_exclusive=files,
            parent=chance.choice([*epics, None]),
        )
        made.append(tasks.create(draft).id)


def all_changes(store: Store) -> list[Change]:
    found: list[Change] = []
    while page := store.state.changes(after=found[-1].seq if found else 0, tables=["agent_tasks"]):
        found += page
    return found


def check_history(changes: list[Change]) -> dict[str, int]:
    """Replay the log: who worked on what, and whether anybody was in the way of anybody."""
    working: dict[str, dict[str, object]] = {}
    done: dict[str, int] = {}
    for change in changes:
        row = change.after
        assert row is not None
        if row["type"] == "epic":
            continue
        if row["status"] == "in_progress":
            now = row["updated_at"]
            for other_id, other in working.items():
                if int(str(other["lease_until"])) >= now:
                    assert other_id != change.id, f"{change.id} was claimed twice"
                    mine, theirs = (
                        json.loads(row["files_exclusive"]),
                        json.loads(str(other["files_exclusive"])),
                    )
                    assert Held([theirs]).collision(mine) is None, f"{change.id} collides with {other_id}"
            working[change.id] = row
        elif row["status"] == "done":
            assert working.pop(change.id)["agent"] == row["agent"]
            done[change.id] = done.get(change.id, 0) + 1
    assert not working
    return done


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_every_task_is_done_once(
    request: pytest.FixtureRequest, engine: str, tmp_path: Path, workspace_id: str
) -> None:
    url = request.getfixturevalue("postgres_url") if engine == "postgres" else ""
    store = open_store(url or None, root=tmp_path, workspace_id=workspace_id)
    tasks = AgentTasks(store, lease_seconds=60, mark_success=no_memory)
    fill(tasks)
    command = [sys.executable, "-c", AGENT, str(tmp_path), url, workspace_id]
    agents = [subprocess.Popen([*command, f"agent-{n}", str(LEASE_SECONDS)]) for n in range(AGENTS)]
    codes = [agent.wait(timeout=2400) for agent in agents]
    if 0 not in codes:  # everybody died; somebody comes later and finishes
        codes.append(subprocess.call([*command, "late", str(LEASE_SECONDS)], timeout=600))
    assert set(codes) <= {0, 9}
    assert {task.status for task in tasks.list()} == {TaskStatus.DONE}
    done = check_history(all_changes(store))
    assert len(done) == TASKS
    assert set(done.values()) == {1}
    store.close()


CREATOR = """
import sys
from pathlib import Path
from cuedeck.store import open_store
from cuedeck.tasks.agent_task import TaskDraft
from cuedeck.tasks.agent_tasks import AgentTasks

root, url, workspace, count = sys.argv[1:]
store = open_store(url or None, root=Path(root), workspace_id=workspace, busy_timeout=60, pool_size=1)
tasks = AgentTasks(store, lease_seconds=60, mark_success=lambda *_: None)
for number in range(int(count)):
    tasks.create(TaskDraft("CA", f"task {number}"))
"""


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_processes_creating_at_once_leave_no_gap(
    request: pytest.FixtureRequest, engine: str, tmp_path: Path, workspace_id: str
) -> None:
    url = request.getfixturevalue("postgres_url") if engine == "postgres" else ""
    command = [sys.executable, "-c", CREATOR, str(tmp_path), url, workspace_id, "10"]
    creators = [subprocess.Popen(command) for _ in range(3)]
    assert [creator.wait(timeout=100) for creator in creators] == [0, 0, 0]
    store = open_store(url or None, root=tmp_path, workspace_id=workspace_id)
    tasks = AgentTasks(store, lease_seconds=60, mark_success=no_memory)
    assert [task.id for task in tasks.list()] == [f"CA-TASK-{number:03}" for number in range(1, 31)]
    store.close()
