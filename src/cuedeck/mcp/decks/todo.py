"""The todo deck: one person's list, whoever the token or the configuration says that is."""

from __future__ import annotations

import json
import logging
from typing import Any, Literal

from pydantic import Field

from cuedeck.mcp.shapes import (
    BOOLEAN,
    INTEGER,
    STRING,
    STRING_OR_NULL,
    Schema,
    list_of,
    object_of,
    one_of,
)
from cuedeck.mcp.tool import ADDS, CHANGES, DESTROYS, READS, Answer, Arguments, Call, Tool
from cuedeck.model.clock import iso_seconds, now_ms
from cuedeck.model.deck import Deck
from cuedeck.model.errors import CueError, ErrorCode, invalid
from cuedeck.tasks.identity import is_uuid, owner
from cuedeck.tasks.todos import KEEP, Todo, TodoList, Which

audit_log = logging.getLogger("cuedeck.audit")

_STATUS = one_of("complete", "incomplete")


def _task(*fields: str) -> Schema:
    kinds = {
        "id": STRING,
        "title": STRING,
        "description": STRING_OR_NULL,
        "due_date": STRING_OR_NULL,
        "status": _STATUS,
        "created_at": STRING,
        "updated_at": STRING,
        "completed_at": STRING_OR_NULL,
    }
    return object_of({name: kinds[name] for name in fields})


def _result(**properties: Schema) -> Schema:
    return object_of({"success": BOOLEAN, **properties})


ADDED = ("id", "title", "description", "due_date", "status", "created_at")
LISTED = (*ADDED, "completed_at")
COMPLETED = ("id", "title", "status", "completed_at")
UPDATED = ("id", "title", "description", "due_date", "status", "updated_at")


class Owned(Arguments):
    user_id: str = Field(description="The authenticated user's id", json_schema_extra={"format": "uuid"})


class AddTask(Owned):
    title: str = Field(min_length=1, max_length=200)
    description: str | None = Field(None, max_length=2000)
    due_date: str | None = Field(None, json_schema_extra={"format": "date"})


class ListTasks(Owned):
    status: Literal["complete", "incomplete", "all"] = "all"
    limit: int = Field(50, ge=1, le=100)
    offset: int = Field(0, ge=0, le=2**31, description="Skip this many, for the next page")


class Chosen(Owned):
    task_id: str | None = Field(None, description="Or task_title", json_schema_extra={"format": "uuid"})
    task_title: str | None = Field(None, description="Whole title or part of it")


class CompleteTask(Chosen):
    mark_complete: bool = Field(True, description="false marks it incomplete")


class UpdateTask(Chosen):
    new_title: str | None = Field(None, min_length=1, max_length=200)
    new_description: str | None = Field(None, max_length=2000, json_schema_extra={"nullable": True})
    new_due_date: str | None = Field(None, json_schema_extra={"format": "date", "nullable": True})


class DeleteTask(Chosen):
    delete_all_completed: bool = Field(False, description="Ignores task_id and task_title")


def _add_task(call: Call[AddTask]) -> Answer:
    asked = call.arguments
    todo = _mine(call).add(asked.title, description=asked.description, due_date=asked.due_date)
    return Answer({"success": True, "task": _shown(todo, ADDED)})


def _list_tasks(call: Call[ListTasks]) -> Answer:
    asked = call.arguments
    page = _mine(call).list(asked.status, limit=asked.limit, offset=asked.offset)
    return Answer(
        {
            "success": True,
            "tasks": [_shown(todo, LISTED) for todo in page.todos],
            "count": len(page.todos),
            "total": page.total,
        }
    )


def _complete_task(call: Call[CompleteTask]) -> Answer:
    mine = _mine(call)
    todo = mine.complete(_which(call.arguments), complete=call.arguments.mark_complete)
    return Answer({"success": True, "task": _shown(todo, COMPLETED)})


def _update_task(call: Call[UpdateTask]) -> Answer:
    asked, mine = call.arguments, _mine(call)
    given = asked.model_fields_set
    todo = mine.update(
        _which(asked),
        title=asked.new_title if asked.new_title is not None else KEEP,
        description=asked.new_description if "new_description" in given else KEEP,
        due_date=asked.new_due_date if "new_due_date" in given else KEEP,
    )
    return Answer({"success": True, "task": _shown(todo, UPDATED)})


def _delete_task(call: Call[DeleteTask]) -> Answer:
    mine = _mine(call)
    if call.arguments.delete_all_completed:
        count = mine.delete_completed()
        message = f"{count} completed task{'' if count == 1 else 's'} deleted successfully"
    else:
        todo = mine.delete(_which(call.arguments))
        count, message = 1, f"Task '{todo.title}' deleted successfully"
    return Answer({"success": True, "deleted_count": count, "message": message})


def _mine(call: Call[Any]) -> TodoList:
    """The caller's own list; the argument may only repeat who the caller was proven to be."""
    try:
        user = owner(call.principal, call.arguments.user_id)
    except CueError as error:
        if error.code is ErrorCode.UNAUTHORIZED:
            _audit(call)
        raise
    return call.workspace.todos.of(user)


def _audit(call: Call[Any]) -> None:
    """One line for whoever keeps the log: who asked for whose todos. It holds nothing else of the call."""
    record = {
        "time": iso_seconds(now_ms()),
        "denied": "todo",
        "call": type(call.arguments).__name__,
        "subject": call.principal.subject,
        "claimed": call.arguments.user_id[:100],
    }
    audit_log.warning(json.dumps(record))


def _which(asked: Chosen) -> Which:
    if asked.task_id is not None and not is_uuid(asked.task_id):
        raise invalid("task_id", "a UUID", asked.task_id)
    return Which(asked.task_id and asked.task_id.lower(), asked.task_title)


def _shown(todo: Todo, fields: tuple[str, ...]) -> dict[str, Any]:
    value = todo.to_json()
    return {name: value[name] for name in fields}


TOOLS = (
    Tool(
        name="add_task",
        deck=Deck.TODO,
        admits=owner,
        title="Add todo",
        description="Put a todo on the user's list.",
        arguments=AddTask,
        output=_result(task=_task(*ADDED)),
        effects=ADDS,
        handler=_add_task,
        in_default_set=True,
    ),
    Tool(
        name="list_tasks",
        deck=Deck.TODO,
        admits=owner,
        title="List todos",
        description="List the user's todos, newest first.",
        arguments=ListTasks,
        output=_result(tasks=list_of(_task(*LISTED)), count=INTEGER, total=INTEGER),
        effects=READS,
        handler=_list_tasks,
        in_default_set=True,
    ),
    Tool(
        name="complete_task",
        deck=Deck.TODO,
        admits=owner,
        title="Complete todo",
        description="Mark one of the user's todos as complete or incomplete.",
        arguments=CompleteTask,
        output=_result(task=_task(*COMPLETED)),
        effects=CHANGES,
        handler=_complete_task,
    ),
    Tool(
        name="update_task",
        deck=Deck.TODO,
        admits=owner,
        title="Update todo",
        description="Change the title, description or due date of one of the user's todos; null clears.",
        arguments=UpdateTask,
        output=_result(task=_task(*UPDATED)),
        effects=CHANGES,
        handler=_update_task,
    ),
    Tool(
        name="delete_task",
        deck=Deck.TODO,
        admits=owner,
        title="Delete todo",
        description="Delete one of the user's todos, or all completed ones.",
        arguments=DeleteTask,
        output=_result(deleted_count=INTEGER, message=STRING),
        effects=DESTROYS,
        handler=_delete_task,
    ),
)
