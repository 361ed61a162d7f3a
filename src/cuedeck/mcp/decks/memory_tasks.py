"""The memory deck's task tools: work that agents create, claim and complete."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from cuedeck.mcp.shapes import INTEGER, STRING, STRING_OR_NULL, STRINGS, list_of, object_of, one_of
from cuedeck.mcp.tool import ADDS, CHANGES, READS, Answer, Arguments, Call, Effects, Tool
from cuedeck.memory.checks import memory_id
from cuedeck.model.deck import Deck
from cuedeck.model.errors import invalid
from cuedeck.tasks.agent_task import TaskDraft, TaskStatus, TaskType

_WEEK = 7 * 24 * 3600

Type = Literal["task", "epic"]

TASK = object_of(
    {
        "task_id": STRING,
        "project": STRING,
        "name": STRING,
        "type": one_of(*TaskType),
        "status": one_of(*TaskStatus),
        "priority": INTEGER,
    },
    description=STRING,
    **dict.fromkeys(("files_exclusive", "files_readonly", "depends_on"), STRINGS),
    **dict.fromkeys(("parent", "suggested_model", "agent", "lease_until", "block_reason"), STRING_OR_NULL),
    **dict.fromkeys(("resolved_by", "summary", "completed_at"), STRING_OR_NULL),
    created_at=STRING,
    updated_at=STRING,
)


class CreateTask(Arguments):
    project: str = Field(description="Project prefix, e.g. CA")
    name: str = Field(min_length=1)
    type: Type = "task"
    description: str | None = None
    priority: int = Field(3, ge=1, le=5, description="1 is highest")
    files_exclusive: list[str] = Field(default_factory=list, description="Files only this task modifies")
    files_readonly: list[str] = Field(default_factory=list, description="Files this task reads")
    depends_on: list[str] = Field(default_factory=list, description="Task ids")
    parent: str | None = Field(None, description="Epic id")
    suggested_model: Literal["haiku", "sonnet", "opus"] | None = None


class GetNextTask(Arguments):
    project: str | None = None
    claim: bool = Field(False, description="Take it, so that no other agent gets it; needs agent")
    agent: str | None = Field(None, min_length=1, max_length=200)
    lease_seconds: int | None = Field(None, ge=1, le=_WEEK, description="The claim lapses after this")


class CompleteTask(Arguments):
    task_id: str
    resolved_by: str | None = Field(None, description="Memory id of the episode that resolved it")
    summary: str | None = None
    agent: str | None = Field(None, description="Refuse when this agent's claim has lapsed")
    block: str | None = Field(None, min_length=1, description="Not done: blocked, for this reason")
    release: bool = Field(False, description="Not done: give it back to the pending ones")

    @model_validator(mode="after")
    def _one_outcome(self) -> CompleteTask:
        if self.block is not None and self.release:
            raise ValueError("block or release, not both")
        if (self.block is not None or self.release) and self.resolved_by is not None:
            raise ValueError("resolved_by only for a task that is done")
        return self


class ListTasks(Arguments):
    project: str | None = None
    status: Literal["pending", "in_progress", "blocked", "done"] | None = None
    type: Type | None = None
    limit: int | None = Field(None, ge=1, le=2**31, description="All unless given")
    offset: int = Field(0, ge=0, le=2**31, description="Skip this many, for the next page")


def _create_task(call: Call[CreateTask]) -> Answer:
    asked = call.arguments
    draft = TaskDraft(
        project=asked.project,
        name=asked.name,
        type=TaskType(asked.type),
        description=asked.description or "",
        priority=asked.priority,
        files_exclusive=tuple(dict.fromkeys(asked.files_exclusive)),
        files_readonly=tuple(dict.fromkeys(asked.files_readonly)),
        depends_on=tuple(dict.fromkeys(asked.depends_on)),
        parent=asked.parent,
        suggested_model=asked.suggested_model,
    )
    return Answer(call.workspace.agent_tasks.create(draft).to_json())


def _get_next_task(call: Call[GetNextTask]) -> Answer:
    asked, tasks = call.arguments, call.workspace.agent_tasks
    project = asked.project or None
    if asked.claim:
        if asked.agent is None:
            raise invalid("agent", "the name of who claims the task", None)
        found = tasks.claim(asked.agent, project, lease_seconds=asked.lease_seconds)
    else:
        found = tasks.next(project)
    if found.task is None:
        return Answer({"task": None, "reason": found.reason})
    return Answer({"task": found.task.to_json()})


def _complete_task(call: Call[CompleteTask]) -> Answer:
    asked, tasks = call.arguments, call.workspace.agent_tasks
    if asked.block is not None:
        return Answer(tasks.block(asked.task_id, asked.block, agent=asked.agent).to_json())
    if asked.release:
        return Answer(tasks.release(asked.task_id, agent=asked.agent).to_json())
    episode = None if asked.resolved_by is None else memory_id("resolved_by", asked.resolved_by)
    task = tasks.complete(asked.task_id, resolved_by=episode, summary=asked.summary, agent=asked.agent)
    return Answer({**task.to_json(), "unblocked": list(tasks.freed_by(task.id))})


def _list_tasks(call: Call[ListTasks]) -> Answer:
    asked, tasks = call.arguments, call.workspace.agent_tasks
    status = TaskStatus(asked.status) if asked.status else None
    type_ = TaskType(asked.type) if asked.type else None
    project = asked.project or None
    found = tasks.list(project=project, status=status, type=type_, limit=asked.limit, offset=asked.offset)
    return Answer(
        [task.to_json() for task in found],
        meta={
            "total": tasks.count(project=project, status=status, type=type_),
            "progress": tasks.progress(project).to_json(),
        },
    )


TOOLS = (
    Tool(
        name="create_task",
        deck=Deck.MEMORY,
        title="Create agent task",
        description="Create a task or epic for agents, with its dependencies and the files it touches.",
        arguments=CreateTask,
        output=TASK,
        effects=ADDS,
        handler=_create_task,
    ),
    Tool(
        name="get_next_task",
        deck=Deck.MEMORY,
        title="Next agent task",
        description="Get the one task to do next: highest priority, dependencies done, its files free. "
        "With claim it is yours until the lease ends.",
        arguments=GetNextTask,
        output=object_of({"task": {**TASK, "type": ["object", "null"]}}, reason=STRING),
        effects=Effects(read_only=False, idempotent=False),
        handler=_get_next_task,
        in_default_set=True,
    ),
    Tool(
        name="complete_task",
        deck=Deck.MEMORY,
        title="Complete agent task",
        description="Mark an agent task as done, or say that it is blocked or given back.",
        arguments=CompleteTask,
        output={**TASK, "properties": {**TASK["properties"], "unblocked": STRINGS}},
        effects=CHANGES,
        handler=_complete_task,
        in_default_set=True,
    ),
    Tool(
        name="list_tasks",
        deck=Deck.MEMORY,
        title="List agent tasks",
        description="List agent tasks and epics by project, status or type; total and progress are in _meta.",
        arguments=ListTasks,
        output=list_of(TASK),
        effects=READS,
        handler=_list_tasks,
    ),
)
