"""The vault deck's workflow tools: start, list, follow and look back."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

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
from cuedeck.mcp.tool import ADDS, READS, Answer, Arguments, Call, Clamped, Tool
from cuedeck.model.deck import Deck
from cuedeck.workflows.model import Run, RunStatus

_TIME = {"type": ["integer", "null"], "description": "Unix milliseconds"}


class TriggerWorkflow(Arguments):
    workflowId: str = Field(description="An id from list_workflows")
    input: dict[str, Any] = Field(default_factory=dict, description="What the workflow reads, e.g. {path}")
    async_: bool = Field(False, alias="async", description="Answer at once with the execution id")


class ListWorkflows(Arguments):
    enabled: bool | None = None


class GetWorkflowStatus(Arguments):
    executionId: str = Field(min_length=1)


class GetWorkflowHistory(Arguments):
    workflowId: str | None = None
    limit: Annotated[int, Clamped(1, 100)] = 20
    offset: Annotated[int, Clamped(0)] = 0


def _trigger(call: Call[TriggerWorkflow]) -> Answer:
    arguments = call.arguments
    started = call.workspace.workflows.trigger(
        arguments.workflowId, arguments.input, wait=not arguments.async_
    )
    data: dict[str, Any] = {
        "executionId": started.execution_id,
        "workflowId": started.workflow.id,
        "workflowName": started.workflow.name,
    }
    run = started.run
    if run is None:
        return Answer({**data, "mode": "async", "message": "Workflow execution started"})
    completed = run.status is RunStatus.COMPLETED
    message = "Workflow completed" if completed else f"Workflow {run.status}: {run.error}"
    return Answer(
        {
            **data,
            "mode": "sync",
            "status": "completed" if completed else "failed",
            "duration": run.duration or 0,
            "message": message,
            "result": run.result,
        }
    )


def _list(call: Call[ListWorkflows]) -> Answer:
    wanted = call.arguments.enabled
    workflows = [
        {
            "id": listed.workflow.id,
            "name": listed.workflow.name,
            "description": listed.workflow.description,
            "enabled": listed.enabled,
            "triggers": listed.workflow.trigger_names,
            "lastExecuted": listed.last_started,
            "executionCount": listed.executions,
        }
        for listed in call.workspace.workflows.workflows()
        if wanted is None or listed.enabled is wanted
    ]
    return Answer({"workflows": workflows, "count": len(workflows)})


def _status(call: Call[GetWorkflowStatus]) -> Answer:
    run = call.workspace.workflows.run(call.arguments.executionId)
    return Answer(
        {
            "executionId": run.id,
            "workflowId": run.workflow,
            "status": _contract_status(run),
            "progress": round(run.progress, 2),
            "startTime": run.started_at or run.created_at,
            "endTime": run.ended_at,
            "duration": run.duration,
            "result": run.result,
            "error": run.error if run.status.final else None,
        }
    )


def _history(call: Call[GetWorkflowHistory]) -> Answer:
    arguments = call.arguments
    runs, total = call.workspace.workflows.history(
        arguments.workflowId, limit=arguments.limit, offset=arguments.offset
    )
    executions = [
        {
            "executionId": run.id,
            "workflowId": run.workflow,
            "workflowName": run.name,
            "status": _contract_status(run),
            "startTime": run.started_at or run.created_at,
            "endTime": run.ended_at,
            "duration": run.duration,
            "error": run.error if run.status.final else None,
        }
        for run in runs
    ]
    return Answer(
        {
            "executions": executions,
            "total": total,
            "limit": arguments.limit,
            "offset": arguments.offset,
            "hasMore": arguments.offset + len(executions) < total,
        }
    )


def _contract_status(run: Run) -> str:
    """The contract knows four words; a cancelled run is a failed one whose error says so."""
    return "failed" if run.status is RunStatus.CANCELLED else str(run.status)


_STATUS = one_of("pending", "running", "completed", "failed")
_IDS = {"executionId": STRING, "workflowId": STRING}
_TIMES = {"startTime": _TIME, "endTime": _TIME, "duration": _TIME}

_TRIGGERED = object_of(
    {**_IDS, "workflowName": STRING, "mode": one_of("sync", "async"), "message": STRING},
    status=one_of("completed", "failed"),
    duration=INTEGER,
    result={},
)
_WORKFLOW = object_of(
    {
        "id": STRING,
        "name": STRING,
        "description": STRING,
        "enabled": BOOLEAN,
        "triggers": STRINGS,
        "lastExecuted": _TIME,
        "executionCount": INTEGER,
    }
)
_RUN = object_of(
    {
        **_IDS,
        "status": _STATUS,
        "progress": {"type": "number", "minimum": 0, "maximum": 100},
        **_TIMES,
        "result": {},
        "error": STRING_OR_NULL,
    }
)
_EXECUTION = object_of({**_IDS, "workflowName": STRING, "status": _STATUS, **_TIMES, "error": STRING_OR_NULL})

TOOLS = (
    Tool(
        name="trigger_workflow",
        deck=Deck.VAULT,
        title="Run workflow",
        description="Run a workflow now, e.g. markdown-analyzer on {path}. Longer than 30 s turns async.",
        arguments=TriggerWorkflow,
        output=_TRIGGERED,
        effects=ADDS,
        handler=_trigger,
        in_default_set=True,
    ),
    Tool(
        name="list_workflows",
        deck=Deck.VAULT,
        title="List workflows",
        description="Workflows with their triggers and how often they ran.",
        arguments=ListWorkflows,
        output=object_of({"workflows": list_of(_WORKFLOW), "count": INTEGER}),
        effects=READS,
        handler=_list,
    ),
    Tool(
        name="get_workflow_status",
        deck=Deck.VAULT,
        title="Workflow status",
        description="How far an execution has come, and its result.",
        arguments=GetWorkflowStatus,
        output=_RUN,
        effects=READS,
        handler=_status,
    ),
    Tool(
        name="get_workflow_history",
        deck=Deck.VAULT,
        title="Workflow history",
        description="Past executions, newest first, with true totals.",
        arguments=GetWorkflowHistory,
        output=object_of(
            {
                "executions": list_of(_EXECUTION),
                "total": INTEGER,
                "limit": INTEGER,
                "offset": INTEGER,
                "hasMore": BOOLEAN,
            }
        ),
        effects=READS,
        handler=_history,
    ),
)
