"""What a text index consists of, as arrays: pieces of records, and all of them as one moment saw them.

A piece's keys ascend; the postings of each key are a run: which record of the piece, and how often the key is
in each of its fields. A stored piece never changes but for who of it has gone, and its runs are read by need;
so are those of records that are not folded yet, of which each process makes pieces in memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cuedeck.store.keys import key
from cuedeck.store.vocabulary import END, KEY, NUMBER, Coded

Numbers = npt.NDArray[np.int64]
Lengths = npt.NDArray[np.int32]
Counts = npt.NDArray[np.unsignedinteger[Any]]
Mask = npt.NDArray[np.bool_]
Postings = npt.NDArray[np.void]

_END = END.decode()
_MOST_COUNTED = (1 << 16) - 1
# A state remembers runs of so many postings together: one search asks for the same words several times.
_REMEMBERED = 500_000


class Run(NamedTuple):
    """A key's postings: in which records, and how often in each field."""

    places: Numbers
    counts: Counts


class Span(NamedTuple):
    """Where a key's postings are inside a piece."""

    key: int
    start: int
    stop: int


def posting(fields: int, *, wide: bool) -> np.dtype[np.void]:
    """How a posting is stored; counts take a byte each where all of a piece's fit."""
    return np.dtype([("place", "<u2"), ("counts", "<u2" if wide else "u1", (fields,))])


@dataclass(frozen=True)
class Directory:
    """Whom a piece holds, and where each key's postings are."""

    ids: Numbers
    lengths: Lengths
    keys: Numbers
    starts: Numbers

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Directory:
        """A directory from its columns."""
        ids = np.frombuffer(row["ids"], "<i8")
        lengths = np.frombuffer(row["lengths"], "<i4").reshape(len(ids), -1)
        return cls(ids, lengths, np.frombuffer(row["keys"], "<i8"), np.frombuffer(row["starts"], "<u4"))

    def columns(self) -> dict[str, bytes]:
        """The same as stored."""
        return {
            "ids": self.ids.astype("<i8").tobytes(),
            "lengths": self.lengths.astype("<i4").tobytes(),
            "keys": self.keys.astype("<i8").tobytes(),
            "starts": self.starts.astype("<u4").tobytes(),
        }

    @cached_property
    def totals(self) -> Numbers:
        """How long each record is, scope tokens and all fields together."""
        found: Numbers = self.lengths.sum(axis=1, dtype=np.int64)
        return found

    def spans(self, keys: Numbers) -> Iterator[Span]:
        """Where the postings of those keys are that occur here."""
        if not len(self.keys):
            return
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        at = at[self.keys[at] == keys]
        starts, stops = self.starts[at].tolist(), self.starts[at + 1].tolist()
        yield from map(Span, self.keys[at].tolist(), starts, stops)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece as a whole."""

    directory: Directory
    postings: Postings

    @property
    def wide(self) -> bool:
        """Whether counts take two bytes."""
        return self.postings.dtype["counts"].base.itemsize > 1

    def __len__(self) -> int:
        return len(self.directory.ids)


def folded(records: Mapping[int, str], fields: int) -> Piece:
    """A piece of records, given by id as tokens: a line of scope tokens, then one for each field."""
    tokens, lines = _numbered("\n".join(records.values()))
    keys, ranks = _ranked(np.fromiter(map(key, tokens), np.int64, len(tokens)))
    return _piece(list(records), keys, _Lists(ranks[lines.numbers], lines.lengths), fields)


def folded_codes(ids: Sequence[int], coded: Sequence[Coded], fields: int) -> Piece:
    """The same of records whose lines are numbers of tokens already, some together."""
    parts = [_Tokens.of(each) for each in coded]
    keys = np.unique(np.concatenate([part.keys for part in parts]))
    lists = [part.ranked(keys) for part in parts]
    whole = _Lists(*map(np.concatenate, zip(*lists, strict=True)))
    return _piece(ids, keys, whole, fields)


def _ranked(keys: Numbers) -> tuple[Numbers, npt.NDArray[Any]]:
    """The distinct keys in order, and which of them each is."""
    distinct, ranks = np.unique(keys, return_inverse=True)
    return distinct, ranks.astype(_rank(distinct))


def _rank(keys: Numbers) -> type[np.uint16 | np.int64]:
    """What holds the place of a key among those; putting short numbers in order is quick."""
    return np.uint16 if len(keys) <= 1 << 16 else np.int64


def _piece(ids: Sequence[int], keys: Numbers, lines: _Lists, fields: int) -> Piece:
    ranks, lengths = lines
    # Tokens come record by record, so a stable order by key is one by key and record.
    order = np.argsort(ranks, kind="stable")
    sorted_ranks = ranks[order]
    lines_of = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)[order]
    places, columns = np.divmod(lines_of, np.uint32(fields + 1))
    new = np.ones(len(order), dtype=bool)
    new[1:] = (sorted_ranks[1:] != sorted_ranks[:-1]) | (places[1:] != places[:-1])
    first = np.flatnonzero(new)
    # Scope tokens stand in the first column, which is not counted.
    counted = np.bincount((np.cumsum(new) - 1) * (fields + 1) + columns, minlength=len(first) * (fields + 1))
    counts = counted.reshape(-1, fields + 1)[:, 1:]
    directory = Directory(
        np.array(ids, dtype=np.int64),
        lengths.reshape(len(ids), fields + 1).astype(np.int32),
        keys,
        np.append(0, np.cumsum(np.bincount(sorted_ranks[first], minlength=len(keys)))),
    )
    return Piece(directory, _packed(places[first], counts))


class _Lists(NamedTuple):
    """Lists of numbers end to end, and how long each is."""

    numbers: npt.NDArray[Any]
    lengths: Numbers


def _numbered(lines: str) -> tuple[list[str], _Lists]:
    """The distinct words of some lines, and each line as a list of their numbers."""
    codes: defaultdict[str, int] = defaultdict(count().__next__)
    end = codes[_END]
    words = f"{lines} {_END}".replace("\n", f" {_END} ").split()
    coded = np.fromiter(map(codes.__getitem__, words), np.int64, len(words))
    lengths = np.diff(np.flatnonzero(coded == end), prepend=-1) - 1
    return list(codes)[1:], _Lists(coded[coded != end] - 1, lengths)


class _Tokens(NamedTuple):
    """Coded lines as arrays: the tokens of the distinct ones, which of them each is, and the tokens' keys."""

    distinct: _Lists
    lines: npt.NDArray[np.uint32]
    present: Numbers
    keys: Numbers
    known: int

    @classmethod
    def of(cls, coded: Coded) -> _Tokens:
        numbers = np.frombuffer(coded.numbers, NUMBER)
        known = np.frombuffer(coded.keys, KEY)
        there = np.zeros(len(known), dtype=bool)
        there[numbers] = True
        there[0] = False
        present = np.flatnonzero(there)
        lengths = np.diff(np.flatnonzero(numbers == 0), prepend=-1) - 1
        distinct = _Lists(numbers[numbers != 0], lengths)
        lines = np.frombuffer(coded.lines, np.uint32)
        return cls(distinct, lines, present, known[present].astype(np.int64), len(known))

    def ranked(self, keys: Numbers) -> _Lists:
        """All lines, each token as the place of its key among those."""
        places = np.empty(self.known, dtype=_rank(keys))
        places[self.present] = np.searchsorted(keys, self.keys)
        return _picked(_Lists(places[self.distinct.numbers], self.distinct.lengths), self.lines)


def _picked(lists: _Lists, chosen: npt.NDArray[Any]) -> _Lists:
    """Some of the lists, in any order and repeated."""
    lengths = lists.lengths[chosen]
    shifts = (np.cumsum(lists.lengths) - lists.lengths)[chosen] - (np.cumsum(lengths) - lengths)
    return _Lists(lists.numbers[np.arange(lengths.sum()) + np.repeat(shifts, lengths)], lengths)


def merged(parts: Sequence[tuple[Piece, Mask]]) -> Piece:
    """One piece out of several, without those records that have gone since."""
    directories = [piece.directory for piece, _ in parts]
    keys = np.unique(np.concatenate([one.keys for one in directories]))
    kept = [_kept(piece, dead) for piece, dead in parts]
    sizes = np.zeros((len(parts), len(keys)), dtype=np.int64)
    for row, directory, (size, _, _) in zip(sizes, directories, kept, strict=True):
        row[np.searchsorted(keys, directory.keys)] = size
    starts = np.concatenate(([0], np.cumsum(sizes.sum(axis=0))))
    # The runs of a key go one behind the other.
    free = starts[:-1] + np.cumsum(sizes, axis=0) - sizes
    places = np.empty(int(starts[-1]), dtype=np.int64)
    counts = np.empty((len(places), parts[0][0].postings["counts"].shape[1]), dtype=np.uint16)
    past = 0
    for (_, dead), row, to, (_, held, counted) in zip(parts, sizes, free, kept, strict=True):
        moved = np.arange(len(held)) + np.repeat(to - (np.cumsum(row) - row), row)
        places[moved], counts[moved] = held + past, counted
        past += int(np.count_nonzero(~dead))
    there = np.flatnonzero(np.diff(starts))
    living = [(one.directory, ~dead) for one, dead in parts]
    return Piece(
        Directory(
            np.concatenate([one.ids[alive] for one, alive in living]),
            np.concatenate([one.lengths[alive] for one, alive in living]),
            keys[there],
            np.append(starts[there], starts[-1]),
        ),
        _packed(places, counts),
    )


def _kept(piece: Piece, dead: Mask) -> tuple[Numbers, Numbers, Counts]:
    """How many postings of living records each key has, their places among the living, and their counts."""
    sizes = np.diff(piece.directory.starts)
    places, counts = piece.postings["place"].astype(np.int64), piece.postings["counts"]
    if not dead.any():
        return sizes, places, counts
    alive = np.flatnonzero(~dead[places])
    owners = np.repeat(np.arange(len(sizes)), sizes)[alive]
    moved = np.cumsum(~dead) - 1
    return np.bincount(owners, minlength=len(sizes)), moved[places[alive]], counts[alive]


def _packed(places: npt.NDArray[Any], counts: npt.NDArray[Any]) -> Postings:
    most = counts.max(initial=0)
    found = np.empty(len(places), posting(counts.shape[1], wide=bool(most > 255)))
    found["place"], found["counts"] = (
        places,
        counts if most <= _MOST_COUNTED else counts.clip(max=_MOST_COUNTED),
    )
    return found


@dataclass(frozen=True)
class Part:
    """A piece as one moment saw it: stored under its name, or ``whole`` in memory with records' stamps."""

    directory: Directory
    dead: Mask
    name: int = 0
    wide: bool = False
    whole: Piece | None = None
    stamps: Numbers = field(default_factory=lambda: np.empty(0, np.int64))

    @cached_property
    def totals(self) -> Numbers:
        """How many tokens the living have, of their scopes and in each field."""
        found: Numbers = self.directory.lengths[~self.dead].sum(axis=0, dtype=np.int64)
        return found


def kept_in_memory(piece: Piece, stamps: Numbers) -> Part:
    """A piece of records that are not folded yet."""
    return Part(piece.directory, np.zeros(len(stamps), dtype=bool), whole=piece, stamps=stamps)


def fewer(parts: Sequence[Part]) -> list[Part]:
    """Pieces in memory, the last ones joined while they are of a size: few remain, and little is moved."""
    found = list(parts)
    while len(found) > 1 and len(found[-2].dead) <= 2 * len(found[-1].dead):
        late = found[-2:]
        piece = merged([(part.whole, part.dead) for part in late if part.whole is not None])
        found[-2:] = [kept_in_memory(piece, np.concatenate([part.stamps[~part.dead] for part in late]))]
    return found


class State:
    """The index as one moment saw it: its parts, their records numbered through."""

    def __init__(self, stamp: int, parts: Sequence[Part], fields: int) -> None:
        self.stamp = stamp
        self.parts = tuple(parts)
        self.fields = fields
        self.ids = np.concatenate([np.empty(0, np.int64), *(part.directory.ids for part in parts)])
        self.lengths = np.concatenate([np.empty(0, np.int64), *(part.directory.totals for part in parts)])
        self.living = ~np.concatenate([np.empty(0, bool), *(part.dead for part in parts)])
        self.documents = int(np.count_nonzero(self.living))
        self.totals: list[int] = sum((part.totals for part in parts), np.zeros(fields + 1, np.int64)).tolist()
        self.known: dict[int, Run] = {}
        self._remembered = 0
        self._whole = self.documents == len(self.ids)

    def gathered(self, keys: Numbers, stored: Mapping[tuple[int, int], Postings]) -> dict[int, Run]:
        """The postings of each key over everything that lives, places numbered through."""
        found: dict[int, list[tuple[int, Postings]]] = {number: [] for number in keys.tolist()}
        past = 0
        for part in self.parts:
            if part.whole is not None:
                for span in part.directory.spans(keys):
                    found[span.key].append((past, part.whole.postings[span.start : span.stop]))
            else:
                for number, runs in found.items():
                    if (run := stored.get((part.name, number))) is not None:
                        runs.append((past, run))
            past += len(part.dead)
        made = {number: self._joined(runs) for number, runs in found.items()}
        self._remember(made)
        return made

    def _remember(self, runs: dict[int, Run]) -> None:
        self._remembered += sum(len(run.places) for run in runs.values())
        if self._remembered > _REMEMBERED:
            # Others may be reading it.
            self.known, self._remembered = {}, 0
        else:
            self.known |= runs

    def _joined(self, runs: list[tuple[int, Postings]]) -> Run:
        if not runs:
            return Run(np.empty(0, np.int64), np.empty((0, self.fields), np.uint8))
        places = np.concatenate([np.add(run["place"], past, dtype=np.int64) for past, run in runs])
        counts = np.concatenate([run["counts"] for _, run in runs])
        if self._whole:
            return Run(places, counts)
        kept = self.living[places]
        return Run(places[kept], counts[kept])


def dead_read(blob: bytes | None, documents: int) -> Mask:
    """Which records of a piece have gone."""
    if not blob:
        return np.zeros(documents, dtype=bool)
    return np.unpackbits(np.frombuffer(blob, np.uint8), count=documents).astype(bool)


def dead_stored(dead: Mask) -> bytes:
    """The same as bits."""
    return np.packbits(dead).tobytes()
