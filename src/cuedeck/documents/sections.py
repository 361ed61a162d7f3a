"""A document cut at its headings: sections that add up to the file, slices by anchor, chunks to search."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cuedeck.documents.markdown import Heading, Markdown, heading_text

CHUNK_BYTES = 1600
# The contract allows no longer one.
LONGEST_ANCHOR = 100
_LEVELS = 6
# What a vector is made of: meaning is sharper in less text than words are.
PASSAGE_BYTES = 300
_PARAGRAPH_END = re.compile(rb"(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)")
# What ends a line or a sentence, and how much of it may stand before the place that is looked at.
_SENTENCE_ENDS = ((b"\n", 0), (b"\r", 0), (b". ", 1), (b"! ", 1), (b"? ", 1), (b"\xe3\x80\x82", 3))
# A heading's own id, as Hugo, Pandoc and Docusaurus write it: "{#id .class}", "{/* #id */}", or "{/*id*/}",
# which loses its stars as emphasis does.
_OWN_ID = re.compile(r"\s*\{(?:#|/\*?\s*#?)([\w.:-]++)[^{}]*\}$")
_UTF8_START = re.compile(rb"[\x00-\x7f\xc0-\xff]")


class Section(NamedTuple):
    """The text under one heading up to the next heading of any level; bytes of the file."""

    heading: str
    level: int
    trail: tuple[str, ...]
    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Slice:
    """What an anchor names: its heading up to the next heading of the same or a higher level."""

    heading: str
    start: int
    end: int


def sections_of(markdown: Markdown, size: int) -> tuple[Section, ...]:
    """Every byte of the file in exactly one section; what precedes the first heading has none."""
    found: list[Section] = []
    trail: list[Heading] = []
    headings = markdown.headings
    first = headings[0].start if headings else size
    if first > 0:
        found.append(Section("", 0, (), 0, first, 1))
    for position, heading in enumerate(headings):
        end = headings[position + 1].start if position + 1 < len(headings) else size
        while trail and trail[-1].level >= heading.level:
            trail.pop()
        trail.append(heading)
        path = tuple(above.text for above in trail)
        found.append(Section(heading.text, heading.level, path, heading.start, end, heading.line))
    return tuple(found)


def slice_at(markdown: Markdown, anchor: str, size: int) -> Slice | None:
    """The part of a document an anchor names: by text, in any case, by GitHub's slug, by its markdown."""
    position = find_heading([heading.text for heading in markdown.headings], anchor)
    return None if position is None else slice_of(markdown, position, size)


def slice_of(markdown: Markdown, position: int, size: int) -> Slice:
    """The part of a document under its heading of that number."""
    chosen = markdown.headings[position]
    following = markdown.headings[position + 1 :]
    end = next((heading.start for heading in following if heading.level <= chosen.level), size)
    return Slice(chosen.text, chosen.start, end)


def find_heading(headings: Sequence[str], anchor: str) -> int | None:
    """Which heading an anchor means; the first match in the file wins."""
    wanted = " ".join(anchor.split())
    for same in (wanted, wanted.lstrip("#").strip()):
        if same in headings:
            return headings.index(same)
    folded = wanted.lstrip("#").strip().casefold()
    for position, heading in enumerate(headings):
        if heading.casefold() == folded:
            return position
    slugs = slugs_of(headings)
    for name in (wanted.lstrip("#").casefold(), slug(wanted.lstrip("#"))):
        if name and name in slugs:
            return slugs.index(name)
    plain = heading_text(wanted.lstrip("#"))
    if plain and plain in headings:
        return headings.index(plain)
    if (own := _by_own_id(headings, folded)) is not None:
        return own
    if (below := _below(headings, wanted.lstrip("#"))) is not None:
        return below
    if len(anchor) < LONGEST_ANCHOR:
        return None
    return next((place for place, heading in enumerate(headings) if heading.startswith(anchor)), None)


def _below(headings: Sequence[str], path: str) -> int | None:
    """The heading at the end of a way such as ``Setup#Linux``: the first so named after the one before."""
    above, _, last = path.rpartition("#")
    if not above.strip() or not last.strip() or path.count("#") >= _LEVELS:
        return None
    outer = find_heading(headings, above)
    if outer is None:
        return None
    inner = find_heading(headings[outer + 1 :], last)
    return None if inner is None else outer + 1 + inner


def _by_own_id(headings: Sequence[str], folded: str) -> int | None:
    """The heading that was given the wanted id, or says the wanted words before its id."""
    given = [(place, found) for place, each in enumerate(headings) if (found := _OWN_ID.search(each))]
    for place, found in given:
        if found[1].casefold() == folded:
            return place
    without = {place: headings[place][: found.start()] for place, found in given}
    named = (place for place, text in without.items() if folded in (text.casefold(), slug(text)))
    return next(named, None)


def anchors_of(headings: Sequence[str]) -> list[str]:
    """What each heading is asked for by: its text, of a very long one the beginning, of a repeat the slug."""
    seen: set[str] = set()
    slugs: list[str] = []
    names: list[str] = []
    for position, heading in enumerate(headings):
        name = heading[:LONGEST_ANCHOR]
        if name in seen:
            slugs = slugs or slugs_of(headings)
            if 0 < len(slugs[position]) <= LONGEST_ANCHOR:
                name = slugs[position]
        seen.add(name)
        names.append(name)
    return names


def slug(text: str) -> str:
    """GitHub's anchor of a heading."""
    kept = (
        character
        for character in text.strip().lower()
        if character in " -_" or unicodedata.category(character)[0] in "LMN"
    )
    return "".join(kept).replace(" ", "-")


def slugs_of(headings: Sequence[str]) -> list[str]:
    """The anchors of a document's headings, repeated ones numbered as GitHub numbers them."""
    seen: dict[str, int] = {}
    found: list[str] = []
    for heading in headings:
        base = name = slug(heading)
        while name in seen:
            seen[base] += 1
            name = f"{base}-{seen[base]}"
        seen[name] = 0
        found.append(name)
    return found


def chunks_of(data: bytes, start: int, end: int, size: int | None = None) -> Iterator[tuple[int, int]]:
    """Cut a range into pieces of at most so many bytes, at paragraphs where there are any."""
    size = size or CHUNK_BYTES
    while end - start > size:
        cut = _cut(data, start, start + size)
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def passage_model(model: str) -> str:
    """What vectors of passages are known by: those of passages cut otherwise are made again."""
    return f"{model}/{PASSAGE_BYTES}"


def passages_of(data: bytes, start: int, end: int, most: int) -> list[tuple[int, int]]:
    """Cut a chunk into what vectors are made of; of more than so many the last one takes the rest."""
    passages = list(chunks_of(data, start, end, PASSAGE_BYTES)) or [(start, end)]
    return passages if len(passages) <= most else [*passages[: most - 1], (passages[most - 1][0], end)]


def _cut(data: bytes, start: int, limit: int) -> int:
    low = start + (limit - start) // 4
    ends = [found.end() for found in _PARAGRAPH_END.finditer(data, low, limit)]
    if ends:
        return ends[-1]
    if (end := _last_sentence_end(data, low, limit)) >= 0:
        return end
    first = _UTF8_START.search(data, limit)
    return first.start() if first else limit


def _last_sentence_end(data: bytes, low: int, limit: int) -> int:
    """The last place from ``low`` to ``limit`` where a line or a sentence has just ended, or -1."""
    last = -1
    for mark, before in _SENTENCE_ENDS:
        found = data.rfind(mark, max(low - before, 0), limit)
        if found >= 0:
            last = max(last, found + len(mark))
    return last
