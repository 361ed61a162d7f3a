"""Forgets overlays that nobody needs, and says why each goes or stays."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from cuedeck.code.engine import Code
from cuedeck.code.indexing import ACTOR
from cuedeck.model.clock import DAY_MS, now_ms
from cuedeck.store import code as table


@dataclass(frozen=True, slots=True)
class Verdict:
    """One overlay and why it was kept or removed."""

    ref: str
    reason: str


@dataclass(frozen=True, slots=True)
class Pruned:
    """What pruning did."""

    removed: tuple[Verdict, ...]
    kept: tuple[Verdict, ...]
    blobs: int


def prune(code: Code, days: int) -> Pruned:
    """Remove overlays unused for so many days or whose ref is gone; never the base or what is checked out."""
    removed: list[Verdict] = []
    kept: list[Verdict] = []
    here = code.wanted(None).name
    elsewhere = code.repository.worktrees() if code.repository is not None else {}
    with code.store.index.write(actor=ACTOR) as session:
        for row in table.refs(session):
            if row.kind == "worktree" or row.name == code.base_name():
                continue
            reason, goes = _verdict(code, row, here, elsewhere, days)
            (removed if goes else kept).append(Verdict(row.name, reason))
            if goes:
                table.drop_ref(session, row.name)
        unused = table.unreferenced(session)
        table.drop_blobs(session, unused)
        if unused:
            table.compact(session)
    return Pruned(tuple(removed), tuple(kept), len(unused))


def _verdict(
    code: Code, row: table.RefRow, here: str, elsewhere: Collection[str], days: int
) -> tuple[str, bool]:
    if code.repository is None:
        return "there is no git repository here to ask", False
    if row.base is None:
        return "it is the base", False
    if row.name == here:
        return "it is checked out", False
    if row.kind != "commit" and row.name in elsewhere:
        return "it is checked out in another worktree", False
    if code.repository.resolve(row.name) is None:
        return "the ref no longer exists", True
    idle = (now_ms() - row.accessed_at) // DAY_MS
    if now_ms() - row.accessed_at >= days * DAY_MS:
        return f"last used {idle} days ago" if days else "older than 0 days", True
    return f"used {idle} days ago", False
