"""One file's bytes turned into everything the index keeps of it; pure, so that any process can do it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b, sha256
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from cuedeck.documents.frontmatter import Problem, text_of
from cuedeck.documents.kinds import Kind, kind_of
from cuedeck.documents.markdown import Link, Markdown, parse_markdown
from cuedeck.documents.sections import CHUNK_BYTES, chunks_of, sections_of
from cuedeck.documents.tags import all_tags, property_of, tag_key
from cuedeck.search.analyser import analyse_bytes, scope_token
from cuedeck.store.document_values import ChunkValues

MAX_SOURCE_CHUNKS = 400
# Every piece of a file carries its filters, its name and the headings above it, so these are bounded.
MOST_FILTERS = 500
LONGEST_LABEL = 4_096
_WORD = re.compile(r"[^\W\d_]{2}")
_HASH = re.compile(r"[0-9a-f-]{7,}")

# How a text is kept to be found: as its tokens, or as words that are folded at once.
Words = Callable[[bytes], bytes]


class Anchor(NamedTuple):
    """A heading, or a symbol of a source file: what an answer may name and a reader may jump to."""

    text: str
    level: int
    line: int


class Extracted(NamedTuple):
    """All that is kept of one file."""

    path: str
    kind: Kind
    hash: str
    frontmatter: dict[str, Any] | None = None
    problem: Problem | None = None
    skipped: str | None = None
    anchors: tuple[Anchor, ...] = ()
    links: tuple[Link, ...] = ()
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    name: str = ""
    name_words: bytes = b""
    scope: tuple[str, ...] = ()
    chunks: tuple[ChunkValues, ...] = ()


def extract(path: str, data: bytes, *, max_bytes: int, words: Words = analyse_bytes) -> Extracted:
    """Read a file the way its kind asks for; what cannot be read is kept with a note why."""
    kind = kind_of(path)
    digest = sha256(data).hexdigest()
    if len(data) > max_bytes:
        return Extracted(path, kind, digest, skipped=f"larger than {max_bytes} bytes")
    if b"\0" in data:
        return Extracted(path, kind, digest, skipped="binary")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return Extracted(path, kind, digest, skipped=f"not UTF-8 at byte {error.start}")
    if kind is Kind.MARKDOWN:
        return _markdown(path, digest, text, data, words)
    return _source(path, digest, data, words)


def embedding_text(path: str, trail: Sequence[str], text: str) -> str:
    """What a vector is made of: where the text stands, then what it says."""
    name = PurePosixPath(path).stem
    # A number or a hash says nothing, and would be heard.
    named = [name] if _WORD.search(name) and not _HASH.fullmatch(name) else []
    place = " > ".join((*named, *trail))
    return f"{place}\n{text}" if place else text


def _markdown(path: str, digest: str, text: str, data: bytes, words: Words) -> Extracted:
    parsed = parse_markdown(text, data)
    front = parsed.frontmatter.data
    tags = all_tags(front, parsed.tags)
    aliases = _aliases(front)
    name = " ".join([path.rpartition(".")[0], text_of((front or {}).get("title")) or "", *aliases])
    return Extracted(
        path,
        Kind.MARKDOWN,
        digest,
        frontmatter=front,
        problem=parsed.frontmatter.problem,
        anchors=tuple([Anchor(each.text, each.level, each.line) for each in parsed.headings]),
        links=parsed.links,
        tags=tags,
        aliases=aliases,
        name=name,
        name_words=_label(name, words),
        scope=scope_of(Kind.MARKDOWN, tags, front),
        chunks=tuple(_markdown_chunks(parsed, data, words)) or (_blank(data, words),),
    )


def _markdown_chunks(parsed: Markdown, data: bytes, words: Words) -> Iterator[ChunkValues]:
    anchor = -1
    for section in sections_of(parsed, len(data)):
        anchor += 1 if section.level else 0
        trail = " / ".join(section.trail)
        headings = _label(trail, words)
        for start, end in chunks_of(data, section.start, section.end):
            piece = data[start:end]
            if piece.isspace():
                continue
            yield ChunkValues(
                anchor if section.level else -1,
                start,
                end,
                parsed.line_at(start),
                parsed.line_at(end - 1),
                _digest(trail, piece),
                headings,
                b"",
                words(piece),
            )


def _blank(data: bytes, words: Words) -> ChunkValues:
    """The one piece of a note that says nothing yet: it is found by its name."""
    return ChunkValues(-1, 0, len(data), 1, 1, _digest("", data), words(b""), b"", words(b""))


def _source(path: str, digest: str, data: bytes, words: Words) -> Extracted:
    anchors = tuple(_symbols(path, data))
    return Extracted(
        path,
        Kind.SOURCE,
        digest,
        anchors=anchors,
        name=path,
        name_words=_label(path, words),
        scope=scope_of(Kind.SOURCE, (), None),
        chunks=tuple(_source_chunks(anchors, data, words)),
    )


def _symbols(path: str, data: bytes) -> Iterator[Anchor]:
    from cuedeck.code.anchors import symbol_anchors

    for symbol in symbol_anchors(path, data):
        yield Anchor(symbol.name, symbol.qualified_name.count("::") + 1, symbol.line_start)


def _source_chunks(anchors: Sequence[Anchor], data: bytes, words: Words) -> Iterator[ChunkValues]:
    """Pieces that begin at symbols where they can, several small symbols together."""
    starts = _line_offsets(data)
    cuts = sorted({starts[anchor.line - 1] for anchor in anchors if anchor.line <= len(starts)} - {0})
    made = 0
    for start, end in _merged([0, *cuts, len(data)]):
        for first, last in chunks_of(data, start, end):
            piece = data[first:last]
            if piece.isspace():
                continue
            made += 1
            if made > MAX_SOURCE_CHUNKS:
                return
            line = data.count(b"\n", 0, first) + 1
            end_line = line + piece.count(b"\n")
            inside = [n for n, anchor in enumerate(anchors) if line <= anchor.line <= end_line]
            around = [n for n, anchor in enumerate(anchors) if anchor.line < line][-1:]
            names = " ".join(anchors[n].text for n in (*around, *inside))
            yield ChunkValues(
                (inside or around or [-1])[0],
                first,
                last,
                line,
                end_line,
                _digest(names, piece),
                b"",
                _label(names, words),
                words(piece),
            )


def _merged(cuts: Sequence[int]) -> Iterator[tuple[int, int]]:
    start = cuts[0]
    for here, following in zip(cuts[1:], (*cuts[2:], None), strict=True):
        if following is None or following - start > CHUNK_BYTES:
            yield start, here
            start = here


def _line_offsets(data: bytes) -> list[int]:
    offsets = [0]
    position = data.find(b"\n")
    while position >= 0:
        offsets.append(position + 1)
        position = data.find(b"\n", position + 1)
    return offsets


def scope_of(kind: Kind, tags: Sequence[str], front: dict[str, Any] | None) -> tuple[str, ...]:
    """The filter tokens of a document: kind, tags with their parents, priority, assignee."""
    tokens = {scope_token("k", kind.value)}
    for tag in sorted(set(map(tag_key, tags))):
        if len(tokens) >= MOST_FILTERS:
            break
        parts = tag.split("/")
        tokens.update(tag_scope("/".join(parts[: n + 1])) for n in range(len(parts)))
    for prefix in ("priority", "assignee"):
        value = text_of((front or {}).get(prefix))
        if value:
            tokens.add(field_scope(prefix, value))
    return tuple(sorted(tokens))


@lru_cache(maxsize=4_096)
def tag_scope(tag: str) -> str:
    """The filter token of a tag, in any case."""
    return scope_token("t", tag, fold=True)


def field_scope(name: str, value: str) -> str:
    """The filter token of a frontmatter field, in any case."""
    return scope_token(name, value.strip(), fold=True)


def _label(text: str, words: Words) -> bytes:
    return words(text[:LONGEST_LABEL].encode())


def _aliases(front: dict[str, Any] | None) -> tuple[str, ...]:
    value = property_of(front, "aliases", "alias")
    items = value if isinstance(value, list) else [value]
    named = (text_of(item) for item in items)
    return tuple(dict.fromkeys(name.strip() for name in named if name and name.strip()))


def _digest(context: str, piece: bytes) -> str:
    return blake2b(piece, key=_context_key(context), digest_size=12).hexdigest()


@lru_cache(maxsize=256)
def _context_key(context: str) -> bytes:
    return blake2b(context.encode(), digest_size=32).digest()
