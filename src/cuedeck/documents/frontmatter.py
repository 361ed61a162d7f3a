"""Frontmatter: found exactly, read as JSON values, its mistakes named with a line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from cuedeck.documents.yaml_value import YamlProblem, read_yaml

_OPENING = re.compile(r"\ufeff?---[ \t]*(?:\r\n|\n|\r)")
_CLOSING = re.compile(r"(?<=[\r\n])---[ \t]*(?:\r\n|\n|\r|\Z)")


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a document, and on which of its lines, counted from 1."""

    message: str
    line: int


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """A document's frontmatter; ``data`` is None when there is none or it cannot be used."""

    data: dict[str, Any] | None
    problem: Problem | None
    start: int
    end: int
    body: int


_NONE = Frontmatter(None, None, 0, 0, 0)


def locate_frontmatter(text: str) -> tuple[int, int, int] | None:
    """Offsets of the YAML's start, its end, and of the body after the closing line."""
    opening = _OPENING.match(text)
    if opening is None:
        return None
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        return None
    return opening.end(), closing.start(), closing.end()


def read_frontmatter(text: str) -> Frontmatter:
    """The frontmatter at the head of a document, never raising for what a person wrote."""
    place = locate_frontmatter(text)
    if place is None:
        return _NONE
    start, end, body = place
    try:
        document = read_yaml(text[start:end])
    except YamlProblem as problem:
        return Frontmatter(None, Problem(problem.message, problem.line + 2), start, end, body)
    if document.empty or document.value is None:
        return Frontmatter({}, None, start, end, body)
    if not isinstance(document.value, dict):
        return Frontmatter(None, Problem("the frontmatter is not a mapping of keys", 2), start, end, body)
    note = None
    if document.duplicates:
        key, line = document.duplicates[0]
        note = Problem(f"the key '{key}' occurs twice; the last one counts", line + 2)
    return Frontmatter(document.value, note, start, end, body)


def text_of(value: Any) -> str | None:
    """A frontmatter value as one string, for fields that are strings whatever was written."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ", ".join(filter(None, map(text_of, value))) or None
    if isinstance(value, dict):
        return None
    return str(value).replace("\0", "\ufffd")
