"""The memories as they were at some time, from the change log."""

from __future__ import annotations

import json
from collections.abc import Iterator

from cuedeck.memory.model import Memory, iso, now_ms
from cuedeck.memory.records import from_row
from cuedeck.model.errors import invalid
from cuedeck.store.changes import KEPT_MS
from cuedeck.store.protocol import Row, Session

_PAGE = 1000


def check_time(at: int) -> int:
    """A time the change log still reaches back to."""
    now = now_ms()
    if not now - KEPT_MS <= at <= now:
        raise invalid("as_of", f"a time from {iso(now - KEPT_MS)} to {iso(now)}", iso(at))
    return at


def changed_since(session: Session, at: int) -> dict[str, Memory | None]:
    """Every memory changed after that time, as it was then; None where it was not there."""
    return {row["id"]: _then(row, at) for row in _first_changes(session, at)}


def _then(row: Row, at: int) -> Memory | None:
    """The state before the change, unless the change calls itself older than the log does."""
    after = json.loads(row["after"]) if row["after"] else None
    state = after if after and row["op"] in ("insert", "update") and after["updated_at"] <= at else None
    if state is None:
        state = json.loads(row["before"]) if row["before"] else None
    memory = from_row(state) if state else None
    return memory if memory and memory.deleted_at is None else None


def _first_changes(session: Session, at: int) -> Iterator[Row]:
    """The first change of each memory after a time, in pages."""
    after = ""
    while True:
        page = session.rows(
            "SELECT c.id, c.op, c.before, c.after FROM change_log AS c JOIN "
            "(SELECT id, min(seq) AS seq FROM change_log WHERE tbl = 'memories' AND at > :at AND id > :after "
            "GROUP BY id ORDER BY id LIMIT :limit) AS f ON f.seq = c.seq ORDER BY c.id",
            at=at,
            after=after,
            limit=_PAGE,
        )
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1]["id"]
