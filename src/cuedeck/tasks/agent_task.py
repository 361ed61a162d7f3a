"""A task that agents claim, as a value."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from cuedeck.model.clock import iso
from cuedeck.store.protocol import Row


class TaskStatus(StrEnum):
    """Where an agent task stands."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    BLOCKED = "blocked"
    DONE = "done"


class TaskType(StrEnum):
    """A piece of work, or a group of them."""

    TASK = "task"
    EPIC = "epic"


_STATUSES = {status.value: status for status in TaskStatus}
_TYPES = {type_.value: type_ for type_ in TaskType}


@dataclass(frozen=True, slots=True)
class TaskDraft:
    """What a new task is to say."""

    project: str
    name: str
    type: TaskType = TaskType.TASK
    description: str = ""
    priority: int = 3
    files_exclusive: tuple[str, ...] = ()
    files_readonly: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    parent: str | None = None
    suggested_model: str | None = None
    source: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class AgentTask:
    """One task or epic; times in milliseconds since the epoch."""

    id: str
    project: str
    type: TaskType
    name: str
    description: str
    status: TaskStatus
    priority: int
    files_exclusive: tuple[str, ...]
    files_readonly: tuple[str, ...]
    depends_on: tuple[str, ...]
    parent: str | None
    suggested_model: str | None
    agent: str | None
    lease_until: int | None
    block_reason: str | None
    resolved_by: str | None
    summary: str | None
    created_at: int
    updated_at: int
    completed_at: int | None

    def to_json(self) -> dict[str, Any]:
        """The task in the words of the contract."""
        return {
            "task_id": self.id,
            "project": self.project,
            "name": self.name,
            "type": self.type.value,
            "status": self.status.value,
            "priority": self.priority,
            "description": self.description,
            "files_exclusive": list(self.files_exclusive),
            "files_readonly": list(self.files_readonly),
            "depends_on": list(self.depends_on),
            "parent": self.parent,
            "suggested_model": self.suggested_model,
            "agent": self.agent,
            "lease_until": _moment(self.lease_until),
            "block_reason": self.block_reason,
            "resolved_by": self.resolved_by,
            "summary": self.summary,
            "created_at": _moment(self.created_at),
            "updated_at": _moment(self.updated_at),
            "completed_at": _moment(self.completed_at),
        }


def task_from_row(row: Row, depends_on: Sequence[str]) -> AgentTask:
    """A database row as a task."""
    return AgentTask(
        id=row["id"],
        project=row["project"],
        type=_TYPES[row["type"]],
        name=row["name"],
        description=row["description"],
        status=_STATUSES[row["status"]],
        priority=row["priority"],
        files_exclusive=_paths(row["files_exclusive"]),
        files_readonly=_paths(row["files_readonly"]),
        depends_on=tuple(depends_on),
        parent=row["parent"],
        suggested_model=row["suggested_model"],
        agent=row["agent"],
        lease_until=row["lease_until"],
        block_reason=row["block_reason"],
        resolved_by=row["resolved_by"],
        summary=row["summary"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        completed_at=row["completed_at"],
    )


def _paths(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))


def _moment(value: int | None) -> str | None:
    return None if value is None else iso(value)
