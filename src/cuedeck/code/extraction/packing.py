"""Facts as bytes: columns of the narrowest width that fits, deltas where values grow, then zstd."""

from __future__ import annotations

import sys
import threading
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate, chain, count
from operator import sub
from typing import Final

import zstandard

from cuedeck.code.extraction.columns import Writer
from cuedeck.code.extraction.plain_columns import MANY, distances
from cuedeck.code.facts import (
    CONTENT,
    KINDS,
    OP_MASK,
    SHAPE,
    UNHASHED,
    Called,
    Definition,
    Definitions,
    Facts,
    Imports,
    Links,
    Lists,
    Op,
    Outline,
    Scopes,
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
        Op.OPERATED,
        Op.WANTED,
    }
)
_BOTH: Final = CONTENT + SHAPE
_MAX_FRAME: Final = 256 * 1024 * 1024
# Beyond this a blob gets hardly smaller and packing takes ever longer.
_LEVEL: Final = 5
# For each value of an op column whether its row's ``a`` is stored as a distance.
_IS_BACKWARD: Final = bytes(op & OP_MASK in _BACKWARD for op in range(256))
_KIND_NUMBERS: Final = {kind: number for number, kind in enumerate(KINDS)}
_local: Final = threading.local()


def _compressor() -> zstandard.ZstdCompressor:
    """This thread's compressor: making one costs more than packing a small blob with it."""
    made: zstandard.ZstdCompressor | None = getattr(_local, "compressor", None)
    if made is None:
        made = _local.compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=False)
    return made


def _decompressor() -> zstandard.ZstdDecompressor:
    made: zstandard.ZstdDecompressor | None = getattr(_local, "decompressor", None)
    if made is None:
        made = _local.decompressor = zstandard.ZstdDecompressor()
    return made


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = _decompressor().decompress(data, max_output_size=_MAX_FRAME)
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
        column = self.column()
        if len(column) < MANY:
            return array("I", accumulate(column))
        import numpy as np

        return array("I", np.cumsum(column, dtype=np.uint32).tobytes())

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
            return tuple([text[a:b] for a, b in zip((0, *ends), ends, strict=False)])
        return tuple(
            joined[a:b].decode("utf-8", "surrogateescape") for a, b in zip((0, *ends), ends, strict=False)
        )

    def texts(self) -> Callable[[int], str]:
        """Strings that are cut out one by one when they are asked for."""
        ends, joined = array("I", accumulate(self.column(), initial=0)), self.raw()
        if not joined:
            return lambda number: ""
        return lambda number: joined[ends[number] : ends[number + 1]].decode("utf-8", "surrogateescape")


def pack(facts: Facts) -> bytes:
    """The stored form of a blob's facts; one frame, because outline and links share their words."""
    outline, links = Writer(), Writer()
    _outline(outline, facts.outline)
    _links(links, facts.links)
    first = outline.written()
    return _compressor().compress(b"".join((len(first).to_bytes(4, "little"), first, links.written())))


def _outline(out: Writer, outline: Outline) -> None:
    out.strings((outline.language, outline.problem or ""))
    out.column((outline.size, outline.broken, outline.generated, outline.problem is not None))
    out.deltas(outline.lines)
    fields = [*zip(*outline.definitions, strict=True)] or [()] * len(Definition._fields)
    names, kinds, parents, scopes, starts, ends, names_at, _, _, signatures, docs_at, docs_end, *others = (
        fields
    )
    contents, shapes, within = others
    out.column([*map(_KIND_NUMBERS.__getitem__, kinds)])
    out.differences(range(len(parents)), parents)
    out.column(scopes)
    out.deltas(starts)
    out.differences(ends, starts)
    out.differences(names_at, starts)
    out.column([at - start if end else 0 for at, start, end in zip(docs_at, starts, docs_end, strict=True)])
    out.differences(docs_end, docs_at)
    out.strings(names)
    out.strings(signatures)
    out.strings(within)
    # What has no content has no shape.
    out.raw(b"".join(chain.from_iterable(zip(contents, shapes, strict=True))))


def unpack_lines(data: bytes) -> array[int]:
    """Where the lines start of the blob that was packed."""
    read = _Reader(data)
    read.at = 4
    read.strings()
    read.column()
    return read.deltas()


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
    names = tuple(map(sys.intern, read.strings()))
    signatures, within = read.texts(), read.texts()
    hashes = read.raw()
    # Members have no hashes of their own: their owner's change tells of theirs.
    hashed = array("I", accumulate((KINDS[kind] not in UNHASHED for kind in kinds), initial=0))

    def definition(n: int) -> Definition:
        start, at = starts[n], hashed[n] * _BOTH
        end, doc = start + lengths[n], start + docs_at[n]
        own = hashes[at : at + _BOTH] if hashed[n + 1] > hashed[n] else b""
        return Definition(
            names[n],
            KINDS[kinds[n]],
            n - parents[n],
            scopes[n],
            start,
            end,
            start + names_at[n],
            bisect_right(lines, start),
            bisect_right(lines, max(start, end - 1)),
            signatures(n),
            doc if docs[n] else 0,
            doc + docs[n] if docs[n] else 0,
            own[:CONTENT],
            own[CONTENT:],
            within(n),
        )

    def called() -> Iterable[Called]:
        owners = map(sub, count(), parents)
        return zip(names, map(KINDS.__getitem__, kinds), owners, map(within, range(len(names))), strict=True)

    def contents() -> Iterable[bytes]:
        return (hashes[at * _BOTH : at * _BOTH + CONTENT] for at in hashed[:-1])

    definitions = Definitions(names, called, contents, definition)
    reason = problem if has_problem else None
    return Outline(language, size, lines, definitions, bool(broken), bool(generated), reason)


def _links(out: Writer, links: Links) -> None:
    out.strings(links.strings)
    out.column(links.ops)
    out.distances(links.a, _backward(links.ops))
    out.column(links.b)
    out.deltas(links.pos)
    out.column([*map(len, links.lists)])
    out.deltas([*chain.from_iterable(links.lists)])
    scopes, names, pos, kinds, x, y = links.bindings
    out.column(scopes)
    out.column(names)
    out.deltas(pos)
    out.column(kinds)
    out.column(x)
    out.column(y)
    # One column for all fields: a scope has many, and most blobs have few scopes.
    out.column(links.scopes.columns)
    out.strings([imported.module for imported in links.imports])
    out.column([imported.level for imported in links.imports])


def _backward(ops: array[int]) -> bytes:
    """For each row whether its ``a`` is a row before it."""
    return ops.tobytes().translate(_IS_BACKWARD)


def unpack_links(data: bytes) -> Links:
    """The links that were packed."""
    read = _Reader(data)
    read.at = 4 + int.from_bytes(read.data[:4], "little")
    # Files share most of their names: one string for all of them.
    strings = tuple(map(sys.intern, read.strings()))
    ops, backs, b, pos = read.column(), read.column(), read.column(), read.deltas()
    a = array("i", distances(backs, _backward(ops)).astype("i4").tobytes())
    lists = Lists(array("I", accumulate(read.column())), read.deltas())
    bindings = (read.column(), read.column(), read.deltas(), read.column(), read.column(), read.column())
    scopes = Scopes(read.column())
    imports = Imports(tuple(map(sys.intern, read.strings())), read.column())
    return Links(strings, ops, a, b, pos, lists, bindings, scopes, imports)
