"""Dated notes in a card's body: one entry under its ``## Notes`` heading, nothing else touched."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

from cuedeck.documents.frontmatter import locate_frontmatter

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_BREAK = re.compile(r"\r\n|\n|\r")


def append_note(data: bytes, note: str, *, day: date) -> bytes:
    """Add a dated entry at the end of the notes section, which is made when there is none."""
    text = data.decode("utf-8")
    place = locate_frontmatter(text)
    start = place[2] if place else 0
    head, body = text[:start], text[start:]
    ending = "\r\n" if "\r\n" in text else "\n"
    return (head + _with_entry(body, _entry(note, day, ending), ending)).encode()


def _with_entry(body: str, entry: str, ending: str) -> str:
    section = _notes_section(body)
    if section is None:
        return f"{_padded(body, ending)}## Notes{ending * 2}{entry}"
    heading_end, end = section
    cut = max(heading_end, _end_of_line(body, len(body[:end].rstrip(" \t\r\n"))))
    before, after = body[:cut], body[cut:]
    if cut == heading_end:
        before = _padded(before, ending)
    elif not before.endswith(("\n", "\r")):
        before += ending
    if after and not after.startswith(("\n", "\r")):
        after = ending + after
    return before + entry + after


def _entry(note: str, day: date, ending: str) -> str:
    """A list item: everything in it stays inside, even an open fence or a heading."""
    first, *more = _BREAK.split(note.strip("\r\n"))
    lines = [f"- {day.isoformat()}: {first}", *(f"  {line}" if line.strip() else "" for line in more)]
    return "".join(line.rstrip(" ") + ending for line in lines)


def _padded(text: str, ending: str) -> str:
    """The text with an empty line at its end."""
    if not text or re.search(r"(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)$", text):
        return text
    return text + ending if text.endswith(("\n", "\r")) else text + ending * 2


def _end_of_line(text: str, position: int) -> int:
    match = _LINE.match(text, position)
    assert match is not None
    return match.end()


def _notes_section(body: str) -> tuple[int, int] | None:
    """Where the notes heading's line ends, and where the next heading of its level or above begins."""
    lines = [0, *(match.end() for match in _BREAK.finditer(body)), len(body)]
    found: int | None = None
    tokens = _blocks().parse(body)
    for position, token in enumerate(tokens):
        if token.type != "heading_open" or token.level or token.map is None or token.tag > "h2":
            continue
        if found is not None:
            return found, lines[token.map[0]]
        if token.tag == "h2" and tokens[position + 1].content.strip().lower() == "notes":
            found = lines[min(token.map[1], len(lines) - 1)]
    return None if found is None else (found, len(body))


@lru_cache(maxsize=1)
def _blocks() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
