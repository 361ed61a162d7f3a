"""Symbols of a single file, for readers that have a path and bytes but no index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cuedeck.code.extraction.extract import extract
from cuedeck.code.facts import Definition, Facts
from cuedeck.code.languages import language_named, language_of_source


@dataclass(frozen=True, slots=True)
class Anchor:
    """A symbol a reader can jump to; ``start`` and ``end`` are byte offsets."""

    name: str
    qualified_name: str
    kind: str
    signature: str
    line_start: int
    line_end: int
    start: int
    end: int


def facts_of(path: str, source: bytes) -> Facts | None:
    """The facts of one file, or nothing when its language is not known."""
    name = language_of_source(path, source)
    language = language_named(name) if name else None
    return extract(source, language) if language else None


def local_name(definitions: Sequence[Definition], number: int) -> str:
    """A definition's name inside its file: its owners', then its own, joined by ``::``."""
    parts: list[str] = []
    while number >= 0:
        definition = definitions[number]
        parts.append(definition.name)
        if definition.within:
            parts.append(definition.within)
        number = definition.parent
    return "::".join(reversed(parts))


def symbol_anchors(path: str, source: bytes) -> list[Anchor]:
    """The symbols of a file in reading order; none when its language is not known."""
    facts = facts_of(path, source)
    if facts is None:
        return []
    definitions = facts.outline.definitions
    return [
        Anchor(
            d.name, local_name(definitions, n), d.kind, d.signature, d.line_start, d.line_end, d.start, d.end
        )
        for n, d in enumerate(definitions)
    ]
