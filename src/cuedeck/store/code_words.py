"""The words of symbols: written in segments, read as posting lists."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import accumulate, chain, repeat
from typing import TYPE_CHECKING, NamedTuple

from cuedeck.store.counting import Counted

if TYPE_CHECKING:
    from cuedeck.store.postings import Bundle, Numbers
    from cuedeck.store.protocol import Row, Session

# So many small segments are kept; large ones, by postings, stay as they are: merging them takes long.
_MOST_SEGMENTS = 16
_LARGE = 200_000
_MOST_POSTINGS = 1_000_000
# What edits bring is one row a segment, under no word: written in one go, and mostly soon gone.
_TOGETHER = ""
_FEW_BLOBS = 8


class BlobWords(NamedTuple):
    """What the symbols of a blob are found by; symbol 0 is the file itself.

    ``held`` and ``places`` are unsigned 32-bit numbers in the machine's order, in parallel: which word, and
    where it is held: the symbol, shifted by three, and in which of three parts the word stands. ``lengths``
    and ``kinds`` have a byte for every symbol, ``keys`` eight, which only the writer reads.
    """

    words: Sequence[str]
    held: bytes
    places: bytes
    lengths: bytes
    kinds: bytes
    keys: bytes


class BlobText(NamedTuple):
    """Where the numbers of a blob's symbols begin; how many words each has, its kind, its vector's key."""

    first: int
    lengths: bytes
    kinds: bytes
    keys: bytes


class Held(NamedTuple):
    """Which symbols hold which words: a word as its place among ``names``, beside a number with its marks."""

    names: list[str]
    words: Numbers
    places: Numbers


def put_words(session: Session, blobs: Sequence[tuple[int, BlobWords]]) -> None:
    """Make the symbols of some blobs findable by their words."""
    if not blobs:
        return
    segment = _past(session)
    *firsts, past = accumulate((len(blob.lengths) for _, blob in blobs), initial=segment)
    session.insert_many(
        "code_texts",
        ("blob", "first", "lengths", "kinds", "keys"),
        [
            (rid, first, blob.lengths, blob.kinds, blob.keys)
            for (rid, blob), first in zip(blobs, firsts, strict=True)
        ],
    )
    held = _held([blob for _, blob in blobs], firsts)
    _write(session, segment, past, held, together=len(blobs) <= _FEW_BLOBS)
    fold(session)


def _held(blobs: Sequence[BlobWords], firsts: Sequence[int]) -> Held:
    """What some blobs hold, the symbols of each numbered from its first."""
    import numpy as np

    from cuedeck.store.postings import MARK_BITS

    known = Counted()
    listed = [blob.words for blob in blobs]
    words = np.fromiter(map(known.__getitem__, chain.from_iterable(listed)), dtype=np.int64)
    held = [np.frombuffer(blob.held, dtype=np.uint32) for blob in blobs]
    places = [np.frombuffer(blob.places, dtype=np.uint32) for blob in blobs]
    counts = [*map(len, held)]
    starts = np.array([*accumulate(map(len, listed), initial=0)][:-1], dtype=np.int64)
    before = np.array(firsts, dtype=np.int64) << MARK_BITS
    return Held(
        list(known),
        words[np.repeat(starts, counts) + np.concatenate(held)],
        np.repeat(before, counts) + np.concatenate(places),
    )


def read_words(session: Session, words: Collection[str]) -> dict[str, tuple[Numbers, Numbers]]:
    """For each word that any blob holds: the numbers of the symbols, and in which parts it stands."""
    import numpy as np

    from cuedeck.store.postings import decode

    wanted = sorted(set(words) - {_TOGETHER})
    rows = session.rows(
        "SELECT word, segment, postings FROM code_words "
        "WHERE segment IN (SELECT segment FROM code_segments) AND word IN :words",
        words=wanted,
    )
    rows.sort(key=lambda row: (row["word"], row["segment"]))
    numbers, marks, counts = decode(
        [bytes(row["postings"]) for row in rows], [row["segment"] for row in rows]
    )
    parts: dict[str, list[tuple[Numbers, Numbers]]] = {}
    end = 0
    for row, count in zip(rows, counts.tolist(), strict=True):
        start, end = end, end + count
        parts.setdefault(row["word"], []).append((numbers[start:end], marks[start:end]))
    for bundle in _bundles(session):
        for word in filter(bundle.holds, wanted):
            parts.setdefault(word, []).append(bundle.postings(word))
    joined = {word: tuple(map(np.concatenate, zip(*found, strict=True))) for word, found in parts.items()}
    return {word: (numbers, marks) for word, (numbers, marks) in joined.items()}


def words_beginning(session: Session, beginning: str, most: int = 200) -> list[str]:
    """Longer words with the same beginning."""
    rows = session.rows(
        "SELECT DISTINCT word FROM code_words WHERE segment IN (SELECT segment FROM code_segments) "
        "AND word > :beginning AND word < :past ORDER BY word LIMIT :most",
        beginning=beginning,
        past=beginning + "\U0010ffff",
        most=most,
    )
    found = {row["word"] for row in rows}
    for bundle in _bundles(session):
        found.update(word for word in bundle.words if word.startswith(beginning) and word != beginning)
    return sorted(found)[:most]


def _bundles(session: Session) -> list[Bundle]:
    from cuedeck.store.postings import Bundle

    rows = session.rows(
        "SELECT segment, postings FROM code_words WHERE word = :together "
        "AND segment IN (SELECT segment FROM code_segments) ORDER BY segment",
        together=_TOGETHER,
    )
    return [Bundle(row["segment"], bytes(row["postings"])) for row in rows]


def texts(session: Session, rids: Collection[int]) -> dict[int, BlobText]:
    """Where the symbols of some blobs are numbered; blobs without words are left out."""
    rows = session.rows(
        "SELECT blob, first, lengths, kinds, keys FROM code_texts WHERE blob IN :rids", rids=list(rids)
    )
    columns = ("lengths", "kinds", "keys")
    return {row["blob"]: BlobText(row["first"], *(bytes(row[name]) for name in columns)) for row in rows}


def drop_words(session: Session, rids: Collection[int]) -> None:
    """Forget the symbols of some blobs; their numbers leave the lists when segments are folded."""
    session.run("DELETE FROM code_texts WHERE blob IN :rids", rids=list(rids))


def _past(session: Session) -> int:
    """The first number that was never given."""
    return int(session.value("SELECT coalesce(max(past), 0) FROM code_segments"))


def _write(session: Session, segment: int, past: int, held: Held, *, together: bool = False) -> None:
    from cuedeck.store.postings import MARK_BITS, bundled, by_word, encode

    words, counts, places = by_word(held.words, held.places - (segment << MARK_BITS))
    names = [held.names[word] for word in words.tolist()]
    session.insert("code_segments", {"segment": segment, "past": past, "size": len(places)})
    rows = (
        [(segment, _TOGETHER, bundled(names, counts, places))]
        if together
        else sorted(zip(repeat(segment), names, encode(places, counts)))
    )
    session.insert_many("code_words", ("segment", "word", "postings"), rows)


def fold(session: Session) -> None:
    """Where there are too many small segments, make one of the smaller half, without what is gone."""
    small = [row for row in _by_size(session) if row["size"] < _LARGE]
    if len(small) > _MOST_SEGMENTS:
        _merge(session, small[: len(small) - _MOST_SEGMENTS // 2])


def fold_all(session: Session) -> None:
    """Write every segment anew, without what is gone, so many together as fit into memory."""
    groups: list[list[Row]] = []
    room = 0
    for row in _by_size(session):
        if not groups or row["size"] > room:
            groups.append([])
            room = _MOST_POSTINGS
        groups[-1].append(row)
        room -= row["size"]
    for group in groups:
        _merge(session, group)


def _by_size(session: Session) -> list[Row]:
    return session.rows("SELECT segment, past, size FROM code_segments ORDER BY size, segment")


def _merge(session: Session, segments: Sequence[Row]) -> None:
    """Make one segment of several."""
    chosen = [row["segment"] for row in segments]
    least, past = min(chosen), max(row["past"] for row in segments)
    rows = session.rows(
        "SELECT word, segment, postings FROM code_words WHERE segment IN :segments", segments=chosen
    )
    held = _living(session, rows, least, past)
    session.run("DELETE FROM code_words WHERE segment IN :segments", segments=chosen)
    session.run("DELETE FROM code_segments WHERE segment IN :segments", segments=chosen)
    _write(session, least, past, held)


def _living(session: Session, rows: Sequence[Row], least: int, past: int) -> Held:
    """What some rows, with numbers in a range, hold of blobs that are still there."""
    import numpy as np

    from cuedeck.store.postings import MARK_BITS, Bundle, decode, inside

    listed = [row for row in rows if row["word"] != _TOGETHER]
    numbers, marks, counts = decode(
        [bytes(row["postings"]) for row in listed], [row["segment"] for row in listed]
    )
    known = Counted()
    chosen = [known[row["word"]] for row in listed]
    words = np.repeat(np.array(chosen, dtype=np.int64), counts)
    for row in rows:
        if row["word"] == _TOGETHER:
            bundle = Bundle(row["segment"], bytes(row["postings"]))
            chosen = [*map(known.__getitem__, bundle.words)]
            words = np.append(words, np.repeat(np.array(chosen, dtype=np.int64), bundle.counts))
            numbers, marks = np.append(numbers, bundle.numbers), np.append(marks, bundle.marks)
    blobs = session.rows(
        "SELECT first, length(lengths) AS size FROM code_texts "
        "WHERE first >= :least AND first < :past ORDER BY first",
        least=least,
        past=past,
    )
    alive = inside(
        numbers,
        np.array([row["first"] for row in blobs], dtype=np.int64),
        np.array([row["size"] for row in blobs], dtype=np.int64),
    )
    there = alive >= 0
    return Held(list(known), words[there], (numbers << MARK_BITS | marks)[there])
