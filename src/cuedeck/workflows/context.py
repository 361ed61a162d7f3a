"""What a workflow's function is given: steps that happen once, progress, and a way to stop."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from cuedeck.model.clock import now_ms
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store.errors import patiently
from cuedeck.workflows.journal import Journal, encode
from cuedeck.workflows.model import JSON, Run

if TYPE_CHECKING:
    from cuedeck.store.protocol import Session
    from cuedeck.workflows.model import Workflow
    from cuedeck.workspace import Workspace


T = TypeVar("T")
# How long a step waits for a store that is locked, full or away.
PATIENCE_SECONDS = 120.0


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
        self._stop = stop
        self._deadline = time.monotonic() + workflow.timeout_seconds
        self._seq = 0
        self._recorded = journal.steps(run.id) if run.fence > 1 else []

    def step(self, name: str, work: Callable[[], JSON], *, progress: float | None = None) -> JSON:
        """Do work outside the database; repeated only if the process dies before it is recorded."""
        replayed = self._replay(name)
        if replayed is not None:
            return json.loads(replayed)
        started_at = now_ms()
        output = encode(work())
        return self._record(name, lambda _session: output, started_at, progress)

    def transact(self, name: str, work: Callable[[Session], JSON], *, progress: float | None = None) -> JSON:
        """Do work in the state database exactly once: its effect and its record commit together."""
        replayed = self._replay(name)
        if replayed is not None:
            return json.loads(replayed)
        return self._record(name, lambda session: encode(work(session)), now_ms(), progress)

    def progress(self, percent: float) -> None:
        """Tell how far a long step has come, from 0 to 100; also notices a cancel."""
        self.check()
        if self._patiently(lambda _again: self._journal.progress(self.run, min(100.0, max(0.0, percent)))):
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
        self, name: str, work: Callable[[Session], str], started_at: int, progress: float | None
    ) -> JSON:
        """Commit once; what comes back is what a replay would read, so that both go on alike."""
        seq = self._seq
        output, cancel = self._patiently(
            lambda again: self._journal.record(
                self.run, seq, name, work, started_at=started_at, progress=progress, again=again
            )
        )
        if cancel:
            raise Cancelled
        return json.loads(output)

    def _patiently(self, write: Callable[[bool], T]) -> T:
        return patiently(write, seconds=PATIENCE_SECONDS, stopped=self._stop)
