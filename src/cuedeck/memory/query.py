"""A question to the memories, as a value separate from how it is answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from cuedeck.memory.model import Memory, MemoryType, Neighbour
from cuedeck.memory.records import project_scope, scope_of, tag_scope, type_scope
from cuedeck.search.explain import Part
from cuedeck.search.snippets import snippet


class Fusion(StrEnum):
    """How keyword and dense candidates become one ranking."""

    RRF = "rrf"
    BLEND = "blend"


@dataclass(frozen=True, slots=True)
class Filters:
    """What a memory must be to count at all; tags are all required."""

    type: MemoryType | None = None
    project: str | None = None
    tags: tuple[str, ...] = ()

    @property
    def scope(self) -> list[list[str]]:
        """The same as scope tokens."""
        groups = [[tag_scope(tag)] for tag in self.tags]
        if self.type is not None:
            groups.append([type_scope(self.type)])
        if self.project is not None:
            groups.append([project_scope(self.project)])
        return groups

    def admit(self, memory: Memory) -> bool:
        """Whether a memory passes."""
        own = set(scope_of(memory))
        return all(own.intersection(group) for group in self.scope)


@dataclass(frozen=True, slots=True)
class Query:
    """Everything a search can ask for."""

    text: str
    filters: Filters = field(default_factory=Filters)
    max_results: int = 10
    max_tokens: int = 2000
    include_graph: bool = False
    fusion: Fusion = Fusion.RRF
    as_of: int | None = None
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was found, and why."""

    memory: Memory
    score: float
    explanation: Part | None = None

    def to_json(self, terms: list[str]) -> dict[str, Any]:
        """A line of the contract's ``index``."""
        shown: dict[str, Any] = {
            "id": self.memory.id,
            "title": self.memory.shown_title,
            "type": str(self.memory.type),
            "score": round(self.score, 6),
            "snippet": snippet(self.memory.content, terms),
        }
        if self.explanation is not None:
            shown["explanation"] = self.explanation.to_json()
        return shown


@dataclass(frozen=True, slots=True)
class Found:
    """A search's answer."""

    hits: tuple[Hit, ...]
    total: int
    terms: tuple[str, ...]
    semantic: bool
    related: dict[str, list[Neighbour]] = field(default_factory=dict)
