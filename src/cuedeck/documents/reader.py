"""Reads a markdown document or one section of it, always as it is on disk now."""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from cuedeck.documents.entries import RACY_NS
from cuedeck.documents.index import DocumentIndex
from cuedeck.documents.kinds import Kind, kind_of
from cuedeck.documents.markdown import Markdown, parse_markdown
from cuedeck.documents.scan import FileStamp
from cuedeck.documents.sections import anchors_of, find_heading, slice_at, slice_of
from cuedeck.model.errors import CueError, ErrorCode, invalid, not_found
from cuedeck.paths import ConfinedPath, FileBytes, confine, missing_file, read_file
from cuedeck.search.tokens import count_tokens

_CACHE_BYTES = 32 * 1024 * 1024
_ATTEMPTS = 4
_FITTING = 50
_LARGEST = 64 * 1024 * 1024
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """What was read: the text, what it costs, and where it stands in the file."""

    path: str
    content: str
    anchor: str | None
    tokens: int
    hash: str
    cached: bool
    first_line: int | None = None
    last_line: int | None = None


@dataclass(frozen=True, slots=True)
class _Held:
    stamp: FileStamp
    data: bytes
    hash: str
    markdown: Markdown
    tokens: int


class DocumentReader:
    """Reads through descriptors and remembers what it read for as long as the file stays the same."""

    def __init__(self, index: DocumentIndex, *, token_limit: int) -> None:
        self._index = index
        self._token_limit = token_limit
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def read(self, user_path: str, anchor: str | None = None) -> ReadDocument:
        """The whole document, or the section an anchor names."""
        path = confine(self._index.root, user_path)
        if kind_of(path.relative) is not Kind.MARKDOWN:
            raise invalid("path", "a markdown file inside the workspace", user_path)
        held, cached = self._hold(path)
        if anchor is None or not anchor.strip():
            return self._whole(path.relative, held, cached)
        return self._section(path.relative, anchor, held, cached)

    def content(self, path: str, digest: str) -> bytes | None:
        """A file's bytes while they still have that hash."""
        confined = ConfinedPath(path, self._index.root / path, self._index.root)
        try:
            data = read_file(confined, at_most=self._index.max_bytes + 1).data
        except CueError:
            return None
        return data if hashlib.sha256(data).hexdigest() == digest else None

    def _whole(self, path: str, held: _Held, cached: bool) -> ReadDocument:
        if held.tokens > self._token_limit:
            raise self._too_large(path, held)
        content = held.data.decode("utf-8").removeprefix("\ufeff").strip()
        return ReadDocument(path, content, None, held.tokens, held.hash, cached)

    def _section(self, path: str, anchor: str, held: _Held, cached: bool) -> ReadDocument:
        found = slice_at(held.markdown, anchor, len(held.data))
        if found is None:
            raise _no_anchor(path, anchor, [heading.text for heading in held.markdown.headings])
        raw = held.data[found.start : found.end].decode("utf-8")
        content = raw.strip()
        tokens = count_tokens(content)
        if tokens > self._token_limit:
            raise self._too_large(path, held, below=anchor, size=tokens)
        first = held.markdown.line_at(found.start)
        last = held.markdown.line_at(found.start + len(raw.rstrip().encode()) - 1)
        digest = hashlib.sha256(content.encode()).hexdigest()
        return ReadDocument(path, content, anchor, tokens, digest, cached, first, last)

    def _hold(self, path: ConfinedPath) -> tuple[_Held, bool]:
        stamp = self._index.stamp(path.relative)
        if stamp is None:
            raise self._missing(path.relative)
        with self._lock:
            held = self._held.get(path.relative)
            if held is not None and held.stamp == stamp:
                self._held.move_to_end(path.relative)
                return held, True
        return self._read_anew(path), False

    def _read_anew(self, path: ConfinedPath) -> _Held:
        found = self._stable(path)
        try:
            text = found.data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise invalid("path", "a UTF-8 text file", f"undecodable byte at {error.start}") from error
        held = _Held(
            FileStamp.of(found.status),
            found.data,
            hashlib.sha256(found.data).hexdigest(),
            parse_markdown(text),
            count_tokens(text),
        )
        if time.time_ns() - max(held.stamp.mtime_ns, held.stamp.ctime_ns) > RACY_NS:
            self._keep(path.relative, held)
        return held

    def _stable(self, path: ConfinedPath) -> FileBytes:
        """The file read in one piece: its stamp was the same before and after."""
        expected = ""
        for attempt in range(_ATTEMPTS):
            try:
                found = read_file(path, at_most=_LARGEST)
            except CueError as error:
                if error.code is ErrorCode.NOT_FOUND and attempt == 0:
                    raise self._missing(path.relative) from error
                if error.code is not ErrorCode.NOT_FOUND:
                    raise
                continue
            if self._index.stamp(path.relative) == FileStamp.of(found.status):
                return found
            expected, actual = hashlib.sha256(found.data).hexdigest(), expected
            time.sleep(0.005 * (attempt + 1))
        raise CueError(
            ErrorCode.STALE_CACHE,
            "Stale Cache",
            data={
                "path": path.relative,
                "expected_hash": expected,
                "actual_hash": actual,
                "recovery": "The file keeps changing; read it again when it is no longer being written.",
            },
        )

    def _keep(self, path: str, held: _Held) -> None:
        with self._lock:
            if (old := self._held.pop(path, None)) is not None:
                self._bytes -= len(old.data)
            self._held[path] = held
            self._bytes += len(held.data)
            while self._bytes > _CACHE_BYTES:
                _, dropped = self._held.popitem(last=False)
                self._bytes -= len(dropped.data)

    def _missing(self, path: str) -> CueError:
        return missing_document(path, self._index.markdown_paths())

    def _too_large(
        self, path: str, held: _Held, *, below: str | None = None, size: int | None = None
    ) -> CueError:
        fitting = self._fitting(held, below)
        return CueError(
            ErrorCode.TOKEN_LIMIT,
            "Token Limit Exceeded",
            data={
                "path": path,
                "current_size": held.tokens if size is None else size,
                "limit": self._token_limit,
                "action": "Read one of the anchors instead." if fitting else "Nothing was returned.",
                "anchors": fitting,
            },
            hint="Ask for one of data.anchors, or raise core.token_limit.",
        )

    def _fitting(self, held: _Held, below: str | None) -> list[str]:
        """Headings, in order, whose own slice fits; inside one section when it is itself too large."""
        headings = held.markdown.headings
        inside = slice_at(held.markdown, below, len(held.data)) if below is not None else None
        names: list[str] = []
        for position, name in enumerate(anchors_of([heading.text for heading in headings])):
            start = headings[position].start
            if not name or name in names or (inside and not inside.start < start < inside.end):
                continue
            part = slice_of(held.markdown, position, len(held.data))
            if count_tokens(held.data[part.start : part.end].decode("utf-8")) <= self._token_limit:
                names.append(name)
            if len(names) == _FITTING:
                break
        return names


def missing_document(path: str, paths: Sequence[str]) -> CueError:
    """A path without a file, with the nearest of those that have one, the first by name of several."""
    error = missing_file(path)
    if near := nearest(path, sorted(paths)):
        error.data["suggestion"] = f"Did you mean '{near}'?"
    return error


def nearest(wanted: str, names: Sequence[str]) -> str | None:
    """The most similar name, when one is similar enough to suggest; for paths the last part counts too."""
    from rapidfuzz import fuzz, process

    ends = [_compared(name.rpartition("/")[2]) for name in names]
    sides = ((wanted, [_compared(name) for name in names]), (wanted.rpartition("/")[2], ends))
    found: list[tuple[float, float, int]] = []
    for text, choices in sides:
        best = process.extractOne(_compared(text), choices, scorer=fuzz.ratio, score_cutoff=70.0)
        if best is not None:
            # Of files that are called alike the one whose folders are most like those asked for.
            tied = (place for place, choice in enumerate(choices) if choice == best[0])
            found += ((-best[1], -fuzz.ratio(_compared(wanted), _compared(names[n])), n) for n in tied)
    return names[min(found)[2]] if found else None


def _compared(name: str) -> str:
    """A name without the ending that all documents share, which would make short ones look alike."""
    return name.casefold().removesuffix(".md").removesuffix(".markdown")


def _part_of(wanted: str, names: Sequence[str]) -> str | None:
    """The shortest name that holds every word asked for."""
    words = set(_WORD.findall(wanted.casefold()))
    holding = (name for name in names if words <= set(_WORD.findall(name.casefold())))
    return min(holding, key=len, default=None) if words else None


def _no_anchor(path: str, anchor: str, available: Sequence[str]) -> CueError:
    assert find_heading(available, anchor) is None
    names = list(dict.fromkeys(anchors_of(available)))
    error = not_found("Anchor Not Found", path=path, anchor=anchor, available_anchors=names[:100])
    near = _part_of(anchor, names) or nearest(anchor, names)
    if near:
        error.data["suggestion"] = f"Did you mean '{near}'?"
    return error
