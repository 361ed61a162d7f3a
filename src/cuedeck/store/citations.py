"""Statements of what memories cite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cuedeck.store.protocol import Row, Session


@dataclass(frozen=True, slots=True)
class CitationRow:
    """One memory's citation; ``digest`` is what the target was like then, or empty."""

    memory_id: str
    kind: str
    target: str
    path: str
    digest: str
    at: int


def put(session: Session, memory_id: str, rows: Iterable[CitationRow]) -> None:
    """Replace all that a memory cites."""
    session.run("DELETE FROM memory_citations WHERE memory_id = :id", id=memory_id)
    for row in rows:
        session.insert(
            "memory_citations",
            {
                "memory_id": memory_id,
                "kind": row.kind,
                "target": row.target,
                "path": row.path,
                "digest": row.digest,
                "at": row.at,
            },
        )


def of_memories(session: Session, ids: Sequence[str]) -> list[CitationRow]:
    """What some living memories cite."""
    sql = "SELECT * FROM memory_citations WHERE memory_id IN :ids ORDER BY memory_id, kind, target, path"
    return [_row(row) for row in session.rows(sql, ids=list(ids))] if ids else []


def citing(session: Session, kind: str, target: str, path: str | None) -> list[CitationRow]:
    """The living memories' citations of one target, in any file or in one."""
    sql = (
        "SELECT c.* FROM memory_citations c JOIN memories m ON m.id = c.memory_id "
        "WHERE c.kind = :kind AND c.target = :target AND m.deleted_at IS NULL ORDER BY c.memory_id, c.path"
    )
    found = (_row(row) for row in session.rows(sql, kind=kind, target=target))
    return [row for row in found if path is None or row.path == path]


def citing_file(session: Session, path: str) -> list[CitationRow]:
    """The living memories' citations of a file or of a symbol in it."""
    sql = (
        "SELECT c.* FROM memory_citations c JOIN memories m ON m.id = c.memory_id "
        "WHERE c.path = :path AND m.deleted_at IS NULL ORDER BY c.memory_id, c.kind, c.target"
    )
    return [_row(row) for row in session.rows(sql, path=path)]


def _row(row: Row) -> CitationRow:
    return CitationRow(row["memory_id"], row["kind"], row["target"], row["path"], row["digest"], row["at"])
