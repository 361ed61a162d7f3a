"""The statements of todos: each one binds the user whose rows it may touch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cuedeck.store.portable import text_within
from cuedeck.store.protocol import Row, Session

COLUMNS = ("id", "title", "title_key", "description", "due_date", "created_at", "updated_at", "completed_at")
_SELECT = (
    "SELECT id, title, title_key, description, due_date, created_at, updated_at, completed_at FROM todos"
)
_LIST = (
    _SELECT
    + """ WHERE user_id = :user
    AND (:status = 'all' OR (completed_at IS NOT NULL) = (:status = 'complete'))
    ORDER BY created_at DESC, rid DESC LIMIT :limit OFFSET :offset"""
)
_COUNT = """SELECT count(*) FROM todos WHERE user_id = :user
    AND (:status = 'all' OR (completed_at IS NOT NULL) = (:status = 'complete'))"""
_NEWEST = " ORDER BY created_at DESC, rid DESC LIMIT :limit"
_EXACT = _SELECT + " WHERE user_id = :user AND title_key = :key" + _NEWEST
_WITHIN = _SELECT + " WHERE user_id = :user AND title_key LIKE :pattern ESCAPE '\\'" + _NEWEST


def put(session: Session, user: str, row: Mapping[str, Any]) -> None:
    """Add a todo, or overwrite the user's own of the same id."""
    values = {name: row[name] for name in COLUMNS}
    session.upsert("todos", {"user_id": user, **values}, key=["user_id", "id"])


def find(session: Session, user: str, todo_id: str) -> Row | None:
    """One of the user's todos."""
    return session.row(_SELECT + " WHERE user_id = :user AND id = :id", user=user, id=todo_id)


def listing(session: Session, user: str, *, status: str, limit: int, offset: int) -> list[Row]:
    """The user's todos, newest first; status is all, complete or incomplete."""
    return session.rows(_LIST, user=user, status=status, limit=limit, offset=offset)


def count(session: Session, user: str, *, status: str) -> int:
    """How many todos the user has."""
    return int(session.value(_COUNT, user=user, status=status))


def titled(session: Session, user: str, key: str, *, limit: int) -> list[Row]:
    """The user's todos with exactly this folded title."""
    return session.rows(_EXACT, user=user, key=key, limit=limit)


def title_holding(session: Session, user: str, key: str, *, limit: int) -> list[Row]:
    """The user's todos whose folded title holds this text, wildcards taken literally."""
    return session.rows(_WITHIN, user=user, pattern=text_within(key), limit=limit)


def completed(session: Session, user: str) -> list[Row]:
    """The user's completed todos."""
    return session.rows(_SELECT + " WHERE user_id = :user AND completed_at IS NOT NULL", user=user)


def remove(session: Session, user: str, ids: list[str]) -> int:
    """Delete todos of the user; how many there were."""
    return session.run("DELETE FROM todos WHERE user_id = :user AND id IN :ids", user=user, ids=ids)


def remember(session: Session, user: str, *, change_id: str, what: str, before: str, at: int) -> None:
    """Keep what a change replaced."""
    row = {"user_id": user, "id": change_id, "what": what, "before": before, "at": at}
    session.insert("todo_changes", row)


def last_change(session: Session, user: str) -> Row | None:
    """The user's latest change that can be undone."""
    return session.row(
        """SELECT id, what, before, at FROM todo_changes WHERE user_id = :user
           ORDER BY rid DESC LIMIT 1""",
        user=user,
    )


def forget_change(session: Session, user: str, change_id: str) -> None:
    """Drop a change that was undone."""
    session.run("DELETE FROM todo_changes WHERE user_id = :user AND id = :id", user=user, id=change_id)


def trim_changes(session: Session, user: str, *, keep: int, since: int) -> None:
    """Drop changes that are too many or too old."""
    session.run(
        """DELETE FROM todo_changes WHERE user_id = :user AND (at < :since OR rid NOT IN (
               SELECT rid FROM todo_changes WHERE user_id = :user ORDER BY rid DESC LIMIT :keep))""",
        user=user,
        keep=keep,
        since=since,
    )
