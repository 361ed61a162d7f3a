"""The context deck's task tools: cards in ``.cuedeck/cards``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from cuedeck.mcp.shapes import (
    BOOLEAN,
    INTEGER,
    STRING,
    STRING_OR_NULL,
    STRINGS,
    list_of,
    object_of,
    one_of,
)
from cuedeck.mcp.tool import ADDS, READS, Answer, Arguments, Call, Tool
from cuedeck.model.deck import Deck
from cuedeck.model.errors import ErrorCode
from cuedeck.tasks.card import BrokenCard, Card, CardPriority, CardStatus
from cuedeck.tasks.card_query import card_query
from cuedeck.tasks.cards import CardChange, CardDraft
from cuedeck.tasks.dates import timestamp

ID_PATTERN = "^[a-z0-9]{6}$"
MAX_SHOWN = 20

Status = Literal["todo", "active", "done", "archived"]
Priority = Literal["low", "medium", "high", "critical"]
CardId = Annotated[str, Field(pattern=ID_PATTERN)]
Word = Annotated[str, Field(pattern=r"\S")]

_ID = {"type": "string", "pattern": ID_PATTERN}
_STATUS = one_of(*CardStatus)
_PRIORITY = one_of("low", "medium", "high", "critical")
_TIME = {"type": "string", "format": "date-time"}


class ListTasks(Arguments):
    status: Status | None = None
    assignee: str | None = None
    tags: list[str] | None = Field(None, description="ANY match")
    priority: Priority | None = None
    created: str | None = Field(None, description="'2024-01-01', '2024-05', '>2w' (within), '<7d' (older)")
    updated: str | None = Field(None, description="like created")


class CreateTask(Arguments):
    title: str = Field(min_length=1, max_length=200)
    tags: list[Word] = Field(default_factory=list)
    priority: Priority = "medium"
    assignee: str | None = None
    depends_on: list[CardId] = Field(default_factory=list, description="Task ids")


class GetTaskDependencies(Arguments):
    id: CardId
    reverse: bool = Field(False, description="List the tasks that depend on it instead")


class ValidateTaskGraph(Arguments):
    id: CardId | None = Field(None, description="Only what this task leads into")


class Updates(Arguments):
    status: Status | None = None
    assignee: str | None = Field(None, max_length=50)
    priority: Priority | None = None
    notes: str | None = Field(None, max_length=500, description="Appended under ## Notes")

    @field_validator("notes")
    @classmethod
    def _says_something(cls, notes: str | None) -> str | None:
        if notes is not None and not notes.strip():
            raise ValueError("text")
        return notes

    @model_validator(mode="after")
    def _something_to_change(self) -> Updates:
        if all(getattr(self, name) is None for name in type(self).model_fields):
            raise ValueError("at least one of status, assignee, priority, notes")
        return self


class UpdateTask(Arguments):
    id: CardId
    updates: Updates = Field(json_schema_extra={"minProperties": 1})


def _list_tasks(call: Call[ListTasks]) -> Answer:
    query = card_query(now=datetime.now(UTC), **call.arguments.model_dump())
    snapshot = call.workspace.cards.snapshot()
    value = [
        {
            "id": card.id,
            "title": card.title,
            "priority": card.priority,
            "assignee": card.assignee,
            "status": card.status,
        }
        for card in snapshot.matching(query)
    ]
    return Answer(value, meta=_skipped(snapshot.broken))


def _create_task(call: Call[CreateTask]) -> Answer:
    asked = call.arguments
    card = call.workspace.cards.create(
        CardDraft(
            title=asked.title,
            tags=tuple(dict.fromkeys(asked.tags)),
            priority=CardPriority(asked.priority),
            assignee=asked.assignee,
            depends_on=tuple(dict.fromkeys(asked.depends_on)),
        )
    )
    return Answer({"id": card.id, "path": card.path, "metadata": _metadata(card)})


def _get_task_dependencies(call: Call[GetTaskDependencies]) -> Answer:
    asked = call.arguments
    found = call.workspace.cards.neighbours(asked.id, reverse=asked.reverse)
    value: dict[str, Any] = {
        "task_id": asked.id,
        "type": "dependents" if asked.reverse else "dependencies",
        "count": len(found.cards),
        "tasks": [{"id": card.id, "title": card.title, "status": card.status} for card in found.cards],
    }
    if found.missing:
        value["missing"] = list(found.missing)
    return Answer(value)


def _validate_task_graph(call: Call[ValidateTaskGraph]) -> Answer:
    cards, task_id = call.workspace.cards, call.arguments.id
    value: dict[str, Any] = {"valid": True}
    if task_id is not None:
        value["task_id"] = task_id
        cards.get(task_id)
    snapshot = cards.snapshot()
    if cycle := snapshot.cycle(task_id):
        path = " → ".join(cycle)
        value |= {"valid": False, "error": f"Circular dependency detected: {path}", "cycle_path": list(cycle)}
        return Answer(value)
    missing = snapshot.graph.missing
    wanted = missing if task_id is None else {task_id: missing[task_id]} if task_id in missing else {}
    value["message"] = _verdict(task_id is not None, sum(map(len, wanted.values())))
    if wanted:
        value["missing"] = [{"id": card, "depends_on": list(ids)} for card, ids in wanted.items()]
    return Answer(value, meta=_skipped(snapshot.broken))


def _update_task(call: Call[UpdateTask]) -> Answer:
    updates = call.arguments.updates
    change = CardChange(
        status=CardStatus(updates.status) if updates.status else None,
        assignee=updates.assignee,
        priority=CardPriority(updates.priority) if updates.priority else None,
        notes=updates.notes,
    )
    card = call.workspace.cards.update(call.arguments.id, change)
    assert card.updated is not None
    value = {
        "id": card.id,
        "title": card.title,
        "status": card.status,
        "assignee": card.assignee,
        "priority": card.priority,
        "updated_at": timestamp(card.updated),
        "updated_fields": list(change.fields()),
    }
    return Answer(value, meta=_orphan(card))


def _metadata(card: Card) -> dict[str, Any]:
    assert card.created is not None
    return {
        "title": card.title,
        "status": card.status,
        "priority": card.priority,
        "assignee": card.assignee,
        "tags": list(card.tags),
        "depends_on": list(card.depends_on),
        "created": timestamp(card.created),
    }


def _verdict(one: bool, missing: int) -> str:
    if missing:
        plural = "dependency does" if missing == 1 else "dependencies do"
        return f"No circular dependencies, but {missing} {plural} not exist"
    if one:
        return "Task dependencies are valid"
    return "All task dependencies are valid (no circular dependencies)"


def _skipped(broken: tuple[BrokenCard, ...]) -> dict[str, Any]:
    """Files that are no usable cards are named beside the answer, so that none disappears silently."""
    if not broken:
        return {}
    shown = [
        {"path": item.path, "line": item.problem.line, "problem": item.problem.message}
        for item in broken[:MAX_SHOWN]
    ]
    return {"unreadable_cards": shown, "unreadable_count": len(broken)}


def _orphan(card: Card) -> dict[str, Any]:
    if card.status is not CardStatus.ACTIVE or card.assignee:
        return {}
    message = f"Card {card.id} is active and has no assignee"
    return {"warnings": [{"code": 1008, "name": ErrorCode.ORPHAN_CARD, "message": message}]}


TOOLS = (
    Tool(
        name="list_tasks",
        deck=Deck.CONTEXT,
        title="List task cards",
        description="List the project's task cards, most urgent first, filtered by status, assignee, tags, "
        "priority or date.",
        arguments=ListTasks,
        output=list_of(
            object_of(
                {
                    "id": _ID,
                    "title": STRING,
                    "priority": _PRIORITY,
                    "assignee": STRING_OR_NULL,
                    "status": _STATUS,
                }
            )
        ),
        effects=READS,
        handler=_list_tasks,
        in_default_set=True,
    ),
    Tool(
        name="create_task",
        deck=Deck.CONTEXT,
        title="Create task card",
        description="Create a task card (markdown in .cuedeck/cards), with dependencies on other cards.",
        arguments=CreateTask,
        output=object_of(
            {
                "id": _ID,
                "path": STRING,
                "metadata": object_of(
                    {},
                    title=STRING,
                    status=STRING,
                    priority=STRING,
                    assignee=STRING_OR_NULL,
                    tags=STRINGS,
                    depends_on=STRINGS,
                    created=_TIME,
                ),
            }
        ),
        effects=ADDS,
        handler=_create_task,
        in_default_set=True,
    ),
    Tool(
        name="get_task_dependencies",
        deck=Deck.CONTEXT,
        title="Task dependencies",
        description="List what a task card depends on, or with reverse what depends on it.",
        arguments=GetTaskDependencies,
        output=object_of(
            {
                "task_id": STRING,
                "type": one_of("dependencies", "dependents"),
                "count": INTEGER,
                "tasks": list_of(object_of({}, id=STRING, title=STRING, status=STRING)),
            },
            missing=STRINGS,
        ),
        effects=READS,
        handler=_get_task_dependencies,
    ),
    Tool(
        name="validate_task_graph",
        deck=Deck.CONTEXT,
        title="Validate task graph",
        description="Check the task cards' dependencies for cycles and for targets that do not exist.",
        arguments=ValidateTaskGraph,
        output=object_of(
            {"valid": BOOLEAN},
            task_id=STRING,
            message=STRING,
            error=STRING,
            cycle_path=STRINGS,
            missing=list_of(object_of({}, id=STRING, depends_on=STRINGS)),
        ),
        effects=READS,
        handler=_validate_task_graph,
    ),
    Tool(
        name="update_task",
        deck=Deck.CONTEXT,
        title="Update task card",
        description="Change a task card's status, assignee or priority, or append a dated note.",
        arguments=UpdateTask,
        output=object_of(
            {
                "id": _ID,
                "title": STRING,
                "status": _STATUS,
                "updated_at": _TIME,
                "updated_fields": STRINGS,
            },
            assignee=STRING_OR_NULL,
            priority=_PRIORITY,
        ),
        effects=ADDS,
        handler=_update_task,
        in_default_set=True,
    ),
)
