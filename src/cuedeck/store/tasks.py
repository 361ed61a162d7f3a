"""The statements of agent tasks: counters, claims, dependencies and epics."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from cuedeck.store.portable import text_within
from cuedeck.store.protocol import Row, Session

# One status at a time, so that the queue's index gives the order and the first rows end the search.
_READY_OF = """SELECT t.* FROM agent_tasks t
    WHERE t.type = 'task' AND {free}
      AND NOT EXISTS (SELECT 1 FROM agent_task_needs n JOIN agent_tasks d ON d.id = n.needs_id
                      WHERE n.task_id = t.id AND d.status <> 'done')
      AND (CAST(:project AS text) IS NULL OR t.project = :project)
      AND (t.priority, t.rid) > (:priority, :rid)
    ORDER BY t.priority, t.rid LIMIT :limit"""
# Free: waiting, or claimed by somebody whose lease has run out.
_READY = " UNION ALL ".join(
    f"SELECT * FROM ({_READY_OF.format(free=free)}) AS free"  # noqa: S608 - constants only
    for free in ("t.status = 'pending'", "t.status = 'in_progress' AND t.lease_until < :now")
)
_READY += " ORDER BY priority, rid LIMIT :limit"
_WAITING = """FROM agent_tasks t
    JOIN agent_task_needs n ON n.task_id = t.id JOIN agent_tasks d ON d.id = n.needs_id
    WHERE t.type = 'task' AND d.status <> 'done'
      AND (t.status = 'pending' OR (t.status = 'in_progress' AND t.lease_until < :now))
      AND (CAST(:project AS text) IS NULL OR t.project = :project)"""
_WAITING_COUNT = "SELECT count(DISTINCT t.id) " + _WAITING
_WAITING_FIRST = (
    "SELECT t.id, min(n.needs_id) AS needs "
    + _WAITING
    + " GROUP BY t.id, t.priority, t.rid ORDER BY t.priority, t.rid LIMIT :limit"
)

_FILTER = """(CAST(:project AS text) IS NULL OR project = :project)
    AND (CAST(:status AS text) IS NULL OR status = :status)
    AND (CAST(:type AS text) IS NULL OR type = :type)"""
_ALL = 2**62
_NAMING = """SELECT * FROM agent_tasks t
    WHERE t.name LIKE :text ESCAPE '\\' OR t.description LIKE :text ESCAPE '\\'
       OR t.summary LIKE :text ESCAPE '\\' OR t.resolved_by LIKE :text ESCAPE '\\'
       OR t.files_exclusive LIKE :json ESCAPE '\\' OR t.files_readonly LIKE :json ESCAPE '\\'
       OR EXISTS (SELECT 1 FROM agent_task_needs n WHERE n.task_id = t.id AND n.needs_id = :word)
    ORDER BY t.rid DESC LIMIT :limit"""


def next_number(session: Session, project: str, type_: str) -> int:
    """The next number of a project's tasks or epics; a transaction undone takes its number back."""
    number = session.value(
        """INSERT INTO agent_task_counters(project, type, last) VALUES (:project, :type, 1)
           ON CONFLICT (project, type) DO UPDATE SET last = agent_task_counters.last + 1 RETURNING last""",
        project=project,
        type=type_,
    )
    return int(number)


def insert(session: Session, row: Mapping[str, Any], needs: Collection[str]) -> None:
    """Add a task and what it waits for."""
    session.insert("agent_tasks", row)
    session.run_many(
        "INSERT INTO agent_task_needs(task_id, needs_id) VALUES (:task, :needs)",
        [{"task": row["id"], "needs": target} for target in needs],
    )


def find(session: Session, task_id: str) -> Row | None:
    """One task."""
    return session.row("SELECT * FROM agent_tasks WHERE id = :id", id=task_id)


def existing(session: Session, ids: Collection[str]) -> set[str]:
    """Which of these ids are tasks."""
    return {row["id"] for row in session.rows("SELECT id FROM agent_tasks WHERE id IN :ids", ids=list(ids))}


def listing(
    session: Session,
    *,
    project: str | None = None,
    status: str | None = None,
    type_: str | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> list[Row]:
    """Tasks in the order they were created, filtered, or a part of them."""
    return session.rows(
        f"SELECT * FROM agent_tasks WHERE {_FILTER} ORDER BY rid LIMIT :limit OFFSET :offset",  # noqa: S608
        project=project,
        status=status,
        type=type_,
        limit=_ALL if limit is None else limit,
        offset=offset,
    )


def naming(session: Session, word: str, *, limit: int) -> list[Row]:
    """The newest tasks in whose words, files or dependencies a word occurs."""
    quoted = text_within(json.dumps(word)[1:-1])
    return session.rows(_NAMING, word=word, text=text_within(word), json=quoted, limit=limit)


def count(session: Session, *, project: str | None, status: str | None, type_: str | None) -> int:
    """How many tasks a filter lets through."""
    sql = f"SELECT count(*) FROM agent_tasks WHERE {_FILTER}"  # noqa: S608 - constants only
    return int(session.value(sql, project=project, status=status, type=type_))


def sources(session: Session) -> dict[str, str]:
    """Where imported tasks came from, and their ids."""
    rows = session.rows("SELECT source, id FROM agent_tasks WHERE source IS NOT NULL")
    return {row["source"]: row["id"] for row in rows}


def needs_of(session: Session, ids: Collection[str]) -> dict[str, list[str]]:
    """What each of these tasks depends on."""
    found: dict[str, list[str]] = {}
    rows = session.rows(
        "SELECT task_id, needs_id FROM agent_task_needs WHERE task_id IN :ids ORDER BY task_id, needs_id",
        ids=list(ids),
    )
    for row in rows:
        found.setdefault(row["task_id"], []).append(row["needs_id"])
    return found


def ready(session: Session, *, project: str | None, now: int, after: Row | None, limit: int) -> list[Row]:
    """Free tasks whose dependencies are done, best first, continuing after a row."""
    priority, rid = (after["priority"], after["rid"]) if after else (0, 0)
    return session.rows(_READY, project=project, now=now, priority=priority, rid=rid, limit=limit)


def waiting(session: Session, *, project: str | None, now: int, limit: int) -> tuple[int, list[Row]]:
    """How many free tasks a dependency holds back, and the best of them with one of what each waits for."""
    count = session.value(_WAITING_COUNT, project=project, now=now)
    return int(count), session.rows(_WAITING_FIRST, project=project, now=now, limit=limit)


def working(session: Session, *, now: int) -> list[Row]:
    """Tasks in progress whose claim still holds."""
    return session.rows(
        """SELECT id, agent, files_exclusive FROM agent_tasks
           WHERE status = 'in_progress' AND type = 'task' AND (lease_until IS NULL OR lease_until >= :now)
           ORDER BY rid""",
        now=now,
    )


def claim(session: Session, task_id: str, *, agent: str, lease_until: int, now: int) -> None:
    """Mark a task as being worked on."""
    session.run(
        """UPDATE agent_tasks SET status = 'in_progress', agent = :agent, lease_until = :lease_until,
               block_reason = NULL, updated_at = :now WHERE id = :id""",
        id=task_id,
        agent=agent,
        lease_until=lease_until,
        now=now,
    )


def finish(session: Session, task_id: str, *, resolved_by: str | None, summary: str | None, now: int) -> None:
    """Mark a task as done; what was said before about how stays unless said anew."""
    session.run(
        """UPDATE agent_tasks SET status = 'done', lease_until = NULL, block_reason = NULL,
               resolved_by = coalesce(:resolved_by, resolved_by), summary = coalesce(:summary, summary),
               completed_at = coalesce(completed_at, :now), updated_at = :now WHERE id = :id""",
        id=task_id,
        resolved_by=resolved_by,
        summary=summary,
        now=now,
    )


def block(session: Session, task_id: str, *, reason: str, now: int) -> None:
    """Mark a task as blocked."""
    session.run(
        """UPDATE agent_tasks SET status = 'blocked', block_reason = :reason, agent = NULL,
               lease_until = NULL, completed_at = NULL, updated_at = :now WHERE id = :id""",
        id=task_id,
        reason=reason,
        now=now,
    )


def release(session: Session, task_id: str, *, now: int) -> None:
    """Put a task back among the pending ones."""
    session.run(
        """UPDATE agent_tasks SET status = 'pending', agent = NULL, lease_until = NULL, block_reason = NULL,
               completed_at = NULL, updated_at = :now WHERE id = :id""",
        id=task_id,
        now=now,
    )


def renew(session: Session, task_id: str, *, lease_until: int, now: int) -> None:
    """Extend a claim."""
    session.run(
        "UPDATE agent_tasks SET lease_until = :lease_until, updated_at = :now WHERE id = :id",
        id=task_id,
        lease_until=lease_until,
        now=now,
    )


def set_epic(session: Session, epic_id: str, *, status: str, now: int) -> None:
    """Give an epic the status its children call for."""
    session.run(
        """UPDATE agent_tasks SET status = :status, updated_at = :now,
               completed_at = CASE WHEN :status = 'done' THEN coalesce(completed_at, :now) END
           WHERE id = :id AND status <> :status""",
        id=epic_id,
        status=status,
        now=now,
    )


def child_statuses(session: Session, epic_id: str) -> set[str]:
    """Which statuses the children of an epic have."""
    rows = session.rows(
        """SELECT column1 AS status FROM (VALUES ('pending'), ('in_progress'), ('blocked'), ('done')) AS v
           WHERE EXISTS (SELECT 1 FROM agent_tasks WHERE parent = :id AND status = column1)""",
        id=epic_id,
    )
    return {row["status"] for row in rows}


def open_children(session: Session, epic_id: str) -> list[str]:
    """What of an epic is not done, in the order of creation."""
    rows = session.rows(
        "SELECT id FROM agent_tasks WHERE parent = :id AND status <> 'done' ORDER BY rid", id=epic_id
    )
    return [row["id"] for row in rows]


def tally(session: Session, *, project: str | None) -> list[Row]:
    """How many tasks of each status every epic has; those without one under NULL."""
    return session.rows(
        """SELECT parent, status, count(*) AS tasks FROM agent_tasks
           WHERE type = 'task' AND (CAST(:project AS text) IS NULL OR project = :project)
           GROUP BY parent, status ORDER BY parent, status""",
        project=project,
    )


def freed_by(session: Session, task_id: str, *, status: str) -> list[str]:
    """Tasks of a status that waited for this one and now wait for nothing."""
    rows = session.rows(
        """SELECT t.id FROM agent_task_needs n JOIN agent_tasks t ON t.id = n.task_id
           WHERE n.needs_id = :id AND t.status = :status
             AND NOT EXISTS (SELECT 1 FROM agent_task_needs o JOIN agent_tasks d ON d.id = o.needs_id
                             WHERE o.task_id = t.id AND d.status <> 'done')
           ORDER BY t.priority, t.rid""",
        id=task_id,
        status=status,
    )
    return [row["id"] for row in rows]


def leads_to(session: Session, start: Collection[str], targets: Collection[str]) -> str | None:
    """The first of ``targets`` that finishing ``start`` waits for; an epic waits for its children."""
    found = session.value(
        """WITH RECURSIVE reach(id) AS (
               SELECT id FROM agent_tasks WHERE id IN :start
               UNION
               SELECT w.next FROM reach r JOIN (
                   SELECT task_id AS id, needs_id AS next FROM agent_task_needs
                   UNION ALL SELECT parent AS id, id AS next FROM agent_tasks WHERE parent IS NOT NULL
               ) w ON w.id = r.id)
           SELECT id FROM reach WHERE id IN :targets ORDER BY id LIMIT 1""",
        start=list(start),
        targets=list(targets),
    )
    return None if found is None else str(found)
