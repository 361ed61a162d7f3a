"""Full text: the same matches and the same scores on both engines, explained to the last digit."""

from __future__ import annotations

import random

import pytest
from store_sample import TEXT

from cuedeck.model.adding import added
from cuedeck.store import bm25
from cuedeck.store import vocabulary as vocabulary_module
from cuedeck.store.pieces import Piece, folded, folded_codes
from cuedeck.store.protocol import Store, TextHit, TextRecord
from cuedeck.store.tokens import record_words
from cuedeck.store.vocabulary import KnownKeys, Vocabulary

WORDS = [f"w{number}" for number in range(60)]


def corpus(count: int) -> list[TextRecord]:
    """Records whose words follow a steep distribution, as real words do."""
    chance = random.Random(7)
    weights = [1 / (rank + 1) for rank in range(len(WORDS))]
    return [
        TextRecord(
            number,
            {
                "title": chance.choices(WORDS, weights, k=chance.randint(1, 4)),
                "body": chance.choices(WORDS, weights, k=chance.randint(0, 40)),
            },
            [f"p_{number % 5}", f"k_{number % 2}"],
        )
        for number in range(1, count + 1)
    ]


def fill(store: Store, records: list[TextRecord]) -> None:
    with store.state.write(actor="me") as session:
        session.text(TEXT).put(records)


def match(store: Store, terms: list[str], **options: object) -> list[TextHit]:
    with store.state.read() as session:
        return session.text(TEXT).match(terms, **options)  # type: ignore[arg-type]


def expected(records: list[TextRecord], terms: list[str], store: Store) -> list[tuple[int, float]]:
    """The ranking by the documented formula alone."""
    with store.state.read() as session:
        statistics = session.text(TEXT).statistics(terms)
    scored = []
    for record in records:
        parts = bm25.breakdown(TEXT, record, terms, statistics)
        if any(parts.values()):
            scored.append((record.id, added(parts.values())))
    return sorted(scored, key=lambda hit: (-hit[1], hit[0]))


def test_a_program_that_seeds_its_random_numbers_finds_what_was_stored_last(sample: Store) -> None:
    for number in (1, 2):
        random.seed(7)
        fill(sample, [TextRecord(number, {"title": ["w0"]}, [])])
        assert [hit.id for hit in match(sample, ["w0"])] == list(range(1, number + 1))


def test_strengths_times_idf_are_the_parts_of_the_score(sample: Store) -> None:
    records = corpus(300)
    fill(sample, records)
    terms, among = ["w0", "w3", "w17", "nowhere"], [record.id for record in records[::7]]
    with sample.state.read() as session:
        statistics = session.text(TEXT).statistics(terms)
        found = session.text(TEXT).strengths(terms, among)
    assert set(found) == {"w0", "w3", "w17"}
    for record in records:
        parts = bm25.breakdown(TEXT, record, terms, statistics)
        for term, strengths in found.items():
            idf = bm25.idf(statistics.documents, statistics.frequencies[term])
            expected_part = parts[term] if record.id in among else 0.0
            assert strengths.get(record.id, 0.0) * idf == pytest.approx(expected_part, rel=1e-9)


def test_a_packed_index_answers_as_before(sample: Store) -> None:
    records = corpus(200)
    for start in range(0, 200, 20):
        fill(sample, records[start : start + 20])
    fill(sample, records)
    before = match(sample, ["w3", "w17"], limit=500)
    with sample.state.write(actor="me") as session:
        session.text(TEXT).pack()
    assert match(sample, ["w3", "w17"], limit=500) == before


def test_nothing_is_strong_among_no_records(sample: Store) -> None:
    fill(sample, corpus(20))
    with sample.state.read() as session:
        assert session.text(TEXT).strengths(["w0", "nowhere"], []) == {"w0": {}}


def test_scores_are_the_documented_formula_to_the_last_digit(sample: Store) -> None:
    records = corpus(300)
    fill(sample, records)
    for terms in (["w5"], ["w3", "w17", "w40"], ["w0", "w1"], ["w59", "w0", "nowhere"]):
        found = [(hit.id, hit.score) for hit in match(sample, terms, limit=500)]
        assert found == expected(records, terms, sample)


def assert_same(piece: Piece, other: Piece) -> None:
    assert piece.directory.columns() == other.directory.columns()
    assert piece.postings.tobytes() == other.postings.tobytes()


def test_words_become_tokens_while_they_are_folded() -> None:
    tokens = {"run": "run", "none": "", "fileName": "filenam file name", "東京": "東 京 東京"}
    vocabulary = Vocabulary(lambda word: tokens[word].split())
    words = b"#s|run none|fileName run|#s||none|#s|run|none none fileName \xe6\x9d\xb1\xe4\xba\xac".split(
        b"|"
    )
    spelt = {
        7: "#s\nrun\nfilenam file name run",
        8: "#s\n\n",
        9: "#s\nrun\nfilenam file name 東 京 東京",
    }
    apart = [vocabulary.coded(words[:6]), vocabulary.coded(words[6:])]
    assert_same(folded_codes([7, 8, 9], apart, 2), folded(spelt, 2))
    assert_same(folded_codes([7, 8, 9], [vocabulary.coded(words)], 2), folded(spelt, 2))
    assert_same(folded_codes([1], [vocabulary.coded([b"", b"", b""])], 2), folded({1: "\n\n"}, 2))


def test_a_vocabulary_begins_again_when_it_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary_module, "_MOST", 3)
    here, away, both = KnownKeys(), KnownKeys(), Vocabulary(str.split)
    for line in (b"a b", b"c", b"b d e", b"e a", b"f"):
        coded = both.coded([b"#s", line])
        sent = here.abridged(coded)
        assert len(sent.keys) <= len(coded.keys)
        assert away.restored(sent) == coded
        assert_same(folded_codes([1], [coded], 1), folded({1: f"#s\n{line.decode()}"}, 1))
    assert coded.generation > 1


def test_joined_records_are_the_same_as_records(sample: Store) -> None:
    records = corpus(40)
    fill(sample, records[:10])
    joined = [
        (each.id, record_words(each.scope, [" ".join(each.fields[name]) for name, _ in TEXT.fields]))
        for each in records[10:]
    ]
    vocabulary = Vocabulary(lambda word: [word])
    coded = [
        vocabulary.coded([line.encode() for _, words in some for line in words.split("\n")])
        for some in (joined[10:15], joined[15:])
    ]
    with sample.state.write(actor="me") as session:
        session.text(TEXT).add(joined[:10])
        session.text(TEXT).add_coded(range(21, 41), coded)
    terms = ["w3", "w17", "w40"]
    assert [(hit.id, hit.score) for hit in match(sample, terms)] == expected(records, terms, sample)
    assert {hit.id % 5 for hit in match(sample, terms, scope=[["p_1"]])} == {1}
    with sample.state.write(actor="me") as session:
        session.text(TEXT).drop([each.id for each in records[10:]])
    assert [(hit.id, hit.score) for hit in match(sample, terms)] == expected(records[:10], terms, sample)


def test_statistics_stay_exact_through_changes(sample: Store) -> None:
    records = corpus(120)
    fill(sample, records)
    changed = [TextRecord(record.id, {"title": ["fresh"], "body": ["w1"]}) for record in records[:30]]
    with sample.state.write(actor="me") as session:
        session.text(TEXT).put(changed)
        session.text(TEXT).drop([record.id for record in records[90:]] + [9999])
    living = changed + records[30:90]
    with sample.state.read() as session:
        statistics = session.text(TEXT).statistics(["fresh", "w1", "w7", "absent"])
    holding = {
        term: sum(any(term in tokens for tokens in record.fields.values()) for record in living)
        for term in ("fresh", "w1", "w7", "absent")
    }
    assert statistics.documents == len(living)
    assert statistics.frequencies == holding
    tokens = sum(len(tokens) for record in living for tokens in record.fields.values())
    scopes = sum(len(set(record.scope)) for record in living)
    assert statistics.mean_length == pytest.approx((tokens + scopes) / len(living))
    assert [(h.id, h.score) for h in match(sample, ["w7", "fresh"], limit=500)] == expected(
        living, ["w7", "fresh"], sample
    )


def test_a_scope_is_an_and_of_ors(sample: Store) -> None:
    records = corpus(200)
    fill(sample, records)
    found = match(sample, ["w8", "w9"], scope=[["p_1", "p_3"], ["k_0"]], limit=500)
    everywhere = {hit.id: hit.score for hit in match(sample, ["w8", "w9"], limit=500)}
    inside = {r.id for r in records if r.id % 5 in (1, 3) and r.id % 2 == 0}
    assert {hit.id for hit in found} == inside & everywhere.keys()
    assert all(hit.score == everywhere[hit.id] for hit in found)
    assert match(sample, ["w8"], scope=[["p_77"]]) == []
    assert match(sample, ["w8"], scope=[[]]) == []


def test_ties_go_to_the_lower_id_and_the_limit_holds(sample: Store) -> None:
    same = [TextRecord(number, {"title": ["tie"]}) for number in (5, 3, 9, 1)]
    fill(sample, [*same, *(TextRecord(n, {"title": ["other"]}) for n in range(20, 60))])
    assert [hit.id for hit in match(sample, ["tie"], limit=3)] == [1, 3, 5]
    assert match(sample, ["tie"], limit=0) == []


def test_every_match_is_counted_even_of_common_terms(sample: Store) -> None:
    records = corpus(100)
    fill(sample, records)
    with sample.state.read() as session:
        found = session.text(TEXT).matching_ids(["w0", "w30"], scope=[["k_1"]])
    wanted = [
        r.id for r in records if r.id % 2 and any({"w0", "w30"} & set(tokens) for tokens in r.fields.values())
    ]
    assert found == wanted


def test_a_term_in_most_records_yields_to_a_rarer_one_in_a_large_index(
    sample: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(sample, [TextRecord(n, {"body": ["the", "rare" if n == 7 else "x"]}) for n in range(1, 51)])
    assert len(match(sample, ["the", "rare"])) == 50
    monkeypatch.setattr(bm25, "MANY", 10)
    assert [hit.id for hit in match(sample, ["the", "rare"])] == [7]
    assert len(match(sample, ["the"])) == 50


@pytest.mark.parametrize(
    "token",
    [
        "foo-bar",
        'say"so"',
        "it's",
        "a.b.c",
        "c++",
        "#tag",
        "*",
        "NEAR",
        "AND",
        "中文",
        "naïve",
        "(",
        "日本",
        "x:y",
    ],
)
def test_any_token_is_found_as_itself_and_nothing_else(sample: Store, token: str) -> None:
    fill(
        sample,
        [
            TextRecord(1, {"title": [token]}, ["p_a"]),
            TextRecord(2, {"title": ["foo", "bar", "a", "b", "c", "tag", "say", "so", "x", "y"]}, ["tag"]),
        ],
    )
    assert [hit.id for hit in match(sample, [token])] == [1]


def test_tokens_with_space_or_capitals_are_kept_apart(sample: Store) -> None:
    fill(sample, [TextRecord(1, {"title": ["two words"]}), TextRecord(2, {"title": ["two"]}, ["P x"])])
    assert [hit.id for hit in match(sample, ["two words"])] == [1]
    assert [hit.id for hit in match(sample, ["two"], scope=[["P x"]])] == [2]
    assert match(sample, ["two"], scope=[["p x"]]) == []
    assert match(sample, ["words"]) == match(sample, [""]) == match(sample, []) == []


def test_a_query_of_thousands_of_terms_is_answered(sample: Store) -> None:
    fill(sample, corpus(50))
    terms = [f"noise{number}" for number in range(4000)] + WORDS
    assert match(sample, terms, limit=5)
    with sample.state.read() as session:
        assert len(session.text(TEXT).matching_ids(terms)) == 50


def test_a_write_sees_its_own_records_and_counts(sample: Store) -> None:
    fill(sample, [TextRecord(1, {"title": ["old"]})])
    with sample.state.write(actor="me") as session:
        index = session.text(TEXT)
        index.put([TextRecord(2, {"title": ["new"]})])
        index.drop([1])
        assert [hit.id for hit in index.match(["new", "old"])] == [2]
        assert index.statistics(["new", "old"]).frequencies == {"new": 1, "old": 0}
        assert index.statistics([]).documents == 1


def test_an_empty_index_answers(sample: Store) -> None:
    assert match(sample, ["x"]) == []
    with sample.state.read() as session:
        assert session.text(TEXT).statistics(["x"]).documents == 0
