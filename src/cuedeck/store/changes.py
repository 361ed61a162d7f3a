"""The change log: reading it, keeping it to its ninety days, and forgetting one record for good."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator

from cuedeck.model.clock import DAY_MS
from cuedeck.store.protocol import Change, Row, Session

KEPT_MS = 90 * DAY_MS
_PAGE = 500
_CHANGES = "SELECT seq, at, actor, tbl, op, id, before, after FROM change_log"
# Expressions, so that the log is read in its own order: SQLite would sort all that a table ever had instead.
_OF_TABLES = "tbl || '' IN :tables"
_WITHIN = "at + 0 >= :since AND at + 0 < :until"


def changes_after(session: Session, *, after: int, limit: int, tables: Collection[str]) -> list[Change]:
    """Changes with a higher sequence number, in commit order."""
    chosen = f"AND {_OF_TABLES}" if tables else ""
    params = {"tables": sorted(tables)} if tables else {}
    found = session.rows(
        f"{_CHANGES} WHERE seq > :after {chosen} ORDER BY seq LIMIT :limit",
        after=after,
        limit=limit,
        **params,
    )
    return [_change(row) for row in found]


def changes_between(session: Session, since: int, until: int, tables: Collection[str]) -> Iterator[Change]:
    """Changes of some tables in a span of time, in commit order, a page in memory at once."""
    ends = session.row(
        "SELECT min(seq) AS first, max(seq) AS last FROM change_log WHERE at >= :since AND at < :until",
        since=since,
        until=until,
    )
    if ends is None or ends["first"] is None:
        return
    after = ends["first"] - 1
    while page := session.rows(
        f"{_CHANGES} "
        f"WHERE seq > :after AND seq <= :last AND {_WITHIN} AND {_OF_TABLES} ORDER BY seq LIMIT :limit",
        after=after,
        last=ends["last"],
        since=since,
        until=until,
        tables=sorted(tables),
        limit=_PAGE,
    ):
        yield from map(_change, page)
        after = page[-1]["seq"]


def newest(session: Session, *, limit: int, tables: Collection[str]) -> list[Change]:
    """The last changes of some tables, newest first."""
    found = session.rows(
        f"{_CHANGES} WHERE {_OF_TABLES} ORDER BY seq DESC LIMIT :limit",
        tables=sorted(tables),
        limit=limit,
    )
    return [_change(row) for row in found]


def oldest(session: Session) -> int | None:
    """When the first change happened that is still remembered."""
    found = session.value("SELECT min(at) FROM change_log")
    return None if found is None else int(found)


def last_seq(session: Session, before_ms: int | None = None) -> int:
    """The sequence number of the newest change, or of the newest one from before a time."""
    if before_ms is None:
        return int(session.value("SELECT max(seq) FROM change_log") or 0)
    return int(session.value("SELECT max(seq) FROM change_log WHERE at < :at", at=before_ms) or 0)


def purge(session: Session, *, before: int, limit: int = 5000) -> int:
    """Drop changes older than a time, a bounded batch at once; how many went."""
    return session.run(
        "DELETE FROM change_log WHERE seq IN "
        "(SELECT seq FROM change_log WHERE at < :before ORDER BY seq LIMIT :limit)",
        before=before,
        limit=limit,
    )


def forget(session: Session, table: str, id: str) -> int:
    """Remove what the log holds of one record, as when a secret was stored by mistake."""
    return session.run("DELETE FROM change_log WHERE tbl = :table AND id = :id", table=table, id=id)


def _change(row: Row) -> Change:
    return Change(
        row["seq"],
        row["at"],
        row["actor"],
        row["tbl"],
        row["op"],
        row["id"],
        json.loads(row["before"]) if row["before"] else None,
        json.loads(row["after"]) if row["after"] else None,
    )
