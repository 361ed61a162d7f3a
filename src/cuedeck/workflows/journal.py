"""The durable journal: runs and steps as rows, leases with fencing, on either store."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cuedeck.model.clock import now_ms
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store import runs
from cuedeck.store.protocol import Database, Row, Session
from cuedeck.workflows.model import JSON, NewRun, Run, RunStatus

# Of one value: whoever asks for a run's state gets its result whole.
LONGEST = 16_000_000


class Fenced(Exception):
    """The run was taken over or ended by somebody else; nothing more may be written for it."""


@dataclass(frozen=True, slots=True)
class Claim:
    """On which terms a process takes up runs: for whom, for how long, and which."""

    owner: str
    lease_ms: int
    concurrency: Mapping[str, int]  # 0: as many as there is room for
    known: Collection[str]


class Journal:
    """What the runner, the triggers and the tools ask of the database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def submit(self, new: NewRun) -> tuple[str, bool]:
        """Queue a run durably; its id, and whether it is new."""
        with self.database.write(actor="workflow") as session:
            return self._insert(session, new)

    def submit_many(
        self, batch: Sequence[NewRun], *, cursor: tuple[str, str, int] | None = None
    ) -> list[str]:
        """Queue what a trigger found and remember how far it read, in one transaction."""
        with self.database.write(actor="trigger") as session:
            ids = [self._insert(session, new)[0] for new in batch]
            if cursor is not None:
                runs.move_cursor(session, *cursor)
            return ids

    def begin(self, new: NewRun, terms: Claim) -> tuple[str, Run | None]:
        """Queue a run and take it at once, if it is new or waits, and its workflow is not too busy."""
        with self.database.write(actor="workflow") as session:
            run_id, _ = self._insert(session, new)
            return run_id, next(iter(self._claim(session, terms, 1, only=run_id)), None)

    def take(self, run_id: str, terms: Claim) -> Run | None:
        """Take one waiting run, unless its workflow is too busy."""
        with self.database.write(actor="workflow", durable=False) as session:
            return next(iter(self._claim(session, terms, 1, only=run_id)), None)

    def claim(self, terms: Claim, *, limit: int) -> list[Run]:
        """Take runs that are due or whose process is gone."""
        with self.database.write(actor="workflow", durable=False) as session:
            now = runs.now_ms(session)
            runs.bring_back(session, now)
            runs.give_up(session, now)
            return self._claim(session, terms, limit)

    def _claim(self, session: Session, terms: Claim, limit: int, only: str | None = None) -> list[Run]:
        now = runs.now_ms(session)
        rows = runs.claim(
            session,
            owner=terms.owner,
            now=now,
            lease_until=now + terms.lease_ms,
            limit=limit,
            concurrency={name: most for name, most in terms.concurrency.items() if most},
            known=terms.known,
            only=only,
        )
        return [to_run(row) for row in rows]

    def wait_hint(self) -> tuple[bool, float]:
        """Whether something can be claimed now, and for how many seconds nothing will become due."""
        with self.database.read() as session:
            now = runs.now_ms(session)
            due = runs.next_due(session)
            return runs.has_claimable(session, now), 60.0 if due is None else max(0.0, (due - now) / 1000)

    def renew(self, *, owner: str, lease_ms: int) -> dict[str, Row]:
        """Extend this process's leases; the runs it still holds."""
        with self.database.write(actor="workflow", durable=False) as session:
            rows = runs.renew(session, owner=owner, lease_until=runs.now_ms(session) + lease_ms)
            return {row["id"]: row for row in rows}

    def release(self, *, owner: str, only: Collection[str] | None = None) -> int:
        """Give back what this process holds, or some of it."""
        with self.database.write(actor="workflow") as session:
            return runs.release(session, owner=owner, only=only)

    def steps(self, run_id: str) -> list[Row]:
        """Finished steps, for replay."""
        with self.database.read() as session:
            return runs.steps_of(session, run_id)

    def record(
        self,
        run: Run,
        seq: int,
        name: str,
        work: Callable[[Session], str],
        *,
        started_at: int,
        progress: float | None,
        again: bool = False,
    ) -> tuple[str, bool]:
        """Commit a step's database effect and its result together; also whether a cancel was asked for.

        ``again``: an earlier try may have been committed although its answer was lost; then that stands.
        """
        with self.database.write(actor=f"workflow:{run.workflow}", durable=False) as session:
            held = runs.hold(session, run.id, run.fence, progress)
            if held is None:
                raise Fenced(run.id)
            output = runs.step_output(session, run.id, seq) if again else None
            if output is None:
                output = work(session)
                ended_at = now_ms()
                runs.insert_step(session, run.id, seq, name, output, started_at, ended_at)
            return output, bool(held["cancel_requested"])

    def progress(self, run: Run, progress: float) -> bool:
        """Note progress between steps; whether a cancel was asked for."""
        with self.database.write(actor="workflow", durable=False) as session:
            held = runs.hold(session, run.id, run.fence, progress)
        if held is None:
            raise Fenced(run.id)
        return bool(held["cancel_requested"])

    def finish(
        self,
        run: Run,
        status: RunStatus,
        *,
        result: JSON = None,
        error: str | None = None,
        durable: bool = True,
    ) -> bool:
        """End a run that is still ours; durable when a caller is about to be told so."""
        with self.database.write(actor=f"workflow:{run.workflow}", durable=durable) as session:
            return self._finish(session, run, status, result, error)

    def finish_and_claim(
        self, run: Run, status: RunStatus, terms: Claim, *, result: JSON = None, error: str | None = None
    ) -> Run | None:
        """End a run and take up the next one in the same transaction."""
        with self.database.write(actor=f"workflow:{run.workflow}", durable=False) as session:
            self._finish(session, run, status, result, error)
            return next(iter(self._claim(session, terms, 1)), None)

    def _finish(self, session: Session, run: Run, status: RunStatus, result: JSON, error: str | None) -> bool:
        return runs.finish(
            session,
            run.id,
            run.fence,
            status=status,
            result=None if result is None else encode(result),
            error=None if error is None else runs.printable(error),
            now=runs.now_ms(session),
        )

    def retry(self, run: Run, *, delay_ms: int, error: str) -> bool:
        """Queue a failed run again for later."""
        with self.database.write(actor="workflow") as session:
            run_at = runs.now_ms(session) + delay_ms
            return runs.retry_at(session, run.id, run.fence, run_at=run_at, error=runs.printable(error))

    def cancel(self, run_id: str) -> Run | None:
        """Ask for a run to stop."""
        with self.database.write(actor="workflow") as session:
            runs.request_cancel(session, run_id, runs.now_ms(session))
            return _maybe(runs.find(session, run_id))

    def find(self, run_id: str) -> Run | None:
        """One run."""
        with self.database.read() as session:
            return _maybe(runs.find(session, run_id))

    def history(
        self, workflow: str | None, status: str | None, *, limit: int, offset: int, results: bool
    ) -> tuple[list[Run], int]:
        """Newest first, and the true total."""
        with self.database.read() as session:
            rows, total = runs.history(session, workflow, status, limit=limit, offset=offset, results=results)
            return [to_run(row) for row in rows], total

    def summaries(self) -> dict[str, tuple[int, int | None]]:
        """Executions and last start, by workflow."""
        with self.database.read() as session:
            return runs.summaries(session)

    def counts(self) -> dict[str, int]:
        """Runs by status."""
        with self.database.read() as session:
            return runs.counts(session)

    def overdue(self, before: int) -> int:
        """How many runs should have begun before a time and have not."""
        with self.database.read() as session:
            return runs.waiting_since(session, before)

    def failed_since(self, since: int) -> int:
        """How many runs ended in failure after a time."""
        with self.database.read() as session:
            return runs.failed_since(session, since)

    def cursor(self, name: str) -> tuple[str, int] | None:
        """How far a trigger has read."""
        with self.database.read() as session:
            return runs.cursor(session, name)

    def wrote(self, workflow: str, path: str, sha256: str) -> bool:
        """Whether a file holds just what that workflow wrote last."""
        with self.database.read() as session:
            return runs.wrote(session, workflow, path, sha256)

    def _insert(self, session: Session, new: NewRun) -> tuple[str, bool]:
        now = runs.now_ms(session)
        if new.queue_limit and runs.pending_count(session, new.workflow) >= new.queue_limit:
            raise CueError(
                ErrorCode.UNAVAILABLE,
                f"The queue of workflow '{new.workflow}' is full ({new.queue_limit} waiting)",
                data={"workflowId": new.workflow, "queue_limit": new.queue_limit},
                hint="Try again when some of its runs have finished.",
            )
        row: dict[str, Any] = {
            "id": new.id,
            "workflow": new.workflow,
            "name": new.name,
            "trigger": new.trigger,
            "priority": new.priority,
            "input": encode(new.input),
            "idempotency_key": new.idempotency_key,
            "run_at": now if new.run_at is None else new.run_at,
            "created_at": now,
        }
        if runs.insert_run(session, row):
            return new.id, True
        existing = runs.run_of_key(session, new.workflow, new.idempotency_key or "")
        if existing is None:
            raise CueError(ErrorCode.DATABASE, f"Run {new.id} could not be queued")
        return existing, False


def execution_id() -> str:
    """``wf_exec_<YYYYMMDD>_<HHMMSS>_<random>``, in UTC."""
    return time.strftime("wf_exec_%Y%m%d_%H%M%S_", time.gmtime()) + secrets.token_hex(6)


def encode(value: JSON) -> str:
    """A value as the journal keeps it; what JSON cannot hold is refused with its place, as is too much."""
    try:
        text = runs.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise CueError(
            ErrorCode.VALIDATION,
            f"The value is not plain JSON: {error}",
            hint="Return dictionaries, lists, strings, finite numbers, booleans and None only.",
        ) from error
    if len(text) > LONGEST:
        raise CueError(
            ErrorCode.VALIDATION,
            f"The value is too large for the journal: {len(text):,} characters of JSON, {LONGEST:,} at most",
            hint="Write it to a file, and return where that is.",
        )
    return text


def to_run(row: Row) -> Run:
    """A row as a value."""
    return Run(
        id=row["id"],
        workflow=row["workflow"],
        name=row["name"],
        status=RunStatus(row["status"]),
        trigger=row["trigger"],
        priority=row["priority"],
        input=json.loads(row["input"]),
        result=None if row["result"] is None else json.loads(row["result"]),
        error=row["error"],
        progress=row["progress"],
        attempt=row["attempt"],
        run_at=row["run_at"],
        created_at=row["created_at"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        owner=row["owner"],
        lease_until=row["lease_until"],
        fence=row["fence"],
        cancel_requested=bool(row["cancel_requested"]),
    )


def _maybe(row: Row | None) -> Run | None:
    return None if row is None else to_run(row)
