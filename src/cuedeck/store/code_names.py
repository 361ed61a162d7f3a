"""Which blobs use and define a name: packed lists by name, and for the newest blobs their names together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cuedeck.store.protocol import Session

# Blobs that edits bring keep their names together, one row a blob under no name: an edit then writes a row
# and not one for each name. When there are more, their names go into one row a name.
_TOGETHER: Final = ""
_MOST_TOGETHER: Final = 32
_LIVE: Final = 0
_MAX_SEGMENTS: Final = 24
# A first index of a large repository writes a batch for about a thousand blobs: those are not merged.
_BLOBS_PER_SEGMENT: Final = 500
_COLUMNS: Final = ("name", "segment", "uses", "defines")

Rids = tuple[set[int], set[int]]  # of the blobs that use a name, and of those that define it


@dataclass(frozen=True, slots=True)
class BlobNames:
    """The names that a blob uses and defines."""

    rid: int
    uses: Collection[str]
    defines: Collection[str]


def put_names(session: Session, blobs: Sequence[BlobNames]) -> None:
    """Add what new blobs use and define."""
    if len(blobs) > _MOST_TOGETHER:
        # Identities only grow, so a batch's last one is a number that no other batch has.
        _insert(session, max(blob.rid for blob in blobs), _by_name(blobs))
        merge_segments(session)
        return
    session.insert_many(
        "code_names",
        _COLUMNS,
        ((_TOGETHER, blob.rid, _joined(blob.uses), _joined(blob.defines)) for blob in blobs),
    )
    _spread(session)


def drop_names(session: Session, rids: Collection[int]) -> None:
    """Forget the names of blobs that are gone; lists by name lose them when they are written next."""
    sql = "DELETE FROM code_names WHERE name = :together AND segment IN :rids"
    session.run(sql, together=_TOGETHER, rids=list(rids))


def _joined(names: Iterable[str]) -> bytes:
    return "\0".join(["", *sorted(names), ""]).encode()


def _split(joined: bytes) -> list[str]:
    return joined.decode().split("\0")[1:-1]


def _by_name(blobs: Iterable[BlobNames]) -> dict[str, Rids]:
    found: dict[str, Rids] = {}
    for blob in blobs:
        for side, names in enumerate((blob.uses, blob.defines)):
            for name in names:
                held = found.get(name)
                if held is None:
                    held = found[name] = (set(), set())
                held[side].add(blob.rid)
    return found


def _spread(session: Session) -> None:
    """When many blobs keep their names together, move them into one row a name."""
    rows = session.rows("SELECT segment FROM code_names WHERE name = :together", together=_TOGETHER)
    if len(rows) <= _MOST_TOGETHER:
        return
    rows = session.rows("SELECT segment, uses, defines FROM code_names WHERE name = :none", none=_TOGETHER)
    held = _by_name(
        BlobNames(row["segment"], _split(bytes(row["uses"])), _split(bytes(row["defines"]))) for row in rows
    )
    sql = "SELECT name, uses, defines FROM code_names WHERE segment = :live AND name IN :names"
    for row in session.rows(sql, live=_LIVE, names=list(held)):
        held[row["name"]][0].update(unpack_numbers(bytes(row["uses"])))
        held[row["name"]][1].update(unpack_numbers(bytes(row["defines"])))
    alive = stored(session, {rid for pair in held.values() for each in pair for rid in each})
    session.run("DELETE FROM code_names WHERE name = :together", together=_TOGETHER)
    _insert(session, _LIVE, {name: (uses & alive, defines & alive) for name, (uses, defines) in held.items()})


def stored(session: Session, rids: Collection[int]) -> set[int]:
    """Those of the blobs that are still stored."""
    rows = session.rows("SELECT rid FROM code_blobs WHERE rid IN :rids", rids=list(rids))
    return {row["rid"] for row in rows}


def stored_until(session: Session, newest: int) -> int:
    """How many blobs are stored up to one: as identities only grow, fewer only when some are gone."""
    # Unlike the table, an index has no facts in it: the sign keeps the key from being used.
    return int(session.value("SELECT count(*) FROM code_blobs WHERE +rid <= :newest", newest=newest))


def _insert(session: Session, segment: int, names: Mapping[str, Rids]) -> None:
    session.insert_many(
        "code_names",
        _COLUMNS,
        (
            (name, segment, pack_numbers(sorted(uses)), pack_numbers(sorted(defines)))
            for name, (uses, defines) in sorted(names.items())
        ),
        key=_COLUMNS[:2],
    )


def naming(session: Session, name: str) -> tuple[list[int], list[int]]:
    """The blobs that use a name, and those that define it."""
    uses: set[int] = set()
    defines: set[int] = set()
    wanted = b"\0%b\0" % name.encode("utf-8", "replace")
    for row in session.rows(
        "SELECT name, segment, uses, defines FROM code_names WHERE name IN :names", names=[name, _TOGETHER]
    ):
        if row["name"] != _TOGETHER:
            uses.update(unpack_numbers(bytes(row["uses"])))
            defines.update(unpack_numbers(bytes(row["defines"])))
            continue
        if wanted in bytes(row["uses"]):
            uses.add(row["segment"])
        if wanted in bytes(row["defines"]):
            defines.add(row["segment"])
    return sorted(uses), sorted(defines)


def segments(session: Session) -> list[int]:
    """The batches in which names were written."""
    rows = session.rows(
        "SELECT DISTINCT segment FROM code_names WHERE name <> :together ORDER BY segment", together=_TOGETHER
    )
    return [row["segment"] for row in rows]


def merge_segments(session: Session, most: int = _MAX_SEGMENTS) -> bool:
    """Fold batches into one when there are more of them than a repository of this size needs."""
    found = segments(session)
    if len(found) <= most:
        return False
    alive = {row["rid"] for row in session.rows("SELECT rid FROM code_blobs WHERE searchable = 1")}
    if most and len(found) <= most + len(alive) // _BLOBS_PER_SEGMENT:
        return False
    merged: dict[str, Rids] = {}
    for row in session.rows(
        "SELECT name, uses, defines FROM code_names WHERE name <> :together", together=_TOGETHER
    ):
        held = merged.setdefault(row["name"], (set(), set()))
        held[0].update(alive.intersection(unpack_numbers(bytes(row["uses"]))))
        held[1].update(alive.intersection(unpack_numbers(bytes(row["defines"]))))
    session.run("DELETE FROM code_names WHERE name <> :together", together=_TOGETHER)
    _insert(session, max(found), {name: pair for name, pair in merged.items() if any(pair)})
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
