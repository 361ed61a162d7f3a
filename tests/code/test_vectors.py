"""Vectors of symbols: made once for all refs, true to the files, and counted in with an explanation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from cuedeck.code.engine import Code
from cuedeck.code.refs import status
from cuedeck.code.search.ranking import Query, Ranking
from cuedeck.code.search.searching import Blend, explain, search
from cuedeck.code.search.vectors import REST_SECONDS, SymbolVectors
from cuedeck.config.sections import SearchSection
from cuedeck.search.embedder import NoEmbedder, OnnxEmbedder, open_embedder
from cuedeck.store.schema.code import CODE_VECTORS

from .conftest import Repo

Open = Callable[[Path], Code]
SHOP = '''def remove_customer(record):
    """Delete a customer for good."""
    return record.erase()


def total_price(basket):
    """Add up what everything in the basket costs."""
    return sum(item.price for item in basket)


class Courier:
    """Brings parcels to their destination."""

    def _hidden(self):
        return 1
'''


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    """The installed model, loaded once."""
    found = open_embedder(SearchSection(), Path())
    assert isinstance(found, OnnxEmbedder), found.unavailable
    return found


@pytest.fixture
def code(repo: Repo, open_code: Open) -> Code:
    repo.put("shop.py", SHOP)
    repo.put("tests/test_shop.py", "def test_total_price():\n    assert total_price([]) == 0\n")
    repo.commit()
    return open_code(repo.root)


@pytest.fixture
def vectors(code: Code, embedder: OnnxEmbedder) -> Iterator[SymbolVectors]:
    made = SymbolVectors(code, embedder, 1000)
    yield made
    made.close()


def names(code: Code, vectors: SymbolVectors, text: str, mode: str = "hybrid", **filters: str) -> list[str]:
    view = code.view()
    found = search(view, Query(text, **filters), limit=5, mode=mode, vectors=vectors)
    assert found.mode == mode, view.warnings
    assert found.pending == 0
    return [hit.scored.record.name for hit in found.hits]


def stored(code: Code, vectors: SymbolVectors) -> int:
    with code.store.index.read() as session:
        return session.vectors(CODE_VECTORS).count(model=vectors.embedder.model)


def test_what_shares_no_word_is_found_by_meaning(code: Code, vectors: SymbolVectors) -> None:
    question = "how much money does the cart amount to"
    view = code.view()
    assert not search(view, Query(question), limit=5).hits
    assert names(code, vectors, question, "semantic")[0] == "total_price"
    assert names(code, vectors, question)[0] == "total_price"
    assert names(code, vectors, "shipping of packages", "semantic")[0] == "Courier"
    assert names(code, vectors, "shipping of packages", "semantic", kind="fn") != []
    assert "Courier" not in names(code, vectors, "shipping of packages", "semantic", kind="fn")


def test_a_name_still_means_itself(code: Code, vectors: SymbolVectors) -> None:
    assert names(code, vectors, "remove_customer")[0] == "remove_customer"


def test_an_unchanged_symbol_is_never_embedded_again(repo: Repo, code: Code, vectors: SymbolVectors) -> None:
    names(code, vectors, "price")
    assert stored(code, vectors) == 5
    repo.put("shop.py", SHOP.replace("sum(item", "max(item"))
    assert names(code, vectors, "price")
    assert stored(code, vectors) == 6
    repo.git("checkout", "-q", "-b", "other")
    repo.put("moved/shop.py", SHOP)
    repo.commit()
    assert names(code, vectors, "price")
    assert stored(code, vectors) == 6


def test_each_ref_sees_its_own_symbols(repo: Repo, code: Code, vectors: SymbolVectors) -> None:
    names(code, vectors, "price")
    repo.git("checkout", "-q", "-b", "other")
    repo.put("shop.py", "def unrelated():\n    return 1\n")
    repo.commit()
    assert set(names(code, vectors, "add up the costs", "semantic")) == {"unrelated", "test_total_price"}
    view = code.view("main")
    found = search(view, Query("add up the costs"), limit=1, mode="semantic", vectors=vectors)
    assert found.hits[0].scored.record.name == "total_price"


def test_the_explanation_adds_up_to_the_score(code: Code, vectors: SymbolVectors) -> None:
    view = code.view()
    query = Query("add up the price of a basket")
    found = search(view, query, limit=5, mode="hybrid", vectors=vectors)
    assert found.hits
    for hit in found.hits:
        record = hit.scored.record
        told = explain(view, query, record.path, record.line_start, mode="hybrid", vectors=vectors)
        assert told.total == hit.scored.total
        parts = [value for name, value in told.scoring.items() if name != "total"]
        assert told.total == pytest.approx(sum(parts))
        assert "semantic_reason" in told.reasons


def test_every_part_of_a_blended_score_stays_within_its_range(
    repo: Repo, code: Code, vectors: SymbolVectors
) -> None:
    repo.put("more.py", "".join(f"def part{n}():\n    return [letter for letter in box]\n" for n in range(9)))
    view, query = code.view(), Query("letter")
    hits = search(view, query, limit=5, mode="hybrid", vectors=vectors).hits
    told = [
        explain(view, query, record.path, record.line_start, mode="hybrid", vectors=vectors)
        for record in (hit.scored.record for hit in hits)
    ]
    assert [each.total for each in told] == [hit.scored.total for hit in hits]
    assert told[0].scoring["normalised"] > 0 and "share" in told[0].reasons["normalised_reason"]
    assert told[0].scoring["definition_boost"] == 0.15
    parts = (value for name, value in told[0].scoring.items() if name != "total")
    assert told[0].total == pytest.approx(sum(parts))


def test_what_waits_is_told_and_public_symbols_come_first(code: Code, embedder: OnnxEmbedder) -> None:
    few = SymbolVectors(code, embedder, 3)
    waiting = status(code, None, "", few).pending_embeddings
    assert waiting == 0  # nothing is indexed yet
    snapshot = code.view().snapshot
    assert status(code, None, "", few).pending_embeddings == 3
    few.follow(snapshot)
    few.wait(snapshot, 30)
    assert status(code, None, "", few).pending_embeddings == 0
    lexicon = snapshot.lexicon
    chosen = {lexicon.number(lexicon.slots_by_key[key][0]) for key in few._chosen(snapshot)}
    outline = snapshot.outline("shop.py")
    assert {outline.definitions[n - 1].name for n in chosen} == {"remove_customer", "total_price", "Courier"}
    few.close()


def test_what_waits_is_ranked_by_its_words(
    repo: Repo, code: Code, vectors: SymbolVectors, embedder: OnnxEmbedder
) -> None:
    names(code, vectors, "price")
    repo.put("bill.py", "def print_invoice(order):\n    return order.lines\n")
    query = Query("print the invoice of an order")
    ranking = Ranking(code.view().snapshot, query)
    vector = embedder.embed([query.text])[0]
    blend = Blend(ranking, vectors, vector, limit=5, semantic_only=False)
    first, *others = blend.best()
    assert first.record.name == "print_invoice" and others[0].total < first.total
    told = blend.explained(ranking.candidate(first.record.path, first.record.number))
    assert told.scoring["semantic"] == 0 and "no vector yet" in told.reasons["semantic_reason"]
    parts = [value for name, value in told.scoring.items() if name != "total"]
    assert first.total == told.total == pytest.approx(sum(parts))
    assert names(code, vectors, query.text)[0] == "print_invoice"


def test_without_a_model_the_answer_says_so(code: Code) -> None:
    none = SymbolVectors(code, NoEmbedder("There is no model here."), 1000)
    view = code.view()
    found = search(view, Query("total price"), limit=5, mode="hybrid", vectors=none)
    assert (found.mode, found.pending) == ("keyword", 5)
    assert found.hits[0].scored.record.name == "total_price"
    assert any("There is no model here." in warning for warning in view.warnings)


class Moody:
    """A model that fails for as long as it is told to."""

    def __init__(self, embedder: OnnxEmbedder) -> None:
        self.embedder = embedder
        self.broken = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.embedder, name)

    def embed(self, texts: Sequence[str]) -> Any:
        if self.broken:
            raise RuntimeError("out of memory")
        return self.embedder.embed(texts)


def test_a_vector_that_failed_is_made_later_and_nobody_waits_for_it(
    code: Code, embedder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    moody = Moody(embedder)
    made = SymbolVectors(code, moody, 1000)  # type: ignore[arg-type]
    made._queue._back_off = 0.0
    view = code.view()
    made.follow(view.snapshot)
    assert made._queue.drain(30)
    moody.broken = False
    begun = time.process_time()
    search(view, Query("price"), limit=1, mode="hybrid", vectors=made)
    assert time.process_time() - begun < 0.5
    assert stored(code, made) == 0
    assert made.pending(view.snapshot) == 5
    monkeypatch.setattr(time, "monotonic", lambda now=time.monotonic: now() + REST_SECONDS)
    made.follow(view.snapshot)
    assert made._queue.drain(30)
    assert stored(code, made) == 5
    assert made.pending(view.snapshot) == 0
    made.close()


def test_a_word_that_nothing_holds_is_looked_for_by_meaning_alone(code: Code, vectors: SymbolVectors) -> None:
    assert names(code, vectors, "shipping") == names(code, vectors, "shipping", "semantic")
    assert names(code, vectors, "shipping")[0] == "Courier"
    view = code.view()
    query = Query("shipping")
    hit = search(view, query, limit=1, mode="hybrid", vectors=vectors).hits[0]
    told = explain(view, query, "shop.py", hit.scored.record.line_start, mode="hybrid", vectors=vectors)
    assert told.total == told.scoring["semantic"] == hit.scored.total


def test_what_never_gets_a_vector_is_found_by_its_words(
    repo: Repo, code: Code, vectors: SymbolVectors
) -> None:
    repo.put("limits.py", "LONGEST_WAIT_FOR_PARCEL = 30\n")
    view, query = code.view(), Query("longest wait for a parcel")
    assert names(code, vectors, query.text)[0] == "LONGEST_WAIT_FOR_PARCEL"
    told = explain(view, query, "limits.py", 1, mode="hybrid", vectors=vectors)
    assert told.reasons["semantic_reason"] == "no vector; its words count instead"


def test_meaning_counts_for_less_where_one_symbol_stands_out_by_its_words(
    repo: Repo, code: Code, vectors: SymbolVectors
) -> None:
    def weight(question: str) -> str:
        query = Query(question)
        told = explain(code.view(), query, "shop.py", 6, mode="hybrid", vectors=vectors)
        return told.reasons["semantic_reason"].partition("weighed ")[2]

    repo.put("many.py", "".join(f"def price_of_part{n}(basket):\n    return {n}\n" for n in range(12)))
    assert weight("price of the basket") > weight("total price costs of everything in the basket") >= "0.70"


def test_a_filter_hides_nothing_that_is_farther_away(repo: Repo, code: Code, vectors: SymbolVectors) -> None:
    crowd = "".join(f"def total_price_of_basket_{n}(basket):\n    return {n}\n" for n in range(110))
    repo.put("crowd.py", crowd)
    snapshot = code.view().snapshot
    vectors.follow(snapshot)
    vectors.wait(snapshot, 60.0)
    question = "what the total price of a basket is"
    assert names(code, vectors, question, "semantic", path_filter="shop.py")[0] == "total_price"
    assert "Courier" in names(code, vectors, question, "semantic", path_filter="shop.py")


def test_switched_off_nothing_waits(code: Code, embedder: OnnxEmbedder) -> None:
    off = SymbolVectors(code, embedder, 0)
    view = code.view()
    found = search(view, Query("total price"), limit=5, mode="semantic", vectors=off)
    assert (found.mode, found.pending) == ("keyword", 0)
    assert any("code.vectors" in warning for warning in view.warnings)
    assert stored(code, off) == 0


def test_a_serving_process_makes_them_unasked(code: Code, vectors: SymbolVectors) -> None:
    search(code.view(), Query("price"), limit=1, vectors=vectors)
    assert stored(code, vectors) == 0
    vectors.start()
    snapshot = code.view().snapshot
    vectors.wait(snapshot, 30)
    assert stored(code, vectors) == 5


@pytest.mark.parametrize(("limit", "few"), [(3, 512), (1000, 3)])
def test_vectors_of_what_is_gone_are_dropped_when_there_are_many(
    repo: Repo, code: Code, embedder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch, limit: int, few: int
) -> None:
    monkeypatch.setattr("cuedeck.code.search.vectors._FEW", few)
    small = SymbolVectors(code, embedder, limit)
    for number in range(12):
        repo.put("shop.py", f"def one_{number}():\n    return 1\n\n\ndef two_{number}():\n    return 2\n")
        snapshot = code.view().snapshot
        small.follow(snapshot)
        small.wait(snapshot, 30)
    assert small.pending(snapshot) == 0
    assert stored(code, small) <= 12
    small.close()
