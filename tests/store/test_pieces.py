"""The text index in pieces: folding, merging and burying change no answer."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable

import pytest
from store_sample import TEXT

from cuedeck.store import bm25, text_cache
from cuedeck.store import text as pieced_text
from cuedeck.store.protocol import Session, Store, TextRecord, TextStatistics

WORDS = [f"w{number}" for number in range(30)]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieced_text, "FOLDED", 8)
    monkeypatch.setattr(pieced_text, "SMALL", 40)
    monkeypatch.setattr(pieced_text, "MOST_SMALL", 3)


def made(chance: random.Random, number: int) -> TextRecord:
    fields = {
        "title": chance.choices(WORDS, k=chance.randint(0, 3)),
        "body": chance.choices(WORDS, k=chance.randint(0, 12)),
    }
    return TextRecord(number, fields, [f"p_{number % 3}"])


def ranked(
    records: Iterable[TextRecord], terms: list[str], statistics: TextStatistics
) -> list[tuple[int, float]]:
    scored = []
    for record in records:
        parts = bm25.breakdown(TEXT, record, terms, statistics)
        if any(parts.values()):
            scored.append((record.id, sum(parts.values())))
    return sorted(scored, key=lambda hit: (-hit[1], hit[0]))


def check(session: Session, living: dict[int, TextRecord], terms: list[str]) -> None:
    index = session.text(TEXT)
    statistics = index.statistics(terms)
    assert statistics.documents == len(living)
    for term in terms:
        holding = sum(any(term in tokens for tokens in r.fields.values()) for r in living.values())
        assert statistics.frequencies[term] == holding
    wanted = ranked(living.values(), terms, statistics)
    assert [(hit.id, hit.score) for hit in index.match(terms, limit=1000)] == wanted
    assert [(hit.id, hit.score) for hit in index.match(terms, limit=5)] == wanted[:5]
    inside = [number for number, _ in wanted if number % 3 == 1]
    assert [hit.id for hit in index.match(terms, scope=[["p_1"]], limit=1000)] == inside
    assert index.matching_ids(terms, scope=[["p_1"]]) == sorted(inside)
    third = [record for record in living.values() if record.id % 3 == 1]
    known = [term for term in terms if statistics.frequencies[term]]
    held = {t: sum(any(t in tokens for tokens in r.fields.values()) for r in third) for t in known}
    inside_statistics = index.statistics(terms, scope=[["p_1"]])
    assert inside_statistics == TextStatistics(len(third), held, statistics.mean_length)
    counted_inside = index.match(terms, scope=[["p_1"]], limit=1000, statistics=inside_statistics)
    assert [(hit.id, hit.score) for hit in counted_inside] == ranked(third, terms, inside_statistics)


def pieces(store: Store) -> int:
    with store.state.read() as session:
        return int(session.value("SELECT count(*) FROM sample_text_pieces"))


@pytest.mark.parametrize("seed", range(4))
def test_any_history_answers_like_the_records_that_are_left(
    sample: Store, open_again: Callable[..., Store], seed: int
) -> None:
    chance = random.Random(seed)
    writer, reader = sample, open_again()
    living: dict[int, TextRecord] = {}
    for _ in range(60):
        batch = [made(chance, chance.randint(1, 150)) for _ in range(chance.randint(1, 9))]
        gone = [chance.randint(1, 150) for _ in range(chance.choice([0, 0, 1, 6]))]
        with writer.state.write(actor="me") as session:
            session.text(TEXT).put(batch)
            living |= {record.id: record for record in batch}
            session.text(TEXT).drop(gone)
            for number in gone:
                living.pop(number, None)
            if chance.random() < 0.1:
                session.text(TEXT).pack()
            check(session, living, chance.choices(WORDS, k=3))
        with reader.state.read() as session:
            check(session, living, chance.choices(WORDS, k=3))
    assert 0 < pieces(writer) < 8


def test_what_is_undone_leaves_no_trace_in_the_cache(sample: Store) -> None:
    chance = random.Random(9)
    first = {number: made(chance, number) for number in range(1, 31)}
    with sample.state.write(actor="me") as session:
        session.text(TEXT).put(first.values())
    with pytest.raises(KeyError), sample.state.write(actor="me") as session:
        session.text(TEXT).put([made(chance, number) for number in range(1, 60)])
        session.text(TEXT).drop([3, 4, 5])
        assert session.text(TEXT).statistics([]).documents == 56
        raise KeyError
    with sample.state.read() as session:
        check(session, first, WORDS[:4])


def test_a_view_that_began_before_a_merge_still_sees_what_it_saw(sample: Store) -> None:
    chance = random.Random(5)
    first = {number: made(chance, number) for number in range(1, 21)}
    with sample.state.write(actor="me") as session:
        session.text(TEXT).put(first.values())
    with sample.state.read() as before:
        check(before, first, ["w1"])
        with sample.state.write(actor="me") as session:
            session.text(TEXT).put([made(chance, number) for number in range(10, 90)])
            session.text(TEXT).pack()
        with sample.state.read() as after:
            assert after.text(TEXT).statistics([]).documents == 89
        check(before, first, ["w2", "w3"])


def test_many_records_at_once_are_folded_in_portions(sample: Store) -> None:
    chance = random.Random(6)
    records = {number: made(chance, number) for number in range(1, 400)}
    with sample.state.write(actor="me") as session:
        session.text(TEXT).put(records.values())
        check(session, records, WORDS[:3])
    assert pieces(sample) > 3


def test_everything_may_go_and_come_again(sample: Store) -> None:
    chance = random.Random(2)
    records = {number: made(chance, number) for number in range(1, 31)}
    for _ in range(2):
        with sample.state.write(actor="me") as session:
            session.text(TEXT).put(records.values())
        with sample.state.write(actor="me") as session:
            session.text(TEXT).drop(list(records))
            check(session, {}, WORDS[:2])
            session.text(TEXT).pack()
        assert pieces(sample) == 0
    with sample.state.write(actor="me") as session:
        session.text(TEXT).put(records.values())
        check(session, records, WORDS[:3])


def test_words_said_more_often_than_a_byte_can_count_rank_by_their_true_number(sample: Store) -> None:
    records = {n: TextRecord(n, {"body": ["again"] * (n * 100) + ["x"] * 2000}) for n in range(1, 10)}
    records[10] = TextRecord(10, {"body": ["x"] * 3000})
    with sample.state.write(actor="me") as session:
        session.text(TEXT).put(records.values())
        session.text(TEXT).pack()
        found = [(hit.id, hit.score) for hit in session.text(TEXT).match(["again"])]
        assert found == ranked(records.values(), ["again"], session.text(TEXT).statistics(["again"]))


def test_little_room_for_the_cache_changes_no_answer(sample: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_cache, "RUNS_KEPT_BYTES", 1000)
    chance = random.Random(3)
    records = {number: made(chance, number) for number in range(1, 61)}
    with sample.state.write(actor="me") as session:
        session.text(TEXT).put(records.values())
    with sample.state.read() as session:
        for _ in range(3):
            check(session, records, chance.choices(WORDS, k=5))


def test_records_without_a_token_are_counted_and_found_by_nothing(sample: Store) -> None:
    with sample.state.write(actor="me") as session:
        session.text(TEXT).put([TextRecord(number, {}) for number in range(1, 20)])
        session.text(TEXT).pack()
        assert session.text(TEXT).statistics(["w1"]).documents == 19
        assert session.text(TEXT).match(["w1"], scope=[["p_1"]]) == []
        assert session.text(TEXT).matching_ids(["w1"]) == []
        session.text(TEXT).put([TextRecord(20, {"title": ["w1"]}, ["p_1"])])
        assert [hit.id for hit in session.text(TEXT).match(["w1"], scope=[["p_1"]])] == [20]


def test_tables_made_anew_under_a_process_are_not_taken_for_the_old_ones(sample: Store) -> None:
    chance = random.Random(8)
    first = {number: made(chance, number) for number in range(1, 21)}
    with sample.state.write(actor="me") as session:
        session.text(TEXT).put(first.values())
        check(session, first, WORDS[:3])
        # What a build with another schema does to derived tables, seen from this process.
        for table in ("fresh", "pieces", "directories", "postings", "stamp"):
            session.run(f"DELETE FROM sample_text_{table}")
        second = {number: made(chance, number) for number in range(5, 40)}
        session.text(TEXT).put(second.values())
        check(session, second, WORDS[:3])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_draws_no_stamp_that_its_parent_draws(
    sample: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieced_text, "FOLDED", 512)

    def put(number: int) -> None:
        with sample.state.write(actor="t", durable=False) as session:
            session.text(TEXT).put([TextRecord(number, {"title": ["word"]})])

    put(1001)
    if not (child := os.fork()):
        put(1002)
        os._exit(0)
    os.waitpid(child, 0)
    put(1003)
    with sample.state.read() as session:
        rows = session.rows(f"SELECT stamp FROM {TEXT.name}_fresh WHERE id > 1000")
    assert len({row["stamp"] for row in rows}) == 3
