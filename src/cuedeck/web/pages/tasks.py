"""Agent tasks: epics with their progress, who holds what, and the two changes a person makes."""

from __future__ import annotations

from collections.abc import Sequence

from cuedeck.graph import dependency_graph
from cuedeck.model.errors import invalid
from cuedeck.tasks.agent_task import AgentTask, TaskStatus, TaskType
from cuedeck.tasks.progress import EpicProgress
from cuedeck.web.asked import Asked, Page
from cuedeck.web.drawing import Node, layered
from cuedeck.web.html import Html, el, join, url
from cuedeck.web.layout import badge, bar, choice, facts, link, moment, note, panel, post, table

MOST_ROWS = 300
MOST_NODES = 150
ORDER = (TaskStatus.IN_PROGRESS, TaskStatus.BLOCKED, TaskStatus.PENDING, TaskStatus.DONE)


def tasks(asked: Asked) -> Page:
    """Epics, all tasks and what waits for what."""
    project, status = asked.given("project"), asked.given("status")
    if status is not None and status not in set(TaskStatus):
        raise invalid("status", ", ".join(TaskStatus), status)
    engine = asked.workspace.agent_tasks
    wanted = TaskStatus(status) if status else None
    total = engine.count(project=project, status=wanted, type=TaskType.TASK)
    shown: list[AgentTask] = []
    for each in (wanted,) if wanted else ORDER:
        room = MOST_ROWS - len(shown)
        some = engine.list(project=project, status=each, type=TaskType.TASK, limit=room) if room else ()
        shown += sorted(some, key=lambda task: task.priority)
    body = [
        el(
            "form",
            choice("status", "Status", ("", *TaskStatus), status),
            el("label", "Project ", el("input", name="project", value=project or "", maxlength=64)),
            el("button", "Filter", type="submit"),
            class_="filters",
        ),
        panel("Epics", _epics(asked, engine.progress(project).epics)),
        panel(f"Tasks ({total})", _listing(asked, shown)),
        note(f"{total - len(shown)} more; filter to see them.") if total > len(shown) else None,
        panel("Dependencies", _graph(asked, shown)),
    ]
    return Page("Tasks", "tasks", join(body))


def task(asked: Asked) -> Page:
    """One task."""
    found = asked.workspace.agent_tasks.get(asked.names["id"])
    shown = facts(
        [
            ("Status", badge(found.status)),
            ("Project", found.project),
            ("Priority", found.priority),
            ("Agent", found.agent),
            ("Lease until", moment(found.lease_until)),
            ("Epic", link(found.parent, f"/tasks/{found.parent}") if found.parent else None),
            ("Waits for", [[link(i, f"/tasks/{i}"), " "] for i in found.depends_on] or None),
            ("Own files", ", ".join(found.files_exclusive)),
            ("Read files", ", ".join(found.files_readonly)),
            ("Blocked because", asked.masked(found.block_reason or "")),
            (
                "Resolved by",
                link(found.resolved_by, f"/memory/{found.resolved_by}") if found.resolved_by else None,
            ),
            ("Summary", asked.masked(found.summary or "")),
            ("Created", moment(found.created_at)),
            ("Completed", moment(found.completed_at)),
        ]
    )
    text = el("pre", asked.masked(found.description), class_="prose") if found.description else None
    return Page(
        f"{found.id}: {asked.masked(found.name)}", "tasks", join([shown, _changes(asked, found), text])
    )


def complete(asked: Asked) -> str:
    """Mark a task as done."""
    return url(f"/tasks/{asked.workspace.agent_tasks.complete(asked.names['id']).id}")


def release(asked: Asked) -> str:
    """Put a task back among those that wait."""
    return url(f"/tasks/{asked.workspace.agent_tasks.release(asked.names['id']).id}")


def _epics(asked: Asked, epics: tuple[EpicProgress, ...]) -> Html:
    rows = [
        (
            link(name := asked.masked(epic.name), f"/tasks/{epic.id}"),
            bar(epic.counts.done / epic.counts.total if epic.counts.total else 0.0, name),
            f"{epic.counts.done} of {epic.counts.total}",
            epic.counts.in_progress,
            epic.counts.blocked,
        )
        for epic in epics
    ]
    return table(("Epic", "Progress", "Done", "In progress", "Blocked"), rows, "There are no epics.")


def _listing(asked: Asked, found: list[AgentTask]) -> Html:
    rows = [
        (
            link(task.id, f"/tasks/{task.id}"),
            asked.masked(task.name),
            badge(task.status),
            task.agent,
            moment(task.lease_until),
            _changes(asked, task),
        )
        for task in found
    ]
    return table(("Task", "Name", "Status", "Agent", "Lease", ""), rows, "There are no tasks.")


def _changes(asked: Asked, task: AgentTask) -> Html | None:
    if not asked.writable or task.type is TaskType.EPIC:
        return None
    at = url(f"/tasks/{task.id}")
    done = post(f"{at}/complete", "Complete") if task.status is not TaskStatus.DONE else None
    back = post(f"{at}/release", "Release") if task.status is not TaskStatus.PENDING else None
    return el("div", done, back, class_="moves")


def _graph(asked: Asked, shown: Sequence[AgentTask]) -> Html:
    graph = dependency_graph((task.id, task.depends_on) for task in shown)
    joined = [i for i in graph.needs if graph.needs[i] or graph.needed_by[i]][:MOST_NODES]
    if not joined:
        return note("No task waits for another.")
    tasks = {task.id: task for task in shown}
    nodes = {i: Node(asked.masked(tasks[i].name), tasks[i].status, url(f"/tasks/{i}")) for i in joined}
    return layered(graph.within(joined), nodes, "Which task waits for which")
