"""An extracted file as the rows that are written for it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, NamedTuple

from cuedeck.documents.extract import Anchor, Extracted
from cuedeck.documents.frontmatter import text_of
from cuedeck.documents.kinds import Kind, in_vault
from cuedeck.documents.links import alias_key, name_keys, page_names, target_key
from cuedeck.documents.markdown import Link
from cuedeck.documents.scan import FileStamp
from cuedeck.documents.tags import tag_key
from cuedeck.store.document_values import ChunkValues, Entry, FileValues, LinkValues

# How files are read: what they link to, how they are cut, which tokens they are found by. It counts on with
# every change of that; an index that was read otherwise is read again, once and silently.
READING = "8"
# A file written this shortly before it was read may change again without its times showing it.
RACY_NS = 50_000_000
_quoted = json.encoder.encode_basestring
_json = json.JSONEncoder(ensure_ascii=False).encode


class Reading(NamedTuple):
    """A file as it was read: what to write for it, and its modification time then."""

    entry: Entry
    mtime_ns: int

    @property
    def path(self) -> str:
        return self.entry.file.path

    @property
    def hash(self) -> str:
        return self.entry.file.hash

    @property
    def stamp(self) -> tuple[int, int, int]:
        """Size and times as they are remembered."""
        file = self.entry.file
        return file.size, file.mtime_ns, file.ctime_ns

    @property
    def aliases(self) -> list[str]:
        """The folded aliases the file answers to."""
        return [key for key, alias in self.entry.names if alias]

    def packed(self, *, words: bool) -> tuple[object, ...]:
        """Nothing but plain tuples, which travel between processes at the least cost."""
        file, name, scope, chunks, tags, links, names = self.entry
        return (
            self.mtime_ns,
            tuple(file),
            name,
            scope,
            tuple(map(tuple, chunks)) if words else tuple((*chunk[:6], b"", b"", b"") for chunk in chunks),
            tags,
            tuple(map(tuple, links)),
            names,
        )

    @classmethod
    def unpacked(cls, packed: tuple[Any, ...]) -> Reading:
        """The reading that was packed."""
        mtime_ns, file, name, scope, chunks, tags, links, names = packed
        pieces = tuple(map(ChunkValues._make, chunks))
        targets = tuple(map(LinkValues._make, links))
        return cls(Entry(FileValues._make(file), name, scope, pieces, tags, targets, names), mtime_ns)


def reading_of(found: Extracted, stamp: FileStamp, read_at_ns: int, created_ns: int) -> Reading:
    """Everything to write for a file that was read at that time."""
    front = found.frontmatter
    file = FileValues(
        path=found.path,
        kind=found.kind.value,
        vault=int(in_vault(found.path)),
        size=stamp.size,
        mtime_ns=trusted_mtime(stamp, read_at_ns),
        ctime_ns=stamp.ctime_ns,
        hash=found.hash,
        shape=_shape(found),
        created=created_ns // 1_000_000,
        modified=stamp.mtime_ns // 1_000_000,
        type=text_of((front or {}).get("type")),
        status=text_of((front or {}).get("status")),
        frontmatter=None if front is None else _json(front),
        anchors=_anchors(found.anchors),
        problem=found.problem.message if found.problem else None,
        problem_line=found.problem.line if found.problem else None,
        skipped=found.skipped,
    )
    names = [
        *((key, 0) for key in name_keys(found.path)),
        *((alias_key(alias), 1) for alias in (*found.aliases, *page_names(found.path))),
    ]
    entry = Entry(
        file,
        found.name_words,
        found.scope,
        found.chunks,
        tuple((tag, tag_key(tag)) for tag in _distinct(found.tags)),
        tuple(_links(found.links)),
        tuple(dict.fromkeys(names)),
    )
    return Reading(entry, stamp.mtime_ns)


def trusted_mtime(stamp: FileStamp, read_at_ns: int) -> int:
    """The modification time to remember; -1 when the file was written too recently to trust it."""
    recent = max(stamp.mtime_ns, stamp.ctime_ns)
    return -1 if read_at_ns - recent < RACY_NS else stamp.mtime_ns


def _anchors(anchors: Iterable[Anchor]) -> str:
    """What ``_json`` gives: to begin it takes it longer than this takes for the few there are."""
    return f"[{', '.join([f'[{_quoted(text)}, {level}, {line}]' for text, level, line in anchors])}]"


def _links(links: Iterable[Link]) -> Iterable[LinkValues]:
    counted: dict[tuple[str, str, str | None], list[int]] = {}
    for kind, target, anchor, line in links:
        counted.setdefault((str(kind), target, anchor), [line, 0])[1] += 1
    for key, (line, times) in counted.items():
        yield LinkValues(*key, line, times, target_key(key[1]))


def _distinct(tags: Iterable[str]) -> list[str]:
    return list({tag_key(tag): tag for tag in reversed([*tags])}.values())[::-1]


def _shape(found: Extracted) -> str:
    """What every piece of a file shares: its name, its filters and the way it was read."""
    text = "\0".join((READING, found.path, found.name, *found.scope))
    return blake2b(text.encode(), digest_size=12).hexdigest()


def asset(path: str, digest: str = "") -> Extracted:
    """A file that only links may name."""
    return Extracted(path, Kind.ASSET, digest)
