"""Tasks from other tools: what comes in, what does not fit, and that a second time changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuedeck.model.errors import CueError
from cuedeck.store.protocol import Store
from cuedeck.tasks.agent_tasks import AgentTasks
from cuedeck.tasks.cards import Cards
from cuedeck.tasks.imports.backlog import read_backlog
from cuedeck.tasks.imports.beads import read_beads
from cuedeck.tasks.imports.foreign import ForeignStatus, ForeignTasks
from cuedeck.tasks.imports.plan import plan_import
from cuedeck.tasks.imports.sources import read_source
from cuedeck.tasks.imports.targets import into_agent_tasks, into_cards, into_todos
from cuedeck.tasks.imports.todo_txt import read_todo_txt
from cuedeck.tasks.todos import Todos


def issue(key: str, **more: Any) -> str:
    links = [
        {"issue_id": key, "depends_on_id": target, "type": kind}
        for kind, targets in more.pop("links", {}).items()
        for target in targets
    ]
    return json.dumps({"id": key, "title": f"Title of {key}", "dependencies": links, **more})


EXPORT = "\n".join(
    [
        issue("bd-1", issue_type="epic", status="open"),
        issue("bd-2", status="closed", priority=0, labels=["web"], links={"parent-child": ["bd-1"]}),
        issue("bd-3", status="open", links={"blocks": ["bd-2", "bd-404"], "related": ["bd-1"]}),
        issue("bd-4", status="in_progress", assignee="ann", links={"blocks": ["bd-3"]}),
        issue("bd-5", status="tombstone", title="x" * 250, links={"blocks": ["bd-6"]}),
        issue("bd-6", status="odd", issue_type="bug", links={"blocks": ["bd-5"]}),
        "not json",
        '{"id": "no title"}',
        "",
    ]
)


def told(tasks: ForeignTasks | Any) -> str:
    return "\n".join(f"{misfit.where}: {misfit.what}" for misfit in tasks.misfits)


def test_beads_lines_become_neutral_tasks() -> None:
    found = read_beads(EXPORT)
    tasks = {task.key: task for task in found.tasks}
    assert len(tasks) == 6
    assert (tasks["bd-2"].status, tasks["bd-2"].priority, tasks["bd-2"].parent) == (
        ForeignStatus.DONE,
        1,
        "bd-1",
    )
    assert tasks["bd-3"].depends_on == ("bd-2", "bd-404")
    assert tasks["bd-5"].status is ForeignStatus.DROPPED
    assert tasks["bd-6"].tags == ("bug",)
    for expected in (
        "line 7: not JSON",
        "line 8: no id or title",
        "bd-3: link 'related'",
        "bd-6: status 'odd'",
    ):
        assert expected in told(found)


def test_a_plan_drops_what_leads_nowhere_or_in_circles_and_says_so() -> None:
    plan = plan_import(read_beads(EXPORT), with_parents=False)
    keys = [task.key for task in plan.tasks]
    assert keys.index("bd-2") < keys.index("bd-3") < keys.index("bd-4")
    assert "bd-3: depends on bd-404, which is not there; dropped" in told(plan)
    assert "in a circle (bd-5 → bd-6 → bd-5); dropped" in told(plan)
    long = next(task for task in plan.tasks if task.key == "bd-5")
    assert (len(long.title), long.description) == (200, "x" * 250)


def test_beads_into_cards_twice(tmp_path: Path) -> None:
    cards = Cards(tmp_path)
    dry = into_cards(cards, read_beads(EXPORT), dry_run=True)
    assert (len(dry.made), dry.dry_run) == (6, True)
    assert not (tmp_path / ".cuedeck" / "cards").exists()
    report = into_cards(cards, read_beads(EXPORT), dry_run=False)
    assert (report.read, len(report.made), report.skipped) == (6, 6, 0)
    card = cards.get(report.made["bd-3"])
    assert card.depends_on == (report.made["bd-2"],)
    assert [cards.get(report.made[key]).status for key in ("bd-2", "bd-4", "bd-5")] == [
        "done",
        "active",
        "archived",
    ]
    assert cards.snapshot().cycle() is None
    again = into_cards(
        cards, read_beads(EXPORT + "\n" + issue("bd-7", links={"blocks": ["bd-3"]})), dry_run=False
    )
    assert (list(again.made), again.skipped) == (["bd-7"], 6)
    assert cards.get(again.made["bd-7"]).depends_on == (report.made["bd-3"],)


def test_beads_into_agent_tasks_twice(store: Store) -> None:
    tasks = AgentTasks(store, lease_seconds=60, mark_success=lambda *_: None)
    report = into_agent_tasks(tasks, read_beads(EXPORT), project="BD", dry_run=False)
    assert report.made["bd-1"] == "BD-EPIC-001"
    assert tasks.get("BD-EPIC-001").status == "done"
    third = tasks.get(report.made["bd-3"])
    assert (third.depends_on, third.status) == ((report.made["bd-2"],), "pending")
    assert tasks.get(report.made["bd-4"]).status == "pending"
    assert "bd-4: in progress by ann" in told(report)
    again = into_agent_tasks(tasks, read_beads(EXPORT), project="BD", dry_run=False)
    assert (again.made, again.skipped) == ({}, 6)


def test_a_task_that_was_imported_as_one_does_not_become_an_epic(store: Store) -> None:
    tasks = AgentTasks(store, lease_seconds=60, mark_success=lambda *_: None)
    into_agent_tasks(tasks, read_beads(issue("a")), project="X", dry_run=False)
    tasks.claim("ann")
    later = issue("a") + "\n" + issue("b", links={"parent-child": ["a"]})
    report = into_agent_tasks(tasks, read_beads(later), project="X", dry_run=False)
    assert tasks.get(report.made["b"]).parent is None
    assert "b: belongs to a, which is a task here; dropped" in told(report)
    assert tasks.get("X-TASK-001").status == "in_progress"


def test_a_child_that_waits_for_its_parent_is_freed(store: Store) -> None:
    tasks = AgentTasks(store, lease_seconds=60, mark_success=lambda *_: None)
    text = issue("e", issue_type="epic") + "\n" + issue("c", links={"parent-child": ["e"], "blocks": ["e"]})
    report = into_agent_tasks(tasks, read_beads(text), project="X", dry_run=False)
    assert tasks.get(report.made["c"]).depends_on == ()
    assert "in a circle" in told(report)


def backlog(root: Path, place: str, name: str, text: str) -> None:
    path = root / "backlog" / place / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_backlog_folder_becomes_neutral_tasks(tmp_path: Path) -> None:
    front = "status: In Progress\nassignee:\n  - @ann\n  - '@bob'\nlabels: [a]\nparent_task_id: TASK-0"
    backlog(
        tmp_path,
        "tasks",
        "one",
        f"---\nid: TASK-1\ntitle: 'One: it'\n{front}\n---\n\n## Description\n\nText\n",
    )
    backlog(tmp_path, "completed", "two", "---\nid: task-2\ntitle: Two\ndependencies: [task-1]\n---\n")
    backlog(tmp_path, "archive/tasks", "three", "---\nid: task-3\ntitle: Three\nstatus: To Do\n---\n")
    backlog(tmp_path, "drafts", "four", "---\nid: task-4\ntitle: Four\nstatus: Odd\npriority: high\n---\n")
    backlog(tmp_path, "tasks", "readme", "just words\n")
    found = read_backlog(tmp_path)
    tasks = {task.key: task for task in found.tasks}
    assert list(tasks) == ["task-1", "task-2", "task-4", "task-3"]
    assert (tasks["task-1"].assignee, tasks["task-1"].status) == ("@ann", ForeignStatus.ACTIVE)
    assert (tasks["task-2"].depends_on, tasks["task-2"].status) == (("task-1",), ForeignStatus.DONE)
    assert tasks["task-3"].status is ForeignStatus.DROPPED
    assert (tasks["task-4"].tags, tasks["task-4"].priority) == (("draft",), 2)
    for expected in ("2 assignees", "status 'Odd'", "tasks/readme.md"):
        assert expected in told(found)
    (tmp_path / "target").mkdir()
    cards = Cards(tmp_path / "target")
    made = into_cards(cards, found, dry_run=False).made
    assert cards.content(made["task-1"]).body == "\n# One: it\n\n## Description\n\nText\n"


TODO_TXT = """(A) 2026-01-02 Call Mum +family @phone due:2026-02-12
x 2026-01-03 2026-01-01 Pay rent
Pay rent
Watch https://example.org/a:b at 12:30 due:someday
(Z) last
"""


def test_todo_txt_lines_become_neutral_tasks() -> None:
    found = read_todo_txt(TODO_TXT)
    call, paid, pay, watch, last = found.tasks
    assert (call.title, call.priority, call.due_date) == ("Call Mum +family @phone", 1, "2026-02-12")
    assert call.tags == ("family", "phone")
    assert call.created is not None
    assert (paid.status, paid.title, paid.created and paid.created.day) == (ForeignStatus.DONE, "Pay rent", 1)
    assert (pay.status, pay.key) == (ForeignStatus.OPEN, "Pay rent (2)")
    assert watch.title == "Watch https://example.org/a:b at 12:30 due:someday"
    assert last.priority == 5
    assert "'due:someday' is not a date" in told(found)


def test_todo_txt_into_todos_twice_and_back(store: Store) -> None:
    mine = Todos(store).of("ann")
    report = into_todos(mine, read_todo_txt(TODO_TXT), dry_run=False)
    assert len(report.made) == 5
    page = mine.list("all")
    assert {todo.title: todo.due_date for todo in page.todos}["Call Mum +family @phone"] == "2026-02-12"
    assert mine.list("complete").total == 1
    again = into_todos(mine, read_todo_txt(TODO_TXT), dry_run=True)
    assert again.skipped == 5
    done = "x 2026-02-01 Sweep\nx 2026-02-02 Mop\n"
    assert [len(into_todos(mine, read_todo_txt(done), dry_run=False).made) for _ in range(2)] == [2, 0]
    assert mine.undo() == "adding 2 tasks"
    assert mine.undo() == "adding 5 tasks"
    assert mine.list("all").total == 0


def test_the_format_is_recognised_or_asked_for(tmp_path: Path) -> None:
    (tmp_path / "issues.jsonl").write_text(issue("bd-1"))
    (tmp_path / "todo.txt").write_text("x\n")
    (tmp_path / "thing.csv").write_text("x\n")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9\n")
    assert read_source(tmp_path / "issues.jsonl").source == "beads"
    assert read_source(tmp_path / "todo.txt").source == "todo.txt"
    assert read_source(tmp_path / "thing.csv", "todo.txt").source == "todo.txt"
    marked = issue("bd-1") + "\n" + json.dumps({"id": "bd-2", "title": "a\u2028b\x85c"}, ensure_ascii=False)
    (tmp_path / "marked.jsonl").write_text(marked, encoding="utf-8-sig")
    read = read_source(tmp_path / "marked.jsonl")
    assert [task.key for task in read.tasks] == ["bd-1", "bd-2"] and not read.misfits
    for wrong in ("thing.csv", "latin.txt", "missing"):
        with pytest.raises(CueError):
            read_source(tmp_path / wrong)


@given(st.text(max_size=200))
def test_no_text_can_crash_a_reader(text: str) -> None:
    for read in (read_beads, read_todo_txt):
        plan_import(read(text), with_parents=True)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda v: st.lists(v, max_size=2)
)


@given(
    st.dictionaries(st.sampled_from(["status", "priority", "labels", "dependencies", "created_at"]), values)
)
def test_no_issue_can_crash_the_beads_reader(fields: dict[str, Any]) -> None:
    assert len(read_beads(json.dumps({"id": "a", "title": "b", **fields})).tasks) == 1


def test_text_no_file_can_hold_is_made_to_fit(tmp_path: Path) -> None:
    text = json.dumps({"id": "a", "title": "nul\0 and \ud800", "description": "\udfff"})
    report = into_cards(Cards(tmp_path), read_beads(text), dry_run=False)
    assert Cards(tmp_path).get(report.made["a"]).title == "nul and ?"
