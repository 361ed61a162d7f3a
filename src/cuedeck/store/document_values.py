"""What is known of a file as plain values: made where it is read, in any process, and bound as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple

from cuedeck.store.tokens import scope_line
from cuedeck.store.vocabulary import Coded, Vocabulary

# Of a key's characters so many are kept and compared: an index of PostgreSQL holds 2,700 bytes of a row,
# and one note with a longer link or tag would keep all others out. File names are shorter.
LONGEST_KEY = 500
# So many pieces have their words coded together.
_TOGETHER = 4_096


class FileValues(NamedTuple):
    """A file's own row, in the order of its columns; frontmatter and anchors are JSON already."""

    path: str
    kind: str
    vault: int
    size: int
    mtime_ns: int
    ctime_ns: int
    hash: str
    shape: str
    created: int
    modified: int
    type: str | None
    status: str | None
    frontmatter: str | None
    anchors: str
    problem: str | None
    problem_line: int | None
    skipped: str | None


class ChunkValues(NamedTuple):
    """A searchable piece: where it stands, and its tokens, or words to fold, in UTF-8 with spaces between."""

    anchor: int
    first_byte: int
    last_byte: int
    line: int
    last_line: int
    digest: str
    headings: bytes
    symbols: bytes
    body: bytes


class LinkValues(NamedTuple):
    """A link target of one document; repeated links are counted."""

    kind: str
    target: str
    anchor: str | None
    line: int
    times: int
    target_key: str


class Entry(NamedTuple):
    """Everything to write for one file: plain values, made by any process and bound as they are."""

    file: FileValues
    name: bytes
    scope: tuple[str, ...]
    chunks: tuple[ChunkValues, ...]
    tags: tuple[tuple[str, str], ...]
    links: tuple[LinkValues, ...]
    names: tuple[tuple[str, int], ...]

    def words(self, chunk: ChunkValues) -> str:
        """What a piece is found by, in the order of the full-text index."""
        return b"\n".join(self.lines(chunk)).decode()

    def lines(self, chunk: ChunkValues) -> tuple[bytes, ...]:
        """The same line by line."""
        return scope_line(self.scope).encode(), self.name, chunk.headings, chunk.symbols, chunk.body


def coded_words(entries: Iterable[Entry], vocabulary: Vocabulary) -> Iterator[Coded]:
    """The words of all pieces of some files, ready to be folded."""
    records = (entry.lines(chunk) for entry in entries for chunk in entry.chunks)
    while some := list(islice(records, _TOGETHER)):
        yield vocabulary.coded(list(chain.from_iterable(some)))
