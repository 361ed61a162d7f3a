"""Backlog.md: a folder of markdown tasks, their state in frontmatter and in the name of the folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cuedeck.documents.frontmatter import text_of
from cuedeck.tasks.dates import parse_moment
from cuedeck.tasks.handles import read_with_handles
from cuedeck.tasks.imports.foreign import ForeignStatus, ForeignTask, ForeignTasks, Misfit

_FOLDERS = ("tasks", "completed", "drafts", "archive")
_STATUS = {
    "to do": ForeignStatus.OPEN,
    "todo": ForeignStatus.OPEN,
    "draft": ForeignStatus.OPEN,
    "in progress": ForeignStatus.ACTIVE,
    "doing": ForeignStatus.ACTIVE,
    "review": ForeignStatus.ACTIVE,
    "blocked": ForeignStatus.BLOCKED,
    "done": ForeignStatus.DONE,
    "won't do": ForeignStatus.DROPPED,
    "cancelled": ForeignStatus.DROPPED,
}
_PRIORITY = {"critical": 1, "high": 2, "medium": 3, "low": 4}


def read_backlog(folder: Path) -> ForeignTasks:
    """Read a project's ``backlog`` folder, or the project around it."""
    root = folder / "backlog" if (folder / "backlog").is_dir() else folder
    tasks: dict[str, ForeignTask] = {}
    misfits: list[Misfit] = []
    for place, path in _files(root):
        name = path.relative_to(root).as_posix()
        task = _read(place, path, name, misfits)
        if task is None:
            continue
        if task.key in tasks:
            misfits.append(Misfit(name, f"{task.key} is there twice; the first counts"))
            continue
        tasks[task.key] = task
    return ForeignTasks("backlog", tuple(tasks.values()), tuple(misfits))


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    for place in _FOLDERS:
        for path in sorted((root / place).rglob("*.md")):
            if path.is_file() and not path.is_symlink():
                yield place, path


def _read(place: str, path: Path, name: str, misfits: list[Misfit]) -> ForeignTask | None:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = f"cannot be read: {error.strerror}" if isinstance(error, OSError) else "not UTF-8 text"
        misfits.append(Misfit(name, f"{why}; left out"))
        return None
    found = read_with_handles(text)
    if found.data is None or not text_of(found.data.get("id")):
        why = found.problem.message if found.problem else "no id in the frontmatter"
        misfits.append(Misfit(name, f"{why}; left out"))
        return None
    return _task(place, name, found.data, text[found.body :].strip("\r\n"), misfits)


def _task(place: str, name: str, data: dict[str, Any], body: str, misfits: list[Misfit]) -> ForeignTask:
    key = str(text_of(data["id"])).lower()
    people = _texts(data.get("assignee"))
    if len(people) > 1:
        misfits.append(Misfit(key, f"{len(people)} assignees; only {people[0]} is taken"))
    labels = _texts(data.get("labels")) + (["draft"] if place == "drafts" else [])
    priority = str(text_of(data.get("priority")) or "medium").lower()
    parent = text_of(data.get("parent_task_id"))
    return ForeignTask(
        key=key,
        title=text_of(data.get("title")) or key,
        description=body,
        status=_status(place, key, data, misfits),
        priority=_PRIORITY.get(priority, 3),
        assignee=people[0] if people else None,
        tags=tuple(dict.fromkeys(labels)),
        depends_on=tuple(dict.fromkeys(target.lower() for target in _texts(data.get("dependencies")))),
        parent=parent.lower() if parent else None,
        created=parse_moment(text_of(data.get("created_date")) or ""),
    )


def _status(place: str, key: str, data: dict[str, Any], misfits: list[Misfit]) -> ForeignStatus:
    written = text_of(data.get("status")) or ("done" if place == "completed" else "to do")
    status = _STATUS.get(re.sub(r"[\s_-]+", " ", written.strip().lower()))
    if status is None:
        misfits.append(Misfit(key, f"status '{written}'; taken as open"))
        status = ForeignStatus.OPEN
    return ForeignStatus.DROPPED if place == "archive" and status is not ForeignStatus.DONE else status


def _texts(value: Any) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return [text.strip() for text in map(text_of, items) if text and text.strip()]
