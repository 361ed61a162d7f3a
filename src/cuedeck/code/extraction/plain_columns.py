"""Columns of numbers: cut out of rows, written in the narrowest width, and asked for names.

The compiled ``cuedeck_native.columns`` has the same functions, with the same results, byte for byte.
"""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import accumulate, chain, compress, count
from operator import add, sub
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.facts import Definition

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

# Shorter columns are quicker done one by one.
MANY: Final = 64
# How a short column of bytes begins.
_SHORT: Final = [b"B" + size.to_bytes(4, "little") for size in range(MANY)]
_STORED: Final = {"B": "u1", "b": "i1", "H": "<u2", "h": "<i2", "I": "<u4", "i": "<i4", "q": "<i8"}


class Writer:
    """Columns, one behind another, as they are stored."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def column(self, values: Sequence[int] | Numbers) -> None:
        """Numbers as they are."""
        size = len(values)
        if size < MANY:
            try:
                self.parts += (_SHORT[size], bytes([*values]))
            except ValueError:
                pass
            else:
                return
        code, data = _narrowest(values)
        self.parts += (code, size.to_bytes(4, "little"), data)

    def deltas(self, values: Sequence[int]) -> None:
        """The first number, and of the others how much each is more than the one before."""
        if len(values) < MANY:
            self.column([*values[:1], *map(sub, values[1:], values)])
        else:
            import numpy as np

            numbers = np.array(values, dtype=np.int64)
            numbers[1:] -= numbers[:-1].copy()
            self.column(numbers)

    def differences(self, values: Iterable[int], others: Iterable[int]) -> None:
        """How much more each of some numbers is than the other."""
        self.column([*map(sub, values, others)])

    def distances(self, values: array[int], among: bytes) -> None:
        """How far back the number's row is, where ``among`` says that it is a row; else the number."""
        self.column(distances(values, among))

    def raw(self, data: bytes) -> None:
        """Bytes, and before them how many."""
        self.parts += (len(data).to_bytes(4, "little"), data)

    def strings(self, values: Sequence[str]) -> None:
        """A column of how long they are, and the strings."""
        joined = "".join(values)
        if joined.isascii():
            self.column(list(map(len, values)))
            self.raw(joined.encode())
        else:
            encoded = [value.encode("utf-8", "surrogateescape") for value in values]
            self.column(list(map(len, encoded)))
            self.raw(b"".join(encoded))

    def written(self) -> bytes:
        """What was written so far."""
        return b"".join(self.parts)


def _narrowest(values: Sequence[int] | Numbers) -> tuple[bytes, bytes]:
    """The code of the narrowest width that fits all values, and the values in it."""
    if isinstance(values, (list, tuple)):
        try:
            return b"B", bytes(values)
        except ValueError:
            pass
    elif isinstance(values, array) and values.typecode == "B":
        return b"B", values.tobytes()
    if len(values) < MANY:
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


def distances(values: array[int], among: bytes) -> Numbers:
    """Where a number is that of a row before it, how far back; the same again gives the rows."""
    import numpy as np

    numbers = np.array(values, dtype=np.int64)
    back = np.flatnonzero(np.frombuffer(among, dtype=np.uint8))
    numbers[back] = back - numbers[back]
    return numbers


def ordered(
    drafts: list[list[Any]], lines: array[int], make: type[Definition]
) -> tuple[tuple[Definition, ...], Sequence[int]]:
    """Definitions in the order of the source, outer before inner; where each went, and -1 at last."""
    spans = sorted((draft[4], -draft[5], number) for number, draft in enumerate(drafts))
    moved = [-1] * (len(drafts) + 1)
    for new, (_, _, old) in enumerate(spans):
        moved[old] = new
    definitions = []
    for start, end, old in spans:
        draft = drafts[old]
        draft[2] = moved[draft[2]]
        draft[7] = bisect_right(lines, start)
        draft[8] = bisect_right(lines, max(start, -end - 1))
        definitions.append(make._make(draft))
    return tuple(definitions), moved


def columns(rows: list[int], codes: str) -> list[array[int]]:
    """Rows of numbers, one after another, as columns of signed 32 bits or of bytes."""
    width = len(codes)
    numbers = array("i", struct.pack(f"{len(rows)}i", *rows))
    return [
        numbers[k::width] if code == "i" else array(code, bytes(rows[k::width]))
        for k, code in enumerate(codes)
    ]


def across(rows: list[tuple[int, ...]]) -> array[int]:
    """The numbers of rows of one length, column after column."""
    numbers = [*chain.from_iterable(zip(*rows, strict=True))]
    return array("i", struct.pack(f"{len(numbers)}i", *numbers))


def line_starts(source: bytes) -> array[int]:
    """The byte offset at which each line starts."""
    starts = [0, *map(add, accumulate(map(len, source.split(b"\n"))), count(1))]
    # Behind the last line break there is a line only if there is something.
    return array("I", starts[:-1] if len(starts) < 3 or starts[-2] < len(source) else starts[:-2])


def seen_outside(
    strings: Sequence[str],
    ops: bytes,
    a: array[int],
    b: array[int],
    bindings: Sequence[array[int]],
    scopes: array[int],
    scope_count: int,
    is_name: bytes,
    is_member: bytes,
    is_inner: bytes,
    imported: int,
) -> list[str]:
    """The names that may belong to another file, in the order of their numbers.

    ``scopes`` has all kinds and then all scopes around; tables say which ops and which kinds of scope count.
    """
    holders, names, _, kinds, _, originals = bindings
    # The last is for what stands in no scope.
    bound: list[set[int]] = [set() for _ in range(scope_count + 1)]
    used: list[set[int]] = [set() for _ in range(scope_count + 1)]
    for scope, name in zip(holders, names, strict=True):
        bound[scope].add(name)
    named = ops.translate(is_name)
    for scope, name in zip(compress(a, named), compress(b, named), strict=True):
        used[scope].add(name)
    found = set(compress(b, ops.translate(is_member)))
    around = zip(scopes[:scope_count], scopes[scope_count : 2 * scope_count], strict=True)
    # Scopes come after those around them.
    for (kind, outer), own, others in zip(around, bound, used, strict=False):
        if is_inner[kind]:
            own |= bound[outer]
            others -= own
        else:
            found |= own
            own.clear()
    found.update(*used)
    imports = [kind == imported for kind in kinds]
    found.update(compress(names, imports), compress(originals, imports))
    return [text for text in map(strings.__getitem__, sorted(found)) if text not in {"", "*"}]


def storable(names: Collection[str], most: int, is_text: Callable[[str], bool]) -> list[str]:
    """The names that are no longer than ``most`` and of which ``is_text`` says that they are text."""
    joined = "".join(names)
    if joined.isascii() and "\0" not in joined and max(map(len, names), default=0) <= most:
        return list(names)
    return [name for name in names if len(name) <= most and is_text(name)]
