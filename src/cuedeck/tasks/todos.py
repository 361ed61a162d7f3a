"""Todos: one person's list, seen and changed by nobody else."""

from __future__ import annotations

import json
import re
import unicodedata
import uuid
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from datetime import date
from enum import Enum
from typing import Any, Final, Literal

from cuedeck.model.clock import iso
from cuedeck.model.errors import CueError, ErrorCode, invalid, not_found
from cuedeck.model.text import checked, is_storable
from cuedeck.store import todos as statements
from cuedeck.store.protocol import Row, Session, Store
from cuedeck.store.runs import now_ms

MAX_TITLE = 200
MAX_DESCRIPTION = 2000
MAX_MATCHES = 10
KEPT_CHANGES = 100
KEPT_MS = 90 * 24 * 3600 * 1000
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

Status = Literal["complete", "incomplete", "all"]


class Unchanged(Enum):
    """Says that a field keeps its value, where None would clear it."""

    KEEP = "keep"


KEEP: Final = Unchanged.KEEP


@dataclass(frozen=True, slots=True)
class Todo:
    """One entry; times in milliseconds since the epoch."""

    id: str
    title: str
    description: str | None
    due_date: str | None
    created_at: int
    updated_at: int
    completed_at: int | None

    @property
    def status(self) -> str:
        """Complete or incomplete."""
        return "incomplete" if self.completed_at is None else "complete"

    def to_json(self) -> dict[str, Any]:
        """All fields in the words of the contract."""
        return {
            "id": self.id,
            "title": self.title,
            "description": self.description,
            "due_date": self.due_date,
            "status": self.status,
            "created_at": iso(self.created_at),
            "updated_at": iso(self.updated_at),
            "completed_at": None if self.completed_at is None else iso(self.completed_at),
        }


@dataclass(frozen=True, slots=True)
class Which:
    """The todo a caller means: by id or by title, exactly one of them."""

    id: str | None = None
    title: str | None = None

    def __post_init__(self) -> None:
        if (self.id is None) == (self.title is None):
            given = "neither" if self.id is None else "both"
            raise invalid("task_id", "exactly one of task_id and task_title", given)
        if self.title is not None and not self.title.strip():
            raise invalid("task_title", "text", self.title)


@dataclass(frozen=True, slots=True)
class TodoPage:
    """Some of a list, and how many there are in all."""

    todos: tuple[Todo, ...]
    total: int


class Todos:
    """Everybody's lists; the only way in is through one person's."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of(self, user: str) -> TodoList:
        """The list of one proven user."""
        return TodoList(self._store, user)


class TodoList:
    """One user's todos; no statement here can reach a row of anybody else."""

    def __init__(self, store: Store, user: str) -> None:
        if not user:
            raise CueError(ErrorCode.UNAUTHORIZED, "No user is known")
        self._state = store.state
        self._user = user

    def add(self, title: str, *, description: str | None = None, due_date: str | None = None) -> Todo:
        """Put a todo on the list."""
        return self.add_many([(title, description, due_date, False)])[0]

    def add_many(self, entries: Sequence[tuple[str, str | None, str | None, bool]]) -> Sequence[Todo]:
        """Put several on the list as one change: title, description, due date, whether it is complete."""
        drafts = [
            (_title(title), _description(description), _due(due_date), complete)
            for title, description, due_date, complete in entries
        ]
        with self._write() as session:
            now = now_ms(session)
            made = [
                Todo(str(uuid.uuid4()), title, description, due, now, now, now if complete else None)
                for title, description, due, complete in drafts
            ]
            for todo in made:
                statements.put(session, self._user, _row(todo))
            what = f"adding '{made[0].title}'" if len(made) == 1 else f"adding {len(made)} tasks"
            self._remember(session, what, {todo.id: None for todo in made}, now)
        return made

    def list(self, status: Status = "all", *, limit: int = 50, offset: int = 0) -> TodoPage:
        """The list, newest first."""
        with self._state.read(user=self._user) as session:
            rows = statements.listing(session, self._user, status=status, limit=limit, offset=offset)
            if len(rows) < limit and (rows or not offset):
                total = offset + len(rows)  # The list ends here, so nobody need count it.
            else:
                total = statements.count(session, self._user, status=status)
        return TodoPage(tuple(map(_todo, rows)), total)

    def states(self) -> frozenset[tuple[str, bool]]:
        """Every title, and whether it is complete."""
        with self._state.read(user=self._user) as session:
            rows = statements.listing(session, self._user, status="all", limit=2**31, offset=0)
        return frozenset((row["title"], row["completed_at"] is not None) for row in rows)

    def complete(self, which: Which, *, complete: bool = True) -> Todo:
        """Mark a todo as complete or not; twice is the same as once."""
        with self._write() as session:
            before = self._find(session, which)
            now = now_ms(session)
            at = (before.completed_at or now) if complete else None
            if at == before.completed_at:
                return before
            word = "completing" if complete else "reopening"
            return self._change(session, before, replace(before, completed_at=at, updated_at=now), word)

    def update(
        self,
        which: Which,
        *,
        title: str | Unchanged = KEEP,
        description: str | Unchanged | None = KEEP,
        due_date: str | Unchanged | None = KEEP,
    ) -> Todo:
        """Change what is given; None clears a description or a due date."""
        changes: dict[str, Any] = {}
        if title is not KEEP:
            changes["title"] = _title(title, "new_title")
        if description is not KEEP:
            changes["description"] = _description(description, "new_description")
        if due_date is not KEEP:
            changes["due_date"] = _due(due_date, "new_due_date")
        if not changes:
            expected = "at least one of new_title, new_description, new_due_date"
            raise invalid("new_title", expected, None)
        with self._write() as session:
            before = self._find(session, which)
            after = replace(before, **changes, updated_at=now_ms(session))
            return self._change(session, before, after, "changing")

    def delete(self, which: Which) -> Todo:
        """Take a todo off the list."""
        with self._write() as session:
            todo = self._find(session, which)
            self._remove(session, [todo], f"deleting '{todo.title}'")
            return todo

    def delete_completed(self) -> int:
        """Take every completed todo off the list; how many there were."""
        with self._write() as session:
            todos = [_todo(row) for row in statements.completed(session, self._user)]
            if todos:
                self._remove(session, todos, f"deleting {len(todos)} completed tasks")
            return len(todos)

    def undo(self) -> str | None:
        """Take the last change back whole; what it was, or None when there is none."""
        with self._write() as session:
            change = statements.last_change(session, self._user)
            if change is None:
                return None
            before: dict[str, dict[str, Any] | None] = json.loads(change["before"])
            statements.remove(session, self._user, [key for key, row in before.items() if row is None])
            for row in before.values():
                if row is not None:
                    statements.put(session, self._user, _row(Todo(**row)))
            statements.forget_change(session, self._user, change["id"])
            return str(change["what"])

    def _write(self) -> AbstractContextManager[Session]:
        return self._state.write(actor="todo", user=self._user)

    def _find(self, session: Session, which: Which) -> Todo:
        if which.id is not None:
            row = statements.find(session, self._user, which.id.lower()) if is_storable(which.id) else None
            if row is None:
                raise not_found("Task not found")
            return _todo(row)
        assert which.title is not None
        return self._titled(session, which.title)

    def _titled(self, session: Session, title: str) -> Todo:
        key = _key(title)
        rows: Sequence[Row] = []
        if len(key) <= 4 * MAX_TITLE and is_storable(key):
            most = MAX_MATCHES + 1
            rows = statements.titled(session, self._user, key, limit=most) or statements.title_holding(
                session, self._user, key, limit=most
            )
        if not rows:
            raise not_found(f"Task '{_short(title)}' not found")
        if len(rows) > 1:
            raise _ambiguous(title, rows[:MAX_MATCHES])
        return _todo(rows[0])

    def _change(self, session: Session, before: Todo, after: Todo, word: str) -> Todo:
        statements.put(session, self._user, _row(after))
        self._remember(session, f"{word} '{before.title}'", {before.id: before}, after.updated_at)
        return after

    def _remove(self, session: Session, todos: Sequence[Todo], what: str) -> None:
        statements.remove(session, self._user, [todo.id for todo in todos])
        self._remember(session, what, {todo.id: todo for todo in todos}, now_ms(session))

    def _remember(self, session: Session, what: str, before: Mapping[str, Todo | None], at: int) -> None:
        kept = {key: None if todo is None else asdict(todo) for key, todo in before.items()}
        text = json.dumps(kept)
        change_id = str(uuid.uuid4())
        statements.remember(session, self._user, change_id=change_id, what=what, before=text, at=at)
        statements.trim_changes(session, self._user, keep=KEPT_CHANGES, since=at - KEPT_MS)


def _todo(row: Row) -> Todo:
    return Todo(**{name: row[name] for name in Todo.__dataclass_fields__})


def _row(todo: Todo) -> dict[str, Any]:
    return {**asdict(todo), "title_key": _key(todo.title)}


def _key(title: str) -> str:
    """A title as it is compared: without regard to case, in every alphabet."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", title.strip()).casefold())


def _title(title: str, field: str = "title") -> str:
    return checked(field, title.strip(), longest=MAX_TITLE)


def _description(description: str | None, field: str = "description") -> str | None:
    if description is None:
        return None
    return checked(field, description, longest=MAX_DESCRIPTION, blank=True)


def _due(due_date: str | None, field: str = "due_date") -> str | None:
    if due_date is None:
        return None
    try:
        if not _DATE.fullmatch(due_date):
            raise ValueError
        return date.fromisoformat(due_date).isoformat()
    except ValueError:
        raise invalid(field, "a date as YYYY-MM-DD", due_date) from None


def _ambiguous(title: str, rows: Sequence[Row]) -> CueError:
    return CueError(
        ErrorCode.MULTIPLE_MATCHES,
        f"Multiple tasks match '{_short(title)}'. Please be more specific.",
        data={"matches": [{"id": row["id"], "title": row["title"]} for row in rows]},
    )


def _short(title: str) -> str:
    return title if len(title) <= MAX_TITLE else title[:MAX_TITLE] + "…"
