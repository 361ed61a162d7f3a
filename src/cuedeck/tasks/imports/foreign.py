"""A task of another tool, in neutral terms, and what could not be said in them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class ForeignStatus(StrEnum):
    """Where the task stood."""

    OPEN = "open"
    ACTIVE = "active"
    BLOCKED = "blocked"
    DONE = "done"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class ForeignTask:
    """What tools agree on; priority from 1, the highest, to 5."""

    key: str
    title: str
    description: str = ""
    status: ForeignStatus = ForeignStatus.OPEN
    priority: int = 3
    epic: bool = False
    assignee: str | None = None
    tags: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    parent: str | None = None
    due_date: str | None = None
    created: datetime | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Misfit:
    """Something that was not taken over as it was, where, and what happened to it."""

    where: str
    what: str

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"where": self.where, "what": self.what}


@dataclass(frozen=True, slots=True)
class ForeignTasks:
    """What a source holds."""

    source: str
    tasks: tuple[ForeignTask, ...]
    misfits: tuple[Misfit, ...] = ()
