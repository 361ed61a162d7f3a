"""Runs what the journal holds: claims, executes, keeps leases alive, and gives work back when it stops."""

from __future__ import annotations

import logging
import os
import random
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store.errors import patiently
from cuedeck.workflows.context import PATIENCE_SECONDS, Cancelled, RunContext, TimedOut
from cuedeck.workflows.journal import Claim, Fenced, Journal, encode
from cuedeck.workflows.model import JSON, NewRun, Run, RunStatus, Workflow
from cuedeck.workflows.registry import Registry

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace

T = TypeVar("T")
log = logging.getLogger(__name__)
LEASE_MS = 3000
LONGEST_SLEEP = 30.0


@dataclass
class Active:
    """A run this process is executing."""

    run: Run
    workflow: Workflow
    deadline: float
    awaited: bool
    cancelled: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)


class Runner:
    """Worker threads of one process. Any number of processes may share a journal."""

    def __init__(self, workspace: Workspace, journal: Journal, registry: Registry, *, workers: int) -> None:
        self.owner = f"{os.getpid()}-{secrets.token_hex(6)}"
        self._workspace = workspace
        self._journal = journal
        self._registry = registry
        self._workers = workers
        self._active: dict[str, Active] = {}
        self._guard = threading.Lock()
        self._news = workspace.store.news()
        self._busy = threading.Event()
        self._dispatching = False
        self._unknown: set[str] = set()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self.last_failure: str | None = None

    def start(self) -> None:
        """Begin claiming queued runs; starting twice does nothing."""
        with self._guard:
            if self._workers and not self.claiming:
                self._dispatching = True
                self._threads.append(self._thread(self._dispatch, "workflow-claims"))
            self._ensure_heart()

    @property
    def claiming(self) -> bool:
        """Whether queued runs are being taken up by this process."""
        return self._lives("workflow-claims")

    def wake(self) -> None:
        """Something was queued; look now."""
        self._news.wake()

    def execute_now(self, new: NewRun, *, wait_seconds: float) -> tuple[Run | None, str]:
        """Start a run in this process and wait a while; the finished run, or nothing, and its id."""
        workflow = self._registry.get(new.workflow)
        deadline = time.monotonic() + wait_seconds
        terms = Claim(self.owner, LEASE_MS, {workflow.id: workflow.concurrency}, [workflow.id])
        run_id, run = self._journal.begin(new, terms)
        while run is None and time.monotonic() < deadline:
            # The workflow is busy, or the same key was asked for before.
            time.sleep(0.05)
            found = self._journal.find(run_id)
            if found is not None and found.status.final:
                return found, run_id
            if found is not None and found.status is RunStatus.PENDING:
                run = self._journal.take(run_id, terms)
        if run is not None:
            active = self._launch(run, workflow, awaited=True)
            active.done.wait(max(0.0, deadline - time.monotonic()))
        found = self._journal.find(run_id)
        return (found if found is not None and found.status.final else None), run_id

    def close(self) -> None:
        """Stop claiming, let steps under way end briefly, give the rest back."""
        self._stopping.set()
        self._news.wake()
        self._busy.set()
        for active in list(self._active.values()):
            active.cancelled.set()
        deadline = time.monotonic() + 2.0
        while self._active and time.monotonic() < deadline:
            time.sleep(0.01)
        for thread in self._threads:
            thread.join(timeout=2.0)
        if self._threads:
            self._patiently(lambda: self._journal.release(owner=self.owner), seconds=2.0)

    def _dispatch(self) -> None:
        while not self._stopping.is_set():
            try:
                version = self._journal.database.version()
                if not self._free():
                    # Whoever ends wakes us.
                    self._news.wait(1.0)
                    continue
                ready, seconds = self._journal.wait_hint()
                self.last_failure = None
                if not ready:
                    self._sleep(version, seconds)
                elif not self._claim_some():
                    # What is ready may not run yet (its workflow is busy), or not here.
                    self._sleep(version, 1.0)
            except CueError as error:
                self._pause(error.message)
            except Exception as error:
                # Somebody's workflow file; the runs of all the others must go on.
                log.exception("workflow queue unavailable")
                self._pause(f"{type(error).__name__}: {error}")

    def _pause(self, reason: str) -> None:
        self.last_failure = reason
        log.warning("workflow queue unavailable: %s", reason)
        self._stopping.wait(1.0)

    def _free(self) -> int:
        return self._workers * 2 - len(self._active)

    def _claim_some(self) -> int:
        taken = self._journal.claim(self._terms(), limit=self._free())
        for run in taken:
            self._launch(run, self._registry.get(run.workflow))
        return len(taken)

    def _terms(self) -> Claim:
        workflows = self._registry.enabled_ones()
        limits = {workflow.id: workflow.concurrency for workflow in workflows}
        return Claim(self.owner, LEASE_MS, limits, [workflow.id for workflow in workflows])

    def _sleep(self, version: int, seconds: float) -> None:
        """Until something is committed, or the time is up; in parts, for the clock may be set meanwhile."""
        deadline = time.monotonic() + min(seconds + 0.002, LONGEST_SLEEP)
        while not self._stopping.is_set() and (left := deadline - time.monotonic()) > 0:
            self._news.wait(left)
            if self._journal.database.version() != version:
                return

    def _launch(self, run: Run, workflow: Workflow, *, awaited: bool = False) -> Active:
        active = self._enter(run, workflow, awaited=awaited)
        # A thread of its own: one that hangs must neither starve the others nor hold up the exit.
        self._thread(lambda: self._work(active), f"workflow-{run.id}")
        return active

    def _enter(self, run: Run, workflow: Workflow, *, awaited: bool = False) -> Active:
        active = Active(run, workflow, time.monotonic() + workflow.timeout_seconds, awaited)
        with self._guard:
            self._active[run.id] = active
            self._ensure_heart()
            self._busy.set()
        return active

    def _work(self, active: Active) -> None:
        """Execute a run, and whatever was taken up when it ended."""
        while (following := self._execute(active)) is not None:
            active = self._enter(following, self._registry.get(following.workflow))

    def _execute(self, active: Active) -> Run | None:
        run = active.run
        following: Run | None = None
        try:
            context = RunContext(
                self._workspace, self._journal, active.workflow, run, stop=active.cancelled.is_set
            )
            result = active.workflow.function(context, run.input)
            encode(result)
            following = self._finish(active, RunStatus.COMPLETED, result=result)
        except Fenced:
            log.info("run %s was taken over", run.id)
        except Cancelled:
            if not self._stopping.is_set():
                self._finish(active, RunStatus.CANCELLED, error="Cancelled", more=False)
        except TimedOut:
            self._fail(active, f"Timed out after {active.workflow.timeout_seconds:g} s", final=True)
        except CueError as error:
            self._fail(active, _words(error), final=error.code not in TRANSIENT)
        except BaseException as error:  # also SystemExit: the run must end
            log.exception("run %s of %s failed", run.id, run.workflow)
            self._fail(active, f"{type(error).__name__}: {error}", final=not isinstance(error, Exception))
        finally:
            with self._guard:
                self._active.pop(run.id, None)
            active.done.set()
            if following is None:
                self._news.wake()
        return following

    def _finish(
        self,
        active: Active,
        status: RunStatus,
        *,
        result: JSON = None,
        error: str | None = None,
        more: bool = True,
    ) -> Run | None:
        """Record the end; the next run, where this process takes up queued ones and may go on with more."""
        run = active.run
        if more and self._dispatching and not active.awaited and not self._stopping.is_set():
            terms = self._terms()
            return self._patiently(
                lambda: self._journal.finish_and_claim(run, status, terms, result=result, error=error)
            )
        self._patiently(
            lambda: self._journal.finish(run, status, result=result, error=error, durable=active.awaited)
        )
        return None

    def _fail(self, active: Active, error: str, *, final: bool) -> None:
        run, retry = active.run, active.workflow.retry
        if final or run.attempt >= retry.attempts:
            self._finish(active, RunStatus.FAILED, error=error, more=False)
            return
        delay = min(retry.most_seconds, retry.base_seconds * 2 ** (run.attempt - 1))
        delay *= random.uniform(0.5, 1.0)
        self._patiently(lambda: self._journal.retry(run, delay_ms=int(delay * 1000), error=error))

    def _patiently(self, write: Callable[[], T], *, seconds: float = PATIENCE_SECONDS) -> T | None:
        """Repeat a write while the store is away; given up, the lease ends and another process goes on."""
        try:
            return patiently(lambda _again: write(), seconds=seconds)
        except Fenced:
            return None
        except CueError as error:
            self.last_failure = error.message
            log.error("could not record a run: %s", error.message)
            return None

    def _ensure_heart(self) -> None:
        if not self._lives("workflow-leases"):
            self._threads.append(self._thread(self._beat, "workflow-leases"))

    def _beat(self) -> None:
        while not self._stopping.wait(LEASE_MS / 3000):
            if not self._active:
                self._busy.clear()
                # Asked after clearing: what is set meanwhile has set the event first.
                if not self._active and not self._stopping.is_set():
                    self._busy.wait()
                continue
            # What is taken up while leases are renewed is not among the renewed.
            before = list(self._active.items())
            try:
                self._notice(before, self._journal.renew(owner=self.owner, lease_ms=LEASE_MS))
            except CueError as error:
                self.last_failure = error.message

    def _notice(self, before: list[tuple[str, Active]], held: dict[str, dict[str, object]]) -> None:
        # A claim whose answer was lost: seen twice and executed by nobody here, it goes back to the queue.
        unknown = held.keys() - self._active.keys()
        if lost := unknown & self._unknown:
            self._journal.release(owner=self.owner, only=lost)
        self._unknown = unknown
        for run_id, active in before:
            row = held.get(run_id)
            if row is None or row["cancel_requested"]:
                active.cancelled.set()
            elif time.monotonic() > active.deadline + 5.0:
                # The thread hangs in a step; its run ends here and its later writes are fenced off.
                seconds = active.workflow.timeout_seconds
                self._fail(active, f"Timed out after {seconds:g} s", final=True)
                with self._guard:
                    self._active.pop(run_id, None)

    def _lives(self, name: str) -> bool:
        return any(thread.name == name and thread.is_alive() for thread in self._threads)

    def _thread(self, target: Callable[[], None], name: str) -> threading.Thread:
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        return thread


def _words(error: CueError) -> str:
    """What happened and to which file; the rest of an error's data is not kept with a run."""
    path = error.data.get("path")
    return (
        f"{error.message}: {path}" if isinstance(path, str) and path not in error.message else error.message
    )


TRANSIENT = frozenset({ErrorCode.LOCKED, ErrorCode.UNAVAILABLE, ErrorCode.DATABASE})
