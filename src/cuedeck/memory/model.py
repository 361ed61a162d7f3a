"""What a memory is: its type, its fields, its links."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from cuedeck.model.clock import iso

PREFIX = "memory:"
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class MemoryType(StrEnum):
    """The five types of the contract."""

    KNOWLEDGE = "knowledge"
    EPISODE = "episode"
    DECISION = "decision"
    PATTERN = "pattern"
    CODE_CHUNK = "code_chunk"


class Origin(StrEnum):
    """Who made a link: similarity, or somebody."""

    AUTO = "auto"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory as it is stored; times are milliseconds, an empty project is none."""

    id: str
    type: MemoryType
    title: str | None
    content: str
    metadata: Mapping[str, Any]
    tags: tuple[str, ...]
    project: str
    confidence: float
    source_task: str | None
    created_at: int
    updated_at: int
    deleted_at: int | None = None
    rid: int = 0

    @property
    def shown_title(self) -> str:
        """Its title, or the beginning of its content."""
        return self.title or first_line(self.content)

    @property
    def embedded_text(self) -> str:
        """What the model reads of it."""
        return embedded_text(self.title, self.content)

    def to_json(self) -> dict[str, Any]:
        """The contract's fields."""
        return {
            "id": self.id,
            "type": str(self.type),
            "title": self.shown_title,
            "content": self.content,
            "metadata": dict(self.metadata),
            "tags": list(self.tags),
            "project": self.project or None,
            "confidence": self.confidence,
            "source_task": self.source_task,
            "created_at": iso(self.created_at),
            "updated_at": iso(self.updated_at),
        }


@dataclass(frozen=True, slots=True)
class Link:
    """An edge between two memories, seen from ``from_id``."""

    from_id: str
    to_id: str
    strength: float
    reason: str
    origin: Origin
    created_at: int

    def other(self, id: str) -> str:
        """The memory at the other end."""
        return self.to_id if self.from_id == id else self.from_id

    def to_json(self) -> dict[str, Any]:
        """The created edge of the contract."""
        return {
            "from_id": self.from_id,
            "to_id": self.to_id,
            "strength": self.strength,
            "reason": self.reason,
            "origin": str(self.origin),
            "created_at": iso(self.created_at),
        }


@dataclass(frozen=True, slots=True)
class Access:
    """How often a memory was read, and when last."""

    count: int = 0
    last_at: int | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody wants remembered, before it has an id."""

    type: MemoryType
    content: str
    title: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    project: str = ""
    confidence: float = 1.0
    source_task: str | None = None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory near another in the graph."""

    memory: Memory
    strength: float
    reason: str
    depth: int

    def to_json(self) -> dict[str, Any]:
        """One of the contract's ``related_memories``."""
        return {
            "id": self.memory.id,
            "title": self.memory.shown_title,
            "type": str(self.memory.type),
            "strength": self.strength,
            "reason": self.reason,
            "depth": self.depth,
        }


def embedded_text(title: str | None, content: str) -> str:
    """Title and content as the model reads them."""
    return f"{title}\n{content}" if title else content


def new_id(at: int) -> str:
    """An id that sorts by time: ten characters of clock, sixteen of chance."""
    return PREFIX + _base32(at, 10) + _base32(secrets.randbits(80), 16)


def chunk_id(project: str, path: str, key: str) -> str:
    """The id of a piece of a file: the same as long as project, path and symbol are."""
    digest = hashlib.blake2b(f"{project}\x1f{path}\x1f{key}".encode(), digest_size=17).digest()
    return PREFIX + _base32(int.from_bytes(digest) >> 6, 26)


def _base32(number: int, width: int) -> str:
    digits = []
    for _ in range(width):
        digits.append(_ALPHABET[number & 31])
        number >>= 5
    return "".join(reversed(digits))


def first_line(text: str, longest: int = 80) -> str:
    """The first line that says something, shortened."""
    line = next((line.strip() for line in text[:2000].splitlines() if line.strip()), "")
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
