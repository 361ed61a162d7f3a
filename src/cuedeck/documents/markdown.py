"""What a markdown document holds: headings, links, tags and tasks with exact places, nothing from code."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from enum import StrEnum
from itertools import accumulate
from operator import itemgetter
from typing import Any, NamedTuple
from urllib.parse import unquote

import pyromark

from cuedeck.documents.frontmatter import Frontmatter, read_frontmatter

_OPTIONS = (
    pyromark.Options.ENABLE_WIKILINKS
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_MATH
)
_MATH = {"InlineMath": "$", "DisplayMath": "$$"}
# A tag starts a word; what ends it is what ends one in Obsidian.
_TAG = re.compile(
    rb"#(?:(?<![^\t\n\r\f\v ]#)|(?<=\xe3\x80\x80#)|(?<=\xc2\xa0#))"
    rb"([^\x00-\x20!\"#$%&'()*+,.:;<=>?@\[\\\]^`{|}~\x7f]+)"
)
_TAG_END = re.compile(r"[\u2000-\u206f\u2e00-\u2e7f\s]")
_LONE_RETURN = re.compile(r"\r(?!\n)")
# Logseq and Dendron name a page in place of an address: "[text]([[Page]])".
_WIKI_DESTINATION = re.compile(r"\[\[([^\[\]|]+)(?:\|[^\[\]]*)?\]\]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_LINE_END = re.compile(rb"\r\n|\n|\r")
_BLANK_LINE = re.compile(rb"(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)")
_BOX = re.compile(rb"\[[ xX]\]")


class LinkKind(StrEnum):
    """How a link was written."""

    WIKI = "wiki"
    EMBED = "embed"
    MARKDOWN = "markdown"
    IMAGE = "image"


class Heading(NamedTuple):
    """A top-level heading; ``start`` is the byte offset of its line."""

    text: str
    level: int
    line: int
    start: int


class Link(NamedTuple):
    """A link to another file or an anchor; the target is as written, without the anchor."""

    kind: LinkKind
    target: str
    anchor: str | None
    line: int


class Tag(NamedTuple):
    """An inline tag without its ``#``."""

    name: str
    line: int


class Task(NamedTuple):
    """A list item with a check box."""

    text: str
    done: bool
    line: int


class Markdown(NamedTuple):
    """One parsed document; byte offsets count from the start of the file."""

    frontmatter: Frontmatter
    headings: tuple[Heading, ...]
    links: tuple[Link, ...]
    tags: tuple[Tag, ...]
    tasks: tuple[Task, ...]
    body: int
    line_starts: tuple[int, ...]

    def line_at(self, offset: int) -> int:
        """The line, counted from 1, that holds a byte."""
        return bisect_right(self.line_starts, offset)


def parse_markdown(text: str, data: bytes | None = None) -> Markdown:
    """Read a document; any text is a document. ``data`` is the same in UTF-8, where it is known."""
    frontmatter = read_frontmatter(text)
    head = frontmatter.body or (1 if text.startswith("\ufeff") else 0)
    body = text[head:]
    whole = text.encode() if data is None else data
    return _Reader(frontmatter, len(text[:head].encode()), body, whole).read()


def heading_text(source: str) -> str:
    """A heading as readers see it, from the markdown it was written in."""
    found = parse_markdown(f"# {' '.join(source.split())}").headings
    return found[0].text if found else ""


def split_target(written: str) -> tuple[str, str | None]:
    """A link's destination apart from the anchor after its first ``#``."""
    target, mark, anchor = written.partition("#")
    return target.strip(), anchor.strip() if mark else None


def _line_starts(data: bytes) -> tuple[int, ...]:
    if b"\r" in data:
        return (0, *(end.end() for end in _LINE_END.finditer(data)))
    lines = data.splitlines(keepends=True)
    if lines and not data.endswith(b"\n"):
        lines.pop()
    return tuple(accumulate(map(len, lines), initial=0))


class _Reader:
    def __init__(self, frontmatter: Frontmatter, head: int, body: str, data: bytes) -> None:
        self._frontmatter = frontmatter
        self._head = head
        # The parser misses fences between lone carriage returns; a line feed is as long.
        self._body = _LONE_RETURN.sub("\n", body) if "\r" in body else body
        self._source = data[head:]
        self._starts = _line_starts(data)
        self._headings: list[Heading] = []
        self._links: list[Link] = []
        self._tasks: list[tuple[int, Task]] = []
        self._formula_end = 0

    def read(self) -> Markdown:
        candidates = list(_TAG.finditer(self._source))
        # As in Obsidian, a comment hides tasks, and neither links nor tags.
        commented = b"%%" in self._source and _BOX.search(self._source) is not None
        texts = self._walk(commented or bool(candidates))
        comments = self._comments(texts) if commented else []
        return Markdown(
            self._frontmatter,
            tuple(self._headings),
            tuple(self._links),
            tuple(self._tags(candidates, texts)),
            tuple(task for at, task in self._tasks if not _within(at, comments)),
            self._head,
            self._starts,
        )

    def _walk(self, want_text: bool) -> list[tuple[int, int]]:
        """Go through the parser's events once; returns the ranges of plain text where asked for."""
        texts: list[tuple[int, int]] = []
        words: list[str] | None = None
        nesting = code = link = 0
        events: Iterator[tuple[Any, Any]] = pyromark.events_with_range(self._body, options=_OPTIONS)
        for event, span in events:
            if type(event) is str:
                if words is not None and event.endswith("Break"):
                    words.append(" ")
                continue
            name, value = event.popitem()
            if name == "Text":
                if words is not None:
                    words.append(value)
                if want_text and not code and not link:
                    texts.append((span["start"], span["end"]))
            elif name == "Start":
                kind = value if type(value) is str else next(iter(value))
                if kind == "Link" or kind == "Image":
                    link += 1
                    self._link(value[kind], kind == "Image", span["start"])
                elif kind in _CONTAINERS:
                    nesting += 1
                elif kind == "CodeBlock":
                    code += 1
                elif kind == "Heading" and not nesting:
                    words = []
            elif name == "End":
                kind = value if type(value) is str else next(iter(value))
                if kind == "Link" or kind == "Image":
                    link -= 1
                elif kind in _CONTAINERS:
                    nesting -= 1
                elif kind == "CodeBlock":
                    code -= 1
                elif words is not None and kind == "Heading":
                    self._heading(value["Heading"], "".join(words), span["start"], span["end"])
                    words = None
            elif name == "Code":
                if words is not None:
                    words.append(value)
            elif words is not None and name in _MATH:
                words.append(f"{_MATH[name]}{value}{_MATH[name]}")
            elif name == "TaskListMarker":
                self._task(value, span["start"], span["end"])
        return texts

    def _line(self, offset: int) -> int:
        return bisect_right(self._starts, offset + self._head)

    def _heading(self, level: str, text: str, start: int, end: int) -> None:
        if start < self._formula_end or self._opens_formula(start, end):
            return
        line = self._line(start)
        begin = max(self._starts[line - 1], self._head)
        self._headings.append(Heading(" ".join(text.split()), int(level[1]), line, begin))

    def _opens_formula(self, start: int, end: int) -> bool:
        """Whether a heading is the beginning of a formula that the parser took apart at a line of ``=``."""
        if self._source.startswith(b"#", start) or self._source.count(b"$$", start, end) % 2 == 0:
            return False
        closing = self._source.find(b"$$", end)
        if closing < 0 or _BLANK_LINE.search(self._source, end - 1, closing):
            return False
        self._formula_end = closing + 2
        return True

    def _link(self, link: dict[str, Any], image: bool, start: int) -> None:
        if start < self._formula_end:
            return
        written: str = link["dest_url"]
        wiki = type(link["link_type"]) is dict
        if wiki:
            if "\n" in written or "\r" in written:
                return
            target, anchor = split_target(written.removesuffix("\\"))
        elif _SCHEME.match(written) or link["link_type"] in ("Autolink", "Email"):
            return
        elif (inner := _WIKI_DESTINATION.fullmatch(written)) is not None:
            wiki = True
            target, anchor = split_target(inner[1])
        else:
            # The mark of an anchor is a bare "#": "%23" belongs to a name.
            target, anchor = split_target(written)
            target = unquote(target, errors="replace")
            anchor = unquote(anchor, errors="replace") if anchor else anchor
        if not target and not anchor:
            return
        if wiki:
            kind = LinkKind.EMBED if image else LinkKind.WIKI
        else:
            kind = LinkKind.IMAGE if image else LinkKind.MARKDOWN
        self._links.append(Link(kind, target, anchor, self._line(start)))

    def _task(self, done: bool, start: int, end: int) -> None:
        stop = _LINE_END.search(self._source, end)
        text = self._source[end : stop.start() if stop else len(self._source)]
        self._tasks.append((start, Task(text.decode("utf-8", "replace").strip(), done, self._line(start))))

    def _tags(self, candidates: list[re.Match[bytes]], texts: list[tuple[int, int]]) -> list[Tag]:
        found: list[Tag] = []
        for match in candidates:
            if not _within(match.start(), texts):
                continue
            name = _TAG_END.split(match[1].decode("utf-8"), maxsplit=1)[0].strip("/")
            if name and not name.replace("/", "").isdigit():
                found.append(Tag(name, self._line(match.start())))
        return found

    def _comments(self, texts: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Ranges between pairs of ``%%`` that stand in text."""
        marks = [mark.start() for mark in re.finditer(b"%%", self._source) if _within(mark.start(), texts)]
        return list(zip(marks[::2], marks[1::2], strict=False))


def _within(offset: int, ranges: list[tuple[int, int]]) -> bool:
    place = bisect_right(ranges, offset, key=itemgetter(0)) - 1
    return place >= 0 and offset < ranges[place][1]


_CONTAINERS = frozenset(("BlockQuote", "Item", "FootnoteDefinition"))
