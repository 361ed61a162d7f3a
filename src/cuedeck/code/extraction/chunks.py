"""Cuts a source file into pieces a reader can understand alone: functions, methods, classes, blocks."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from operator import itemgetter
from typing import Final

from cuedeck.code.anchors import facts_of, local_name
from cuedeck.code.facts import (
    CALLABLE,
    OP_MASK,
    ROLE_SHIFT,
    TYPES,
    Definition,
    Facts,
    Kind,
    Links,
    Op,
    Role,
)
from cuedeck.search.tokens import BYTES_PER_TOKEN, count_tokens

LEAST_TOKENS: Final = 100
MOST_TOKENS: Final = 2000
_WHOLE: Final = CALLABLE | TYPES | {Kind.NAMESPACE}
_MAX_DEPENDENCIES: Final = 50
_NAMING: Final = frozenset({Op.NAME, Op.ATTR, Op.IMPORTED, Op.MODULE})
_DEPENDING: Final = frozenset({Role.CALL, Role.EXTENDS, Role.IMPLEMENTS, Role.IMPORT})
_SURELY_SMALL: Final = 2.0  # bytes per token that no source goes below
_CHUNK_TYPES: Final = {Kind.FUNCTION: "function", Kind.METHOD: "method", Kind.MACRO: "function"}


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a file; ``key`` stays the same while other parts of the file are edited."""

    language: str
    chunk_type: str  # function, method, class, block or module
    name: str
    qualified_name: str
    line_start: int
    line_end: int
    text: str
    parent: str | None
    dependencies: tuple[str, ...]
    key: str


@dataclass(frozen=True, slots=True)
class _Piece:
    definition: int  # -1 for what lies between definitions
    kind: str
    start: int
    end: int


def chunk_file(path: str, source: bytes) -> list[Chunk]:
    """The chunks of a file in reading order; a file of no known language is cut into blocks of lines."""
    facts = facts_of(path, source)
    if not source.strip():
        return []
    if facts is None or facts.outline.problem:
        pieces = [_Piece(-1, "block", 0, len(source))]
        return _named(path, "text" if facts is None else facts.outline.language, source, facts, pieces)
    pieces = list(_cover(facts.outline.definitions, source))
    return _named(path, facts.outline.language, source, facts, _joined(pieces, source))


def _cover(definitions: Sequence[Definition], source: bytes) -> Iterator[_Piece]:
    """Every byte of the file in some piece: definitions that fit, else their parts."""
    parts: dict[int, list[tuple[int, Definition]]] = {}
    for number, d in enumerate(definitions):
        if d.kind in _WHOLE:
            parts.setdefault(d.parent, []).append((number, d))
    yield from _inside(parts, source, -1, 0, len(source))


def _inside(
    parts: Mapping[int, Sequence[tuple[int, Definition]]], source: bytes, owner: int, start: int, end: int
) -> Iterator[_Piece]:
    at = start
    for number, d in parts.get(owner, ()):
        if d.start < at or d.end > end:
            continue
        head = _line_start(source, d.start, at)
        if source[at:head].strip():
            yield _Piece(owner, "rest", at, head)
        if _fits(source[head : d.end]) or number not in parts:
            yield _Piece(number, _CHUNK_TYPES.get(d.kind, "class"), head, d.end)
        else:
            yield from _inside(parts, source, number, head, d.end)
        at = d.end
    if source[at:end].strip():
        yield _Piece(owner, "rest", at, end)


def _line_start(source: bytes, offset: int, floor: int) -> int:
    line = source.rfind(b"\n", floor, offset) + 1
    return line if line > floor and not source[line:offset].strip() else offset


def _fits(text: bytes) -> bool:
    return len(text) <= MOST_TOKENS * _SURELY_SMALL or _tokens(text) <= MOST_TOKENS


def _tokens(text: bytes) -> int:
    return count_tokens(text.decode("utf-8", "replace"))


def _joined(pieces: Sequence[_Piece], source: bytes) -> list[_Piece]:
    """Pieces too small to stand alone join their neighbour of the same owner."""
    joined: list[_Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last is not None and _joins(last, piece, source):
            kept = last if last.definition >= 0 and last.kind != "rest" else piece
            both = source[last.start : piece.end]
            kind = "module" if last.kind == piece.kind == "rest" else kept.kind
            if _fits(both):
                joined[-1] = _Piece(
                    kept.definition, kind if kind != "module" else "rest", last.start, piece.end
                )
                continue
        joined.append(piece)
    return joined


def _joins(last: _Piece, piece: _Piece, source: bytes) -> bool:
    small = [p for p in (last, piece) if p.end - p.start < LEAST_TOKENS * BYTES_PER_TOKEN]
    # A function keeps its own chunk however short it is; leftovers around it do not.
    return any(p.kind == "rest" for p in small) and not source[last.end : piece.start].strip()


def _named(
    path: str, language: str, source: bytes, facts: Facts | None, pieces: Sequence[_Piece]
) -> list[Chunk]:
    seen: dict[str, int] = {}
    chunks: list[Chunk] = []
    stem = re.split(r"[/\\]", path)[-1].rsplit(".", 1)[0]
    ends = [found.start() for found in re.finditer(rb"\n", source)]
    definitions = facts.outline.definitions if facts is not None else ()
    named = _Named(facts.links) if facts is not None else None
    for piece in pieces:
        qualified = local_name(definitions, piece.definition) if piece.definition >= 0 else stem
        owner = definitions[piece.definition].parent if piece.definition >= 0 else -1
        parts = list(_split(source, piece.start, piece.end))
        for start, end in parts:
            first, last = _without_blank_lines(source, start, end)
            kind = piece.kind if piece.kind != "rest" else "class" if piece.definition >= 0 else "module"
            if len(parts) > 1:
                kind = "block"
            base = f"{kind}:{qualified}"
            count = seen[base] = seen.get(base, 0) + 1
            chunks.append(
                Chunk(
                    language,
                    kind,
                    qualified.rsplit("::", 1)[-1],
                    qualified,
                    bisect_left(ends, first) + 1,
                    bisect_left(ends, max(first, last - 1)) + 1,
                    source[first:last].decode("utf-8", "replace"),
                    local_name(definitions, owner) if owner >= 0 else None,
                    named.between(start, end) if named is not None else (),
                    f"{base}#{count}",
                )
            )
    return chunks


def _without_blank_lines(source: bytes, start: int, end: int) -> tuple[int, int]:
    text = source[start:end]
    lead = len(text) - len(text.lstrip(b"\r\n"))
    first = text.find(b"\n", lead)
    while first >= 0 and not text[lead:first].strip():
        lead, first = first + 1, text.find(b"\n", first + 1)
    return start + lead, start + len(text.rstrip())


def _split(source: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A piece that is too large, cut at blank lines where possible, else at any line."""
    if _fits(source[start:end]):
        yield start, end
        return
    target = int(MOST_TOKENS * 0.8 * BYTES_PER_TOKEN)
    at = start
    while at < end:
        stop = min(end, at + target)
        if stop < end:
            stop = _break(source, at, stop)
        while not _fits(source[at:stop]) and stop - at > 400:
            stop = _break(source, at, at + (stop - at) // 2)
        if source[at:stop].strip():
            yield at, stop
        at = stop


def _break(source: bytes, start: int, stop: int) -> int:
    blank = source.rfind(b"\n\n", start + (stop - start) // 2, stop)
    if blank >= 0:
        return blank + 2
    line = source.rfind(b"\n", start + 1, stop)
    if line >= 0:
        return line + 1
    # One enormous line: cut where a character ends.
    while stop > start + 1 and source[stop : stop + 1] and 0x80 <= source[stop] < 0xC0:
        stop -= 1
    return stop


class _Named:
    """The names that a file calls, inherits or imports, by where they stand."""

    def __init__(self, links: Links) -> None:
        rows = zip(links.pos, count(), links.ops, links.b, strict=False)
        self._found = sorted(
            (pos, row, links.strings[b])
            for pos, row, op, b in rows
            if op & OP_MASK in _NAMING and op >> ROLE_SHIFT in _DEPENDING and links.strings[b]
        )

    def between(self, start: int, end: int) -> tuple[str, ...]:
        """Those of a piece, in the order in which it was read."""
        inside = self._found[bisect_left(self._found, (start,)) : bisect_left(self._found, (end,))]
        names = dict.fromkeys(name for _, _, name in sorted(inside, key=itemgetter(1)))
        return tuple(names)[:_MAX_DEPENDENCIES]
