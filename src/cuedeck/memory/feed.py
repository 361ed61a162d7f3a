"""The change feed: who changed which memory or link, when, from what to what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cuedeck.model.clock import iso

if TYPE_CHECKING:
    from cuedeck.store.protocol import Change, Database

TABLES = ("memories", "memory_links")
_PAGE = 500


def read(state: Database, *, after: int, limit: int) -> list[Change]:
    """Changes in commit order, without gaps, also across processes."""
    return state.changes(after=after, limit=limit, tables=TABLES)


def follow(state: Database, *, after: int, timeout: float | None = None) -> Iterator[Change]:
    """Every change from a sequence number on, as it happens; ends after a quiet time if one is given."""
    while True:
        since = state.version()
        page = read(state, after=after, limit=_PAGE)
        if page:
            yield from page
            after = page[-1].seq
        elif state.wait_for_change(since=since, timeout=timeout or 1.0) == since and timeout is not None:
            return


def to_json(change: Change) -> dict[str, Any]:
    """One change as a program reads it."""
    return {
        "seq": change.seq,
        "at": iso(change.at),
        "actor": change.actor,
        "table": change.table,
        "op": change.op,
        "id": change.id,
        "before": change.before,
        "after": change.after,
    }


def as_line(change: Change) -> str:
    """One change as a person reads it."""
    head = f"{change.seq:>6}  {iso(change.at)}  {change.actor:<16}  {change.op:<7}"
    return f"{head}  {change.id}  {changed_fields(change)}".rstrip()


def changed_fields(change: Change) -> str:
    """The names of what a change of a record changed, without what follows from it."""
    if change.before is None or change.after is None:
        return ""
    changed = [name for name in change.after if change.after[name] != change.before.get(name)]
    return ", ".join(name for name in changed if name not in ("updated_at", "content_hash", "duplicate_key"))
