"""Words of symbols on both engines: written, folded, forgotten."""

from __future__ import annotations

from array import array

import pytest

from cuedeck.store import code_words
from cuedeck.store.code_words import (
    BlobWords,
    drop_words,
    fold_all,
    put_words,
    read_words,
    texts,
    words_beginning,
)
from cuedeck.store.protocol import Session, Store


def blob(words: dict[str, list[tuple[int, int]]], symbols: int) -> BlobWords:
    places = array("I", [number << 3 | mark for found in words.values() for number, mark in found])
    held = array("I", [word for word, found in enumerate(words.values()) for _ in found])
    return BlobWords(
        list(words),
        held.tobytes(),
        places.tobytes(),
        bytes([4] * symbols),
        bytes(symbols),
        bytes(8 * symbols),
    )


def held(session: Session, *words: str) -> dict[str, list[tuple[int, int, int]]]:
    """For each word the living blobs that hold it, with symbol and mark."""
    ranges = {rid: (text.first, len(text.lengths)) for rid, text in texts(session, range(1, 400)).items()}
    found = {}
    for word, (numbers, marks) in read_words(session, words).items():
        found[word] = sorted(
            (rid, number - first, mark)
            for number, mark in zip(numbers.tolist(), marks.tolist(), strict=True)
            for rid, (first, size) in ranges.items()
            if first <= number < first + size
        )
    return found


def test_words_lead_to_symbols(store: Store) -> None:
    with store.index.write(actor="test") as session:
        put_words(session, [(1, blob({"token": [(0, 4), (2, 1)], "check": [(1, 1)]}, 3))])
        put_words(session, [(2, blob({"token": [(1, 2)]}, 2)), (3, blob({}, 1))])
    with store.index.read() as session:
        assert held(session, "token", "check", "nothing") == {
            "check": [(1, 1, 1)],
            "token": [(1, 0, 4), (1, 2, 1), (2, 1, 2)],
        }
        assert words_beginning(session, "che") == ["check"]
        assert words_beginning(session, "check") == []


def test_a_large_batch_and_edits_are_read_as_one(store: Store) -> None:
    with store.index.write(actor="test") as session:
        many = [(rid, blob({"token": [(0, 4)], f"tok{rid}": [(1, 1)]}, 2)) for rid in range(1, 21)]
        put_words(session, many)
        put_words(session, [(30, blob({"token": [(1, 3)], "tokens": [(0, 2), (1, 1)]}, 2))])
        put_words(session, [(31, blob({}, 1))])
    with store.index.read() as session:
        assert held(session, "token", "tok7", "tokens", "tok") == {
            "token": [*((rid, 0, 4) for rid in range(1, 21)), (30, 1, 3)],
            "tok7": [(7, 1, 1)],
            "tokens": [(30, 0, 2), (30, 1, 1)],
        }
        assert words_beginning(session, "token") == ["tokens"]
        assert words_beginning(session, "tok1", most=3) == ["tok10", "tok11", "tok12"]


def test_folding_keeps_what_lives_and_no_number_is_given_twice(store: Store) -> None:
    with store.index.write(actor="test") as session:
        for rid in range(1, 60):
            put_words(session, [(rid, blob({f"only{rid}": [(1, 1)], "shared": [(0, 4)]}, 2))])
            if rid % 3 == 0:
                drop_words(session, [rid])
        before = held(session, "shared", "only1", "only2", "only3")
        count = session.value("SELECT count(*) FROM code_segments")
        assert count <= 16
        drop_words(session, list(range(31, 60)))
        past = session.value("SELECT max(past) FROM code_segments")
        fold_all(session)
        assert session.value("SELECT count(*) FROM code_segments") == 1
        assert session.value("SELECT max(past) FROM code_segments") == past
        assert session.value("SELECT count(*) FROM code_words WHERE word = 'only58'") == 0
        alive = [rid for rid in range(1, 31) if rid % 3]
        assert held(session, "shared") == {"shared": [(rid, 0, 4) for rid in alive]}
        put_words(session, [(100, blob({"shared": [(0, 1)]}, 1))])
        assert texts(session, [100])[100].first == past
    assert before == {
        "shared": [(rid, 0, 4) for rid in range(1, 60) if rid % 3],
        "only1": [(1, 1, 1)],
        "only2": [(2, 1, 1)],
    }


def test_large_segments_are_folded_only_on_request_and_in_groups(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_words, "_LARGE", 10)
    monkeypatch.setattr(code_words, "_MOST_POSTINGS", 30)
    with store.index.write(actor="test") as session:
        for rid in range(1, 41):
            # Every second one is large.
            places = [(number, 4) for number in range(1 + rid % 2 * 10)]
            put_words(session, [(rid, blob({"shared": places}, 11))])
        before = held(session, "shared")
        assert session.value("SELECT count(*) FROM code_segments WHERE size = 11") == 20
        assert session.value("SELECT count(*) FROM code_segments WHERE size < 10") <= 16
        fold_all(session)
        assert session.value("SELECT max(size) FROM code_segments") <= 33
        assert session.value("SELECT count(*) FROM code_segments") < 20
        assert held(session, "shared") == before


def test_segments_of_which_nothing_is_left_are_folded_too(store: Store) -> None:
    with store.index.write(actor="test") as session:
        put_words(session, [(1, blob({}, 1))])
        put_words(session, [(2, blob({"gone": [(0, 4)]}, 1))])
        drop_words(session, [1, 2])
        for _ in range(2):
            fold_all(session)
            assert held(session, "gone") == {}
        put_words(session, [(3, blob({"new": [(0, 1)]}, 1))])
        fold_all(session)
        assert held(session, "gone", "new") == {"new": [(3, 0, 1)]}
