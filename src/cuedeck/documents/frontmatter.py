"""Frontmatter: found exactly, read as JSON values, its mistakes named with a line."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from cuedeck.documents.yaml_value import YamlProblem, read_yaml, scalar

_OPENING = re.compile(r"\ufeff?---[ \t]*(?:\r\n|\n|\r)")
_CLOSING = re.compile(r"(?<=[\r\n])---[ \t]*(?:\r\n|\n|\r|\Z)")

# Values that mean nothing but themselves: they begin with a letter or digit, and text follows every colon.
_SIMPLE_LINE = re.compile(
    r"(?:([ ]{0,4})-|([A-Za-z_][A-Za-z0-9_-]*):)(?:[ ]+(\w(?:[\w ./'&()+!?,-]|:(?=[^\s]))*)?)?"
)
_SIMPLE_CHARACTERS = 8_192


class Problem(NamedTuple):
    """What is wrong with a document, and on which of its lines, counted from 1."""

    message: str
    line: int


class Frontmatter(NamedTuple):
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
    simple = _simple(text[start:end])
    if simple is not None:
        return Frontmatter(simple, None, start, end, body)
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


def _simple(text: str) -> dict[str, Any] | None:
    """Keys with plain values or plain lists, as nearly all frontmatter is; None leaves it to the parser."""
    found: dict[str, Any] = {}
    items: list[Any] | None = None
    indent = key = ""
    for line in text.split("\n") if len(text) <= _SIMPLE_CHARACTERS else "?":
        match = _SIMPLE_LINE.fullmatch(line)
        if match is None:
            if line.strip(" "):
                return None
            continue
        spaces, name, value = match.groups()
        plain = scalar(value.rstrip(" ")) if value else None
        if name:
            if name in found:
                return None
            found[name], items, key, indent = plain, None, "" if value else name, ""
        elif not key or (items is not None and spaces != indent):
            return None
        else:
            items = found[key] = [] if items is None else items
            items.append(plain)
            indent = spaces
    return found


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
