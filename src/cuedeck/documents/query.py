"""What read_context asks for: a query, how to match it, and which documents may answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from cuedeck.documents.extract import field_scope, tag_scope
from cuedeck.documents.tags import tag_key


class Mode(StrEnum):
    """How a query is matched."""

    KEYWORD = "keyword"
    SEMANTIC = "semantic"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class Filters:
    """Which documents may answer: any of the tags, that priority, that assignee."""

    tags: Sequence[str] = ()
    priority: str | None = None
    assignee: str | None = None

    def scope(self) -> list[list[str]]:
        """The same as groups of scope tokens, every one of which must match."""
        groups = []
        if self.tags:
            groups.append([tag_scope(tag_key(tag)) for tag in self.tags])
        if self.priority is not None:
            groups.append([field_scope("priority", self.priority)])
        if self.assignee is not None:
            groups.append([field_scope("assignee", self.assignee)])
        return groups


@dataclass(frozen=True, slots=True)
class Query:
    """One search."""

    text: str
    mode: Mode = Mode.HYBRID
    filters: Filters = Filters()
    limit: int = 5


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that answers, why, and where to look in it.

    ``whole`` is the share of the keyword part that the document has as a whole.
    """

    path: str
    hash: str
    tokens: int
    anchors: tuple[str, ...]
    line: int
    score: float
    parts: tuple[tuple[str, float], ...]
    ordinal: int
    whole: float = 0.0


@dataclass(frozen=True, slots=True)
class Results:
    """The answer, the mode it was made with, and why that is another or nothing was found."""

    hits: tuple[Hit, ...]
    mode_used: Mode
    pending: int
    why: str | None = None
    incomplete: bool = False
