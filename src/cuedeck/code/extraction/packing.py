"""Facts as bytes: columns of the narrowest width that fits, deltas where values grow, then zstd."""

from __future__ import annotations

import struct
import sys
import threading
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain, count
from operator import sub
from typing import TYPE_CHECKING, Final

import zstandard

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

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

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
_LEVEL: Final = 3
# For each value of an op column whether its row's ``a`` is stored as a distance.
_IS_BACKWARD: Final = bytes(op & OP_MASK in _BACKWARD for op in range(256))
_KIND_NUMBERS: Final = {kind: number for number, kind in enumerate(KINDS)}
# Shorter columns are quicker done one by one.
_MANY: Final = 64
# How a short column of bytes begins.
_SHORT: Final = [b"B" + size.to_bytes(4, "little") for size in range(_MANY)]
_STORED: Final = {"B": "u1", "b": "i1", "H": "<u2", "h": "<i2", "I": "<u4", "i": "<i4", "q": "<i8"}
_local: Final = threading.local()


class _Writer:
    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def column(self, values: Sequence[int] | Numbers) -> None:
        size = len(values)
        if size < _MANY:
            try:
                self.parts += (_SHORT[size], bytes([*values]))
            except ValueError:
                pass
            else:
                return
        code, data = _narrowest(values)
        self.parts += (code, size.to_bytes(4, "little"), data)

    def deltas(self, values: Sequence[int]) -> None:
        if len(values) < _MANY:
            self.column([*values[:1], *map(sub, values[1:], values)])
        else:
            import numpy as np

            numbers = np.array(values, dtype=np.int64)
            numbers[1:] -= numbers[:-1].copy()
            self.column(numbers)

    def raw(self, data: bytes) -> None:
        self.parts += (len(data).to_bytes(4, "little"), data)

    def strings(self, values: Sequence[str]) -> None:
        joined = "".join(values)
        if joined.isascii():
            self.column(list(map(len, values)))
            self.raw(joined.encode())
        else:
            encoded = [value.encode("utf-8", "surrogateescape") for value in values]
            self.column(list(map(len, encoded)))
            self.raw(b"".join(encoded))

    def finish(self) -> bytes:
        return _compressor().compress(b"".join(self.parts))


def _narrowest(values: Sequence[int] | Numbers) -> tuple[bytes, bytes]:
    """The code of the narrowest width that fits all values, and the values in it."""
    if isinstance(values, (list, tuple)):
        try:
            return b"B", bytes(values)
        except ValueError:
            pass
    elif isinstance(values, array) and values.typecode == "B":
        return b"B", values.tobytes()
    if len(values) < _MANY:
        code = _width(min(values), max(values))
        packed = array(code, values)
        if sys.byteorder == "big":
            packed.byteswap()
        return code.encode(), packed.tobytes()
    import numpy as np

    numbers = (
        np.frombuffer(struct.pack(f"{len(values)}q", *values), dtype=np.int64)
        if isinstance(values, list)
        else np.asarray(values)
    )
    code = _width(int(np.minimum.reduce(numbers)), int(np.maximum.reduce(numbers)))
    return code.encode(), numbers.astype(_STORED[code]).tobytes()


def _width(low: int, high: int) -> str:
    if low >= 0:
        return "B" if high < 1 << 8 else "H" if high < 1 << 16 else "I" if high < 1 << 32 else "q"
    most = max(high, ~low)
    return "b" if most < 1 << 7 else "h" if most < 1 << 15 else "i" if most < 1 << 31 else "q"


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
        if len(column) < _MANY:
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
        return lambda number: joined[ends[number] : ends[number + 1]].decode("utf-8", "surrogateescape")


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
    out.strings((outline.language, outline.problem or ""))
    out.column((outline.size, outline.broken, outline.generated, outline.problem is not None))
    out.deltas(outline.lines)
    fields = [*zip(*defs, strict=True)] or [()] * len(Definition._fields)
    names, kinds, parents, scopes, starts, ends, names_at, _, _, signatures, docs_at, docs_end, *_ = fields
    out.column([_KIND_NUMBERS[kind] for kind in kinds])
    out.column([*map(sub, count(), parents)])
    out.column(scopes)
    out.deltas(starts)
    out.column([*map(sub, ends, starts)])
    out.column([*map(sub, names_at, starts)])
    out.column([at - start if end else 0 for at, start, end in zip(docs_at, starts, docs_end, strict=True)])
    out.column([*map(sub, docs_end, docs_at)])
    out.strings(names)
    out.strings(signatures)
    out.strings([d.within for d in defs])
    out.raw(b"".join(d.content + d.shape for d in defs if d.content))


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


def _links(out: _Writer, links: Links) -> None:
    out.strings(links.strings)
    out.column(links.ops)
    out.column(_distances(links.ops, links.a))
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


def _distances(ops: array[int], values: array[int]) -> Numbers:
    """Where a row's ``a`` is a row before it, how far back; the same again gives the rows."""
    import numpy as np

    numbers = np.array(values, dtype=np.int64)
    back = np.flatnonzero(np.frombuffer(ops.tobytes().translate(_IS_BACKWARD), dtype=np.uint8))
    numbers[back] = back - numbers[back]
    return numbers


def unpack_links(data: bytes) -> Links:
    """The links that were packed."""
    read = _Reader(data)
    read.at = 4 + int.from_bytes(read.data[:4], "little")
    # Files share most of their names: one string for all of them.
    strings = tuple(map(sys.intern, read.strings()))
    ops, distances, b, pos = read.column(), read.column(), read.column(), read.deltas()
    a = array("i", _distances(ops, distances).astype("i4").tobytes())
    lists = Lists(array("I", accumulate(read.column())), read.deltas())
    bindings = (read.column(), read.column(), read.deltas(), read.column(), read.column(), read.column())
    scopes = Scopes(read.column())
    imports = Imports(tuple(map(sys.intern, read.strings())), read.column())
    return Links(strings, ops, a, b, pos, lists, bindings, scopes, imports)
