"""The workflow engine as the tools and commands see it."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cuedeck.documents.events import FileEvents
from cuedeck.model.errors import CueError, ErrorCode, shortened
from cuedeck.workflows.journal import Journal, execution_id
from cuedeck.workflows.model import JSON, NewRun, Run, Workflow
from cuedeck.workflows.registry import Registry
from cuedeck.workflows.runner import Runner
from cuedeck.workflows.triggers import Triggers

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace

SYNC_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Started:
    """A triggered run: finished, or still going when ``run`` is None."""

    execution_id: str
    workflow: Workflow
    run: Run | None


@dataclass(frozen=True, slots=True)
class Listed:
    """A workflow with what the journal knows of it."""

    workflow: Workflow
    enabled: bool
    executions: int
    last_started: int | None


class WorkflowEngine:
    """Triggers, lists, inspects and cancels runs; ``start`` makes this process take part in running them."""

    def __init__(self, workspace: Workspace, registry: Registry, files: FileEvents, *, workers: int) -> None:
        self.registry = registry
        self._root = workspace.root
        self.journal = Journal(workspace.store.state)
        self._runner = Runner(workspace, self.journal, registry, workers=workers)
        self._triggers = Triggers(
            self.journal,
            registry,
            files,
            index=workspace.store.index,
            opened_ms=workspace.opened_ns // 1_000_000,
            news=workspace.store.news(),
            wake=self._runner.wake,
        )
        self._guard = threading.Lock()
        self._started_at: float | None = None

    def start(self) -> None:
        """Take part: claim queued runs and watch for triggers."""
        with self._guard:
            if self._started_at is None:
                self._runner.start()
                self._triggers.start()
                # Last: whoever looks meanwhile must not take what has not begun for what has stopped.
                self._started_at = time.monotonic()

    def trigger(
        self,
        workflow_id: str,
        given: dict[str, JSON],
        *,
        wait: bool,
        key: str | None = None,
        start: bool = True,
    ) -> Started:
        """Start a run, waiting half a minute at most when asked; ``start``: this process may take it up."""
        workflow = self.registry.runnable(workflow_id)
        new = NewRun(
            id=execution_id(),
            workflow=workflow.id,
            name=workflow.name,
            input=workflow.check_input(self._root, given),
            priority=workflow.priority,
            idempotency_key=key,
            queue_limit=workflow.queue_limit,
        )
        if wait:
            run, run_id = self._runner.execute_now(new, wait_seconds=SYNC_SECONDS)
            return Started(run_id, workflow, run)
        run_id, _ = self.journal.submit(new)
        if start:
            self._runner.start()
            self._runner.wake()
        return Started(run_id, workflow, None)

    def workflows(self) -> list[Listed]:
        """Every workflow with its executions."""
        counts = self.journal.summaries()
        return [
            Listed(workflow, self.registry.enabled(workflow.id), *counts.get(workflow.id, (0, None)))
            for workflow in self.registry.all()
        ]

    def run(self, run_id: str) -> Run:
        """One execution, or EXECUTION_NOT_FOUND."""
        run = self.journal.find(run_id)
        if run is None:
            raise _no_execution(run_id)
        return run

    def history(
        self,
        workflow_id: str | None,
        *,
        limit: int,
        offset: int,
        status: str | None = None,
        results: bool = False,
    ) -> tuple[list[Run], int]:
        """Newest first, of a workflow or a status or all, with the true total; results when asked for."""
        return self.journal.history(workflow_id, status, limit=limit, offset=offset, results=results)

    def cancel(self, run_id: str) -> Run:
        """Ask an execution to stop; a finished one stays as it is."""
        run = self.journal.cancel(run_id)
        if run is None:
            raise _no_execution(run_id)
        return run

    def fire_due(self) -> int:
        """Queue what triggers have found, now; how many runs."""
        return self._triggers.fire_due()

    def check(self) -> list[str]:
        """What is wrong with the engine, one sentence each."""
        problems = []
        self.journal.counts()
        if self._started_at is not None:
            if not self._triggers.alive:
                problems.append("The trigger thread has stopped")
            if self._triggers.last_failure:
                problems.append(f"Triggers cannot read their sources: {self._triggers.last_failure}")
            if not self._runner.claiming:
                problems.append("No worker takes up queued runs")
            if self._runner.last_failure:
                problems.append(f"Runs cannot be taken up or recorded: {self._runner.last_failure}")
        return problems

    def close(self) -> None:
        """Stop taking part; runs under way are given back to the queue."""
        self._triggers.close()
        self._runner.close()


def _no_execution(run_id: str) -> CueError:
    return CueError(
        ErrorCode.EXECUTION_NOT_FOUND,
        f"Execution not found: {shortened(run_id)}",
        data={"executionId": shortened(run_id)},
        hint="get_workflow_history and `cue workflow history` list executions.",
    )
