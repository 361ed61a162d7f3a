"""proof-task-complete: is a finished task really finished, what does it free, and what was learned."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cuedeck.documents.markdown import parse_markdown
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store import memories as memory_rows
from cuedeck.tasks.agent_task import TaskStatus
from cuedeck.tasks.card import CARD_ID, FINISHED, CardStatus
from cuedeck.workflows import inputs
from cuedeck.workflows.context import RunContext
from cuedeck.workflows.model import JSON, ChangeTrigger, Workflow

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace


def _review_card(workspace: Workspace, card_id: str) -> dict[str, JSON]:
    content = workspace.cards.content(card_id)
    card = content.card
    snapshot = workspace.cards.snapshot()
    problems = []
    if card.status not in FINISHED:
        problems.append(f"The card is {card.status}, not done")
    for dependency in card.depends_on:
        other = snapshot.cards.get(dependency)
        if other is None:
            problems.append(f"Depends on {dependency}, which does not exist")
        elif other.status not in FINISHED:
            problems.append(f"Depends on {dependency} ({other.title}), which is {other.status}")
    boxes = parse_markdown(content.body).tasks
    problems += [f"Not ticked: {box.text}" for box in boxes if not box.done]
    dependents = workspace.cards.neighbours(card_id, reverse=True).cards
    freed = [
        other.id
        for other in dependents
        if other.status is CardStatus.TODO
        and all(snapshot.cards[d].status in FINISHED for d in other.depends_on if d in snapshot.cards)
    ]
    return _review(card_id, "card", card.title, problems, len(boxes), freed)


def _review_task(workspace: Workspace, task_id: str) -> dict[str, JSON]:
    tasks = workspace.agent_tasks
    task = tasks.get(task_id)
    problems = []
    if task.status is not TaskStatus.DONE:
        problems.append(f"The task is {task.status}, not done")
    for dependency in task.depends_on:
        status = tasks.get(dependency).status
        if status is not TaskStatus.DONE:
            problems.append(f"Depends on {dependency}, which is {status}")
    boxes = parse_markdown(task.description).tasks
    problems += [f"Not ticked: {box.text}" for box in boxes if not box.done]
    freed = list(tasks.freed_by(task_id)) if not problems else []
    review = _review(task_id, "task", task.name, problems, len(boxes), freed)
    # What waits only because it was marked blocked, though all it depends on is done.
    blocked = list(tasks.freed_by(task_id, status=TaskStatus.BLOCKED))
    return {**review, "blocked": blocked, "episode": task.resolved_by}


def _review(
    task_id: str, kind: str, title: str, problems: list[str], criteria: int, freed: list[str]
) -> dict[str, JSON]:
    return {
        "task_id": task_id,
        "kind": kind,
        "title": title,
        "valid": not problems,
        "problems": problems,
        "acceptance_criteria": criteria,
        "unblocked": freed,
        "episode": None,
    }


def _link_episode(workspace: Workspace, task_id: str, episode: str) -> list[str]:
    """Link the episode that solved a task with what was remembered while working on it."""
    linked = []
    with workspace.store.state.read() as session:
        remembered = memory_rows.of_task(session, task_id)
    for memory_id in remembered:
        if memory_id != episode:
            workspace.memory.link(
                episode,
                memory_id,
                reason=f"same task: {task_id}",
                strength=0.9,
                actor="workflow:proof-task-complete",
            )
            linked.append(memory_id)
    return linked


def _run(context: RunContext, given: dict[str, JSON]) -> JSON:
    workspace = context.workspace
    task_id = str(given.get("task_id") or given.get("id"))
    look = _review_card if CARD_ID.fullmatch(task_id) else _review_task
    review = context.step("review", lambda: look(workspace, task_id), progress=40)
    if review["valid"]:
        for blocked in review.get("blocked", ()):
            context.step(f"unblock {blocked}", partial(_unblock, workspace, blocked))
            review["unblocked"] = sorted({*review["unblocked"], blocked})
        if review["episode"]:
            review["linked"] = context.step(
                "link episode", lambda: _link_episode(workspace, task_id, review["episode"]), progress=90
            )
    return review


def _unblock(workspace: Workspace, task_id: str) -> str:
    return str(workspace.agent_tasks.release(task_id).status)


def _task_id(root: Path, field: str, value: JSON) -> str:
    text = inputs.text(root, field, value)
    if len(text) > 100:
        raise CueError(ErrorCode.VALIDATION, f"{field}: expected a task id", data={"field": field})
    return text


WORKFLOW = Workflow(
    id="proof-task-complete",
    name="Task Complete",
    description="Check a finished task's dependencies and acceptance, unblock what waited, link its episode",
    function=_run,
    triggers=(ChangeTrigger("agent_tasks", column="status", becomes="done"),),
    check_input=inputs.fields({"task_id": _task_id}),
)
