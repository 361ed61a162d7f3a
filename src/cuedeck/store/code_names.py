"""Which blobs use and define a name: packed lists by name, and for the newest blobs their names together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from cuedeck.store.counting import Counted

if TYPE_CHECKING:
    from cuedeck.store.postings import Numbers
    from cuedeck.store.protocol import Row, Session

# Blobs that edits bring keep their names together, one row a blob under no name: an edit then writes a row
# and not one for each name. When there are more, their names go into one row a name.
_TOGETHER: Final = ""
_MOST_TOGETHER: Final = 32
_LIVE: Final = 0
_MAX_SEGMENTS: Final = 24
# A first index of a large repository writes a batch for about a thousand blobs: those are not merged.
_BLOBS_PER_SEGMENT: Final = 500
_COLUMNS: Final = ("name", "segment", "uses", "defines")
_SIDES: Final = ("uses", "defines")


class BlobNames(NamedTuple):
    """The names that a blob uses and defines."""

    rid: int
    uses: Collection[str]
    defines: Collection[str]


class Listed(NamedTuple):
    """Which blobs have which names: parallel arrays, a name by its place among the known ones."""

    names: Numbers
    rids: Numbers

    def with_more(self, other: Listed) -> Listed:
        """These and others."""
        import numpy as np

        return Listed(np.append(self.names, other.names), np.append(self.rids, other.rids))

    def among(self, rids: Collection[int]) -> Listed:
        """Those of some blobs."""
        import numpy as np

        there = np.isin(self.rids, np.fromiter(rids, dtype=np.int64))
        return Listed(self.names[there], self.rids[there])

    def packed(self, known: int) -> list[bytes]:
        """For each known name its blobs, ascending, as seven-bit groups of their distances."""
        from cuedeck.store.postings import by_word, distances, grouped

        names, counts, rids = by_word(self.names, self.rids)
        lists = [b""] * known
        for name, packed in zip(names.tolist(), grouped(distances(rids, counts), counts), strict=True):
            lists[name] = packed
        return lists


def put_names(session: Session, blobs: Sequence[BlobNames]) -> None:
    """Add what new blobs use and define."""
    if len(blobs) > _MOST_TOGETHER:
        # Identities only grow, so a batch's last one is a number that no other batch has.
        segment = max(blob.rid for blob in blobs)
        known = Counted()
        _insert(session, segment, known, [_of_blobs(known, blobs, side) for side in _SIDES])
        session.upsert("code_name_segments", {"segment": segment}, key=["segment"])
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


def _of_blobs(known: Counted, blobs: Sequence[BlobNames], side: str) -> Listed:
    import numpy as np

    listed = [getattr(blob, side) for blob in blobs]
    names = np.fromiter(map(known.__getitem__, chain.from_iterable(listed)), dtype=np.int64)
    rids = np.array([blob.rid for blob in blobs], dtype=np.int64)
    return Listed(names, np.repeat(rids, [*map(len, listed)]))


def _of_rows(known: Counted, rows: Sequence[Row], side: str) -> Listed:
    import numpy as np

    from cuedeck.store.postings import running, ungrouped

    steps, counts = ungrouped([bytes(row[side]) for row in rows])
    names = np.array([known[row["name"]] for row in rows], dtype=np.int64)
    return Listed(np.repeat(names, counts), running(steps, counts))


def _spread(session: Session) -> None:
    """When many blobs keep their names together, move them into one row a name."""
    count = session.value("SELECT count(*) FROM code_names WHERE name = :together", together=_TOGETHER)
    if count <= _MOST_TOGETHER:
        return
    rows = session.rows("SELECT segment, uses, defines FROM code_names WHERE name = :none", none=_TOGETHER)
    blobs = [BlobNames(row["segment"], *(_split(bytes(row[side])) for side in _SIDES)) for row in rows]
    known = Counted()
    moved = [_of_blobs(known, blobs, side) for side in _SIDES]
    sql = "SELECT name, uses, defines FROM code_names WHERE segment = :live AND name IN :names"
    rows = session.rows(sql, live=_LIVE, names=list(known))
    held = [new.with_more(_of_rows(known, rows, side)) for new, side in zip(moved, _SIDES, strict=True)]
    alive = stored(session, set().union(*(each.rids.tolist() for each in held)))
    session.run("DELETE FROM code_names WHERE name = :together", together=_TOGETHER)
    _insert(session, _LIVE, known, [each.among(alive) for each in held])
    session.upsert("code_name_segments", {"segment": _LIVE}, key=["segment"])


def stored(session: Session, rids: Collection[int]) -> set[int]:
    """Those of the blobs that are still stored."""
    rows = session.rows("SELECT rid FROM code_blobs WHERE rid IN :rids", rids=list(rids))
    return {row["rid"] for row in rows}


def stored_until(session: Session, newest: int) -> int:
    """How many blobs are stored up to one: as identities only grow, fewer only when some are gone."""
    # Unlike the table, an index has no facts in it: the sign keeps the key from being used.
    return int(session.value("SELECT count(*) FROM code_blobs WHERE +rid <= :newest", newest=newest))


def _insert(session: Session, segment: int, known: Counted, sides: Sequence[Listed]) -> None:
    """Write the lists of all names that are known, also of those that no blob has any more."""
    uses, defines = (side.packed(len(known)) for side in sides)
    session.insert_many(
        "code_names",
        _COLUMNS,
        [(name, segment, uses[known[name]], defines[known[name]]) for name in sorted(known)],
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


def defined(session: Session, shortest: int, longest: int) -> set[str]:
    """The names of such a length that some blob defines."""
    sql = "SELECT name FROM code_names WHERE length(name) BETWEEN :shortest AND :longest AND defines <> :none"
    rows = session.rows(sql, shortest=shortest, longest=longest, none=b"")
    found = {row["name"] for row in rows}
    for row in session.rows("SELECT defines FROM code_names WHERE name = :together", together=_TOGETHER):
        found.update(name for name in _split(bytes(row["defines"])) if shortest <= len(name) <= longest)
    return found


def segments(session: Session) -> list[int]:
    """The batches in which names were written."""
    return [row["segment"] for row in session.rows("SELECT segment FROM code_name_segments ORDER BY segment")]


def merge_segments(session: Session, most: int = _MAX_SEGMENTS) -> bool:
    """Fold batches into one when there are more of them than a repository of this size needs."""
    found = segments(session)
    if len(found) <= most:
        return False
    alive = {row["rid"] for row in session.rows("SELECT rid FROM code_blobs WHERE searchable = 1")}
    if most and len(found) <= most + len(alive) // _BLOBS_PER_SEGMENT:
        return False
    sql = "SELECT name, uses, defines FROM code_names WHERE name <> :together"
    rows = session.rows(sql, together=_TOGETHER)
    known = Counted()
    held = [_of_rows(known, rows, side).among(alive) for side in _SIDES]
    session.run("DELETE FROM code_names WHERE name <> :together", together=_TOGETHER)
    session.run("DELETE FROM code_name_segments")
    _insert(session, max(found), known, held)
    session.run("DELETE FROM code_names WHERE uses = :none AND defines = :none", none=b"")
    session.insert("code_name_segments", {"segment": max(found)})
    return True


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
