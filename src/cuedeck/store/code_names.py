"""Which blobs use and define a name: packed lists, one row for each name and batch of blobs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from cuedeck.store.protocol import Session

# What edits write: one row a name, rewritten each time, so that a thousand edits leave no thousand rows.
_LIVE: Final = 0
_FEW_BLOBS: Final = 32
_MAX_SEGMENTS: Final = 24
_BLOBS_PER_SEGMENT: Final = 4000
_BATCH: Final = 900
_COLUMNS: Final = ("name", "segment", "uses", "defines")

Lists = Mapping[str, list[int]]


def put_names(session: Session, uses: Lists, defines: Lists, blobs: int) -> None:
    """Add what new blobs use and define; ``blobs`` is how many there are."""
    names = sorted(uses.keys() | defines.keys())
    if not names:
        return
    if blobs <= _FEW_BLOBS:
        _put_live(session, names, uses, defines)
        return
    # Identities only grow, so a batch's last one is a number that no other batch has.
    segment = max(max(rids) for rids in (*uses.values(), *defines.values()))
    _insert(session, segment, ((name, uses.get(name, ()), defines.get(name, ())) for name in names))
    merge_segments(session)


def _put_live(session: Session, names: list[str], uses: Lists, defines: Lists) -> None:
    held = {name: (set(uses.get(name, ())), set(defines.get(name, ()))) for name in names}
    for start in range(0, len(names), _BATCH):
        rows = session.rows(
            "SELECT name, uses, defines FROM code_names WHERE segment = :live AND name IN :names",
            live=_LIVE,
            names=names[start : start + _BATCH],
        )
        for row in rows:
            held[row["name"]][0].update(unpack_numbers(bytes(row["uses"])))
            held[row["name"]][1].update(unpack_numbers(bytes(row["defines"])))
    alive = stored(session, {rid for pair in held.values() for each in pair for rid in each})
    session.insert_many(
        "code_names",
        _COLUMNS,
        (
            (name, _LIVE, pack_numbers(sorted(using & alive)), pack_numbers(sorted(defining & alive)))
            for name, (using, defining) in held.items()
        ),
        key=_COLUMNS[:2],
    )


def stored(session: Session, rids: Collection[int]) -> set[int]:
    """Those of the blobs that are still stored."""
    found: set[int] = set()
    ordered = sorted(rids)
    for start in range(0, len(ordered), _BATCH):
        rows = session.rows(
            "SELECT rid FROM code_blobs WHERE rid IN :rids", rids=ordered[start : start + _BATCH]
        )
        found.update(row["rid"] for row in rows)
    return found


def _insert(session: Session, segment: int, rows: Iterable[tuple[str, Iterable[int], Iterable[int]]]) -> None:
    session.insert_many(
        "code_names",
        _COLUMNS,
        (
            (name, segment, pack_numbers(sorted(uses)), pack_numbers(sorted(defines)))
            for name, uses, defines in rows
        ),
    )


def naming(session: Session, name: str) -> tuple[list[int], list[int]]:
    """The blobs that use a name, and those that define it."""
    uses: list[int] = []
    defines: list[int] = []
    for row in session.rows("SELECT uses, defines FROM code_names WHERE name = :name", name=name):
        uses += unpack_numbers(bytes(row["uses"]))
        defines += unpack_numbers(bytes(row["defines"]))
    return sorted(set(uses)), sorted(set(defines))


def segments(session: Session) -> list[int]:
    """The batches in which names were written."""
    return [
        row["segment"] for row in session.rows("SELECT DISTINCT segment FROM code_names ORDER BY segment")
    ]


def merge_segments(session: Session) -> bool:
    """Fold batches into one when there are more of them than a repository of this size needs."""
    found = segments(session)
    if len(found) <= _MAX_SEGMENTS:
        return False
    stored = [row["rid"] for row in session.rows("SELECT rid FROM code_blobs WHERE searchable = 1")]
    if len(found) <= _MAX_SEGMENTS + len(stored) // _BLOBS_PER_SEGMENT:
        return False
    alive = set(stored)
    merged: dict[str, tuple[set[int], set[int]]] = {}
    for row in session.rows("SELECT name, uses, defines FROM code_names"):
        held = merged.setdefault(row["name"], (set(), set()))
        held[0].update(alive.intersection(unpack_numbers(bytes(row["uses"]))))
        held[1].update(alive.intersection(unpack_numbers(bytes(row["defines"]))))
    session.run("DELETE FROM code_names")
    kept = ((name, uses, defines) for name, (uses, defines) in sorted(merged.items()) if uses or defines)
    _insert(session, max(found), kept)
    return True


def pack_numbers(numbers: Iterable[int]) -> bytes:
    """Ascending numbers as seven-bit deltas."""
    out = bytearray()
    last = 0
    for number in numbers:
        delta, last = number - last, number
        while delta > 127:
            out.append(delta & 127 | 128)
            delta >>= 7
        out.append(delta)
    return bytes(out)


def unpack_numbers(packed: bytes) -> list[int]:
    """The numbers that were packed."""
    numbers: list[int] = []
    value = shift = last = 0
    for byte in packed:
        value |= (byte & 127) << shift
        if byte & 128:
            shift += 7
        else:
            last += value
            numbers.append(last)
            value = shift = 0
    return numbers
