"""Statements of what the built-in workflows keep."""

from __future__ import annotations

from typing import Any

from cuedeck.store.protocol import Row, Session


def put_analysis(session: Session, path: str, sha256: str, analysis: str, at: int) -> None:
    """The latest analysis of a note (index database)."""
    session.upsert("analyses", {"path": path, "sha256": sha256, "analysis": analysis, "at": at}, key=["path"])


def add_file_change(session: Session, row: dict[str, Any]) -> int:
    """Log a file's change; how many this file has had."""
    session.upsert("file_changes", row, key=["id"])
    return int(session.value("SELECT count(*) FROM file_changes WHERE path = :path", path=row["path"]))


def file_changes(session: Session, *, since: int, until: int) -> list[Row]:
    """Logged changes in a span of time, oldest first."""
    return session.rows(
        "SELECT * FROM file_changes WHERE at >= :since AND at < :until ORDER BY at, id",
        since=since,
        until=until,
    )


def put_content(session: Session, path: str, sha256: str, content: bytes, at: int) -> None:
    """Keep a file's last content, compressed."""
    row = {"path": path, "sha256": sha256, "content": content, "at": at, "deleted_at": None}
    session.upsert("file_contents", row, key=["path"])


def content(session: Session, path: str) -> Row | None:
    """A file's last kept content."""
    return session.row("SELECT * FROM file_contents WHERE path = :path", path=path)


def mark_deleted(session: Session, path: str, at: int) -> None:
    """Note when a file whose content is kept went."""
    session.run("UPDATE file_contents SET deleted_at = :at WHERE path = :path", path=path, at=at)


def last_version(session: Session, path: str) -> Row | None:
    """A concept's newest version."""
    return session.row(
        "SELECT * FROM concept_versions WHERE path = :path ORDER BY version DESC LIMIT 1", path=path
    )


def versions(session: Session, path: str) -> list[Row]:
    """A concept's versions, newest first, without their outlines."""
    return session.rows(
        "SELECT version, sha256, at, changes FROM concept_versions WHERE path = :path ORDER BY version DESC",
        path=path,
    )


def add_version(session: Session, row: dict[str, Any]) -> None:
    """Add a concept's next version."""
    session.insert("concept_versions", row)
