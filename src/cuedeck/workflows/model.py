"""What a workflow is, what a run is, and the JSON that passes between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cuedeck.workflows.context import RunContext

JSON = Any
# Where a workspace keeps workflows of its own.
FOLDER = ".cuedeck/workflows"
WorkflowFunction = Callable[["RunContext", dict[str, JSON]], JSON]


class RunStatus(StrEnum):
    """Where a run stands; the last three are final."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def final(self) -> bool:
        """Whether nothing more will happen to the run."""
        return self in (RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED)


@dataclass(frozen=True, slots=True)
class FileTrigger:
    """Start when a file that matches is added, changed or unlinked."""

    globs: tuple[str, ...]
    events: frozenset[str] = frozenset({"add", "change", "unlink"})


# Notes of the vault: markdown outside dot-folders.
NOTES = ("*.md", "!.*/**")


@dataclass(frozen=True, slots=True)
class CronTrigger:
    """Start at the times of a cron expression, in the machine's time zone or the one named."""

    expression: str
    timezone: str | None = None


@dataclass(frozen=True, slots=True)
class ChangeTrigger:
    """Start when a row of the change log matches: a table, and optionally a value a column changed to."""

    table: str
    operations: frozenset[str] = frozenset({"insert", "update", "delete"})
    column: str | None = None
    becomes: str | None = None


Trigger = FileTrigger | CronTrigger | ChangeTrigger


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a failed run starts again, and after how long."""

    attempts: int = 1
    base_seconds: float = 1.0
    most_seconds: float = 300.0


@dataclass(frozen=True, slots=True)
class Workflow:
    """A registered workflow: how it is shown, what starts it, how it may run, and its function."""

    id: str
    name: str
    description: str
    function: WorkflowFunction
    triggers: tuple[Trigger, ...] = ()
    check_input: Callable[[Path, dict[str, JSON]], dict[str, JSON]] = lambda _root, given: given
    retry: Retry = Retry()
    timeout_seconds: float = 3600.0
    concurrency: int = 0
    queue_limit: int = 0
    priority: int = 5
    source: str = "built-in"

    @property
    def trigger_names(self) -> list[str]:
        """The kinds of trigger, as the contract lists them."""
        kinds = {FileTrigger: "file-change", CronTrigger: "schedule", ChangeTrigger: "event"}
        return ["manual", *dict.fromkeys(kinds[type(trigger)] for trigger in self.triggers)]


@dataclass(frozen=True, slots=True)
class Mistake:
    """Why a file that should hold a workflow is not used, and where."""

    file: str
    line: int
    message: str
    fix: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a workflow, as the journal knows it. Times are milliseconds since the epoch."""

    id: str
    workflow: str
    name: str
    status: RunStatus
    trigger: str
    priority: int
    input: dict[str, JSON]
    result: JSON
    error: str | None
    progress: float
    attempt: int
    run_at: int
    created_at: int
    started_at: int | None
    ended_at: int | None
    owner: str | None
    lease_until: int | None
    fence: int
    cancel_requested: bool

    @property
    def duration(self) -> int | None:
        """Milliseconds from first start to end; nothing while it runs."""
        if self.ended_at is None:
            return None
        return max(0, self.ended_at - (self.started_at or self.created_at))


@dataclass(frozen=True, slots=True)
class NewRun:
    """What is asked of the journal when something triggers."""

    id: str
    workflow: str
    name: str
    input: dict[str, JSON] = field(default_factory=dict)
    trigger: str = "manual"
    priority: int = 5
    idempotency_key: str | None = None
    run_at: int | None = None
    queue_limit: int = 0
