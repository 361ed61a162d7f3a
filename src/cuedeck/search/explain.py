"""A score as a tree of named parts, each the sum of the parts below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cuedeck.model.adding import added
from cuedeck.search.fusion import Ranked
from cuedeck.store.bm25 import breakdown
from cuedeck.store.protocol import TextRecord, TextSpec, TextStatistics


@dataclass(frozen=True, slots=True)
class Part:
    """What one thing contributes to a score."""

    name: str
    value: float
    parts: tuple[Part, ...] = ()

    def scaled(self, to: float) -> Part:
        """The same proportions, summing to another value."""
        factor = to / self.value if self.value else 0.0
        return Part(self.name, to, tuple(part.scaled(part.value * factor) for part in self.parts))

    def to_json(self) -> dict[str, Any]:
        """Name, value and, where there are any, parts."""
        shown: dict[str, Any] = {"name": self.name, "value": self.value}
        if self.parts:
            shown["parts"] = [part.to_json() for part in self.parts]
        return shown


def total(name: str, parts: Sequence[Part]) -> Part:
    """The sum of some parts, as a part."""
    return Part(name, added(part.value for part in parts), tuple(parts))


def keyword_parts(
    spec: TextSpec, record: TextRecord, terms: Sequence[str], statistics: TextStatistics
) -> Part:
    """A record's BM25 score, term by term, equal to the one the store ranked by."""
    shares = breakdown(spec, record, terms, statistics)
    return total("keyword", [Part(term, value) for term, value in shares.items()])


def fused_parts(ranked: Ranked[Any], below: Mapping[str, Part]) -> Part:
    """A fused score by source; what is known below a source is scaled to that source's part."""
    return total(
        "score",
        [
            Part(source, value, below[source].scaled(value).parts if source in below else ())
            for source, value in ranked.parts.items()
        ],
    )
