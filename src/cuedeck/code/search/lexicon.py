"""The words of one ref: which of its symbols hold them, and what that is worth."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from cuedeck.code.extraction.generated import is_secondary
from cuedeck.code.extraction.wording import ABOUT, BODY, KIND_BITS, MANY, NAME
from cuedeck.code.locating import is_test
from cuedeck.model.adding import added
from cuedeck.search.analyser import analyse
from cuedeck.store.bm25 import K1, B
from cuedeck.store.code_words import BlobText, read_words, texts, words_beginning
from cuedeck.store.postings import inside
from cuedeck.store.protocol import Store

if TYPE_CHECKING:
    from cuedeck.code.snapshot import Entry

Slots = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_DECLARING: Final = (".d.ts", ".d.mts", ".d.cts")
_JAVASCRIPT: Final = (".js", ".mjs", ".cjs", ".jsx")
_TYPED: Final = (".ts", ".mts", ".cts", ".tsx")
# What a word is worth by the parts of the symbol it stands in: name, owner and documentation, body.
WEIGHTS: Final = np.array(
    [4.0 * bool(m & NAME) + 1.5 * bool(m & ABOUT) + 0.8 * bool(m & BODY) for m in range(8)]
)
_BEGINNING: Final = 0.5
_MOST_BEGINNINGS: Final = 24
_MOST_WORDS: Final = 48
_KEPT_POSTINGS: Final = 3_000_000
_KEPT_TEXTS: Final = 200_000
# About how many bytes a symbol takes, and a word in a symbol.
_SLOT: Final = 48
_POSTING: Final = 24


class Texts:
    """Where each blob's symbols are numbered; blobs never change, so what was read once stays true."""

    def __init__(self) -> None:
        self._held: dict[int, BlobText] = {}

    @property
    def blobs(self) -> set[int]:
        """The blobs of which something is held."""
        return set(self._held)

    def forget(self, blobs: Collection[int]) -> None:
        """Let go of blobs that are gone."""
        self._held = {blob: text for blob, text in self._held.items() if blob not in blobs}

    def of(self, store: Store, blobs: Collection[int]) -> dict[int, BlobText]:
        """Those of the blobs that have words."""
        held = self._held
        missing = [blob for blob in blobs if blob not in held]
        if missing:
            with store.index.read() as session:
                found = texts(session, missing)
            held = {**held, **found}
        wanted = {blob: held[blob] for blob in blobs if blob in held}
        self._held = held if len(held) <= _KEPT_TEXTS else wanted
        return wanted


@dataclass(frozen=True, slots=True)
class Postings:
    """The slots that hold a word, what it is worth in each but for its rarity, and those slots that have it
    in their name, or in their name, owner or documentation."""

    slots: Slots
    worth: Floats
    names: Slots
    about: Slots


@dataclass(frozen=True, slots=True)
class Matched:
    """The symbols that hold words of a query, as parallel arrays.

    ``score`` is BM25; ``named`` and ``about`` say how much of the query stands in the symbol's name, and in
    its name, owner and documentation: shares of the query's information. ``whole`` marks those that can
    have every part of their name in the query.
    """

    slots: Slots
    score: Floats
    named: Floats
    about: Floats
    whole: npt.NDArray[np.bool_]
    best: float  # the score that no symbol can exceed

    def only(self, keep: npt.NDArray[np.bool_]) -> Matched:
        """Some of the symbols."""
        floats = self.score[keep], self.named[keep], self.about[keep]
        return Matched(self.slots[keep], *floats, self.whole[keep], self.best)


class _Sums:
    """Sums over all slots, zero between two uses."""

    def __init__(self, size: int) -> None:
        self.score, self.named, self.about = (np.zeros(size) for _ in range(3))
        self.tokens = np.zeros(size, dtype=np.uint8)
        self.seen = np.zeros(size, dtype=bool)


_KEPT: Final = threading.local()


@contextmanager
def _scratch(size: int) -> Iterator[_Sums]:
    """This thread's sums: clearing the few that were touched is quicker than making all anew."""
    sums: _Sums | None = getattr(_KEPT, "sums", None)
    if sums is None or len(sums.seen) < size:
        sums = _Sums(size)
    # Not kept while in use, so that sums which an error left behind are not used again.
    _KEPT.sums = None
    yield sums
    touched = np.flatnonzero(sums.seen)
    for column in (sums.score, sums.named, sums.about, sums.tokens, sums.seen):
        column[touched] = 0
    _KEPT.sums = sums


class Places:
    """The files of a ref in their order, those of one blob in one place, and what their paths tell."""

    def __init__(self, paths: Sequence[Sequence[str]]) -> None:
        self.paths = paths

    @cached_property
    def by_path(self) -> dict[str, int]:
        """The place of every file."""
        return {path: place for place, paths in enumerate(self.paths) for path in paths}

    @cached_property
    def by_word(self) -> dict[str, list[int]]:
        """The places of the files whose path holds a word."""
        found: dict[str, list[int]] = {}
        for place, paths in enumerate(self.paths):
            for word in frozenset[str]().union(*map(path_words, paths)):
                found.setdefault(word, []).append(place)
        return found

    def copies_of(self, paths: Iterable[str]) -> Slots:
        """For each place, how many of these paths are there."""
        places = np.array([self.by_path[path] for path in paths], dtype=np.int64)
        return np.bincount(places, minlength=len(self.paths))

    @cached_property
    def copies(self) -> Slots:
        """For each place, how many paths are there."""
        return np.array([len(paths) for paths in self.paths], dtype=np.int64)

    @cached_property
    def worth(self) -> Floats:
        """For each place, what is left at most of a definition's boost: less in tests and copies."""
        return np.array([max(map(self._worth, paths)) for paths in self.paths])

    def _worth(self, path: str) -> float:
        return 0.1 if is_secondary(path) else 0.0 if is_test(path) or self.describes(path) else 1.0

    def describes(self, path: str) -> bool:
        """Whether a file only declares what code in JavaScript defines."""
        return path.endswith(_DECLARING) and self._is_javascript

    @cached_property
    def _is_javascript(self) -> bool:
        paths = [path for path in self.by_path if not path.endswith(_DECLARING)]
        return sum(path.endswith(_JAVASCRIPT) for path in paths) > sum(
            path.endswith(_TYPED) for path in paths
        )


class Lexicon:
    """One ref's symbols in slots: file after file by path, in each the file itself and then its symbols."""

    def __init__(
        self, store: Store, files: Mapping[str, Entry], blobs: Collection[int], where: Places, held: Texts
    ) -> None:
        self._store = store
        self._files = files
        self.where = where
        known = held.of(store, blobs)
        none = BlobText(-1, b"", b"", b"")
        rows = [known.get(blob, none) for blob in blobs]
        self._firsts = np.array([row.first for row in rows], dtype=np.int64)
        self._sizes = np.array([len(row.lengths) for row in rows], dtype=np.int64)
        self.bases = np.cumsum(self._sizes) - self._sizes
        self._order = np.argsort(self._firsts, kind="stable")
        lengths = np.frombuffer(b"".join(row.lengths for row in rows), dtype=np.uint8).astype(np.float64)
        kinds = np.frombuffer(b"".join(row.kinds for row in rows), dtype=np.uint8)
        self.kinds = kinds & (1 << KIND_BITS) - 1
        self._tokens = kinds >> KIND_BITS
        self.keys = np.frombuffer(b"".join(row.keys for row in rows), dtype=np.int64)
        self.places = np.repeat(np.arange(len(rows)), self._sizes)
        self.documents = int(np.count_nonzero(lengths))
        mean = float(lengths.sum()) / max(1, self.documents)
        self._norms = K1 * (1.0 - B + B * lengths / max(mean, 1.0))
        self._postings: OrderedDict[str, Postings] = OrderedDict()
        self._standing: Floats | None = None
        self._count = 0
        self._lock = threading.Lock()

    @property
    def weight(self) -> int:
        """About how much memory this takes."""
        return _SLOT * len(self.kinds) + _POSTING * self._count

    def slot(self, path: str, number: int) -> int:
        """The slot of a symbol; number 0 is the file itself."""
        place = self.where.by_path[path]
        return int(self.bases[place]) + number if number < self._sizes[place] else -1

    def number(self, slot: int) -> int:
        """A symbol's number in its file."""
        return slot - int(self.bases[self.places[slot]])

    def rarity(self, count: int) -> float:
        """How much a word tells that so many symbols hold; never negative, so that small refs rank too."""
        return math.log(1.0 + (self.documents - count + 0.5) / (count + 0.5))

    def postings(self, words: Sequence[str]) -> dict[str, Postings]:
        """For each word where it stands; empty where nowhere."""
        with self._lock:
            missing = [word for word in words if word not in self._postings]
            if missing:
                self._read(missing)
            for word in words:
                self._postings.move_to_end(word)
            found = {word: self._postings[word] for word in words}
            while self._count > _KEPT_POSTINGS and len(self._postings) > 1:
                _, dropped = self._postings.popitem(last=False)
                self._count -= len(dropped.slots)
            return found

    def _read(self, words: Collection[str]) -> None:
        with self._store.index.read() as session:
            stored = read_words(session, words)
        firsts, sizes = self._firsts[self._order], self._sizes[self._order]
        empty = np.zeros(0, dtype=np.int64)
        for word in words:
            numbers, marks = stored.get(word, (empty, empty))
            ranges = inside(numbers, firsts, sizes)
            here = ranges >= 0
            ranges, numbers = ranges[here], numbers[here]
            slots = self.bases[self._order[ranges]] + numbers - firsts[ranges] if len(numbers) else empty
            marks = marks[here]
            parts = WEIGHTS[marks]
            worth = (K1 + 1.0) * parts / (parts + self._norms[slots])
            names, about = slots[marks & NAME > 0], slots[marks & (NAME | ABOUT) > 0]
            self._postings[word] = Postings(slots, worth, names, about)
            self._count += len(slots)

    def match(self, terms: Sequence[str], beginning: str = "") -> Matched:
        """The symbols that hold any of the terms, or whose name begins like the last argument."""
        found = self.postings(terms)
        counts = {term: len(found[term].slots) for term in terms if len(found[term].slots)}
        # Of a whole issue text the rarest words tell enough.
        rarest = set(sorted(counts, key=lambda term: (counts[term], term))[:_MOST_WORDS])
        weights = {term: self.rarity(counts[term]) for term in counts if term in rarest}
        asked = added(self.rarity(counts.get(term, 0)) for term in terms) or 1.0
        with _scratch(len(self.kinds)) as sums:
            for term, weight in weights.items():
                held = found[term]
                sums.score[held.slots] += weight * held.worth
                sums.named[held.names] += weight / asked
                sums.tokens[held.names] += 1
                sums.about[held.about] += weight / asked
                sums.seen[held.slots] = True
            if beginning:
                self._begin(beginning, terms, sums)
            there = np.flatnonzero(sums.seen[: len(self.kinds)])
            # The token of the whole name may be missing; of a name that is one word, none may.
            named, all_of_them = sums.tokens[there], self._tokens[there]
            whole = (named > 0) & ((named + 1 >= all_of_them) | (all_of_them == MANY))
            best = added(weights.values()) * (K1 + 1.0) or (K1 + 1.0) * self.rarity(1)
            return Matched(there, sums.score[there], sums.named[there], sums.about[there], whole, best)

    def called(self, words: Sequence[str]) -> Slots:
        """The symbols whose name may have these tokens: as many, and the same first, which is the whole."""
        held = self.postings(words[:1])[words[0]].names
        found: Slots = held[self._tokens[held] == min(MANY, len(words))]
        return found

    def _begin(self, beginning: str, terms: Sequence[str], sums: _Sums) -> None:
        """Count names that begin like a word, for less than the word itself."""
        with self._store.index.read() as session:
            longer = [word for word in words_beginning(session, beginning) if word not in terms]
        chosen = sorted(longer, key=lambda word: (len(word), word))[:_MOST_BEGINNINGS]
        for slots in (held.names for held in self.postings(chosen).values()):
            worth = _BEGINNING * self.rarity(len(slots)) * (K1 + 1.0) * WEIGHTS[NAME]
            sums.score[slots] = np.maximum(sums.score[slots], worth / (WEIGHTS[NAME] + self._norms[slots]))
            sums.seen[slots] = True

    @cached_property
    def slots_by_key(self) -> dict[int, list[int]]:
        """The slots of the symbols that share a vector."""
        found: dict[int, list[int]] = {}
        slots = np.flatnonzero(self.keys)
        for slot, key in zip(slots.tolist(), self.keys[slots].tolist(), strict=True):
            found.setdefault(key, []).append(slot)
        return found

    def standing(self, boosts: Floats) -> Floats:
        """For each slot what is added at most for its kind, which boosts are given for, and its place."""
        if self._standing is None:
            self._standing = boosts[self.kinds] * self.where.worth[self.places] + self.affinity[self.places]
        return self._standing

    @cached_property
    def affinity(self) -> Floats:
        """For each place, at most how near it is to what the ref changes."""
        changed = {path for path, entry in self._files.items() if entry.layer == "overlay"}
        folders = {path.rpartition("/")[0] for path in changed}
        found = np.zeros(len(self.where.paths))
        if changed:
            for path, place in self.where.by_path.items():
                if path.rpartition("/")[0] in folders:
                    found[place] = max(found[place], 0.1 if path in changed else 0.05)
        return found


@lru_cache(maxsize=131072)
def path_words(path: str) -> frozenset[str]:
    """The words of a path."""
    return frozenset(analyse(path.replace("/", " ")))
