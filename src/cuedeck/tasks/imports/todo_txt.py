"""todo.txt: one task per line, with priority, dates, +projects, @contexts and key:value pairs."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from datetime import date

from cuedeck.tasks.dates import parse_moment
from cuedeck.tasks.imports.foreign import ForeignStatus, ForeignTask, ForeignTasks, Misfit

_LINE = re.compile(
    r"(?P<done>x )?\s*(?:\((?P<priority>[A-Z])\) )?"
    r"(?:(?P<first>[0-9]{4}-[0-9]{2}-[0-9]{2}) )?(?:(?P<second>[0-9]{4}-[0-9]{2}-[0-9]{2}) )?(?P<text>.*)"
)
_TAG = re.compile(r"(?:(?<=\s)|^)[+@](\S+)")
_PAIR = re.compile(r"(?:(?<=\s)|^)(?P<key>[A-Za-z]+):(?P<value>[^\s:/][^\s]*)(?=\s|$)")


def read_todo_txt(text: str) -> ForeignTasks:
    """Parse a todo.txt file."""
    tasks: list[ForeignTask] = []
    misfits: list[Misfit] = []
    seen: Counter[str] = Counter()
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            task = _task(f"line {number}", line.strip(), misfits)
            seen[task.title] += 1
            # The format has no ids: a task is its text, and among equal ones its place.
            key = task.title if seen[task.title] == 1 else f"{task.title} ({seen[task.title]})"
            tasks.append(replace(task, key=key))
    return ForeignTasks("todo.txt", tuple(tasks), tuple(misfits))


def _task(where: str, line: str, misfits: list[Misfit]) -> ForeignTask:
    match = _LINE.fullmatch(line)
    assert match is not None
    done = match["done"] is not None
    created = match["second"] if done else match["first"]
    text, due = _without_due(where, match["text"], misfits)
    letter = match["priority"]
    for pair in _PAIR.finditer(text):
        if pair["key"] in ("t", "rec", "pri"):
            misfits.append(Misfit(where, f"'{pair[0]}' stays in the title; it means nothing here"))
    return ForeignTask(
        key=where,
        title=text or line,
        status=ForeignStatus.DONE if done else ForeignStatus.OPEN,
        priority=min(5, ord(letter) - ord("A") + 1) if letter else 3,
        tags=tuple(dict.fromkeys(_TAG.findall(text))),
        due_date=due,
        created=parse_moment(created) if created else None,
    )


def _without_due(where: str, text: str, misfits: list[Misfit]) -> tuple[str, str | None]:
    for pair in _PAIR.finditer(text):
        if pair["key"].lower() != "due":
            continue
        try:
            due = date.fromisoformat(pair["value"]).isoformat()
        except ValueError:
            misfits.append(Misfit(where, f"'{pair[0]}' is not a date; it stays in the title"))
            continue
        return " ".join((text[: pair.start()] + text[pair.end() :]).split()), due
    return text.strip(), None
