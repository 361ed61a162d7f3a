from __future__ import annotations

import json
from typing import Any

import pytest
from mcp_sample import REGISTRY
from mcp_types.methods import serialize_server_result

from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.rendering import contract_value, encoded, render_answer, render_error, rpc_error
from cuedeck.mcp.tool import Answer
from cuedeck.model.deck import Deck
from cuedeck.model.errors import CueError, ErrorCode


def failed(deck: str, code: ErrorCode, message: str = "it broke", **more: Any) -> Any:
    entry = REGISTRY.select(ConnectionOptions(decks=(deck,))).find("fail")
    error = CueError(code, message, **more)
    rendered = render_error(entry.tool, error, 12.345, entry.describes)
    assert rendered.is_error
    body = json.loads(rendered.text)
    assert rendered.structured in (None, body)
    return body


@pytest.mark.parametrize(
    ("code", "number", "message"),
    [
        (ErrorCode.NOT_FOUND, 1001, "it broke"),
        (ErrorCode.DEPENDENCY_NOT_FOUND, 1001, "DependencyNotFound: it broke"),
        (ErrorCode.CYCLE, 1002, "Cycle Detected: it broke"),
        (ErrorCode.TOKEN_LIMIT, 1003, "Token Limit Exceeded: it broke"),
        (ErrorCode.STALE_CACHE, 1006, "Stale Cache: it broke"),
        (ErrorCode.LOCKED, 1007, "Lock Error: it broke"),
        (ErrorCode.ORPHAN_CARD, 1008, "it broke"),
        (ErrorCode.VALIDATION, 1010, "it broke"),
        (ErrorCode.PATH_REFUSED, 1010, "it broke"),
        (ErrorCode.RATE_LIMITED, 429, "Rate Limit Exceeded: it broke"),
        (ErrorCode.DATABASE, -32603, "it broke"),
    ],
)
def test_context_errors_have_the_contract_numbers(code: ErrorCode, number: int, message: str) -> None:
    error = rpc_error(CueError(code, "it broke", data={"path": "a.md"}, hint="look"))
    assert (error.code, error.message) == (number, message)
    assert error.data == {"path": "a.md", "hint": "look"}
    assert failed("context", code) == {"error": {"code": number, "message": message}}


def test_a_contract_title_is_not_repeated() -> None:
    assert rpc_error(CueError(ErrorCode.LOCKED, "Lock Error")).message == "Lock Error"


def test_code_errors() -> None:
    body = failed("code", ErrorCode.REF_NOT_INDEXED, data={"ref": "x"}, hint="call index_repo")
    data = {"ref": "x", "hint": "call index_repo"}
    assert body == {"error": {"code": "ref_not_indexed", "message": "it broke", "data": data}}
    assert failed("code", ErrorCode.VALIDATION)["error"]["code"] == "invalid_input"
    assert failed("code", ErrorCode.INTERNAL)["error"]["code"] == "internal_error"
    assert failed("code", ErrorCode.PROJECT_NOT_FOUND)["error"]["code"] == "project_not_found"


def test_todo_errors() -> None:
    body = failed("todo", ErrorCode.MULTIPLE_MATCHES, data={"matches": [{"id": "1", "title": "t"}]})
    matches = [{"id": "1", "title": "t"}]
    assert body == {"success": False, "error": "multiple_matches", "message": "it broke", "matches": matches}
    assert failed("todo", ErrorCode.VALIDATION)["error"] == "validation_error"
    assert failed("todo", ErrorCode.DATABASE)["error"] == "database_error"
    assert failed("todo", ErrorCode.UNAUTHORIZED, data={"success": True})["success"] is False


def test_memory_errors() -> None:
    assert failed("memory", ErrorCode.NOT_FOUND) == {"error": "it broke", "code": "NOT_FOUND"}
    assert failed("memory", ErrorCode.CYCLE)["code"] == "VALIDATION_ERROR"
    assert failed("memory", ErrorCode.UNAVAILABLE)["code"] == "DB_ERROR"
    assert failed("memory", ErrorCode.EMBEDDING)["code"] == "EMBEDDING_ERROR"


def test_a_store_that_is_set_up_wrongly_is_told_in_the_contracts_words() -> None:
    assert failed("todo", ErrorCode.CONFIGURATION)["error"] == "database_error"
    assert failed("memory", ErrorCode.CONFIGURATION)["code"] == "DB_ERROR"
    assert failed("code", ErrorCode.CONFIGURATION)["error"]["code"] == "internal_error"
    assert failed("vault", ErrorCode.CONFIGURATION)["error"].startswith("Database error")


def test_vault_errors_begin_with_the_contract_sentence() -> None:
    body = failed("vault", ErrorCode.NOT_FOUND, "notes/a.md", data={"path": "notes/a.md"})
    assert body["success"] is False
    assert body["error"] == "File not found: notes/a.md"
    assert body["metadata"]["executionTime"] == pytest.approx(12.345, abs=0.01)
    assert (
        failed("vault", ErrorCode.WORKFLOW_DISABLED, "Workflow disabled: x")["error"]
        == "Workflow disabled: x"
    )
    assert failed("vault", ErrorCode.VALIDATION)["error"] == "it broke"


@pytest.mark.parametrize("deck", list(Deck))
def test_every_code_of_every_deck_renders(deck: Deck) -> None:
    for code in ErrorCode:
        assert "it broke" in json.dumps(failed(deck, code))


def test_an_error_is_structured_only_where_the_schema_has_room() -> None:
    for deck, structured in (("code", False), ("todo", True), ("vault", True)):
        entry = REGISTRY.select(ConnectionOptions(decks=(deck,))).find("fail")
        rendered = render_error(entry.tool, CueError(ErrorCode.INTERNAL, "x"), 1, entry.describes)
        assert (rendered.structured is not None) is structured


def test_the_text_block_is_exactly_the_contract_json() -> None:
    tool = next(tool for tool in REGISTRY.tools if tool.deck is Deck.CONTEXT)
    rendered = render_answer(tool, Answer([{"path": "é.md", "n": None}]), 1.0)
    assert rendered.text == '[{"path":"é.md","n":null}]'
    assert rendered.structured == {"result": [{"path": "é.md", "n": None}]}
    assert rendered.to_json()["content"] == [{"type": "text", "text": rendered.text}]
    assert render_answer(tool, Answer({"a": 1}), 1.0).structured == {"a": 1}


def test_an_answer_made_during_the_first_look_is_the_contract_json_alone() -> None:
    tool = next(tool for tool in REGISTRY.tools if tool.deck is Deck.CONTEXT)
    answer = render_answer(tool, Answer([], meta={"indexing": True}, indexing=True), 1.0).to_json()
    assert answer["content"] == [{"type": "text", "text": "[]"}]
    assert answer["_meta"] == {"indexing": True}


def test_vault_answers_get_their_envelope() -> None:
    tool = next(tool for tool in REGISTRY.tools if tool.name == "page")
    assert contract_value(tool, Answer({"n": 1}, cache_hit=False), 3.14159) == {
        "success": True,
        "data": {"n": 1},
        "metadata": {"executionTime": 3.14, "cacheHit": False},
    }
    assert contract_value(tool, Answer({}), 3)["metadata"] == {"executionTime": 3}


def test_undecodable_names_are_shown_replaced() -> None:
    text, value = encoded({"path": "caf\udce9.md", "list": ["ok", "\ud800"]})
    text.encode()
    assert value == {"path": "caf?.md", "list": ["ok", "?"]}


def test_structure_says_on_the_wire_what_the_text_says() -> None:
    tool = next(tool for tool in REGISTRY.tools if tool.deck is Deck.CONTEXT)
    rendered = render_answer(tool, Answer({"seen": {2: (1, 2), True: {"a": None}}, "deck": Deck.TODO}), 1.0)
    sent = serialize_server_result("tools/call", "2025-11-25", rendered.to_json())["structuredContent"]
    assert json.loads(json.dumps(sent)) == json.loads(rendered.text)


def test_the_structure_of_an_error_is_what_its_text_says() -> None:
    body = failed("todo", ErrorCode.MULTIPLE_MATCHES, data={"matches": ({"id": 1},)})
    assert body["matches"] == [{"id": 1}]


def test_a_value_json_cannot_hold_is_an_error_not_a_guess() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        encoded({"score": float("nan")})
