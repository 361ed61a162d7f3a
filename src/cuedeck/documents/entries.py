"""An extracted file as the rows that are written for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from cuedeck.documents.extract import Chunk, Extracted
from cuedeck.documents.frontmatter import text_of
from cuedeck.documents.kinds import Kind, in_vault
from cuedeck.documents.links import Names, fold, name_keys, resolve, target_key
from cuedeck.documents.markdown import Link
from cuedeck.documents.scan import FileStamp
from cuedeck.documents.tags import tag_key
from cuedeck.store.document_entries import ChunkRow, Entry, LinkRow
from cuedeck.store.documents import DocumentRow

# A file written this shortly before it was read may change again without its times showing it.
RACY_NS = 50_000_000


@dataclass(frozen=True, slots=True)
class Reading:
    """A file as it was read: what it holds, when that was true, and when it was made."""

    extracted: Extracted
    stamp: FileStamp
    read_at_ns: int
    created_ns: int


def entry_of(reading: Reading, names: Names) -> Entry:
    """Everything to write for one file; links are resolved against the names known."""
    found = reading.extracted
    vault = in_vault(found.path)
    front = found.frontmatter or {}
    return Entry(
        document=DocumentRow(
            path=found.path,
            kind=found.kind.value,
            vault=vault,
            size=reading.stamp.size,
            mtime_ns=trusted_mtime(reading.stamp, reading.read_at_ns),
            ctime_ns=reading.stamp.ctime_ns,
            hash=found.hash,
            shape=_shape(found),
            created=reading.created_ns // 1_000_000,
            modified=reading.stamp.mtime_ns // 1_000_000,
            type=text_of(front.get("type")),
            status=text_of(front.get("status")),
            frontmatter=found.frontmatter,
            anchors=[(anchor.text, anchor.level, anchor.line) for anchor in found.anchors],
            problem=found.problem.message if found.problem else None,
            problem_line=found.problem.line if found.problem else None,
            skipped=found.skipped,
        ),
        scope=found.scope,
        chunks=[_chunk(chunk, found) for chunk in found.chunks],
        tags=[(tag, tag_key(tag)) for tag in _distinct(found.tags)],
        links=list(_links(found.path, found.links, names)),
        names=[
            *((key, False) for key in name_keys(found.path)),
            *((fold(alias), True) for alias in found.aliases),
        ],
    )


def trusted_mtime(stamp: FileStamp, read_at_ns: int) -> int:
    """The modification time to remember; -1 when the file was written too recently to trust it."""
    recent = max(stamp.mtime_ns, stamp.ctime_ns)
    return -1 if read_at_ns - recent < RACY_NS else stamp.mtime_ns


def _chunk(chunk: Chunk, found: Extracted) -> ChunkRow:
    fields = {
        "name": found.name_tokens,
        "headings": chunk.headings.split(),
        "symbols": chunk.symbols.split(),
        "body": chunk.body.split(),
    }
    return ChunkRow(chunk.anchor, chunk.start, chunk.end, chunk.line, chunk.last_line, chunk.digest, fields)


def _links(source: str, links: Iterable[Link], names: Names) -> Iterable[LinkRow]:
    counted: dict[tuple[str, str, str | None], tuple[Link, int]] = {}
    for link in links:
        key = (link.kind.value, link.target, link.anchor)
        first, times = counted.get(key, (link, 0))
        counted[key] = (first, times + 1)
    for link, times in counted.values():
        yield LinkRow(
            link.kind.value,
            link.target,
            link.anchor,
            link.line,
            times,
            target_key(link.target),
            resolve(link.kind, link.target, source, names),
        )


def _distinct(tags: Iterable[str]) -> list[str]:
    return list({tag_key(tag): tag for tag in reversed([*tags])}.values())[::-1]


def _shape(found: Extracted) -> str:
    """What every piece of a file shares: its name and its filters."""
    text = "\0".join((found.path, *found.name_tokens, "", *found.scope))
    return blake2b(text.encode(), digest_size=12).hexdigest()


def asset(path: str, digest: str = "") -> Extracted:
    """A file that only links may name."""
    return Extracted(path, Kind.ASSET, digest)
