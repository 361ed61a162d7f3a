"""The workflow journal's statements: queue, lease, fence, steps and history."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from cuedeck.model import clock
from cuedeck.store.protocol import Dialect, Row, Session

FINAL = "('completed', 'failed', 'cancelled')"
# No lease is longer and no run is queued later than this from now, unless the clock was set back.
MOST_AHEAD_MS = 10_000
# So often a run may be taken over, more for each step it finished, before it is given up.
MOST_TAKEOVERS = 20
MOST_WORDS = 20_000
# All columns of a run but its result, which may be large.
_LISTED = (
    "id, workflow, name, status, trigger, priority, input, error, progress, attempt, run_at, created_at, "
    "started_at, ended_at, owner, lease_until, fence, cancel_requested"
)


def now_ms(session: Session) -> int:
    """The clock that leases live by: the server's on PostgreSQL, so that machines agree."""
    if session.dialect is Dialect.POSTGRES:
        return int(session.value("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"))
    return clock.now_ms()


def insert_run(session: Session, row: Mapping[str, Any]) -> bool:
    """Queue a run; False when its workflow already has one of the same idempotency key."""
    return (
        session.run(
            """INSERT INTO runs(id, workflow, name, status, trigger, priority, input, progress,
                   idempotency_key, attempt, run_at, created_at, fence, cancel_requested)
               VALUES (:id, :workflow, :name, 'pending', :trigger, :priority, :input, 0,
                   :idempotency_key, 0, :run_at, :created_at, 0, 0)
               ON CONFLICT DO NOTHING""",
            **row,
        )
        == 1
    )


def run_of_key(session: Session, workflow: str, key: str) -> str | None:
    """The run that already has this idempotency key."""
    found = session.value(
        "SELECT id FROM runs WHERE workflow = :workflow AND idempotency_key = :key",
        workflow=workflow,
        key=key,
    )
    return None if found is None else str(found)


def pending_count(session: Session, workflow: str) -> int:
    """How many runs of a workflow wait."""
    return int(
        session.value(
            "SELECT count(*) FROM runs WHERE status = 'pending' AND workflow || '' = :workflow",
            workflow=workflow,
        )
    )


def has_claimable(session: Session, now: int) -> bool:
    """Whether anything waits to run or was abandoned; cheap enough to poll."""
    return (
        session.value(
            """SELECT 1 FROM runs WHERE status = 'pending' AND run_at <= :now
               UNION ALL SELECT 1 FROM runs WHERE status = 'running' AND lease_until < :now
               UNION ALL SELECT 1 FROM runs WHERE status = 'running' AND lease_until > :ahead
               UNION ALL SELECT 1 FROM runs WHERE status = 'pending' AND created_at > :ahead LIMIT 1""",
            now=now,
            ahead=now + MOST_AHEAD_MS,
        )
        is not None
    )


def bring_back(session: Session, now: int) -> None:
    """After the clock was set back: leases and queued runs of a time to come count from now."""
    ahead = now + MOST_AHEAD_MS
    session.run(
        "UPDATE runs SET lease_until = 0 WHERE status = 'running' AND lease_until > :ahead", ahead=ahead
    )
    session.run(
        """UPDATE runs SET created_at = :now, run_at = :now
           WHERE status = 'pending' AND created_at > :ahead""",
        now=now,
        ahead=ahead,
    )


def give_up(session: Session, now: int) -> None:
    """A run that ends the process of everybody who takes it up must not do so for ever."""
    session.run(
        """UPDATE runs SET status = 'failed', ended_at = :now, owner = NULL, lease_until = NULL,
               error = 'Taken up ' || fence || ' times without coming to an end: its process died each time'
           WHERE status = 'running' AND lease_until < :now AND fence >= attempt + :most
               AND fence - attempt >= :most + (SELECT count(*) FROM steps WHERE run_id = runs.id)""",
        now=now,
        most=MOST_TAKEOVERS,
    )


def next_due(session: Session) -> int | None:
    """When the next waiting run is due or the next lease runs out."""
    found = session.value(
        """SELECT min(due) FROM (
               SELECT min(run_at) AS due FROM runs WHERE status = 'pending'
               UNION ALL SELECT min(lease_until) FROM runs WHERE status = 'running') AS times"""
    )
    return None if found is None else int(found)


def claim(
    session: Session,
    *,
    owner: str,
    now: int,
    lease_until: int,
    limit: int,
    concurrency: Mapping[str, int],
    known: Collection[str],
    only: str | None = None,
) -> list[Row]:
    """Take runs that are due or abandoned, within each workflow's concurrency; or one of them only."""
    if concurrency and session.dialect is Dialect.POSTGRES:
        session.row(
            """SELECT pg_advisory_xact_lock(
                   hashtextextended(current_setting('cuedeck.workspace') || '/claim', 0))"""
        )
    running = _running(session, now)
    room = {name: most - running.get(name, 0) for name, most in concurrency.items()}
    one = {} if only is None else {"only": only}
    taken: list[Row] = []
    for condition, order in (
        ("status = 'running' AND lease_until < :now", "lease_until, id"),
        ("status = 'pending' AND run_at <= :now", "priority, run_at, id"),
    ):
        # An expression, so that no index by workflow, which holds the whole history, is preferred.
        candidates = session.rows(
            f"""SELECT id, workflow FROM runs WHERE {condition} AND workflow || '' IN :free
                {"AND id = :only" if one else ""}
                ORDER BY {order} LIMIT :limit {session.skip_locked}""",  # noqa: S608 - constants and :names only
            now=now,
            limit=limit - len(taken),
            free=[name for name in known if room.get(name, 1) > 0],
            **one,
        )
        for row in candidates:
            if room.get(row["workflow"], 1) < 1:
                continue
            if row["workflow"] in room:
                room[row["workflow"]] -= 1
            taken.append(take(session, row["id"], owner, now, lease_until))
        if len(taken) >= limit:
            break
    return taken


def _running(session: Session, now: int) -> dict[str, int]:
    rows = session.rows(
        """SELECT workflow || '' AS name, count(*) AS runs FROM runs
           WHERE status = 'running' AND lease_until >= :now GROUP BY workflow || ''""",
        now=now,
    )
    return {row["name"]: int(row["runs"]) for row in rows}


def take(session: Session, run_id: str, owner: str, now: int, lease_until: int) -> Row:
    """Make a run ours; its fence moves, so that an earlier holder can write no more."""
    return session.rows(
        """UPDATE runs SET status = 'running', owner = :owner, lease_until = :lease_until, fence = fence + 1,
               attempt = attempt + CASE WHEN status = 'pending' THEN 1 ELSE 0 END,
               started_at = coalesce(started_at, :now)
           WHERE id = :id RETURNING *""",
        id=run_id,
        owner=owner,
        now=now,
        lease_until=lease_until,
    )[0]


def renew(session: Session, *, owner: str, lease_until: int) -> list[Row]:
    """Extend every lease of a process; the runs it still holds, with their cancel marks."""
    return session.rows(
        """UPDATE runs SET lease_until = :lease_until WHERE status = 'running' AND owner = :owner
           RETURNING id, fence, cancel_requested""",
        owner=owner,
        lease_until=lease_until,
    )


def release(session: Session, *, owner: str, only: Collection[str] | None = None) -> int:
    """Give back what a process holds, so that others take it up at once."""
    sql = "UPDATE runs SET lease_until = 0 WHERE status = 'running' AND owner = :owner"
    if only is None:
        return session.run(sql, owner=owner)
    return session.run(f"{sql} AND id IN :ids", owner=owner, ids=sorted(only))


def hold(session: Session, run_id: str, fence: int, progress: float | None) -> Row | None:
    """Prove that the run is still ours and note its progress; nothing when it was taken over."""
    return next(
        iter(
            session.rows(
                """UPDATE runs SET progress = coalesce(:progress, progress)
                   WHERE id = :id AND fence = :fence AND status = 'running' RETURNING cancel_requested""",
                id=run_id,
                fence=fence,
                progress=progress,
            )
        ),
        None,
    )


def insert_step(
    session: Session, run_id: str, seq: int, name: str, output: str, started_at: int, ended_at: int
) -> None:
    """Record a step's result."""
    session.run(
        """INSERT INTO steps(run_id, seq, name, output, started_at, ended_at)
           VALUES (:run_id, :seq, :name, :output, :started_at, :ended_at)""",
        run_id=run_id,
        seq=seq,
        name=name,
        output=output,
        started_at=started_at,
        ended_at=ended_at,
    )


def step_output(session: Session, run_id: str, seq: int) -> str | None:
    """What a step of a run gave, if it was recorded."""
    found = session.value(
        "SELECT output FROM steps WHERE run_id = :run_id AND seq = :seq", run_id=run_id, seq=seq
    )
    return None if found is None else str(found)


def steps_of(session: Session, run_id: str) -> list[Row]:
    """The steps a run has finished, in order."""
    return session.rows("SELECT * FROM steps WHERE run_id = :run_id ORDER BY seq", run_id=run_id)


def finish(
    session: Session, run_id: str, fence: int, *, status: str, result: str | None, error: str | None, now: int
) -> bool:
    """End a run that is still ours."""
    return (
        session.run(
            """UPDATE runs SET status = :status, result = :result, error = :error, ended_at = :now,
                   owner = NULL, lease_until = NULL,
                   progress = CASE WHEN :status = 'completed' THEN 100 ELSE progress END
               WHERE id = :id AND fence = :fence AND status = 'running'""",
            id=run_id,
            fence=fence,
            status=status,
            result=result,
            error=error,
            now=now,
        )
        == 1
    )


def retry_at(session: Session, run_id: str, fence: int, *, run_at: int, error: str) -> bool:
    """Put a failed run back into the queue for later."""
    return (
        session.run(
            """UPDATE runs SET status = 'pending', run_at = :run_at, error = :error, owner = NULL,
                   lease_until = NULL WHERE id = :id AND fence = :fence AND status = 'running'""",
            id=run_id,
            fence=fence,
            run_at=run_at,
            error=error,
        )
        == 1
    )


def request_cancel(session: Session, run_id: str, now: int) -> None:
    """Cancel a waiting or abandoned run at once, a running one at its next step."""
    session.run(
        """UPDATE runs SET cancel_requested = 1, status = 'cancelled', ended_at = :now
           WHERE id = :id AND (status = 'pending' OR status = 'running' AND lease_until < :now)""",
        id=run_id,
        now=now,
    )
    session.run("UPDATE runs SET cancel_requested = 1 WHERE id = :id AND status = 'running'", id=run_id)


def find(session: Session, run_id: str) -> Row | None:
    """One run."""
    return session.row("SELECT * FROM runs WHERE id = :id", id=run_id)


def history(
    session: Session, workflow: str | None, status: str | None, *, limit: int, offset: int, results: bool
) -> tuple[list[Row], int]:
    """Newest first, of a workflow or a status or all, and how many there are; with or without results."""
    given = {"workflow": workflow, "status": status}
    params = {name: value for name, value in given.items() if value is not None}
    where = "WHERE " + " AND ".join(f"{name} = :{name}" for name in params) if params else ""
    rows = session.rows(
        f"SELECT {_LISTED}, {'result' if results else 'NULL AS result'} FROM runs {where} "  # noqa: S608
        "ORDER BY created_at DESC, id DESC LIMIT :limit OFFSET :offset",
        limit=limit,
        offset=offset,
        **params,
    )
    return rows, int(session.value(f"SELECT count(*) FROM runs {where}", **params))  # noqa: S608


def started_between(session: Session, since: int, until: int) -> list[Row]:
    """Runs that were queued in a span of time, oldest first."""
    return session.rows(
        """SELECT workflow, status, error FROM runs
           WHERE created_at >= :since AND created_at < :until ORDER BY created_at, id""",
        since=since,
        until=until,
    )


def summaries(session: Session) -> dict[str, tuple[int, int | None]]:
    """For each workflow: how many executions, and when the last one started."""
    rows = session.rows(
        "SELECT workflow, count(*) AS runs, max(started_at) AS last FROM runs GROUP BY workflow"
    )
    return {row["workflow"]: (int(row["runs"]), row["last"]) for row in rows}


def counts(session: Session) -> dict[str, int]:
    """How many runs are in each status."""
    rows = session.rows("SELECT status, count(*) AS runs FROM runs GROUP BY status")
    return {row["status"]: int(row["runs"]) for row in rows}


def waiting_since(session: Session, before: int) -> int:
    """How many runs should have begun before a time and have not."""
    return int(
        session.value(
            "SELECT count(*) FROM runs WHERE status = 'pending' AND run_at < :before", before=before
        )
    )


def failed_since(session: Session, since: int) -> int:
    """How many runs ended in failure after a time."""
    return int(
        session.value("SELECT count(*) FROM runs WHERE status = 'failed' AND ended_at >= :since", since=since)
    )


def purge(session: Session, *, before: int, limit: int) -> int:
    """Forget finished runs that ended before a time; running and waiting work is never touched."""
    return session.run(
        f"""DELETE FROM runs WHERE id IN (
                SELECT id FROM runs WHERE status IN {FINAL} AND ended_at < :before
                ORDER BY ended_at LIMIT :limit)""",  # noqa: S608 - constants only
        before=before,
        limit=limit,
    )


def cursor(session: Session, name: str) -> tuple[str, int] | None:
    """How far a trigger has read, and of which source."""
    row = session.row("SELECT source, position FROM trigger_cursors WHERE name = :name", name=name)
    return None if row is None else (row["source"], int(row["position"]))


def move_cursor(session: Session, name: str, source: str, position: int) -> None:
    """Remember how far a trigger has read."""
    session.upsert("trigger_cursors", {"name": name, "source": source, "position": position}, key=["name"])


def note_write(session: Session, workflow: str, path: str, sha256: str) -> None:
    """Remember what a workflow wrote, so that it is not started by its own file."""
    session.upsert(
        "written_files", {"workflow": workflow, "path": path, "sha256": sha256}, key=["workflow", "path"]
    )


def wrote(session: Session, workflow: str, path: str, sha256: str) -> bool:
    """Whether a file holds just what that workflow wrote last."""
    found = session.value(
        "SELECT sha256 FROM written_files WHERE workflow = :workflow AND path = :path",
        workflow=workflow,
        path=path,
    )
    return bool(found == sha256)


def encode(value: Any) -> str:
    """JSON text as the journal keeps it; what JSON or UTF-8 cannot hold is refused."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text.encode()
    return text


def printable(message: str) -> str:
    """A failure's words as both stores can keep them, whatever raised it."""
    return message[:MOST_WORDS].replace("\0", "\\0").encode(errors="backslashreplace").decode()
