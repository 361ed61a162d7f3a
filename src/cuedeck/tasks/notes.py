"""Dated notes in a card's body: one entry under its ``## Notes`` heading, nothing else touched."""

from __future__ import annotations

import re
from datetime import date

from cuedeck.documents.markdown import parse_markdown

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_BREAK = re.compile(r"\r\n|\n|\r")
_EMPTY_LAST_LINE = re.compile(rb"(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)$")
_ATX = re.compile(rb" {0,3}#")


def append_note(data: bytes, note: str, *, day: date) -> bytes:
    """Add a dated entry at the end of the notes section, which is made when there is none."""
    ending = b"\r\n" if b"\r\n" in data else b"\n"
    entry = _entry(note, day, ending)
    section = _notes_section(data)
    if section is None:
        return _padded(data, ending) + b"## Notes" + ending * 2 + entry
    heading_end, end = section
    cut = max(heading_end, _end_of_line(data, len(data[:end].rstrip(b" \t\r\n"))))
    before, after = data[:cut], data[cut:]
    if cut == heading_end:
        before = _padded(before, ending)
    elif not before.endswith((b"\n", b"\r")):
        before += ending
    if after and not after.startswith((b"\n", b"\r")):
        after = ending + after
    return before + entry + after


def _entry(note: str, day: date, ending: bytes) -> bytes:
    """A list item: everything in it stays inside, even an open fence or a heading."""
    first, *more = _BREAK.split(note.strip("\r\n"))
    lines = [f"- {day.isoformat()}: {first}", *(f"  {line}" if line.strip() else "" for line in more)]
    return b"".join(line.rstrip(" ").encode() + ending for line in lines)


def _padded(data: bytes, ending: bytes) -> bytes:
    """The text with an empty line at its end."""
    if not data or _EMPTY_LAST_LINE.search(data):
        return data
    return data + ending if data.endswith((b"\n", b"\r")) else data + ending * 2


def _notes_section(data: bytes) -> tuple[int, int] | None:
    """Where the notes heading ends, and where the next heading of its level or above begins."""
    headings = [heading for heading in parse_markdown(data.decode()).headings if heading.level <= 2]
    ends = [*(heading.start for heading in headings[1:]), len(data)]
    for heading, end in zip(headings, ends, strict=False):
        if heading.level == 2 and heading.text.strip().lower() == "notes":
            return _heading_end(data, heading.start), end
    return None


def _heading_end(data: bytes, start: int) -> int:
    """A heading that is not marked in front is underlined on the next line."""
    end = _end_of_line(data, start)
    return end if _ATX.match(data, start) else _end_of_line(data, end)


def _end_of_line(data: bytes, position: int) -> int:
    match = _LINE.match(data, position)
    assert match is not None
    return match.end()
