"""Finding memories: filters, ranking, totals, details, explanations and the past."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cuedeck.config.sections import SearchSection
from cuedeck.memory import answer, past
from cuedeck.memory.memories import Memories
from cuedeck.memory.model import Draft, MemoryType
from cuedeck.memory.query import Filters, Fusion, Query
from cuedeck.model.clock import now_ms
from cuedeck.model.errors import CueError
from cuedeck.search.embedder import OnnxEmbedder, open_embedder
from cuedeck.search.tokens import count_tokens

from .conftest import ACTOR, knowledge

FACTS = (
    "PostgreSQL listens on port 5432 in staging",
    "The deploy script needs AWS credentials in the environment",
    "Use exponential back-off when the payment API answers 429",
    "The build fails when the lock file is stale",
    "parseHTTPRequest drops trailing headers",
)


@pytest.fixture
def facts(memories: Memories) -> dict[str, str]:
    """The ids of some memories by content."""
    return {text: memories.store(knowledge(text, project="p"), actor=ACTOR).memory.id for text in FACTS}


def contents(memories: Memories, query: Query) -> list[str]:
    return [hit.memory.content for hit in memories.search(query).hits]


def test_finds_by_word_stem_identifier_and_meaning(memories: Memories, facts: dict[str, str]) -> None:
    assert contents(memories, Query("deploying scripts"))[0] == FACTS[1]
    assert contents(memories, Query("parse_http_request"))[0] == FACTS[4]
    assert contents(memories, Query("how to retry after being rate limited"))[0] == FACTS[2]


@pytest.mark.parametrize("fusion", list(Fusion))
def test_scores_are_shares_and_fall(memories: Memories, facts: dict[str, str], fusion: Fusion) -> None:
    scores = [hit.score for hit in memories.search(Query("deploy the build", fusion=fusion)).hits]
    assert scores and scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)


def test_filters_come_before_ranking(memories: Memories) -> None:
    for number in range(30):
        memories.store(knowledge(f"release notes number {number}", project="loud"), actor=ACTOR)
    wanted = memories.store(
        Draft(
            MemoryType.DECISION, "the release notes are written by hand", tags=("a", "b c,d"), project="quiet"
        ),
        actor=ACTOR,
    ).memory.id
    for filters in (
        Filters(project="quiet"),
        Filters(type=MemoryType.DECISION),
        Filters(tags=("b c,d",)),
        Filters(type=MemoryType.DECISION, project="quiet", tags=("a", "b c,d")),
    ):
        found = memories.search(Query("release notes", filters, max_results=1))
        assert ([hit.memory.id for hit in found.hits], found.total) == ([wanted], 1)
    assert memories.search(Query("release notes", Filters(tags=("a", "missing")))).total == 0


def test_total_counts_every_match(memories: Memories) -> None:
    memories.store_many([knowledge(f"walrus fact {number}") for number in range(130)], actor=ACTOR)
    memories.store_many([knowledge(f"Steuererklärung {number} 税金") for number in range(20)], actor=ACTOR)
    found = memories.search(Query("walrus", max_results=7))
    assert len(found.hits) == 7 and found.total >= 130
    assert memories.completion.drain(60)
    assert memories.search(Query("walrus", max_results=7)).total == 130


def test_words_that_all_of_a_project_holds_still_find(without_model: Memories) -> None:
    for text in ("walrus one", "walrus two", "walrus three"):
        without_model.store(knowledge(text, project="p"), actor=ACTOR)
    found = without_model.search(Query("walrus two", Filters(project="p")))
    assert found.hits[0].memory.content == "walrus two"
    assert len(found.hits) == found.total == 3


def test_a_word_of_half_a_project_still_ranks(without_model: Memories) -> None:
    wanted = "archive closed milestones of teams"
    others = ["archive photographs", "lamp", "chair", "table", "door", "window"]
    for text in (wanted, *others, *(f"milestone number {number}" for number in range(6))):
        without_model.store(knowledge(text, project="p"), actor=ACTOR)
    assert contents(without_model, Query("archive milestone", Filters(project="p")))[0] == wanted


def test_a_name_that_only_one_project_speaks_of_says_little_inside_it(without_model: Memories) -> None:
    wanted = "Caroline made a bowl of clay at the pottery course that her sister gave"
    drafts = [knowledge(f"Caroline said Caroline {number}", project="p") for number in range(8)]
    elsewhere = [knowledge(f"pottery and gardens {number}", project="other") for number in range(60)]
    without_model.store_many([knowledge(wanted, project="p"), *drafts, *elsewhere], actor=ACTOR)
    assert contents(without_model, Query("Caroline pottery", Filters(project="p")))[0] == wanted


def test_fewer_results_are_the_beginning_of_more(memories: Memories, facts: dict[str, str]) -> None:
    many = contents(memories, Query("the build script fails", max_results=50))
    for size in (1, 2, 3):
        assert contents(memories, Query("the build script fails", max_results=size)) == many[:size]


def test_ties_go_to_confidence_then_the_newer(without_model: Memories) -> None:
    texts = ["same words here a1", "same words here a2", "same words here a3"]
    for text, confidence in zip(texts, (0.5, 0.9, 0.5), strict=True):
        without_model.store(knowledge(text, confidence=confidence), actor=ACTOR)
        time.sleep(0.002)
    assert contents(without_model, Query("same words")) == [texts[1], texts[2], texts[0]]


def test_the_model_is_loaded_only_when_there_is_a_vector_to_compare_with(
    make_memories: Callable[..., Memories], without_model: Memories
) -> None:
    model = open_embedder(SearchSection(), Path())
    assert isinstance(model, OnnxEmbedder)
    memories = make_memories(model=model)
    without_model.store(knowledge(FACTS[1]), actor=ACTOR)
    found = memories.search(Query("credentials"))
    assert (found.total, found.semantic) == (1, False)
    assert not model._started
    memories.store(knowledge(FACTS[0]), actor=ACTOR)
    assert memories.search(Query("credentials")).semantic


def test_without_a_model_keywords_answer(without_model: Memories) -> None:
    stored = without_model.store(knowledge(FACTS[1]), actor=ACTOR)
    assert not stored.complete and stored.links == ()
    found = without_model.search(Query("credentials"))
    assert (found.total, found.semantic) == (1, False)
    assert without_model.pending() == 1


def test_details_fit_the_budget_and_the_last_is_marked(memories: Memories) -> None:
    for number in range(6):
        words = " ".join(f"word{number}{index}" for index in range(150))
        memories.store(knowledge(f"zebra {number} {words}"), actor=ACTOR)
    for budget in (120, 700, 2000, 100_000):
        value = answer.to_json(memories.search(Query("zebra")), budget)
        details = value["details"]
        assert len(value["index"]) == 6 and details
        cost = sum(count_tokens(json.dumps(detail, ensure_ascii=False)) for detail in details)
        assert cost <= budget
        cut = [detail for detail in details if detail.get("truncated")]
        assert cut in ([], details[-1:])
        assert all(detail["content"].endswith(answer.MARK) for detail in cut)


def test_at_least_one_detail_whatever_the_budget(memories: Memories) -> None:
    memories.store(knowledge("zebra " + "stripes " * 500), actor=ACTOR)
    (detail,) = answer.to_json(memories.search(Query("zebra")), 1)["details"]
    assert detail["truncated"] and detail["content"].startswith("zebra")


def test_enormous_metadata_does_not_break_the_budget(memories: Memories) -> None:
    memories.store(knowledge("zebra crossing", metadata={"big": "stripes " * 5000}), actor=ACTOR)
    (detail,) = answer.to_json(memories.search(Query("zebra")), 300)["details"]
    assert detail["truncated"] and detail["metadata"] == {} and detail["content"] == "zebra crossing"
    assert count_tokens(json.dumps(detail)) <= 300


def test_snippets_show_the_match(memories: Memories) -> None:
    memories.store(knowledge("filler " * 200 + "the heron nests in March " + "filler " * 200), actor=ACTOR)
    (line,) = answer.to_json(memories.search(Query("heron nests")), 100)["index"]
    assert "heron nests in March" in line["snippet"] and len(line["snippet"]) <= 240


def test_neighbours_come_along_when_asked(memories: Memories, facts: dict[str, str]) -> None:
    memories.link(facts[FACTS[0]], facts[FACTS[3]], reason="both break staging", strength=0.7, actor=ACTOR)
    query = Query("PostgreSQL port", include_graph=True)
    detail = answer.to_json(memories.search(query), 2000)["details"][0]
    assert facts[FACTS[3]] in [one["id"] for one in detail["related"]]
    assert answer.to_json(memories.search(Query("PostgreSQL port")), 2000)["details"][0]["related"] == []


def test_an_explanation_sums_to_the_score(memories: Memories, facts: dict[str, str]) -> None:
    def leaves(part: dict[str, object]) -> float:
        below = part.get("parts")
        return sum(map(leaves, below)) if below else float(part["value"])  # type: ignore[arg-type]

    for fusion in Fusion:
        value = answer.to_json(memories.search(Query("stale lock file", explain=True, fusion=fusion)), 500)
        for line in value["index"]:
            assert line["explanation"]["value"] == pytest.approx(line["score"], abs=1e-5)
            assert leaves(line["explanation"]) == pytest.approx(line["score"], abs=1e-5)


def test_the_same_question_gets_the_same_answer(memories: Memories, facts: dict[str, str]) -> None:
    query = Query("the staging build", explain=True)
    first = answer.to_json(memories.search(query), 2000)
    assert all(answer.to_json(memories.search(query), 2000) == first for _ in range(3))


def test_the_past_has_the_links_it_had(without_model: Memories) -> None:
    memories = without_model
    raven, owl, hawk, crow = (
        memories.store(knowledge(f"the {bird} sits"), actor=ACTOR).memory.id
        for bird in ("raven", "owl", "hawk", "crow")
    )
    memories.link(raven, owl, reason="both black", strength=0.4, actor=ACTOR)
    memories.link(raven, hawk, reason="both hunt", strength=0.8, actor=ACTOR)
    time.sleep(0.005)
    then = now_ms()
    time.sleep(0.005)
    memories.link(raven, owl, reason="both fly at night", strength=0.9, actor=ACTOR)
    memories.link(crow, raven, reason="cousins", strength=0.7, actor=ACTOR)
    memories.update(owl, {"content": "the owl flies"}, actor=ACTOR)
    memories.delete(hawk, actor=ACTOR)

    def linked(as_of: int | None) -> list[tuple[str, str, float]]:
        found = memories.search(Query("raven", include_graph=True, as_of=as_of))
        return [(one.memory.content, one.reason, one.strength) for one in found.related[raven]]

    assert linked(then) == [("the hawk sits", "both hunt", 0.8), ("the owl sits", "both black", 0.4)]
    assert linked(None) == [("the owl flies", "both fly at night", 0.9), ("the crow sits", "cousins", 0.7)]


def test_the_past_is_as_it_was(memories: Memories) -> None:
    kept = memories.store(knowledge("the raven sits on the tower"), actor=ACTOR).memory
    changed = memories.store(knowledge("the owl sits in the barn", tags=("night",)), actor=ACTOR).memory
    deleted = memories.store(knowledge("the hawk sits on a wire"), actor=ACTOR).memory
    time.sleep(0.01)
    then = now_ms()
    time.sleep(0.01)
    memories.update(changed.id, {"content": "taxes are due in May", "tags": ["money"]}, actor=ACTOR)
    memories.delete(deleted.id, actor=ACTOR)
    memories.store(knowledge("the crow sits on a fence"), actor=ACTOR)

    def seen(query: Query) -> set[str]:
        return {hit.memory.content for hit in memories.search(query).hits}

    assert seen(Query("sits")) == {"the raven sits on the tower", "the crow sits on a fence"}
    before = {"the raven sits on the tower", "the owl sits in the barn", "the hawk sits on a wire"}
    assert seen(Query("sits", as_of=then)) == before
    assert memories.search(Query("sits", as_of=then)).total == 3
    assert seen(Query("where do birds of prey rest", as_of=then)) & {"the hawk sits on a wire"}
    assert seen(Query("sits", Filters(tags=("night",)), as_of=then)) == {"the owl sits in the barn"}
    assert seen(Query("taxes", Filters(tags=("money",)), as_of=then)) == set()
    assert seen(Query("sits", as_of=kept.created_at)) == {"the raven sits on the tower"}


def test_all_that_matched_in_the_past_is_counted_though_few_are_ranked(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    for bird in ("raven", "owl", "hawk", "crow"):
        memories.store(knowledge(f"the {bird} sits on the roof"), actor=ACTOR)
    monkeypatch.setattr(past, "CANDIDATES", 1)
    found = memories.search(Query("sits", as_of=now_ms()))
    assert found.total == 4 and 1 <= len(found.hits) <= 2


def test_times_the_feed_does_not_reach_are_refused(memories: Memories) -> None:
    for at in (0, now_ms() + 10_000):
        with pytest.raises(CueError):
            memories.search(Query("anything", as_of=at))
