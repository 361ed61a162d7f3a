"""What a text index on PostgreSQL consists of, as arrays: pieces that never change, and fresh records.

A piece holds some thousand records. Its keys ascend; the postings of each key are a run of ``places`` (which
record of the piece) and ``counts`` (how often in each field). Runs are read one by one out of the stored
columns, so a process keeps only keys, ids and lengths, and the runs that were asked for lately.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]
Counts = npt.NDArray[np.uint16]
Mask = npt.NDArray[np.bool_]

PLACE = np.dtype("<u2")
MOST_PLACES = 1 << 16
MOST_COUNTED = (1 << 16) - 1


class Run(NamedTuple):
    """A key's postings: in which records, and how often in each field."""

    places: Numbers
    counts: Counts


class Span(NamedTuple):
    """Where a key's postings are inside a piece."""

    piece: int
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class Fresh:
    """A record as it is first stored; ``keys`` are distinct, scope tokens have counts of zero."""

    id: int
    keys: Numbers
    counts: Counts
    lengths: Numbers

    @classmethod
    def read(cls, row: dict[str, Any], fields: int) -> Fresh:
        """A record from its columns."""
        return cls(
            row["id"],
            np.frombuffer(row["keys"], "<i8").astype(np.int64),
            np.frombuffer(row["counts"], "<u2").astype(np.uint16).reshape(-1, fields),
            np.frombuffer(row["lengths"], "<i4").astype(np.int64),
        )

    def columns(self) -> tuple[int, bytes, bytes, bytes]:
        """The same as stored: id, keys, counts, lengths."""
        return (
            self.id,
            self.keys.astype("<i8").tobytes(),
            self.counts.astype("<u2").tobytes(),
            self.lengths.astype("<i4").tobytes(),
        )


@dataclass(frozen=True, slots=True)
class Directory:
    """Whom a piece holds, and where each key's postings are."""

    ids: Numbers
    lengths: Numbers
    keys: Numbers
    starts: Numbers

    @classmethod
    def read(cls, row: dict[str, Any]) -> Directory:
        """A directory from its columns."""
        ids = np.frombuffer(row["ids"], "<i8").astype(np.int64)
        return cls(
            ids,
            np.frombuffer(row["lengths"], "<i4").astype(np.int64).reshape(len(ids), -1),
            np.frombuffer(row["keys"], "<i8").astype(np.int64),
            np.frombuffer(row["starts"], "<u4").astype(np.int64),
        )

    def spans(self, piece: int, keys: Numbers) -> Iterable[tuple[int, Span]]:
        """Where the postings of those keys are that occur here."""
        if not len(self.keys):
            return
        at = np.searchsorted(self.keys, keys)
        there = np.flatnonzero(self.keys[np.minimum(at, len(self.keys) - 1)] == keys)
        for number, place in zip(keys[there].tolist(), at[there].tolist(), strict=True):
            start = int(self.starts[place])
            yield number, Span(piece, start, int(self.starts[place + 1]) - start)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece as a whole."""

    directory: Directory
    places: Numbers
    counts: Counts

    @classmethod
    def read(cls, row: dict[str, Any], fields: int) -> Piece:
        """A piece from its columns."""
        places = np.frombuffer(row["places"], PLACE).astype(np.int64)
        return cls(Directory.read(row), places, counts_read(row["counts"], len(places), fields))

    def columns(self) -> dict[str, Any]:
        """The same as stored; counts take a byte each where all of them fit."""
        one = self.directory
        narrow = self.counts.max(initial=0) < 256
        return {
            "first_id": int(one.ids.min()),
            "last_id": int(one.ids.max()),
            "documents": len(one.ids),
            "ids": one.ids.astype("<i8").tobytes(),
            "lengths": one.lengths.astype("<i4").tobytes(),
            "keys": one.keys.astype("<i8").tobytes(),
            "starts": one.starts.astype("<u4").tobytes(),
            "width": 1 if narrow else 2,
            "places": self.places.astype(PLACE).tobytes(),
            "counts": self.counts.astype("<u1" if narrow else "<u2").tobytes(),
        }


def counts_read(blob: bytes, postings: int, fields: int) -> Counts:
    """Counts as stored, in one byte each or in two."""
    wide = len(blob) > postings * fields
    return np.frombuffer(blob, "<u2" if wide else "<u1").astype(np.uint16).reshape(postings, fields)


def folded(records: Sequence[Fresh]) -> Piece:
    """A piece of fresh records."""
    places = np.repeat(np.arange(len(records)), [len(record.keys) for record in records])
    return _sorted(
        np.array([record.id for record in records], dtype=np.int64),
        np.stack([record.lengths for record in records]),
        np.concatenate([record.keys for record in records]),
        places,
        np.concatenate([record.counts for record in records]),
    )


def merged(parts: Sequence[tuple[Piece, Mask]]) -> Piece | None:
    """One piece out of several, without those records that have gone since; None when nothing is left."""
    keys, places, counts, past = [], [], [], 0
    for piece, dead in parts:
        moved = np.cumsum(~dead) - 1 + past
        kept = np.flatnonzero(~dead[piece.places])
        sizes = np.diff(piece.directory.starts)
        keys.append(np.repeat(piece.directory.keys, sizes)[kept])
        places.append(moved[piece.places[kept]])
        counts.append(piece.counts[kept])
        past += int((~dead).sum())
    if not past:
        return None
    return _sorted(
        np.concatenate([piece.directory.ids[~dead] for piece, dead in parts]),
        np.concatenate([piece.directory.lengths[~dead] for piece, dead in parts]),
        np.concatenate(keys),
        np.concatenate(places),
        np.concatenate(counts),
    )


def _sorted(ids: Numbers, lengths: Numbers, keys: Numbers, places: Numbers, counts: Counts) -> Piece:
    order = np.argsort(keys, kind="stable")
    distinct, starts = np.unique(keys[order], return_index=True)
    edges = np.append(starts, len(keys))
    return Piece(Directory(ids, lengths, distinct, edges), places[order], counts[order])


def dead_read(blob: bytes | None, documents: int) -> Mask:
    """Which records of a piece have gone."""
    if not blob:
        return np.zeros(documents, dtype=bool)
    return np.unpackbits(np.frombuffer(blob, np.uint8), count=documents).astype(bool)


def dead_stored(dead: Mask) -> bytes:
    """The same as bits."""
    return np.packbits(dead).tobytes()


@dataclass(frozen=True, slots=True)
class Part:
    """A piece as one moment saw it."""

    piece: int
    directory: Directory
    dead: Mask


class State:
    """The index as one moment saw it: its parts, then the fresh records, numbered through."""

    def __init__(self, stamp: int, parts: Sequence[Part], fresh: dict[int, Fresh], width: int) -> None:
        self.stamp = stamp
        self.parts = tuple(parts)
        self.fresh = fresh
        late = list(fresh.values())
        self.ids = np.concatenate(
            [*(part.directory.ids for part in parts), np.array([one.id for one in late], dtype=np.int64)]
        )
        lengths = np.concatenate(
            [
                *(part.directory.lengths for part in parts),
                np.array([one.lengths for one in late], dtype=np.int64).reshape(-1, width),
            ]
        )
        self.lengths = lengths.sum(axis=1)
        self.living = ~np.concatenate([*(part.dead for part in parts), np.zeros(len(late), dtype=bool)])
        self.documents = int(self.living.sum())
        self.totals: list[int] = lengths[self.living].sum(axis=0).tolist()
        self._whole = self.documents == len(self.ids)

    def gathered(self, keys: Numbers, runs: dict[tuple[int, int], Run], fields: int) -> dict[int, Run]:
        """The postings of each key over everything that lives, places numbered through."""
        found: dict[int, list[Run]] = {number: [] for number in keys.tolist()}
        past = 0
        for part in self.parts:
            for number, runs_of in found.items():
                run = runs.get((part.piece, number))
                if run is not None:
                    runs_of.append(Run(run.places + past, run.counts))
            past += len(part.directory.ids)
        for number, run in self._late(keys, past):
            found[number].append(run)
        return {number: self._joined(some, fields) for number, some in found.items()}

    def _late(self, keys: Numbers, past: int) -> Iterable[tuple[int, Run]]:
        all_keys, places, counts = self._tail
        held = np.flatnonzero(np.isin(all_keys, keys))
        order = held[np.argsort(all_keys[held], kind="stable")]
        distinct, starts = np.unique(all_keys[order], return_index=True)
        edges = pairwise([*starts.tolist(), len(order)])
        for number, (start, stop) in zip(distinct.tolist(), edges, strict=True):
            yield number, Run(places[order[start:stop]] + past, counts[order[start:stop]])

    @cached_property
    def _tail(self) -> tuple[Numbers, Numbers, Counts]:
        """The postings of fresh records in the order they came."""
        late = list(self.fresh.values())
        if not late:
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, 1), np.uint16)
        return (
            np.concatenate([one.keys for one in late]),
            np.repeat(np.arange(len(late)), [len(one.keys) for one in late]),
            np.concatenate([one.counts for one in late]),
        )

    def _joined(self, runs: list[Run], fields: int) -> Run:
        if not runs:
            return Run(np.empty(0, np.int64), np.empty((0, fields), np.uint16))
        run = runs[0]
        if len(runs) > 1:
            places = np.concatenate([each.places for each in runs])
            run = Run(places, np.concatenate([each.counts for each in runs]))
        if self._whole:
            return run
        kept = self.living[run.places]
        return Run(run.places[kept], run.counts[kept])
