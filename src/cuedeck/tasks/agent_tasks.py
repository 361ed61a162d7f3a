"""Agent tasks: created with gapless numbers, claimed by one agent at a time, completed with their epics."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cuedeck.graph import DependencyGraph, dependency_graph
from cuedeck.graph.drawing import Label
from cuedeck.model.errors import CueError, ErrorCode, invalid, not_found
from cuedeck.model.text import checked
from cuedeck.store import tasks as statements
from cuedeck.store.protocol import Row, Session, Store
from cuedeck.store.runs import now_ms
from cuedeck.tasks.agent_task import AgentTask, TaskDraft, TaskStatus, TaskType, task_from_row
from cuedeck.tasks.files import checked_paths
from cuedeck.tasks.next_task import EXAMPLES, NextTask, holders, nothing_to_do
from cuedeck.tasks.progress import Progress, progress_of

MAX_NAME = 500
MAX_TEXT = 100_000
_PROJECT = re.compile(r"\w[\w.-]{0,63}")
_PAGE = 100


# What the memory engine does, in the same transaction, for the episode that resolved a task: it records
# a success and the task's summary, or raises NOT_FOUND.
MarkSuccess = Callable[[Session, str, str | None], None]


class AgentTasks:
    """The tasks of a workspace; any number of processes may share them."""

    def __init__(
        self, store: Store, *, lease_seconds: int, mark_success: MarkSuccess, actor: str = "tasks"
    ) -> None:
        self._store = store
        self._lease_ms = lease_seconds * 1000
        self._mark_success = mark_success
        self._actor = actor

    def create(self, draft: TaskDraft) -> AgentTask:
        """Add a task or epic; what it names must exist and must not wait for it."""
        draft = _checked(draft)
        with self._store.state.write(actor=self._actor) as session:
            _check_links(session, draft)
            task_id = _new_id(session, draft)
            statements.insert(session, _new_row(task_id, draft, now_ms(session)), draft.depends_on)
            _settle_epics(session, draft.parent)
            return _load(session, task_id)

    def create_all(
        self, entries: Mapping[str, tuple[TaskDraft, TaskStatus]], *, known: Mapping[str, str]
    ) -> dict[str, str]:
        """Add many at once, in an order in which each comes after what it needs; their ids by key.

        Drafts name each other by key; ``known`` are keys of tasks that exist.
        """
        for draft, _status in entries.values():
            _checked(draft)
        with self._store.state.write(actor=self._actor) as session:
            now = now_ms(session)
            ids = {key: _new_id(session, draft) for key, (draft, _status) in entries.items()}
            names = {**known, **ids}
            for key, (draft, status) in entries.items():
                parent = names[draft.parent] if draft.parent else None
                needs = tuple(names[target] for target in draft.depends_on)
                row = _new_row(ids[key], replace(draft, parent=parent), now)
                statements.insert(session, row | _state(status, draft.note, now), needs)
            for epic_id in dict.fromkeys(names[d.parent] for d, _ in entries.values() if d.parent):
                _settle_epics(session, epic_id)
        return ids

    def imported(self) -> Mapping[str, str]:
        """The ids of tasks that came from elsewhere, by their source."""
        with self._store.state.read() as session:
            return statements.sources(session)

    def get(self, task_id: str) -> AgentTask:
        """One task, or NOT_FOUND."""
        with self._store.state.read() as session:
            return _load(session, task_id)

    def list(
        self,
        *,
        project: str | None = None,
        status: TaskStatus | None = None,
        type: TaskType | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> Sequence[AgentTask]:
        """Tasks in the order they were created, or a part of them."""
        with self._store.state.read() as session:
            rows = statements.listing(
                session, project=project, status=status, type_=type, limit=limit, offset=offset
            )
            return _tasks(session, rows)

    def naming(self, word: str, *, most: int) -> Sequence[AgentTask]:
        """The tasks in which a word occurs, newest first."""
        with self._store.state.read() as session:
            return _tasks(session, statements.naming(session, word, limit=most))

    def count(
        self, *, project: str | None = None, status: TaskStatus | None = None, type: TaskType | None = None
    ) -> int:
        """How many tasks there are to list."""
        with self._store.state.read() as session:
            return statements.count(session, project=project, status=status, type_=type)

    def next(self, project: str | None = None) -> NextTask:
        """The task to do next, or why there is none; nothing changes."""
        with self._store.state.read() as session:
            return self._next(session, project, now_ms(session))

    def claim(self, agent: str, project: str | None = None, *, lease_seconds: int | None = None) -> NextTask:
        """Take the next task for an agent, until its lease ends."""
        checked("agent", agent, longest=200)
        lease = self._lease_ms if lease_seconds is None else lease_seconds * 1000
        # Agents that wait ask often; only one that can have a task takes the writers' turn.
        glimpse = self.next(project)
        if glimpse.task is None:
            return glimpse
        with self._store.state.write(actor=f"{self._actor}:{agent}") as session:
            now = now_ms(session)
            found = self._next(session, project, now)
            if found.task is None:
                return found
            statements.claim(session, found.task.id, agent=agent, lease_until=now + lease, now=now)
            _settle_epics(session, found.task.parent)
            return NextTask(_load(session, found.task.id), None)

    def complete(
        self,
        task_id: str,
        *,
        resolved_by: str | None = None,
        summary: str | None = None,
        agent: str | None = None,
    ) -> AgentTask:
        """Mark a task as done; an epic only when its children are."""
        if summary is not None:
            checked("summary", summary, longest=MAX_TEXT, blank=True)
        with self._store.state.write(actor=self._actor) as session:
            task = self._held(session, task_id, agent)
            if task.status is TaskStatus.DONE and resolved_by is None and summary is None:
                return task
            _check_children_done(session, task)
            if resolved_by is not None:
                self._mark_success(session, resolved_by, summary)
            statements.finish(session, task_id, resolved_by=resolved_by, summary=summary, now=now_ms(session))
            _settle_epics(session, task.parent)
            return _load(session, task_id)

    def block(self, task_id: str, reason: str, *, agent: str | None = None) -> AgentTask:
        """Say that a task cannot go on, and why; the claim ends."""
        checked("block", reason, longest=MAX_TEXT)
        with self._store.state.write(actor=self._actor) as session:
            task = self._held(session, task_id, agent)
            statements.block(session, task_id, reason=reason, now=now_ms(session))
            _settle_epics(session, task.parent)
            return _load(session, task_id)

    def release(self, task_id: str, *, agent: str | None = None) -> AgentTask:
        """Put a claimed, blocked or finished task back among the pending ones."""
        with self._store.state.write(actor=self._actor) as session:
            task = self._held(session, task_id, agent)
            statements.release(session, task_id, now=now_ms(session))
            _settle_epics(session, task.id if task.type is TaskType.EPIC else task.parent)
            return _load(session, task_id)

    def renew(self, task_id: str, *, agent: str, lease_seconds: int | None = None) -> AgentTask:
        """Extend the claim an agent holds."""
        lease = self._lease_ms if lease_seconds is None else lease_seconds * 1000
        with self._store.state.write(actor=self._actor) as session:
            task = self._held(session, task_id, agent)
            if task.status is not TaskStatus.IN_PROGRESS:
                raise invalid("task_id", "a task in progress", f"{task_id} is {task.status}")
            now = now_ms(session)
            statements.renew(session, task_id, lease_until=now + lease, now=now)
            return _load(session, task_id)

    def freed_by(self, task_id: str, *, status: TaskStatus = TaskStatus.PENDING) -> Sequence[str]:
        """Tasks that could start because this one is done, if they are pending or what is asked for."""
        with self._store.state.read() as session:
            return statements.freed_by(session, task_id, status=status)

    def progress(self, project: str | None = None) -> Progress:
        """How far the tasks and every epic are."""
        with self._store.state.read() as session:
            epics = statements.listing(session, project=project, type_="epic")
            return progress_of(statements.tally(session, project=project), epics)

    def graph(self, project: str | None = None) -> tuple[DependencyGraph, dict[str, Label]]:
        """What waits for what, and how to label it."""
        tasks = self.list(project=project)
        edges = dependency_graph((task.id, task.depends_on) for task in tasks)
        return edges, {task.id: Label(task.name, task.status) for task in tasks}

    def _next(self, session: Session, project: str | None, now: int) -> NextTask:
        held_back = holders(statements.working(session, now=now))
        after: Row | None = None
        held: list[tuple[str, str]] = []
        while rows := statements.ready(session, project=project, now=now, after=after, limit=_PAGE):
            for row in rows:
                reason = held_back(row["files_exclusive"])
                if reason is None:
                    return NextTask(_tasks(session, [row])[0], None)
                held.append((row["id"], reason))
            after = rows[-1]
        tally = statements.tally(session, project=project)
        waiting = statements.waiting(session, project=project, now=now, limit=EXAMPLES)
        return NextTask(None, nothing_to_do(tally, waiting, held))

    def _held(self, session: Session, task_id: str, agent: str | None) -> AgentTask:
        """The task, unless ``agent`` is given and the claim is no longer its own."""
        task = _load(session, task_id)
        if agent is not None and task.agent != agent:
            word = "done by" if task.status is TaskStatus.DONE else "held by"
            holder = f"{word} '{task.agent}'" if task.agent else "not claimed"
            raise CueError(
                ErrorCode.VALIDATION,
                f"{task_id} is {holder}, not by '{agent}'",
                data={"field": "agent", "expected": task.agent, "actual": agent},
                hint="The lease ended and it went on without you: ask get_next_task (`cue task next`).",
            )
        return task


def _checked(draft: TaskDraft) -> TaskDraft:
    if not _PROJECT.fullmatch(draft.project):
        raise invalid("project", "1 to 64 letters, digits, '_', '.' or '-'", draft.project)
    checked("name", draft.name, longest=MAX_NAME)
    checked("description", draft.description, longest=MAX_TEXT, blank=True)
    if not 1 <= draft.priority <= 5:
        raise invalid("priority", "1 (highest) to 5 (lowest)", draft.priority)
    checked_paths("files_exclusive", draft.files_exclusive)
    checked_paths("files_readonly", draft.files_readonly)
    return draft


def _check_links(session: Session, draft: TaskDraft) -> None:
    known = statements.existing(session, draft.depends_on)
    for target in draft.depends_on:
        if target not in known:
            raise CueError(
                ErrorCode.DEPENDENCY_NOT_FOUND,
                f"Unknown dependency '{target[:100]}'",
                data={"field": "depends_on", "expected": "ids of existing tasks", "actual": target[:100]},
                hint="list_tasks (`cue task list`) shows the ids.",
            )
    if draft.parent is None:
        return
    parent = _load(session, draft.parent)
    if parent.type is not TaskType.EPIC:
        raise invalid("parent", "the id of an epic", f"{parent.id} is a task")
    ancestors = _ancestors(session, parent)
    for target in draft.depends_on if statements.leads_to(session, draft.depends_on, ancestors) else ():
        if epic := statements.leads_to(session, [target], ancestors):
            raise CueError(
                ErrorCode.CYCLE,
                f"Circular dependency: a task of {draft.parent} cannot wait for {target}, which waits for it",
                data={"field": "depends_on", "cycle_path": [*dict.fromkeys((epic, target)), epic]},
            )


def _ancestors(session: Session, epic: AgentTask) -> list[str]:
    chain = [epic.id]
    while epic.parent is not None and epic.parent not in chain:
        epic = _load(session, epic.parent)
        chain.append(epic.id)
    return chain


def _new_id(session: Session, draft: TaskDraft) -> str:
    number = statements.next_number(session, draft.project, draft.type)
    return f"{draft.project}-{draft.type.upper()}-{number:03}"


def _state(status: TaskStatus, note: str | None, now: int) -> dict[str, Any]:
    """The columns of a task that starts its life here as more than pending."""
    match status:
        case TaskStatus.DONE:
            return {"status": status, "completed_at": now, "summary": note}
        case TaskStatus.BLOCKED:
            return {"status": status, "block_reason": note or "blocked before it was imported"}
        case _:
            return {"status": status}


def _new_row(task_id: str, draft: TaskDraft, now: int) -> dict[str, Any]:
    return {
        "id": task_id,
        "project": draft.project,
        "type": draft.type,
        "name": draft.name,
        "description": draft.description,
        "status": TaskStatus.PENDING,
        "priority": draft.priority,
        "files_exclusive": json.dumps(draft.files_exclusive),
        "files_readonly": json.dumps(draft.files_readonly),
        "parent": draft.parent,
        "suggested_model": draft.suggested_model,
        "source": draft.source,
        "created_at": now,
        "updated_at": now,
    }


def _check_children_done(session: Session, task: AgentTask) -> None:
    if task.type is not TaskType.EPIC:
        return
    open_ = statements.open_children(session, task.id)
    if open_:
        raise CueError(
            ErrorCode.VALIDATION,
            f"{task.id} still has {len(open_)} open: {', '.join(open_[:5])}{'…' if len(open_) > 5 else ''}",
            data={"field": "task_id", "expected": "an epic whose tasks are done", "open": open_[:100]},
            hint="An epic completes by itself when its last task does.",
        )


def _settle_epics(session: Session, epic_id: str | None) -> None:
    """Give the epic and those above it the status their children call for."""
    seen: set[str] = set()
    while epic_id is not None and epic_id not in seen:
        seen.add(epic_id)
        statuses = statements.child_statuses(session, epic_id)
        if statuses == {"done"}:
            status = TaskStatus.DONE
        elif statuses & {"done", "in_progress"}:
            status = TaskStatus.IN_PROGRESS
        else:
            status = TaskStatus.PENDING
        statements.set_epic(session, epic_id, status=status, now=now_ms(session))
        epic_id = _load(session, epic_id).parent


def _load(session: Session, task_id: str) -> AgentTask:
    row = statements.find(session, task_id) if "\0" not in task_id else None
    if row is None:
        raise not_found(
            f"Task Not Found: there is no task '{task_id[:100]}'",
            hint="list_tasks (`cue task list`) shows the ids.",
            task_id=task_id[:100],
        )
    return _tasks(session, [row])[0]


def _tasks(session: Session, rows: Sequence[Row]) -> list[AgentTask]:
    needs = statements.needs_of(session, [row["id"] for row in rows])
    return [task_from_row(row, needs.get(row["id"], ())) for row in rows]
