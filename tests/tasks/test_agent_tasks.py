"""Agent tasks: numbers without gaps, one holder at a time, and reasons when there is nothing to do."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from cuedeck.model.errors import CueError, ErrorCode, not_found
from cuedeck.store.protocol import Session, Store
from cuedeck.tasks.agent_task import TaskDraft, TaskStatus, TaskType
from cuedeck.tasks.agent_tasks import AgentTasks


class Ledger:
    """Stands where the memory engine does: knows one episode, remembers what was marked."""

    def __init__(self) -> None:
        self.marked: list[str] = []

    def mark_success(self, session: Session, memory_id: str, summary: str | None) -> None:
        if memory_id != "memory:known":
            raise not_found(f"There is no memory {memory_id}", id=memory_id)
        self.marked.append(memory_id)


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def tasks(store: Store, ledger: Ledger) -> AgentTasks:
    return AgentTasks(store, lease_seconds=60, mark_success=ledger.mark_success)


def add(tasks: AgentTasks, name: str, **more: object) -> str:
    return tasks.create(TaskDraft("CA", name, **more)).id  # type: ignore[arg-type]


def test_ids_count_per_project_and_type(tasks: AgentTasks) -> None:
    made = [
        tasks.create(TaskDraft("CA", "a")).id,
        tasks.create(TaskDraft("CA", "b")).id,
        tasks.create(TaskDraft("CA", "e", type=TaskType.EPIC)).id,
        tasks.create(TaskDraft("other", "c")).id,
    ]
    assert made == ["CA-TASK-001", "CA-TASK-002", "CA-EPIC-001", "other-TASK-001"]


def test_a_refused_task_takes_no_number(tasks: AgentTasks) -> None:
    with pytest.raises(CueError):
        add(tasks, "x", depends_on=("CA-TASK-999",))
    assert add(tasks, "y") == "CA-TASK-001"


def test_every_field_comes_back(tasks: AgentTasks) -> None:
    base = add(tasks, "base")
    epic = add(tasks, "epic", type=TaskType.EPIC)
    draft = TaskDraft(
        "CA",
        'Fix: "x"; DROP TABLE agent_tasks; -- % _ \\ 🙂',
        description="line\nline",
        priority=1,
        files_exclusive=("src/a.py",),
        files_readonly=("docs/",),
        depends_on=(base,),
        parent=epic,
        suggested_model="opus",
    )
    made = tasks.create(draft)
    assert tasks.get(made.id) == made
    value = made.to_json()
    assert value["name"] == draft.name
    assert value["status"] == "pending"
    assert (value["depends_on"], value["parent"], value["files_exclusive"]) == ([base], epic, ["src/a.py"])
    assert value["created_at"].endswith("Z")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("project", ""),
        ("project", "a b"),
        ("project", "../x"),
        ("name", " "),
        ("name", "x" * 501),
        ("name", "nul\0"),
        ("description", "\ud800"),
        ("priority", 0),
        ("priority", 6),
        ("files_exclusive", ("/etc",)),
        ("depends_on", ("CA-TASK-404",)),
    ],
)
def test_what_cannot_be_a_task_is_refused(tasks: AgentTasks, field: str, value: object) -> None:
    values = {"project": "CA", "name": "x", field: value}
    with pytest.raises(CueError) as refusal:
        tasks.create(TaskDraft(**values))  # type: ignore[arg-type]
    assert refusal.value.data["field"] == field


def test_an_unknown_parent_is_not_found_and_a_task_is_no_parent(tasks: AgentTasks) -> None:
    with pytest.raises(CueError) as unknown:
        add(tasks, "x", parent="CA-EPIC-009")
    assert unknown.value.code is ErrorCode.NOT_FOUND
    with pytest.raises(CueError) as wrong:
        add(tasks, "x", parent=add(tasks, "not an epic"))
    assert wrong.value.code is ErrorCode.VALIDATION


def test_a_task_cannot_wait_for_its_own_epic(tasks: AgentTasks) -> None:
    outer = add(tasks, "outer", type=TaskType.EPIC)
    inner = add(tasks, "inner", type=TaskType.EPIC, parent=outer)
    after = add(tasks, "after", depends_on=(outer,))
    free = add(tasks, "free")
    for awaited in (inner, outer, after):
        with pytest.raises(CueError) as refusal:
            add(tasks, "x", parent=inner, depends_on=(free, awaited))
        assert refusal.value.code is ErrorCode.CYCLE
        path = refusal.value.data["cycle_path"]
        assert path[0] == path[-1] in (inner, outer) and free not in path


def test_next_is_the_most_urgent_then_the_oldest(tasks: AgentTasks) -> None:
    add(tasks, "old")
    add(tasks, "epic", type=TaskType.EPIC, priority=1)
    add(tasks, "urgent", priority=1)
    add(tasks, "urgent too", priority=1)
    names = []
    while (found := tasks.next()).task:
        names.append(found.task.name)
        tasks.complete(found.task.id)
    assert names == ["urgent", "urgent too", "old"]


def test_dependencies_hold_a_task_back_across_projects(tasks: AgentTasks) -> None:
    base = tasks.create(TaskDraft("OTHER", "base")).id
    add(tasks, "top", depends_on=(base,))
    nothing = tasks.next("CA")
    assert nothing.task is None
    assert (
        nothing.reason
        == "No task can be started: 1 waiting for dependencies: CA-TASK-001 needs OTHER-TASK-001."
    )
    tasks.complete(base)
    found = tasks.next("CA").task
    assert found is not None
    assert found.name == "top"


def test_completing_names_what_can_start_now(tasks: AgentTasks) -> None:
    first, second = add(tasks, "first"), add(tasks, "second")
    both = add(tasks, "both", depends_on=(first, second))
    tasks.complete(first)
    assert tasks.freed_by(first) == []
    tasks.complete(second)
    assert tasks.freed_by(second) == [both]


def test_reasons_when_there_is_nothing_to_do(tasks: AgentTasks) -> None:
    assert tasks.next().reason == "There are no tasks."
    first = add(tasks, "first", files_exclusive=("src/",))
    second = add(tasks, "second", files_exclusive=("src/a.py",))
    tasks.block(add(tasks, "third"), "no access")
    assert tasks.claim("ann").task == tasks.get(first)
    reason = tasks.claim("bob").reason
    assert reason == (
        f"No task can be started: 1 held back by files in use: {second}: src/a.py is held by {first} (ann); "
        "1 blocked; 1 in progress."
    )
    tasks.complete(first)
    tasks.complete(second)
    tasks.complete("CA-TASK-003")
    assert tasks.next().reason == "All 3 tasks are done."


def test_peeking_changes_nothing(tasks: AgentTasks) -> None:
    task_id = add(tasks, "x")
    before = tasks.get(task_id)
    assert tasks.next().task == before
    assert tasks.next().task == before


def test_a_claim_names_its_holder_and_ends_with_its_lease(tasks: AgentTasks) -> None:
    task_id = add(tasks, "x")
    claimed = tasks.claim("ann", lease_seconds=0).task
    assert claimed is not None
    assert (claimed.id, claimed.status, claimed.agent) == (task_id, TaskStatus.IN_PROGRESS, "ann")
    threading.Event().wait(0.01)
    again = tasks.claim("bob").task
    assert again is not None
    assert again.agent == "bob"
    assert tasks.claim("cleo").task is None
    with pytest.raises(CueError) as lost:
        tasks.complete(task_id, agent="ann")
    assert "held by 'bob'" in lost.value.message
    done = tasks.complete(task_id, agent="bob")
    assert done.status is TaskStatus.DONE
    assert tasks.complete(task_id, agent="bob") == done
    with pytest.raises(CueError) as late:
        tasks.complete(task_id, agent="ann", summary="I did it")
    assert "done by 'bob'" in late.value.message


def test_a_renewed_claim_lives_on(tasks: AgentTasks) -> None:
    task_id = add(tasks, "x")
    claimed = tasks.claim("ann", lease_seconds=1).task
    assert claimed is not None
    renewed = tasks.renew(task_id, agent="ann", lease_seconds=500)
    assert renewed.lease_until is not None
    assert claimed.lease_until is not None
    assert renewed.lease_until > claimed.lease_until + 400_000
    with pytest.raises(CueError):
        tasks.renew(task_id, agent="bob")


def test_completing_twice_changes_nothing_that_was_said(tasks: AgentTasks) -> None:
    task_id = add(tasks, "x")
    first = tasks.complete(task_id, summary="did it")
    again = tasks.complete(task_id)
    assert (again.summary, again.completed_at) == ("did it", first.completed_at)


def test_an_episode_is_marked_with_the_task_or_not_at_all(tasks: AgentTasks, ledger: Ledger) -> None:
    task_id = add(tasks, "x")
    with pytest.raises(CueError) as unknown:
        tasks.complete(task_id, resolved_by="memory:nope")
    assert unknown.value.code is ErrorCode.NOT_FOUND
    assert tasks.get(task_id).status is TaskStatus.PENDING
    assert tasks.complete(task_id, resolved_by="memory:known").resolved_by == "memory:known"
    assert ledger.marked == ["memory:known"]


def test_epics_follow_their_children_all_the_way_up(tasks: AgentTasks) -> None:
    outer = add(tasks, "outer", type=TaskType.EPIC)
    inner = add(tasks, "inner", type=TaskType.EPIC, parent=outer)
    first = add(tasks, "first", parent=inner)
    second = add(tasks, "second", parent=inner)

    def statuses() -> list[str]:
        return [tasks.get(epic).status for epic in (outer, inner)]

    assert statuses() == ["pending", "pending"]
    tasks.claim("ann")
    assert statuses() == ["in_progress", "in_progress"]
    with pytest.raises(CueError) as early:
        tasks.complete(inner)
    assert early.value.data["open"] == [first, second]
    tasks.complete(first)
    tasks.complete(second)
    assert statuses() == ["done", "done"]
    tasks.release(inner)
    assert statuses() == ["done", "done"]
    add(tasks, "third", parent=inner)
    assert statuses() == ["in_progress", "in_progress"]


def test_progress_counts_all_and_each_epic(tasks: AgentTasks) -> None:
    epic = add(tasks, "epic", type=TaskType.EPIC)
    tasks.complete(add(tasks, "a", parent=epic))
    add(tasks, "b", parent=epic)
    tasks.block(add(tasks, "c"), "why")
    value = tasks.progress().to_json()
    assert (value["total"], value["done"], value["blocked"], value["done_share"]) == (3, 1, 1, 0.333)
    assert value["epics"] == [
        {
            "task_id": epic,
            "name": "epic",
            "pending": 1,
            "in_progress": 0,
            "blocked": 0,
            "done": 1,
            "total": 2,
            "done_share": 0.5,
        }
    ]


def test_a_blocked_task_waits_until_it_is_released(tasks: AgentTasks) -> None:
    task_id = add(tasks, "x")
    assert tasks.block(task_id, "waiting for a key").block_reason == "waiting for a key"
    assert tasks.next().task is None
    assert tasks.release(task_id).status is TaskStatus.PENDING
    assert tasks.next().task is not None


def test_filters(tasks: AgentTasks) -> None:
    add(tasks, "a")
    tasks.complete(add(tasks, "b"))
    tasks.create(TaskDraft("OTHER", "c"))
    add(tasks, "d", type=TaskType.EPIC)
    assert [task.name for task in tasks.list(project="CA")] == ["a", "b", "d"]
    assert [task.name for task in tasks.list(status=TaskStatus.DONE)] == ["b"]
    assert [task.name for task in tasks.list(type=TaskType.EPIC)] == ["d"]
    assert tasks.list(project="%") == []


@pytest.mark.parametrize("task_id", ["CA-TASK-404", "", "' OR 1=1 --", "%", "nul\0"])
def test_an_unknown_id_is_not_found(tasks: AgentTasks, task_id: str) -> None:
    add(tasks, "x")
    with pytest.raises(CueError) as refusal:
        tasks.complete(task_id)
    assert refusal.value.code is ErrorCode.NOT_FOUND


def test_threads_creating_and_claiming_at_once(tasks: AgentTasks) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: add(tasks, f"t{n}"), range(24)))
        assert sorted(made) == [f"CA-TASK-{n:03}" for n in range(1, 25)]
        claims = list(pool.map(lambda n: tasks.claim(f"agent {n}").task, range(30)))
    taken = [task.id for task in claims if task]
    assert sorted(taken) == sorted(made)
    assert len(claims) - len(taken) == 6
