"""Where imported tasks go: cards, agent tasks or a person's todos; a dry run changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cuedeck.tasks.agent_task import TaskDraft, TaskStatus, TaskType
from cuedeck.tasks.agent_tasks import AgentTasks
from cuedeck.tasks.card import CardPriority, CardStatus
from cuedeck.tasks.cards import CardDraft, Cards
from cuedeck.tasks.imports.foreign import ForeignStatus, ForeignTask, ForeignTasks, Misfit
from cuedeck.tasks.imports.plan import parents_of, plan_import
from cuedeck.tasks.todos import MAX_DESCRIPTION, TodoList

_CARD_STATUS = {
    ForeignStatus.OPEN: CardStatus.TODO,
    ForeignStatus.ACTIVE: CardStatus.ACTIVE,
    ForeignStatus.BLOCKED: CardStatus.TODO,
    ForeignStatus.DONE: CardStatus.DONE,
    ForeignStatus.DROPPED: CardStatus.ARCHIVED,
}
_TASK_STATUS = {
    ForeignStatus.OPEN: TaskStatus.PENDING,
    ForeignStatus.ACTIVE: TaskStatus.PENDING,
    ForeignStatus.BLOCKED: TaskStatus.BLOCKED,
    ForeignStatus.DONE: TaskStatus.DONE,
    ForeignStatus.DROPPED: TaskStatus.DONE,
}
_CARD_PRIORITY = (
    CardPriority.CRITICAL,
    CardPriority.HIGH,
    CardPriority.MEDIUM,
    CardPriority.LOW,
    CardPriority.LOW,
)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What came in, under which id, and what did not fit."""

    source: str
    read: int
    made: Mapping[str, str]
    skipped: int
    misfits: tuple[Misfit, ...]
    dry_run: bool

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "source": self.source,
            "read": self.read,
            "imported": len(self.made),
            "already_there": self.skipped,
            "ids": dict(self.made),
            "did_not_fit": [misfit.to_json() for misfit in self.misfits],
            "dry_run": self.dry_run,
        }


def into_cards(
    cards: Cards,
    found: ForeignTasks,
    *,
    dry_run: bool,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> ImportReport:
    """One card for each task; a task that was imported before is left alone."""
    plan = plan_import(found, with_parents=False)
    known = {card.source: card.id for card in cards.snapshot().cards.values() if card.source}
    misfits = list(plan.misfits)
    drafts: dict[str, CardDraft] = {}
    for task in plan.tasks:
        if _source(plan, task) not in known:
            drafts[task.key] = _card(plan, task, known, misfits)
    made = {} if dry_run else {key: card.id for key, card in cards.create_all(drafts, progress).items()}
    return _report(plan, made or dict.fromkeys(drafts, ""), misfits, dry_run)


def into_agent_tasks(tasks: AgentTasks, found: ForeignTasks, *, project: str, dry_run: bool) -> ImportReport:
    """One task for each; what others belong to becomes an epic."""
    plan = plan_import(found, with_parents=True)
    known = tasks.imported()
    epics = parents_of(plan.tasks)
    misfits = list(plan.misfits)
    keys = {task.key: known[_source(plan, task)] for task in plan.tasks if _source(plan, task) in known}
    entries: dict[str, tuple[TaskDraft, TaskStatus]] = {}
    for task in (task for task in plan.tasks if task.key not in keys):
        if task.parent in keys and tasks.get(keys[task.parent]).type is not TaskType.EPIC:
            misfits.append(Misfit(task.key, f"belongs to {task.parent}, which is a task here; dropped"))
            task = replace(task, parent=None)
        draft = _agent_task(plan, task, project, task.epic or task.key in epics, misfits)
        entries[task.key] = draft, _TASK_STATUS[task.status]
    made = dict.fromkeys(entries, "") if dry_run else tasks.create_all(entries, known=keys)
    return _report(plan, made, misfits, dry_run)


def into_todos(todos: TodoList, found: ForeignTasks, *, dry_run: bool) -> ImportReport:
    """One todo for each, unless there is one of the same title and state."""
    plan = plan_import(found, with_parents=False)
    misfits = list(plan.misfits)
    there = todos.states()
    wanted = [task for task in plan.tasks if (task.title, _is_complete(task)) not in there]
    entries = [_todo(task, misfits) for task in wanted]
    made = [] if dry_run or not entries else todos.add_many(entries)
    ids = [todo.id for todo in made] or [""] * len(wanted)
    return _report(plan, {task.key: id_ for task, id_ in zip(wanted, ids, strict=True)}, misfits, dry_run)


def _report(
    plan: ForeignTasks, made: Mapping[str, str], misfits: list[Misfit], dry_run: bool
) -> ImportReport:
    return ImportReport(
        plan.source, len(plan.tasks), made, len(plan.tasks) - len(made), tuple(misfits), dry_run
    )


def _source(plan: ForeignTasks, task: ForeignTask) -> str:
    return f"{plan.source}:{task.key}"


def _card(
    plan: ForeignTasks, task: ForeignTask, known: Mapping[str, str], misfits: list[Misfit]
) -> CardDraft:
    if task.parent is not None:
        misfits.append(Misfit(task.key, f"belongs to {task.parent}; cards have no parents, it is a tag"))
    if task.due_date is not None:
        misfits.append(Misfit(task.key, f"due {task.due_date}; cards have no due date, it is a tag"))
    extra = [f"parent:{task.parent}"] if task.parent else []
    extra += [f"due:{task.due_date}"] if task.due_date else []
    if task.status is ForeignStatus.BLOCKED:
        extra.append("blocked")
    return CardDraft(
        title=task.title,
        tags=tuple(dict.fromkeys([*task.tags, *extra])),
        priority=_CARD_PRIORITY[task.priority - 1],
        assignee=task.assignee,
        depends_on=tuple(known.get(f"{plan.source}:{key}", key) for key in task.depends_on),
        status=_CARD_STATUS[task.status],
        description=task.description,
        created=task.created,
        source=_source(plan, task),
    )


def _agent_task(
    plan: ForeignTasks, task: ForeignTask, project: str, epic: bool, misfits: list[Misfit]
) -> TaskDraft:
    for name, value in (("tags", ", ".join(task.tags)), ("due date", task.due_date)):
        if value:
            misfits.append(Misfit(task.key, f"{name} {value}; kept in the description"))
    if task.status is ForeignStatus.ACTIVE:
        misfits.append(
            Misfit(task.key, f"in progress by {task.assignee or 'somebody'}; pending until claimed")
        )
    notes = [f"Tags: {', '.join(task.tags)}"] if task.tags else []
    notes += [f"Due: {task.due_date}"] if task.due_date else []
    return TaskDraft(
        project=project,
        name=task.title,
        type=TaskType.EPIC if epic else TaskType.TASK,
        description="\n\n".join(filter(None, [task.description, *notes])),
        priority=task.priority,
        depends_on=task.depends_on,
        parent=task.parent,
        source=_source(plan, task),
        note=task.reason,
    )


def _todo(task: ForeignTask, misfits: list[Misfit]) -> tuple[str, str | None, str | None, bool]:
    if task.depends_on:
        misfits.append(Misfit(task.key, "todos do not wait for each other; its dependencies are dropped"))
    if task.priority != 3:
        misfits.append(Misfit(task.key, f"priority {task.priority} of 5; todos have none, it is dropped"))
    description = task.description
    if len(description) > MAX_DESCRIPTION:
        misfits.append(Misfit(task.key, f"description of {len(description)} characters; cut"))
        description = description[: MAX_DESCRIPTION - 1] + "…"
    return task.title, description or None, task.due_date, _is_complete(task)


def _is_complete(task: ForeignTask) -> bool:
    return task.status in (ForeignStatus.DONE, ForeignStatus.DROPPED)
