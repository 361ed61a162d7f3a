"""Facts as bytes: columns of the narrowest width that fits, deltas where values grow, then zstd."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final

import zstandard

from cuedeck.code.facts import (
    CONTENT,
    KINDS,
    OP_MASK,
    SHAPE,
    UNHASHED,
    Definition,
    Facts,
    Import,
    Links,
    Op,
    Outline,
    Scope,
)

_LIMITS: Final = tuple(
    (code, *((0, 256**w - 1) if code.isupper() else (-(256**w) // 2, 256**w // 2 - 1)))
    for code, w in (("B", 1), ("b", 1), ("H", 2), ("h", 2), ("I", 4), ("i", 4), ("q", 8))
)
# Ops whose ``a`` is an expression written shortly before them: stored as the distance back.
_BACKWARD: Final = frozenset(
    {
        Op.ATTR,
        Op.CALL,
        Op.INDEX,
        Op.AWAIT,
        Op.SEQUENCE,
        Op.KEYWORD,
        Op.NEW,
        Op.ITEM,
        Op.ELEMENT,
        Op.ENTERED,
        Op.CAUGHT,
        Op.MAPPING,
        Op.TYPED,
    }
)
_BOTH: Final = CONTENT + SHAPE
_MAX_FRAME: Final = 256 * 1024 * 1024


class _Writer:
    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def column(self, values: Sequence[int]) -> None:
        low, high = (min(values), max(values)) if values else (0, 0)
        code = next(code for code, least, most in _LIMITS if least <= low and high <= most)
        packed = array(code, values)
        if sys.byteorder == "big":
            packed.byteswap()
        self.parts.append(code.encode() + len(packed).to_bytes(4, "little") + packed.tobytes())

    def deltas(self, values: Sequence[int]) -> None:
        self.column([b - a for a, b in zip((0, *values), values, strict=False)])

    def raw(self, data: bytes) -> None:
        self.parts.append(len(data).to_bytes(4, "little") + data)

    def strings(self, values: Iterable[str]) -> None:
        encoded = [value.encode("utf-8", "surrogateescape") for value in values]
        self.column([len(value) for value in encoded])
        self.raw(b"".join(encoded))

    def finish(self) -> bytes:
        return zstandard.ZstdCompressor(level=5, write_checksum=False).compress(b"".join(self.parts))


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = zstandard.ZstdDecompressor().decompress(data, max_output_size=_MAX_FRAME)
        self.at = 0

    def column(self) -> array[int]:
        data, at = self.data, self.at
        values: array[int] = array(chr(data[at]))
        end = at + 5 + int.from_bytes(data[at + 1 : at + 5], "little") * values.itemsize
        values.frombytes(data[at + 5 : end])
        if sys.byteorder == "big":
            values.byteswap()
        self.at = end
        return values

    def deltas(self) -> array[int]:
        return array("I", accumulate(self.column()))

    def raw(self) -> bytes:
        size = int.from_bytes(self.data[self.at : self.at + 4], "little")
        start = self.at + 4
        self.at = start + size
        return self.data[start : self.at]

    def strings(self) -> tuple[str, ...]:
        ends = list(accumulate(self.column()))
        joined = self.raw()
        text = joined.decode("utf-8", "surrogateescape")
        if len(text) == len(joined):
            return tuple(text[a:b] for a, b in zip((0, *ends), ends, strict=False))
        return tuple(
            joined[a:b].decode("utf-8", "surrogateescape") for a, b in zip((0, *ends), ends, strict=False)
        )


def pack(facts: Facts) -> bytes:
    """The stored form of a blob's facts; one frame, because outline and links share their words."""
    out = _Writer()
    _outline(out, facts.outline)
    outline = len(b"".join(out.parts))
    _links(out, facts.links)
    out.parts.insert(0, outline.to_bytes(4, "little"))
    return out.finish()


def _outline(out: _Writer, outline: Outline) -> None:
    defs = outline.definitions
    kinds = {kind: number for number, kind in enumerate(KINDS)}
    out.strings((outline.language, outline.problem or ""))
    out.column((outline.size, outline.broken, outline.generated, outline.problem is not None))
    out.deltas(outline.lines)
    out.column([kinds[d.kind] for d in defs])
    out.column([number - d.parent for number, d in enumerate(defs)])
    out.column([d.scope for d in defs])
    out.deltas([d.start for d in defs])
    out.column([d.end - d.start for d in defs])
    out.column([d.name_at - d.start for d in defs])
    out.column([d.doc_start - d.start if d.doc_end else 0 for d in defs])
    out.column([d.doc_end - d.doc_start for d in defs])
    out.strings([d.name for d in defs])
    out.strings([d.signature for d in defs])
    out.strings([d.within for d in defs])
    out.raw(b"".join(d.content + d.shape for d in defs if d.content))


def unpack_outline(data: bytes) -> Outline:
    """The definitions that were packed."""
    read = _Reader(data)
    read.at = 4
    language, problem = read.strings()
    size, broken, generated, has_problem = read.column()
    lines = read.deltas()
    kinds, parents, scopes = read.column(), read.column(), read.column()
    starts, lengths, names_at = read.deltas(), read.column(), read.column()
    docs_at, docs = read.column(), read.column()
    names, signatures, within = read.strings(), read.strings(), read.strings()
    hashed, hashes = 0, read.raw()
    pairs: list[tuple[bytes, bytes]] = []
    for kind in kinds:
        # Members have no hashes of their own: their owner's change tells of theirs.
        if KINDS[kind] in UNHASHED:
            pairs.append((b"", b""))
        else:
            pairs.append((hashes[hashed : hashed + CONTENT], hashes[hashed + CONTENT : hashed + _BOTH]))
            hashed += _BOTH
    outline = Outline(
        language, size, lines, (), bool(broken), bool(generated), problem if has_problem else None
    )
    line_of = outline.line_of
    definitions = tuple(
        Definition(
            names[n],
            KINDS[kinds[n]],
            n - parents[n],
            scopes[n],
            start,
            start + lengths[n],
            start + names_at[n],
            line_of(start),
            line_of(max(start, start + lengths[n] - 1)),
            signatures[n],
            start + docs_at[n] if docs[n] else 0,
            start + docs_at[n] + docs[n] if docs[n] else 0,
            *pairs[n],
            within[n],
        )
        for n, start in enumerate(starts)
    )
    object.__setattr__(outline, "definitions", definitions)
    return outline


def _links(out: _Writer, links: Links) -> None:
    out.strings(links.strings)
    out.column(links.ops)
    out.column(
        [
            n - a if op & OP_MASK in _BACKWARD else a
            for n, (op, a) in enumerate(zip(links.ops, links.a, strict=True))
        ]
    )
    out.column(links.b)
    out.deltas(links.pos)
    out.column([len(items) for items in links.lists])
    out.deltas([item for items in links.lists for item in items])
    scopes, names, pos, kinds, x, y = links.bindings
    out.column(scopes)
    out.column(names)
    out.deltas(pos)
    out.column(kinds)
    out.column(x)
    out.column(y)
    for field in range(len(Scope._fields)):
        out.column([scope[field] for scope in links.scopes])
    out.strings([imported.module for imported in links.imports])
    out.column([imported.level for imported in links.imports])


def unpack_links(data: bytes) -> Links:
    """The links that were packed."""
    read = _Reader(data)
    read.at = 4 + int.from_bytes(read.data[:4], "little")
    strings = read.strings()
    ops, distances, b, pos = read.column(), read.column(), read.column(), read.deltas()
    a = array(
        "i",
        (
            n - d if op & OP_MASK in _BACKWARD else d
            for n, (op, d) in enumerate(zip(ops, distances, strict=True))
        ),
    )
    ends = list(accumulate(read.column()))
    flat = tuple(read.deltas())
    lists = tuple(flat[i:j] for i, j in zip((0, *ends), ends, strict=False))
    bindings = (read.column(), read.column(), read.deltas(), read.column(), read.column(), read.column())
    fields = [read.column() for _ in Scope._fields]
    scopes = tuple(map(Scope, *fields))
    modules, levels = read.strings(), read.column()
    return Links(strings, ops, a, b, pos, lists, bindings, scopes, tuple(map(Import, modules, levels)))
