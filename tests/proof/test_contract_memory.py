"""The memory deck from outside: memories in a graph, agent tasks, lessons from failures, code chunks."""

from __future__ import annotations

import re
from typing import Any

import pytest
from ground import Ground
from outside import Deck

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
TYPES = ("knowledge", "episode", "decision", "pattern", "code_chunk")
FAILURE = (
    "Traceback (most recent call last):\n"
    '  File "tools/report.py", line 9, in shout\n'
    "    return text.upper()\n"
    "AttributeError: 'NoneType' object has no attribute 'upper'\n"
)


@pytest.fixture(scope="module")
def deck(ground: Ground) -> Deck:
    return Deck(ground.door("http", "--decks", "memory"))


def test_a_memory_keeps_every_field_given(deck: Deck) -> None:
    given = {
        "type": "decision",
        "content": "Refresh tokens are rotated on every login",
        "title": "Rotation",
        "metadata": {"a": 1, "nested": {"b": [2.5, None, "é"]}},
        "tags": ["project:x", "auth"],
        "project": "x",
        "confidence": 0.5,
        "source_task": "X-TASK-001",
    }
    stored = deck.good("store", **given)
    assert re.fullmatch(r"memory:\w+", stored["id"])
    assert {name: stored[name] for name in given} == given
    assert isinstance(stored["links"], list)
    read = deck.good("read", id=stored["id"])
    assert {name: read[name] for name in given} == given
    assert read["access_count"] == 1
    assert TIME.fullmatch(read["last_accessed"])
    assert deck.good("read", id=stored["id"])["access_count"] == 2


@pytest.mark.parametrize("type", TYPES)
def test_every_type_and_the_defaults(deck: Deck, type: str) -> None:
    stored = deck.good("store", type=type, content=f"something of type {type}")
    assert (stored["confidence"], stored["tags"], stored["metadata"]) == (1.0, [], {})


def test_similar_memories_are_linked_at_once(deck: Deck) -> None:
    first = deck.good("store", type="knowledge", content="PostgreSQL vacuum removes dead rows from tables")
    second = deck.good("store", type="knowledge", content="Dead rows of PostgreSQL tables go with vacuum")
    (link, *_) = second["links"]
    assert link["id"] == first["id"]
    assert 0.0 < link["strength"] <= 1.0
    assert link["reason"]
    related = deck.good("read", id=first["id"])["related_memories"]
    assert (related[0]["id"], related[0]["depth"]) == (second["id"], 1)


def test_search_answers_twice_within_its_budget(deck: Deck) -> None:
    for number in range(4):
        text = f"Caching layer {number}: invalidation happens by key prefix. " + "More words follow. " * 60
        deck.good("store", type="pattern", content=text, tags=["cache", f"n{number}"], project="budget")
    found = deck.good("search", query="caching invalidated", project="budget", max_results=3, max_tokens=300)
    assert found["total_count"] == 4
    assert len(found["index"]) == 3
    for entry in found["index"]:
        assert {"id", "title", "type", "score", "snippet"} <= entry.keys()
        assert 0.0 <= entry["score"] <= 1.0
    assert [entry["score"] for entry in found["index"]] == sorted(
        (entry["score"] for entry in found["index"]), reverse=True
    )
    assert 1 <= len(found["details"]) <= 3
    assert {"id", "content", "metadata", "related"} <= found["details"][0].keys()
    one = deck.good("search", query="caching", tags=["cache", "n2"])
    assert one["total_count"] == 1
    assert deck.good("search", query="caching", tags=["cache", "n2", "other"])["total_count"] == 0
    assert deck.good("search", query="caching", type="episode", project="budget")["index"] == []
    tiny = deck.good("search", query="caching", project="budget", max_tokens=1)
    assert len(tiny["details"]) == 1


def test_an_update_keeps_what_is_not_named(deck: Deck) -> None:
    memory = deck.good("store", type="knowledge", content="Before", title="T", metadata={"a": 1}, tags=["x"])
    changed = deck.good("update", id=memory["id"], metadata={"b": 2})
    assert changed["metadata"] == {"a": 1, "b": 2}
    assert (changed["content"], changed["title"], changed["tags"]) == ("Before", "T", ["x"])
    changed = deck.good("update", id=memory["id"], content="Quite different words", tags=["y"], confidence=0)
    assert (changed["tags"], changed["confidence"]) == (["y"], 0.0)
    assert memory["id"] in [item["id"] for item in deck.good("search", query="different")["index"]]


def test_deleted_is_hidden_everywhere_and_restorable(deck: Deck, ground: Ground) -> None:
    memory = deck.good("store", type="knowledge", content="Ephemeral zebra fact")
    gone = deck.good("delete", id=memory["id"])
    assert gone["deleted"] is True
    for tool, extra in (("read", {}), ("update", {"title": "x"}), ("delete", {})):
        assert deck.bad(tool, id=memory["id"], **extra)["code"] == "NOT_FOUND"
    assert memory["id"] not in [item["id"] for item in deck.good("search", query="zebra")["index"]]
    assert ground.cue("memory", "restore", memory["id"]).returncode == 0
    assert deck.good("read", id=memory["id"])["content"] == "Ephemeral zebra fact"


def test_links_by_hand_and_the_graph(deck: Deck) -> None:
    names = ("quartz", "violin", "harbour", "pepper")
    ids = [deck.good("store", type="knowledge", content=f"{name} only")["id"] for name in names]
    edge = deck.good("link", from_id=ids[0], to_id=ids[1], reason="because")
    assert (edge["from_id"], edge["to_id"]) == (ids[0], ids[1])
    assert (edge["strength"], edge["reason"]) == (0.8, "because")
    deck.good("link", from_id=ids[1], to_id=ids[2], strength=1)
    deck.good("link", from_id=ids[2], to_id=ids[3], strength=0)
    by_depth = {
        depth: {item["id"] for item in deck.good("read", id=ids[0], depth=depth)["related_memories"]}
        for depth in (1, 2, 3)
    }
    assert ids[1] in by_depth[1]
    assert ids[2] in by_depth[2]
    assert ids[3] in by_depth[3]
    found = deck.good("search", query="quartz", include_graph=True)["details"][0]
    assert ids[1] in [item["id"] for item in found["related"]]


def test_statistics_add_up(deck: Deck) -> None:
    deck.good("store", type="pattern", content="counted", project="counts", confidence=0.25)
    deck.good("store", type="decision", content="counted too", project="counts", confidence=0.75)
    counted = deck.good("stats", project="counts")
    assert counted["total"] == 2
    assert counted["by_type"] == {"pattern": 1, "decision": 1}
    assert counted["by_project"] == {"counts": 2}
    assert counted["avg_confidence"] == 0.5
    assert isinstance(counted["total_links"], int)
    assert isinstance(counted["pending_embeddings"], int)
    assert deck.good("stats", project="counts", type="pattern")["total"] == 1


def test_tasks_from_epic_to_done(deck: Deck) -> None:
    epic = deck.good("create_task", project="CA", name="Epic", type="epic")
    assert epic["task_id"] == "CA-EPIC-001"
    late = deck.good("create_task", project="CA", name="Late", priority=1, parent=epic["task_id"])
    assert late["task_id"] == "CA-TASK-001"
    waiting = deck.good("create_task", project="CA", name="Waits", depends_on=[late["task_id"]], priority=1)
    easy = deck.good("create_task", project="CA", name="Easy")
    assert (easy["priority"], easy["type"], easy["status"]) == (3, "task", "pending")
    assert deck.good("create_task", project="ZZ", name="Own counter")["task_id"] == "ZZ-TASK-001"
    assert deck.good("get_next_task", project="CA")["task"]["task_id"] == late["task_id"]
    done = deck.good("complete_task", task_id=late["task_id"], summary="it went well")
    assert (done["status"], done["summary"]) == ("done", "it went well")
    assert deck.good("get_next_task", project="CA")["task"]["task_id"] == waiting["task_id"]
    pending = deck.good("list_tasks", project="CA", status="pending", type="task")
    assert {task["task_id"] for task in pending} == {waiting["task_id"], easy["task_id"]}
    assert [task["task_id"] for task in deck.good("list_tasks", type="epic")] == [epic["task_id"]]
    nothing = deck.good("get_next_task", project="NONE")
    assert nothing["task"] is None
    assert nothing["reason"]


def test_a_claim_is_nobody_elses(deck: Deck) -> None:
    for number in range(2):
        deck.good("create_task", project="CL", name=f"claim {number}", files_exclusive=["a.py"])
    first = deck.good("get_next_task", project="CL", claim=True, agent="ann")["task"]
    assert first["status"] == "in_progress"
    nameless = deck.bad("get_next_task", project="CL", claim=True)
    assert (nameless["code"], nameless["data"]["field"]) == ("VALIDATION_ERROR", "agent")
    held = deck.good("get_next_task", project="CL", claim=True, agent="bob")
    assert held["task"] is None
    deck.good("complete_task", task_id=first["task_id"])
    assert deck.good("get_next_task", project="CL", claim=True, agent="bob")["task"] is not None


def test_a_reflection_is_about_this_failure_and_remembered(deck: Deck) -> None:
    told = deck.good(
        "reflect",
        output="shout(None)",
        feedback=FAILURE,
        feedback_type="test_failure",
        task="render the report",
        model_used="opus",
    )
    for field in ("what_went_wrong", "root_cause", "what_to_try_next", "general_lesson"):
        assert told[field]
    assert "AttributeError" in told["what_went_wrong"]
    assert "tools/report.py" in told["what_went_wrong"] + told["root_cause"]
    assert deck.good("read", id=told["episode_id"])["type"] == "episode"
    again = deck.good("reflect", output="shout(None)", feedback=FAILURE.replace("line 9", "line 19"))
    assert told["episode_id"] in [episode["id"] for episode in again["similar"]]
    assert again["signature"] == told["signature"]


def test_guidance_and_models_rest_on_evidence(deck: Deck) -> None:
    guidance = deck.good(
        "improved_attempt", task="render the report", original_output="shout(None)", error_pattern="KeyError"
    )
    assert ": )" not in guidance["guidance"]
    names = {"guidance", "what_worked", "what_did_not_work", "recommended_approach", "similar_episodes"}
    assert names | {"confidence"} <= guidance.keys()
    nothing = deck.good("model_effectiveness", task_pattern="paint the fence")
    assert nothing["confidence"] <= 0.2
    assert {"recommended_model", "confidence", "reasoning", "evidence"} <= nothing.keys()


def test_a_source_file_becomes_chunks_once(deck: Deck, ground: Ground) -> None:
    first = deck.good("index_file", file_path="tools/report.py", project="chunks")
    assert first["chunks_created"] > 0
    again = deck.good("index_file", file_path="tools/report.py", project="chunks")
    assert (again["skipped"], again["chunks_created"]) == (True, 0)
    file = ground.root / "tools/report.py"
    clean = file.read_text()
    file.write_text(clean.replace("text.upper()", "text.lower()"))
    changed = deck.good("index_file", file_path="tools/report.py", project="chunks")
    file.write_text(clean)
    assert changed["chunks_updated"] >= 1
    assert changed["chunks_created"] == 0
    found = deck.good("search", query="shout", type="code_chunk", project="chunks")
    assert found["total_count"] >= 1


def test_a_secret_is_masked_and_counted(deck: Deck) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    answer = deck.raw("store", type="knowledge", content=f"the token is {token}")["result"]
    assert answer["_meta"]["masked"] == 1
    assert token not in answer["content"][0]["text"]


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("store", {"type": "fact", "content": "x"}, "VALIDATION_ERROR"),
        ("store", {"type": "knowledge"}, "VALIDATION_ERROR"),
        ("store", {"type": "knowledge", "content": " "}, "VALIDATION_ERROR"),
        ("store", {"type": "knowledge", "content": "x", "confidence": 1.01}, "VALIDATION_ERROR"),
        ("store", {"type": "knowledge", "content": "x", "confidence": -0.01}, "VALIDATION_ERROR"),
        ("store", {"type": "knowledge", "content": "x", "tags": "a"}, "VALIDATION_ERROR"),
        ("store", {"type": "knowledge", "content": "x", "metadata": []}, "VALIDATION_ERROR"),
        ("search", {}, "VALIDATION_ERROR"),
        ("search", {"query": "x", "type": "fact"}, "VALIDATION_ERROR"),
        ("search", {"query": "x", "max_results": 0}, "VALIDATION_ERROR"),
        ("read", {"id": "memory:none"}, "NOT_FOUND"),
        ("read", {"id": "memory:none", "depth": 4}, "VALIDATION_ERROR"),
        ("read", {"id": "memory:none", "depth": 0}, "VALIDATION_ERROR"),
        ("update", {"id": "memory:none", "title": "x"}, "NOT_FOUND"),
        ("delete", {"id": "memory:none"}, "NOT_FOUND"),
        ("link", {"from_id": "memory:none", "to_id": "memory:other"}, "NOT_FOUND"),
        ("create_task", {"project": "CA"}, "VALIDATION_ERROR"),
        ("create_task", {"project": "CA", "name": "x", "priority": 0}, "VALIDATION_ERROR"),
        ("create_task", {"project": "CA", "name": "x", "priority": 6}, "VALIDATION_ERROR"),
        ("create_task", {"project": "CA", "name": "x", "type": "story"}, "VALIDATION_ERROR"),
        ("create_task", {"project": "CA", "name": "x", "depends_on": ["CA-TASK-999"]}, "VALIDATION_ERROR"),
        ("create_task", {"project": "CA", "name": "x", "parent": "CA-EPIC-999"}, "NOT_FOUND"),
        ("complete_task", {"task_id": "CA-TASK-999"}, "NOT_FOUND"),
        ("list_tasks", {"status": "open"}, "VALIDATION_ERROR"),
        ("reflect", {"output": "x"}, "VALIDATION_ERROR"),
        ("index_file", {"file_path": "none.py"}, "NOT_FOUND"),
        ("index_file", {"file_path": "../none.py"}, "VALIDATION_ERROR"),
        ("index_file", {"file_path": "/etc/hosts"}, "VALIDATION_ERROR"),
    ],
)
def test_errors_are_the_contracts(deck: Deck, tool: str, arguments: dict[str, Any], code: str) -> None:
    error = deck.bad(tool, **arguments)
    assert error["code"] == code
    assert isinstance(error["error"], str)
    assert error["error"]


def test_an_unknown_episode_does_not_complete_a_task(deck: Deck) -> None:
    task = deck.good("create_task", project="RB", name="x")["task_id"]
    assert deck.bad("complete_task", task_id=task, resolved_by="memory:none")["code"] == "NOT_FOUND"
    assert deck.good("list_tasks", project="RB")[0]["status"] == "pending"


def test_a_memory_says_when_the_code_it_cites_has_changed(own_ground: Ground) -> None:
    code = own_ground.root / "cited_module.py"
    code.write_text("def cited_by_a_memory():\n    return 1\n")
    deck = Deck(own_ground.door("process", "--decks", "memory,code"))
    assert deck.good("locate_symbol", name="cited_by_a_memory")["results"]
    stored = deck.good("store", type="knowledge", content="`cited_by_a_memory()` returns one")
    assert "stale_citations" not in deck.good("read", id=stored["id"])
    located = deck.good("locate_symbol", name="cited_by_a_memory")
    assert located["cited_by"] == [stored["id"]]
    code.write_text("def cited_by_a_memory():\n    return 2\n")
    (changed,) = deck.good("read", id=stored["id"])["stale_citations"]
    assert (changed["path"], changed["change"]) == ("cited_module.py", "modified")
    found = deck.good("search", query="what returns one")
    assert list(found["stale_citations"]) == [stored["id"]]
    around = deck.good("citations", of="cited_by_a_memory")
    assert [thing["name"] for thing in around["cited_by"]] == [stored["id"]]
