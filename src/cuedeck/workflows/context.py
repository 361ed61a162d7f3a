"""What a workflow's function is given: steps that happen once, progress, and a way to stop."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.workflows.journal import Journal, encode
from cuedeck.workflows.model import JSON, Run

if TYPE_CHECKING:
    from cuedeck.store.protocol import Session
    from cuedeck.workflows.model import Workflow
    from cuedeck.workspace import Workspace


# How long a step waits for a store that somebody else has locked.
LOCKED_SECONDS = 120.0


class Cancelled(Exception):
    """Somebody asked the run to stop."""


class TimedOut(Exception):
    """The run took longer than its workflow allows."""


class RunContext:
    """One attempt at a run. A step that was recorded before is not done again, only read back."""

    def __init__(
        self,
        workspace: Workspace,
        journal: Journal,
        workflow: Workflow,
        run: Run,
        *,
        stop: Callable[[], bool],
    ) -> None:
        self.workspace = workspace
        self.run = run
        self._journal = journal
        self._workflow = workflow
        self._stop = stop
        self._deadline = time.monotonic() + workflow.timeout_seconds
        self._seq = 0
        self._recorded = journal.steps(run.id) if run.fence > 1 else []

    def step(self, name: str, work: Callable[[], JSON], *, progress: float | None = None) -> JSON:
        """Do work outside the database; repeated only if the process dies before it is recorded."""
        replayed = self._replay(name)
        if replayed is not None:
            return json.loads(replayed)
        started_at = time.time_ns() // 1_000_000
        output = work()
        encode(output)
        return self._record(name, lambda _session: output, started_at, progress)

    def transact(self, name: str, work: Callable[[Session], JSON], *, progress: float | None = None) -> JSON:
        """Do work in the state database exactly once: its effect and its record commit together."""
        replayed = self._replay(name)
        if replayed is not None:
            return json.loads(replayed)
        return self._record(name, work, time.time_ns() // 1_000_000, progress)

    def progress(self, percent: float) -> None:
        """Tell how far a long step has come, from 0 to 100; also notices a cancel."""
        self.check()
        if self._journal.progress(self.run, min(100.0, max(0.0, percent))):
            raise Cancelled

    def check(self) -> None:
        """Raise when the run was cancelled, ran out of time, or the process is stopping."""
        if time.monotonic() > self._deadline:
            raise TimedOut
        if self._stop():
            raise Cancelled

    def _replay(self, name: str) -> str | None:
        self.check()
        position = self._seq
        self._seq += 1
        if position >= len(self._recorded):
            return None
        recorded = self._recorded[position]
        if recorded["name"] != name:
            raise CueError(
                ErrorCode.VALIDATION,
                f"Workflow '{self.run.workflow}' changed while this run was under way: step {position + 1} "
                f"was '{recorded['name']}' and is now '{name}'",
                hint="Start the workflow again.",
            )
        return str(recorded["output"])

    def _record(
        self, name: str, work: Callable[[Session], JSON], started_at: int, progress: float | None
    ) -> JSON:
        waited_until = time.monotonic() + LOCKED_SECONDS
        while True:
            try:
                output, cancel = self._journal.record(
                    self.run, self._seq, name, work, started_at=started_at, progress=progress
                )
            except CueError as error:
                # Nothing was begun, so nothing can happen twice.
                if error.code is not ErrorCode.LOCKED or time.monotonic() > waited_until or self._stop():
                    raise
                continue
            if cancel:
                raise Cancelled
            return output
