"""The context deck from outside: documents, cards, errors with the contract's numbers, rate limits."""

from __future__ import annotations

import hashlib
import re
import time
from typing import Any

import pytest
from ground import Ground
from outside import Deck, Stdio

CARD = re.compile(r"[a-z0-9]{6}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


@pytest.fixture(scope="module", params=["daemon", "http"])
def deck(request: pytest.FixtureRequest, ground: Ground) -> Deck:
    return ground.deck(request.param, "context")


def test_it_lists_the_seven_tools_under_their_own_names(deck: Deck) -> None:
    tools = deck.door.ask("tools/list")["result"]["tools"]
    assert {tool["name"] for tool in tools} == {
        "read_context",
        "read_doc",
        "list_tasks",
        "create_task",
        "get_task_dependencies",
        "validate_task_graph",
        "update_task",
    }
    assert all(tool["outputSchema"]["type"] == "object" for tool in tools)


def test_read_context_finds_documents_and_source_with_hash_tokens_and_anchors(
    deck: Deck, ground: Ground
) -> None:
    found = deck.good("read_context", query="login flow", mode="keyword")
    best = found[0]
    assert best["path"] == "docs/auth.md"
    assert best["hash"] == hashlib.sha256((ground.root / "docs/auth.md").read_bytes()).hexdigest()
    assert isinstance(best["tokens"], int)
    assert best["tokens"] > 0
    assert "Login Flow" in best["anchors"]
    assert len(best["anchors"]) <= 3
    (source,) = deck.good("read_context", query="validate_token", mode="keyword", limit=1)
    assert source["path"] == "src/auth/jwt.rs"
    assert source["anchors"][0] == "validate_token"


def test_modes_are_chosen_as_the_contract_says(deck: Deck) -> None:
    assert deck.meta("read_context", query="login", mode="keyword")["mode_used"] == "keyword"
    assert deck.meta("read_context", query="login", mode="keyword", semantic=True)["mode_used"] == "keyword"
    assert deck.meta("read_context", query="login", semantic=True)["mode_used"] in ("semantic", "keyword")
    assert deck.meta("read_context", query="login")["mode_used"] in ("hybrid", "keyword")
    assert isinstance(deck.meta("read_context", query="login")["pending"], int)


def test_filters_are_any_of_the_tags_in_any_case(deck: Deck) -> None:
    found = deck.good("read_context", query="tokens login", filters={"tags": ["SECURITY", "nothing"]})
    assert [item["path"] for item in found] == ["docs/auth.md"]
    card = deck.good("create_task", title="Filter me", priority="high", assignee="Ann", tags=["filter"])
    found = deck.good("read_context", query="filter", filters={"priority": "HIGH", "assignee": "ann"})
    assert card["path"] in [item["path"] for item in found]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "query"),
        ({"query": ""}, "query"),
        ({"query": "x" * 201}, "query"),
        ({"query": 3}, "query"),
        ({"query": "a", "limit": 0}, "limit"),
        ({"query": "a", "limit": 51}, "limit"),
        ({"query": "a", "limit": 1.5}, "limit"),
        ({"query": "a", "limit": "5"}, "limit"),
        ({"query": "a", "limit": True}, "limit"),
        ({"query": "a", "mode": "fuzzy"}, "mode"),
        ({"query": "a", "semantic": "yes"}, "semantic"),
        ({"query": "a", "filters": []}, "filters"),
        ({"query": "a", "filters": {"tags": "auth"}}, "filters.tags"),
        ({"query": "a", "filters": {"tag": ["auth"]}}, "filters.tag"),
        ({"query": "a", "extra": 1}, "extra"),
    ],
)
def test_what_breaks_a_limit_is_1010_with_field_expected_actual(
    deck: Deck, arguments: dict[str, Any], field: str
) -> None:
    error = deck.bad("read_context", **arguments)
    assert error["code"] == 1010
    assert error["data"]["field"] == field
    assert {"expected", "actual"} <= error["data"].keys()


def test_limits_hold_at_their_edges(deck: Deck) -> None:
    assert deck.good("read_context", query="x" * 200, mode="keyword") == []
    assert len(deck.good("read_context", query="auth", limit=1)) == 1
    assert deck.good("read_context", query="auth", limit=50)
    asked = {"query": "auth", "mode": "keyword"}
    assert deck.good("read_context", **asked, limit=2.0) == deck.good("read_context", **asked, limit=2)


def test_read_doc_whole(deck: Deck, ground: Ground) -> None:
    raw = (ground.root / "docs/auth.md").read_bytes()
    document = deck.good("read_doc", path="docs/auth.md")
    assert document["content"] == raw.decode().strip()
    assert document["hash"] == hashlib.sha256(raw).hexdigest()
    assert document["anchor"] is None
    assert document["line_range"] is None
    assert isinstance(document["cached"], bool)
    assert deck.good("read_doc", path="docs/../docs/auth.md")["path"] == "docs/auth.md"


@pytest.mark.parametrize("anchor", ["Login Flow", "LOGIN FLOW", "login-flow"])
def test_read_doc_section(deck: Deck, anchor: str) -> None:
    section = deck.good("read_doc", path="docs/auth.md", anchor=anchor)
    assert section["content"].startswith("## Login Flow")
    assert section["content"].endswith("A code.")
    assert section["anchor"] == anchor
    assert section["line_range"] == {"start": 10, "end": 16}
    assert section["hash"] == hashlib.sha256(section["content"].encode()).hexdigest()


def test_headings_in_fences_are_no_headings(deck: Deck) -> None:
    assert "Four of them." in deck.good("read_doc", path="docs/auth.md", anchor="Error Codes")["content"]
    error = deck.bad("read_doc", path="docs/auth.md", anchor="not a heading")
    assert error["code"] == 1001
    assert error["data"]["available_anchors"] == [
        "Authentication",
        "Login Flow",
        "Second Factor",
        "Error Codes",
    ]


def test_what_is_missing_is_1001_with_a_suggestion(deck: Deck) -> None:
    error = deck.bad("read_doc", path="docs/auht.md")
    assert (error["code"], error["message"]) == (1001, "File Not Found")
    assert error["data"] == {"path": "docs/auht.md", "suggestion": "Did you mean 'docs/auth.md'?"}
    error = deck.bad("read_doc", path="docs/auth.md", anchor="Logn Flow")
    assert error["code"] == 1001
    assert "Login Flow" in error["data"]["suggestion"]


@pytest.mark.parametrize(
    "path",
    ["../x.md", "docs/../../x.md", "/etc/hosts.md", "a\0.md", "", "C:\\x.md", "src/lib.rs", "docs", "out.md"],
)
def test_paths_stay_inside(deck: Deck, ground: Ground, path: str) -> None:
    outside = ground.root.parent / "outside.md"
    outside.write_text("# Secret\n")
    if not (ground.root / "out.md").is_symlink():
        (ground.root / "out.md").symlink_to(outside)
    assert deck.bad("read_doc", path=path)["code"] == 1010


def test_a_file_that_is_no_text_is_refused(deck: Deck, ground: Ground) -> None:
    (ground.root / "latin.md").write_bytes(b"# caf\xe9\n")
    assert deck.bad("read_doc", path="latin.md")["code"] == 1010


def test_a_card_from_birth_to_archive(deck: Deck, ground: Ground) -> None:
    first = deck.good("create_task", title="Set up", tags=["Auth"], priority="high", assignee="@dev")
    assert CARD.fullmatch(first["id"])
    assert first["path"] == f".cuedeck/cards/{first['id']}.md"
    assert TIME.fullmatch(first["metadata"].pop("created"))
    assert first["metadata"] == {
        "title": "Set up",
        "status": "todo",
        "priority": "high",
        "assignee": "@dev",
        "tags": ["Auth"],
        "depends_on": [],
    }
    second = deck.good("create_task", title="Build", depends_on=[first["id"]])
    assert second["metadata"]["priority"] == "medium"
    assert second["metadata"]["assignee"] is None
    assert deck.good("get_task_dependencies", id=second["id"]) == {
        "task_id": second["id"],
        "type": "dependencies",
        "count": 1,
        "tasks": [{"id": first["id"], "title": "Set up", "status": "todo"}],
    }
    dependents = deck.good("get_task_dependencies", id=first["id"], reverse=True)
    assert (dependents["type"], dependents["count"]) == ("dependents", 1)
    assert deck.good("validate_task_graph", id=second["id"])["valid"] is True
    (listed,) = deck.good("list_tasks", status="todo", assignee="@DEV", tags=["auth", "x"], created="today")
    assert listed["id"] == first["id"]
    changed = deck.good(
        "update_task", id=first["id"], updates={"status": "archived", "priority": "low", "notes": "a note"}
    )
    assert TIME.fullmatch(changed.pop("updated_at"))
    assert changed == {
        "id": first["id"],
        "title": "Set up",
        "status": "archived",
        "assignee": "@dev",
        "priority": "low",
        "updated_fields": ["status", "priority", "notes"],
    }
    text = (ground.root / first["path"]).read_text()
    assert re.search(r"^## Notes$", text, re.MULTILINE)
    assert "a note" in text
    assert first["id"] in [task["id"] for task in deck.good("list_tasks")]
    assert deck.good("read_doc", path=first["path"])["path"] == first["path"]


def test_an_update_keeps_every_other_byte(deck: Deck, ground: Ground) -> None:
    card = deck.good("create_task", title="Keep")
    file = ground.root / card["path"]
    text = file.read_text().replace("status: todo", "status: todo  # why\nx-own:   { a: 1 }") + "\n  tail\t\n"
    file.write_text(text)
    deck.good("update_task", id=card["id"], updates={"status": "done"})
    now = file.read_text()
    assert re.sub(r"(?m)^updated: .*$", "", now) == re.sub(
        r"(?m)^updated: .*$", "", text.replace("status: todo ", "status: done ")
    )


def test_tasks_come_by_priority_then_newest(deck: Deck) -> None:
    mark = f"order{id(deck)}"
    for title, priority in (("1", "low"), ("2", "critical"), ("3", "medium"), ("4", "critical")):
        deck.good("create_task", title=title, priority=priority, tags=[mark])
    assert [task["title"] for task in deck.good("list_tasks", tags=[mark.upper()])] == ["4", "2", "3", "1"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_task", {"title": ""}),
        ("create_task", {"title": " \t "}),
        ("create_task", {"title": "x" * 201}),
        ("create_task", {"title": "x", "priority": "urgent"}),
        ("create_task", {"title": "x", "depends_on": ["TOO-LONG"]}),
        ("create_task", {"title": "x", "tags": "auth"}),
        ("list_tasks", {"status": "open"}),
        ("list_tasks", {"created": "some day"}),
        ("list_tasks", {"created": ">2x"}),
        ("list_tasks", {"updated": "2024-13-01"}),
        ("list_tasks", {"priority": "HIGHEST"}),
        ("get_task_dependencies", {}),
        ("get_task_dependencies", {"id": "../../x"}),
        ("validate_task_graph", {"id": "ABCDEF"}),
        ("update_task", {"id": "abcdef"}),
        ("update_task", {"id": "abcdef", "updates": {}}),
        ("update_task", {"id": "abcdef", "updates": {"title": "new"}}),
        ("update_task", {"id": "abcdef", "updates": {"status": "open"}}),
        ("update_task", {"id": "abcdef", "updates": {"assignee": "x" * 51}}),
        ("update_task", {"id": "abcdef", "updates": {"notes": "x" * 501}}),
    ],
)
def test_mistakes_with_cards_are_1010(deck: Deck, tool: str, arguments: dict[str, Any]) -> None:
    assert deck.bad(tool, **arguments)["code"] == 1010


@pytest.mark.parametrize(
    "created", [">2w", "2024", "2024-02", ">2024-02-29", "<7d", "yesterday", "<1y", ">3m"]
)
def test_dates_are_understood(deck: Deck, created: str) -> None:
    assert isinstance(deck.good("list_tasks", created=created), list)


def test_unknown_cards_and_dependencies(deck: Deck) -> None:
    for tool, extra in (
        ("get_task_dependencies", {}),
        ("validate_task_graph", {}),
        ("update_task", {"updates": {"status": "done"}}),
    ):
        assert deck.bad(tool, id="zzzzzz", **extra)["code"] == 1001
    error = deck.bad("create_task", title="x", depends_on=["zzzzzz"])
    assert error["code"] == 1001
    assert "DependencyNotFound" in error["message"]


def test_a_cycle_is_found_and_named(deck: Deck, ground: Ground) -> None:
    first = deck.good("create_task", title="A")
    second = deck.good("create_task", title="B", depends_on=[first["id"]])
    third = deck.good("create_task", title="C", depends_on=[second["id"]])
    file = ground.root / first["path"]
    healthy = file.read_text()
    file.write_text(healthy.replace("depends_on: []", f"depends_on: [{second['id']}]"))
    try:
        whole = deck.good("validate_task_graph")
        assert whole["valid"] is False
        assert "Circular dependency detected" in whole["error"]
        leads_in = deck.good("validate_task_graph", id=third["id"])
        assert (leads_in["valid"], leads_in["task_id"]) == (False, third["id"])
        error = deck.bad("create_task", title="D", depends_on=[third["id"]])
        assert error["code"] == 1002
        assert "CircularDependency" in error["message"]
        path = error["data"]["cycle_path"]
        assert path[0] == path[-1]
        assert set(path) == {first["id"], second["id"]}
    finally:
        file.write_text(healthy)
    assert deck.good("validate_task_graph")["valid"] is True


def test_active_without_assignee_is_a_warning(deck: Deck) -> None:
    card = deck.good("create_task", title="Nobody's")
    answer = deck.raw("update_task", id=card["id"], updates={"status": "active"})["result"]
    assert [warning["code"] for warning in answer["_meta"]["warnings"]] == [1008]


def test_bare_methods_answer_with_the_bare_value(deck: Deck) -> None:
    answer = deck.door.ask("read_doc", {"path": "docs/tokens.md"})
    assert answer["result"]["path"] == "docs/tokens.md"
    assert isinstance(deck.door.ask("list_tasks")["result"], list)
    assert deck.door.ask("read_doc", {"path": "docs/none.md"})["error"]["code"] == 1001
    assert deck.door.ask("read_document", {})["error"]["code"] == -32601


def test_a_document_beyond_the_token_limit_is_1003(ground: Ground) -> None:
    deck = Deck(ground.door("process", "--decks", "context", CUEDECK_CORE__TOKEN_LIMIT="100"))
    (ground.root / "docs/long.md").write_text("# Long\n\n" + "many words " * 200)
    error = deck.bad("read_doc", path="docs/long.md")
    assert (error["code"], error["message"]) == (1003, "Token Limit Exceeded")
    assert error["data"]["limit"] == 100
    assert error["data"]["current_size"] > 100
    assert error["data"]["action"]


def test_rate_limits_are_the_contracts_for_tools_and_bare_methods(own_ground: Ground) -> None:
    door = own_ground.door("process", "--decks", "context", CUEDECK_LIMITS__ENABLED="true")
    deck = Deck(door)
    began, passed = time.monotonic(), 0
    while True:
        asked = door.ask("read_context", {"query": "login", "mode": "keyword"}) if passed % 2 else None
        answer = asked or deck.raw("read_context", query="login", mode="keyword")
        if "error" in answer:
            break
        passed += 1
    # What a slow machine takes for the burst, the bucket fills up meanwhile.
    assert 15 <= passed <= 15 + (time.monotonic() - began) * 10 / 60 + 1
    error = answer["error"]
    assert (error["code"], error["message"]) == (429, "Rate Limit Exceeded")
    assert error["data"]["limit"] == 10
    assert error["data"]["window_seconds"] == 60
    assert error["data"]["retry_after_seconds"] > 0
    assert error["data"]["current_count"] >= 15
    assert deck.good("create_task", title="Tools without a row are unlimited")


def test_errors_as_results_for_clients_that_hide_error_data(ground: Ground) -> None:
    deck = Deck(ground.door("daemon", "--decks", "context", "--errors", "result"))
    answer = deck.raw("read_doc", path="docs/none.md")
    assert answer["result"]["isError"] is True
    assert deck.bad("read_doc", path="docs/none.md")["error"]["code"] == 1001


def test_an_unparsable_line_is_answered_and_the_server_lives(ground: Ground) -> None:
    door = ground.door("daemon", "--decks", "context")
    assert isinstance(door, Stdio)
    for line in (b"{", b"\xff\xfe", b"[1,2", b'{"jsonrpc":"2.0","id":NaN}'):
        door.send(line)
        answer = door.receive()
        assert (answer["id"], answer["error"]["code"]) == (None, -32700)
    assert Deck(door).good("list_tasks") is not None
