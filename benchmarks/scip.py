"""What a SCIP index lists, as rows of symbols with their uses.

    python -m benchmarks.scip INDEX.scip > ROWS.jsonl

A row is ``{"symbol", "name", "kind", "def": {"path", "line", "col"}, "refs": [...]}`` with 1-based lines and
0-based columns. Left out are locals, parameters, type parameters, modules, and symbols of other packages.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Field = tuple[int, Any]
# Fields of the messages Index, Document and Occurrence.
_DOCUMENT = 2
_PATH, _OCCURRENCE = 1, 2
_RANGE, _SYMBOL, _ROLES = 1, 2, 3
_IS_DEFINITION = 1
# The last part of a symbol says what it is: ``Class#``, ``method().``, ``value.``, ``macro!``.
_LAST = re.compile(r"(`[^`]+`|[\w$+\-]+)(\(\+?\d*\)\.|#|\.|!)$")
_KINDS = {"#": "class", ".": "variable", "!": "macro"}


def rows(index: Path) -> list[dict[str, Any]]:
    """Every symbol that is defined in the index, in the order of its places."""
    defined: dict[str, tuple[str, int, int]] = {}
    used: dict[str, set[tuple[str, int, int]]] = {}
    for path, line, column, symbol, is_definition in occurrences(index):
        if is_definition:
            defined.setdefault(symbol, (path, line, column))
        else:
            used.setdefault(symbol, set()).add((path, line, column))
    found = []
    for symbol, place in sorted(defined.items(), key=lambda each: each[1]):
        if last := _LAST.search(symbol.split(" ", 4)[-1]):
            refs = [spot(*use) for use in sorted(used.get(symbol, set()) - {place})]
            kind = _KINDS.get(last[2], "function")
            name = last[1].strip("`")
            found.append({"symbol": symbol, "name": name, "kind": kind, "def": spot(*place), "refs": refs})
    return found


def spot(path: str, line: int, column: int) -> dict[str, Any]:
    return {"path": path, "line": line, "col": column}


def occurrences(index: Path) -> Iterator[tuple[str, int, int, str, bool]]:
    """Each place of a global symbol: path, line, column, the symbol, whether it is defined there."""
    for number, document in fields(index.read_bytes()):
        if number != _DOCUMENT:
            continue
        inside = list(fields(document))
        path = next(value.decode() for field, value in inside if field == _PATH)
        for field, occurrence in inside:
            if field == _OCCURRENCE:
                yield from _place(path, list(fields(occurrence)))


def _place(path: str, occurrence: list[Field]) -> Iterator[tuple[str, int, int, str, bool]]:
    symbol = next((value.decode() for field, value in occurrence if field == _SYMBOL), "")
    if not symbol or symbol.startswith("local "):
        return
    where = [number for field, value in occurrence if field == _RANGE for number in numbers(value)]
    roles = next((value for field, value in occurrence if field == _ROLES), 0)
    yield path, where[0] + 1, where[1], symbol, bool(roles & _IS_DEFINITION)


def numbers(value: int | bytes) -> list[int]:
    """A repeated number, packed or not."""
    if isinstance(value, int):
        return [value]
    found, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        found.append(number)
    return found


def fields(data: bytes) -> Iterator[Field]:
    """The fields of a protobuf message, those of fixed width left out."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        match key & 7:
            case 0:
                value, at = varint(data, at)
                yield key >> 3, value
            case 1:
                at += 8
            case 2:
                size, at = varint(data, at)
                yield key >> 3, data[at : at + size]
                at += size
            case 5:
                at += 4
            case kind:
                raise ValueError(f"not a SCIP index: a field of kind {kind}")


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A number and the place behind it."""
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for row in rows(Path(sys.argv[1])):
        sys.stdout.write(json.dumps(row) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
