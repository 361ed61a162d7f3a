from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import anyio
import mcp_sample
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_client import Lines, open_workspace, request
from mcp_sample import REGISTRY

from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.runtime import Runtime
from cuedeck.mcp.server import serve_streams
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.workspace import Workspace

Served = Callable[..., None]
ERAS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def only_text(answer: Any) -> Any:
    (block,) = answer["result"]["content"]
    return json.loads(block["text"])


@pytest.mark.parametrize("version", ERAS)
def test_every_handshake_era_lists_and_calls(served: Served, version: str) -> None:
    async def scenario(lines: Lines) -> None:
        greeting = await lines.initialize(version)
        assert greeting["result"]["protocolVersion"] == version
        assert greeting["result"]["serverInfo"]["name"] == "cuedeck"
        assert "memory" in greeting["result"]["instructions"]
        tools = (await lines.ask("tools/list"))["result"]["tools"]
        assert tools[0]["name"] == "context_read_context"
        assert (await lines.ask("tools/list", {"cursor": "2"}))["error"]["code"] == -32602
        answer = await lines.call("vault_page", {"limit": 9999})
        assert only_text(answer)["data"] == {"limit": 500, "offset": 0}

    served(scenario)


def test_the_stateless_era_needs_no_handshake(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        found = await lines.ask("server/discover", {"_meta": ENVELOPE})
        assert found["result"]["supportedVersions"] == ["2026-07-28"]
        listed = await lines.ask("tools/list", {"_meta": ENVELOPE})
        assert listed["result"]["ttlMs"] > 0
        params = {"name": "todo_who", "arguments": {}, "_meta": ENVELOPE}
        answer = await lines.ask("tools/call", params)
        assert answer["result"]["structuredContent"]["ok"] is True

    served(scenario)


def test_an_array_is_bare_in_text_and_wrapped_in_structure(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        result = (await lines.call("read_context", {"query": "a", "limit": 2}))["result"]
        assert result["structuredContent"]["result"] == json.loads(result["content"][0]["text"])
        assert len(result["structuredContent"]["result"]) == 2
        assert result["_meta"]["mode_used"] == "keyword"

    served(scenario)


def test_context_errors_are_json_rpc_errors(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        failing = {"code": "not_found", "message": "File Not Found", "data": {"path": "x.md"}, "hint": "look"}
        error = (await lines.call("context_fail", failing))["error"]
        expected = {"path": "x.md", "hint": "look"}
        assert error == {"code": 1001, "message": "File Not Found", "data": expected}
        invalid = (await lines.call("read_context", {"query": ""}))["error"]
        assert invalid["code"] == 1010
        assert invalid["data"]["field"] == "query"

    served(scenario)


def test_context_errors_as_results_when_the_client_asks(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        answer = await lines.call("context_fail", {"code": "cycle", "message": "Cycle Detected"})
        assert answer["result"]["isError"] is True
        assert only_text(answer) == {"error": {"code": 1002, "message": "Cycle Detected"}}

    served(scenario, ConnectionOptions(decks=("all",), errors="result"))


@pytest.mark.parametrize(
    ("tool", "where"),
    [
        ("code_fail", lambda body: body["error"]["code"] == "invalid_input"),
        ("todo_fail", lambda body: body["error"] == "validation_error" and body["success"] is False),
        ("memory_fail", lambda body: body["code"] == "VALIDATION_ERROR"),
        ("vault_fail", lambda body: body["success"] is False and "executionTime" in body["metadata"]),
    ],
)
def test_validation_errors_speak_the_language_of_their_deck(
    served: Served, tool: str, where: Callable[[Any], bool]
) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        answer = await lines.call(tool, {"cod": "x"})
        assert answer["result"]["isError"] is True
        assert where(only_text(answer))
        assert "code" in json.dumps(only_text(answer))

    served(scenario)


@pytest.mark.parametrize("tool", ["context_crash", "memory_crash"])
def test_an_unexpected_exception_shows_only_its_id(
    served: Served, tool: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        shown = json.dumps(await lines.call(tool))
        for secret in ("hunter2", "shadow", "Traceback", "RuntimeError", "mcp_sample"):
            assert secret not in shown
        (record,) = caplog.records
        error_id = record.getMessage().rsplit(" ", 1)[-1]
        assert error_id in shown

    with caplog.at_level(logging.ERROR, "cuedeck.mcp"):
        served(scenario)


def test_unknown_and_ambiguous_tools_are_invalid_params(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        unknown = (await lines.call("memory_stroe"))["error"]
        assert unknown["code"] == -32602
        assert unknown["data"]["nearest"][0] == "memory_store"
        ambiguous = (await lines.call("list_tasks"))["error"]
        assert ambiguous["code"] == -32602
        assert ambiguous["data"]["nearest"] == ["context_list_tasks", "todo_list_tasks"]
        listed = (await lines.ask("tools/call", {"name": "todo_who", "arguments": []}))["error"]
        assert listed["message"] == "Invalid params: arguments: should be an object"

    served(scenario)


def test_unparsable_lines_are_answered_and_the_server_lives_on(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.write(b"garbage", b"", b"   ", b"\xff\xfe", b'{"a": NaN}')
        for _ in range(3):
            answer = await lines.read()
            assert answer["id"] is None
            assert answer["error"]["code"] == -32700
        await lines.write({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": [1]})
        assert (await lines.read())["error"]["code"] == -32602
        await lines.initialize()
        assert only_text(await lines.call("vault_page"))["success"] is True

    served(scenario)


def test_an_oversized_line_is_refused_under_its_id(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        big = {"name": "memory_store", "arguments": {"content": "x" * 5000}}
        await lines.write(request("tools/call", big, 41))
        answer = await lines.read()
        assert answer["id"] == 41
        assert answer["error"]["code"] == -32600
        assert "limits.message_bytes" in answer["error"]["message"]
        assert only_text(await lines.call("memory_store", {"content": "x"}))["length"] == 1

    served(scenario, message_bytes=4000)


def test_a_megabyte_passes(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        answer = await lines.call("memory_store", {"content": "é" * 500_000})
        assert only_text(answer)["length"] == 500_000

    served(scenario)


def test_strange_but_legal_json_gets_contract_errors(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        for body in (
            b'{"content":"\\ud800"}',
            b'{"content":"x","metadata":{"a":1e999}}',
            b'{"content":"x","metadata":' + b'{"a":' * 200 + b"1" + b"}" * 200 + b"}",
        ):
            head = (
                b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"memory_store","arguments":'
            )
            await lines.write(head + body + b"}}")
            answer = await lines.read()
            assert answer["id"] == 9
            assert only_text(answer)["code"] == "VALIDATION_ERROR"

    served(scenario)


def test_an_undecodable_file_name_does_not_break_the_stream(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        assert only_text(await lines.call("odd")) == {"name": "caf?.md", "none": None}

    served(scenario)


def test_bare_methods_need_no_handshake_and_answer_bare_json(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        answer = await lines.ask("read_context", {"query": "a", "limit": 1}, "r1")
        assert answer == {
            "jsonrpc": "2.0",
            "id": "r1",
            "result": [{"path": "0.md", "hash": "h", "tokens": 0}],
        }
        assert (await lines.ask("update_task"))["result"] == {"done": True}
        error = (await lines.ask("read_context", {"query": 1}))["error"]
        assert (error["code"], error["data"]["field"]) == (1010, "query")
        assert (await lines.ask("no_such_method"))["error"]["code"] == -32601
        await lines.write({"jsonrpc": "2.0", "method": "read_context", "params": {"query": "a"}})
        await lines.initialize()

    served(scenario, ConnectionOptions(decks=("default",)))


def test_bare_methods_of_other_decks_do_not_exist(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        assert (await lines.ask("who"))["error"]["code"] == -32601

    served(scenario, ConnectionOptions(decks=("todo",)))


def test_rate_limits_count_calls_and_bare_methods_alike(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        for _ in range(10):
            assert "result" in await lines.call("read_context", {"query": "a"})
        for _ in range(5):
            assert "result" in await lines.ask("read_context", {"query": "a"})
        for _ in range(2):
            called = (await lines.call("context_read_context", {"query": "a"}))["error"]
            bare = (await lines.ask("read_context", {"query": "a"}))["error"]
            for error in (called, bare):
                assert error["code"] == 429
                assert error["message"] == "Rate Limit Exceeded"
                assert set(error["data"]) == {
                    "retry_after_seconds",
                    "limit",
                    "window_seconds",
                    "current_count",
                }
        for _ in range(40):
            assert "result" in await lines.call("todo_list_tasks")

    served(scenario, ConnectionOptions(decks=("all",), user="anna"))


def test_limits_are_shared_by_the_connections_of_a_process(served: Served) -> None:
    runtime = Runtime()

    async def first(lines: Lines) -> None:
        for _ in range(15):
            assert "result" in await lines.ask("update_task")

    async def second(lines: Lines) -> None:
        assert (await lines.ask("update_task"))["error"]["code"] == 429

    served(first, runtime=runtime)
    served(second, runtime=runtime)


def test_limits_can_be_switched_off(served: Served, tmp_path: Any) -> None:
    async def scenario(lines: Lines) -> None:
        for _ in range(40):
            assert "result" in await lines.ask("update_task")

    with open_workspace(tmp_path, CUEDECK_LIMITS__ENABLED="false") as unlimited:
        served(scenario, provider=lambda _: unlimited)


@pytest.mark.parametrize("initialized", [True, False])
def test_batches_are_answered_where_the_protocol_has_them(served: Served, initialized: bool) -> None:
    async def scenario(lines: Lines) -> None:
        if initialized:
            await lines.initialize("2025-03-26")
        batch = [
            request("read_context", {"query": "a"}, 1),
            {"jsonrpc": "2.0", "method": "update_task"},
            request("update_task", None, "two"),
        ]
        if initialized:
            batch += [request("ping", None, 3), {"nonsense": True}]
        await lines.write(batch)
        answers = await lines.read()
        ids = {answer["id"] for answer in answers}
        assert ids == ({1, "two", 3, None} if initialized else {1, "two"})

    served(scenario)


@pytest.mark.parametrize("version", ["2024-11-05", "2025-06-18", "2025-11-25"])
def test_batches_are_refused_elsewhere(served: Served, version: str) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize(version)
        await lines.write([request("ping", None, 1), request("tools/list", None, 2)])
        answer = await lines.read()
        assert (answer["id"], answer["error"]["code"]) == (None, -32600)
        await lines.write([])
        assert (await lines.read())["error"]["code"] == -32600
        assert "result" in await lines.ask("ping")

    served(scenario)


def test_a_batch_right_behind_initialize_waits_for_the_version(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        client = {"name": "t", "version": "1"}
        params = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": client}
        await lines.write(request("initialize", params, 0), [request("ping", None, 1)])
        assert (await lines.read())["id"] == 0
        assert await lines.read() == [{"jsonrpc": "2.0", "id": 1, "result": {}}]

    served(scenario)


def test_a_closing_client_still_gets_its_answers(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        await lines.write(request("tools/call", {"name": "wait", "arguments": {}}, 5))
        await lines.write(request("wait", {"seconds": 0.1}, 6))
        assert {answer["id"] for answer in await lines.everything()} == {5, 6}

    served(scenario)


@pytest.mark.parametrize("way", ["handshake", "stateless", "bare"])
def test_a_cancelled_call_is_not_answered_and_its_handler_learns_it(served: Served, way: str) -> None:
    mcp_sample.cancellations.clear()
    mcp_sample.woke.clear()

    async def scenario(lines: Lines) -> None:
        meta = {"_meta": ENVELOPE} if way == "stateless" else {}
        if way == "handshake":
            await lines.initialize()
        if way == "bare":
            await lines.write(request("wait", {"seconds": 5}, 7))
        else:
            params = {"name": "wait", "arguments": {"seconds": 5}, **meta}
            await lines.write(request("tools/call", params, 7))
        await anyio.sleep(0.2)
        cancelled = {"requestId": 7, "reason": "enough"}
        await lines.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})
        assert (await lines.ask("tools/list", meta, 8))["id"] == 8
        assert await anyio.to_thread.run_sync(mcp_sample.woke.wait, 3)

    served(scenario)
    assert mcp_sample.cancellations == ["seen"]


def test_a_client_that_vanishes_ends_its_connection_quietly(workspace: Workspace) -> None:
    class Gone(Lines):
        async def send(self, item: bytes, /) -> None:
            raise BrokenPipeError

    async def main() -> None:
        lines = Gone()
        await lines.write(request("ping", None, 1))
        with anyio.fail_after(5):
            await serve_streams(lambda _: workspace, ConnectionOptions(), lines, lines, registry=REGISTRY)

    anyio.run(main)


def test_a_flood_is_answered_in_full_without_unbounded_memory(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cuedeck.mcp.server.MAX_IN_FLIGHT", 5)

    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        for number in range(60):
            await lines.write(request("tools/call", {"name": "vault_page", "arguments": {}}, number))
            await lines.write({"jsonrpc": "2.0", "method": "update_task"})
        assert {(await lines.read())["id"] for _ in range(60)} == set(range(60))

    served(scenario)


def test_cancelling_the_handshake_or_a_batch_member_leaves_nothing_waiting(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize("2025-03-26")
        slow = request("tools/call", {"name": "wait", "arguments": {"seconds": 5}}, 2)
        await lines.write([request("ping", None, 1), slow])
        await anyio.sleep(0.1)
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "2"}}
        await lines.write(cancelled)
        assert await lines.read() == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
        with anyio.fail_after(3):
            assert await lines.everything() == []

    served(scenario)


@pytest.mark.parametrize("named", ["9" * 5000, "-1", "²", None, [], {}])
def test_cancelling_what_was_never_asked_changes_nothing(served: Served, named: Any) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        await lines.write(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": named}}
        )
        assert (await lines.ask("ping", None, 1))["result"] == {}

    served(scenario)


def test_slow_calls_do_not_hold_up_fast_ones(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        for number in range(8):
            await lines.write(request("tools/call", {"name": "wait", "arguments": {"seconds": 0.5}}, number))
        await lines.write(request("tools/call", {"name": "vault_page", "arguments": {}}, "fast"))
        assert (await lines.read())["id"] == "fast"
        assert {(await lines.read())["id"] for _ in range(8)} == set(range(8))

    served(scenario)


@pytest.mark.parametrize("envelope", [{}, ENVELOPE])
def test_progress_is_sent_when_asked_for(served: Served, envelope: dict[str, Any]) -> None:
    async def scenario(lines: Lines) -> None:
        if not envelope:
            await lines.initialize()
        meta = {"progressToken": "t", **envelope}
        params = {"name": "wait", "arguments": {"seconds": 0.5}, "_meta": meta}
        await lines.write(request("tools/call", params, 1))
        seen = []
        while "method" in (message := await lines.read()):
            assert message["method"] == "notifications/progress"
            assert message["params"]["progressToken"] == "t"
            seen.append(message["params"]["progress"])
        assert message["id"] == 1
        assert len(seen) >= 2
        assert seen == sorted(set(seen))

    served(scenario)


def test_the_caller_is_the_configured_local_user(served: Served, tmp_path: Any) -> None:
    async def anna(lines: Lines) -> None:
        await lines.initialize()
        assert only_text(await lines.call("todo_who"))["subject"] == "anna"

    async def nobody(lines: Lines) -> None:
        await lines.initialize()
        assert only_text(await lines.call("todo_who"))["subject"] is None

    served(anna, ConnectionOptions(decks=("all",), user="anna"))
    served(nobody)


def test_a_workspace_that_cannot_open_fails_the_call_not_the_server(served: Served) -> None:
    def broken(_options: ConnectionOptions) -> Any:
        raise CueError(ErrorCode.CONFIGURATION, "config.toml line 3: no such key", hint="remove it")

    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        assert "line 3" in only_text(await lines.call("memory_store", {"content": "x"}))["error"]
        assert "result" in await lines.ask("tools/list")

    served(scenario, provider=broken)


def test_a_missing_handshake_and_malformed_params_are_said_in_words(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        early = (await lines.ask("tools/list"))["error"]
        assert early["code"] == -32602
        assert "initialize" in early["message"]
        await lines.initialize()
        mistakes = [
            ({"arguments": {}}, "name"),
            ({"name": 5}, "name"),
            ({"name": "x", "arguments": 3}, "arg"),
        ]
        for params, word in mistakes:
            error = (await lines.ask("tools/call", params))["error"]
            assert error["code"] == -32602
            assert word in error["message"]

    served(scenario)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | json_values,
        "id": st.integers(0, 9) | json_values,
        "method": st.sampled_from(["tools/call", "tools/list", "ping", "read_context", "wat"]) | json_values,
        "params": json_values
        | st.fixed_dictionaries(
            {
                "name": st.sampled_from(["read_context", "store", "vault_page"]),
                "arguments": json_values,
            }
        ),
    },
)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(messages | json_values | st.binary(max_size=60), max_size=12))
def test_no_input_whatever_stops_the_server(served: Served, rubbish: list[Any]) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        for item in rubbish:
            raw = item.replace(b"\n", b"") if isinstance(item, bytes) else json.dumps(item).encode()
            await lines.write(raw)
        await lines.write(request("ping", None, "still here"))
        while True:
            answer = await lines.read()
            if isinstance(answer, dict) and answer.get("id") == "still here":
                assert answer["result"] == {}
                return

    served(scenario)


def test_resources_are_listed_and_read(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        await lines.initialize()
        listed = (await lines.ask("resources/list"))["result"]["resources"]
        assert [resource["uri"] for resource in listed] == ["sample://fixed", "sample://bytes"]
        templates = (await lines.ask("resources/templates/list"))["result"]["resourceTemplates"]
        assert templates[0]["uriTemplate"] == "sample://note/{name}"
        read = await lines.ask("resources/read", {"uri": "sample://note/a"})
        assert read["result"]["contents"][0]["text"] == "note a"
        blob = await lines.ask("resources/read", {"uri": "sample://bytes"})
        assert blob["result"]["contents"][0]["blob"] == "AAE="
        for uri in ("sample://note/missing", "other://x"):
            assert (await lines.ask("resources/read", {"uri": uri}))["error"]["data"] == {"uri": uri}

    served(scenario)


def test_without_resources_there_is_no_such_capability(served: Served) -> None:
    async def scenario(lines: Lines) -> None:
        assert "resources" not in (await lines.initialize())["result"]["capabilities"]

    served(scenario, ConnectionOptions(decks=("todo",)))
