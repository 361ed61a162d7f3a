"""A task card: what its frontmatter says, read leniently, with every doubt named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from cuedeck.documents.frontmatter import Problem, text_of
from cuedeck.tasks.dates import parse_moment, timestamp
from cuedeck.tasks.handles import read_with_handles
from cuedeck.tasks.plain_header import read_plain

FOLDER = ".cuedeck/cards"
CARD_ID = re.compile(r"[a-z0-9]{6}")
_HEADING = re.compile(r"^#[ \t]+(.+)$", re.MULTILINE)
_CONFLICT = re.compile(r"^(?:<<<<<<<|>>>>>>>) ", re.MULTILINE)


class CardStatus(StrEnum):
    """Where a card stands."""

    TODO = "todo"
    ACTIVE = "active"
    DONE = "done"
    ARCHIVED = "archived"


class CardPriority(StrEnum):
    """How urgent a card is, most urgent first."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


URGENCY = {priority: rank for rank, priority in enumerate(CardPriority)}
FINISHED = frozenset({CardStatus.DONE, CardStatus.ARCHIVED})


@dataclass(frozen=True, slots=True)
class Card:
    """One card as it is on disk."""

    id: str
    title: str
    status: CardStatus
    priority: CardPriority
    assignee: str | None
    tags: tuple[str, ...]
    depends_on: tuple[str, ...]
    refs: tuple[str, ...]
    created: datetime | None
    updated: datetime | None
    source: str | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def path(self) -> str:
        """Where the card is, relative to the workspace."""
        return f"{FOLDER}/{self.id}.md"

    def to_json(self) -> dict[str, Any]:
        """Every field as plain JSON values."""
        return {
            "id": self.id,
            "title": self.title,
            "status": self.status.value,
            "priority": self.priority.value,
            "assignee": self.assignee,
            "tags": list(self.tags),
            "depends_on": list(self.depends_on),
            "refs": list(self.refs),
            "created": timestamp(self.created) if self.created else None,
            "updated": timestamp(self.updated) if self.updated else None,
            "path": self.path,
        }


@dataclass(frozen=True, slots=True)
class BrokenCard:
    """A file among the cards that is none, and why."""

    name: str
    problem: Problem
    fix: str = "Correct the frontmatter by hand."

    @property
    def path(self) -> str:
        """Where the file is, relative to the workspace."""
        return f"{FOLDER}/{self.name}"

    @property
    def misnamed(self) -> bool:
        """Whether its name is none of a card, so that it was hardly meant to be one."""
        return not CARD_ID.fullmatch(self.name.removesuffix(".md"))


def read_card(card_id: str, data: bytes) -> Card | BrokenCard:
    """Parse a card; what cannot be used at all comes back as broken, never as an exception."""
    name = f"{card_id}.md"
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return BrokenCard(name, Problem("the file is not UTF-8 text", line), "Save it as UTF-8.")
    if text.startswith("---\n") and (end := text.find("\n---\n", 3)) > 0:
        plain = read_plain(text[4 : end + 1])
        if plain is not None:
            return _Reading(plain, text[: end + 1], []).card(card_id, text[end + 5 :])
    found = read_with_handles(text)
    if conflict := _CONFLICT.search(text, 0, found.body or len(text)):
        line = text.count("\n", 0, conflict.start()) + 1
        return BrokenCard(name, Problem("an unresolved merge conflict", line), "Resolve the conflict.")
    if found.data is None:
        return BrokenCard(name, found.problem or Problem("the file has no frontmatter", 1))
    notes = () if found.problem is None else (found.problem,)
    return _Reading(found.data, text[: found.body], list(notes)).card(card_id, text[found.body :])


T = TypeVar("T", bound=StrEnum)


@dataclass(slots=True)
class _Reading:
    data: Mapping[str, Any]
    header: str
    problems: list[Problem]

    def card(self, card_id: str, body: str) -> Card:
        return Card(
            id=card_id,
            title=self.text("title") or _first_heading(body) or card_id,
            status=self.word("status", CardStatus.TODO),
            priority=self.word("priority", CardPriority.MEDIUM),
            assignee=self.text("assignee"),
            tags=self.texts("tags"),
            depends_on=self.ids("depends_on"),
            refs=self.texts("refs"),
            created=self.moment("created"),
            updated=self.moment("updated"),
            source=self.text("source"),
            problems=tuple(self.problems),
        )

    def text(self, key: str) -> str | None:
        return text_of(self.data.get(key)) or None

    def word(self, key: str, default: T) -> T:
        written = self.text(key)
        if written is None:
            return default
        try:
            return type(default)(written.strip().lower())
        except ValueError:
            words = ", ".join(type(default))
            self.doubt(key, f"{key} '{written[:40]}' is not one of {words}; read as {default}")
            return default

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_items(self.data.get(key))))

    def ids(self, key: str) -> tuple[str, ...]:
        """YAML reads an unquoted id of digits as a number; its leading zeros are put back."""
        return tuple(dict.fromkeys(item.zfill(6) if item.isdecimal() else item for item in self.texts(key)))

    def moment(self, key: str) -> datetime | None:
        written = self.text(key)
        moment = parse_moment(written) if written else None
        if written and moment is None:
            self.doubt(key, f"{key} '{written[:40]}' is not a date")
        return moment

    def doubt(self, key: str, message: str) -> None:
        place = re.search(rf"^{key}[ \t]*:", self.header, re.MULTILINE)
        line = self.header.count("\n", 0, place.start()) + 1 if place else 1
        self.problems.append(Problem(message, line))


def _items(value: Any) -> list[str]:
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",")]
    texts = map(text_of, value if isinstance(value, list) else [value])
    return [text for text in texts if text and text.strip()]


def _first_heading(body: str) -> str | None:
    match = _HEADING.search(body)
    return match[1].strip().rstrip("# \t") if match else None
