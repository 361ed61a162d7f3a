"""Scores that add up, against the real full-text index."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_sample import TEXT as SPEC
from store_sample import open_sample

from cuedeck.search.analyser import analyse, query_terms, scope_token
from cuedeck.search.explain import Part, fused_parts, keyword_parts, total
from cuedeck.search.fusion import weighted_blend
from cuedeck.store.protocol import TextIndex, TextRecord

WORDS = ("cache", "index", "parser", "token", "branch", "merge", "request", "worker", "queue", "lock")


def records() -> list[TextRecord]:
    chance = random.Random(5)
    return [
        TextRecord(
            number,
            {
                "title": analyse(" ".join(chance.choices(WORDS, k=3))),
                "body": analyse(
                    " ".join(chance.choices(WORDS, k=chance.randint(5, 60))) + f" parseItem{number}"
                ),
            },
            {scope_token("p", "a" if number % 3 else "b")},
        )
        for number in range(1, 80)
    ]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[TextIndex]:
    store = open_sample(None, tmp_path, "w")
    with store.state.write(actor="me") as session:
        session.text(SPEC).put(records())
    with store.state.read() as session:
        yield session.text(SPEC)
    store.close()


@pytest.mark.parametrize("query", ["parse item 13", "parseItem7 cache", "how is the lock queue merged"])
def test_bm25_parts_sum_to_the_score_that_ranked(index: TextIndex, query: str) -> None:
    by_id = {record.id: record for record in records()}
    terms = query_terms(query)
    hits = index.match(terms, scope=[[scope_token("p", "a")]])
    statistics = index.statistics(terms)
    assert hits
    for hit in hits:
        explained = keyword_parts(SPEC, by_id[hit.id], terms, statistics)
        assert explained.value == pytest.approx(hit.score, rel=1e-9)
        assert explained.value == sum(part.value for part in explained.parts)
        assert {part.name for part in explained.parts} <= set(terms)


def test_a_fused_score_shows_the_terms_inside_its_keyword_part() -> None:
    ranked = weighted_blend({"a": 8.0, "b": 4.0}, {"a": 0.2, "b": 0.6}, order=str)
    second = next(one for one in ranked if one.key == "b")
    words = total("keyword", [Part("cach", 3.0), Part("lock", 1.0)])
    explained = fused_parts(second, {"keyword": words})
    assert explained.value == pytest.approx(second.score)
    keyword = next(part for part in explained.parts if part.name == "keyword")
    assert keyword.value == pytest.approx(0.3 * 0.5)
    assert [part.value / keyword.value for part in keyword.parts] == [
        pytest.approx(0.75),
        pytest.approx(0.25),
    ]


def test_an_explanation_is_plain_json() -> None:
    assert total("score", [Part("a", 1.0), Part("b", 2.0)]).to_json() == {
        "name": "score",
        "value": 3.0,
        "parts": [{"name": "a", "value": 1.0}, {"name": "b", "value": 2.0}],
    }


def test_scaling_nothing_stays_nothing() -> None:
    assert total("keyword", []).scaled(0.0) == Part("keyword", 0.0)
