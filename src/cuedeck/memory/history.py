"""The memories and their links as they were at some time, from the change log."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

from cuedeck.memory.model import Link, Memory
from cuedeck.memory.records import from_row, link_from
from cuedeck.model.clock import iso, now_ms
from cuedeck.model.errors import invalid
from cuedeck.store import memories as table
from cuedeck.store.changes import KEPT_MS
from cuedeck.store.protocol import Row, Session

_PAGE = 1000
# A change takes its time before it waits for the write lock, the log afterwards.
_WAITED = 60_000


def check_time(at: int) -> int:
    """A time the change log still reaches back to."""
    now = now_ms()
    if not now - KEPT_MS <= at <= now:
        raise invalid("as_of", f"a time from {iso(now - KEPT_MS)} to {iso(now)}", iso(at))
    return at


def changed_since(session: Session, at: int) -> dict[str, Memory | None]:
    """Every memory changed after that time, as it was then; None where it was not there."""
    return {row["id"]: _then(row, at) for row in _first_changes(session, at)}


def links_then(session: Session, ids: Collection[str], at: int) -> list[Link]:
    """The links of some memories as they were at that time, strongest first."""
    changed = table.links_changed_after(session, at)
    now = [link_from(row) for row in table.edges_of(session, ids)]
    links = [link for link in now if f"{link.from_id}/{link.to_id}" not in changed]
    touching = [seq for id, seq in changed.items() if not set(ids).isdisjoint(id.split("/"))]
    for row in table.changes(session, touching):
        state = _state(row, at, "created_at")
        links += [link_from(state)] if state else []
    return sorted(links, key=lambda link: (-link.strength, link.from_id, link.to_id))


def _then(row: Row, at: int) -> Memory | None:
    state = _state(row, at, "updated_at")
    memory = from_row(state) if state else None
    return memory if memory and memory.deleted_at is None else None


def _state(row: Row, at: int, stamp: str) -> dict[str, Any] | None:
    """The state before the change, unless the change calls itself a little older than the log does.

    What an import brought calls itself much older, and was not here then.
    """
    after: dict[str, Any] | None = json.loads(row["after"]) if row["after"] else None
    if after and row["op"] in ("insert", "update") and row["at"] - _WAITED <= after[stamp] <= at:
        return after
    before: dict[str, Any] | None = json.loads(row["before"]) if row["before"] else None
    return before


def _first_changes(session: Session, at: int) -> Iterator[Row]:
    """The first change of each memory after a time, in pages; its outcome where ``_state`` may want it."""
    page = table.first_changes(session, at=at, near=at + _WAITED, after="", limit=_PAGE)
    while page:
        yield from page
        page = table.first_changes(session, at=at, near=at + _WAITED, after=page[-1]["id"], limit=_PAGE)
