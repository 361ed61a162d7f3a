from __future__ import annotations

import contextlib
import json
import logging
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_client import open_workspace, request
from mcp_http import CLIENT, JSON, get, modern, post, running
from mcp_sample import REGISTRY

from cuedeck.config.sections import AuthSection, Config
from cuedeck.mcp.http import HttpSettings, check_bind, create_http_app
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.model.errors import CueError

ALL = ConnectionOptions(decks=("all",))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("http")
    with open_workspace(root, CUEDECK_LIMITS__ENABLED="false", CUEDECK_USER="anna") as workspace:
        app = create_http_app(workspace, HttpSettings(ALL, registry=REGISTRY))
        with running(app) as address:
            yield address


def call(server: str, name: str, arguments: Any = None, path: str = "/mcp") -> httpx.Response:
    message, headers = modern(name, arguments)
    return post(server + path, message, **headers)


def text_of(response: httpx.Response) -> Any:
    return json.loads(response.json()["result"]["content"][0]["text"])


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_official_client_lists_and_calls_in_both_eras(server: str, mode: Any) -> None:
    async def scenario() -> None:
        async with Client(server + "/mcp", mode=mode) as client:
            tools = (await client.list_tools()).tools
            assert tools[0].name == "context_read_context"
            found = await client.call_tool("read_context", {"query": "a", "limit": 2})
            assert len(found.structured_content["result"]) == 2
            failed = await client.call_tool("memory_fail", {"code": "not_found"})
            assert failed.is_error
            with pytest.raises(MCPError) as refused:
                await client.call_tool("context_fail", {"code": "locked", "data": {"holder_pid": 1}})
            assert refused.value.code == 1007
            assert refused.value.data == {"holder_pid": 1}

    anyio.run(scenario)


def test_a_deck_alone_has_bare_names(server: str) -> None:
    assert text_of(call(server, "page", path="/mcp/vault"))["success"] is True
    assert call(server, "store", path="/mcp/vault").json()["error"]["code"] == -32602


def test_a_deck_that_is_not_served_is_not_found(tmp_path: Path) -> None:
    options = ConnectionOptions(decks=("todo", "vault"), tools=("page",))
    with open_workspace(tmp_path) as workspace:
        app = create_http_app(workspace, HttpSettings(options, registry=REGISTRY))
        with running(app) as address:
            for deck in ("memory", "todo", "nonsense", "vault/x"):
                assert post(f"{address}/mcp/{deck}", request("ping")).status_code == 404
            assert call(address, "page", path="/mcp/vault").status_code == 200
            assert call(address, "slow", path="/mcp/vault").json()["error"]["code"] == -32602


def test_a_wrong_host_is_misdirected_and_a_foreign_origin_forbidden(server: str) -> None:
    for path in ("/mcp", "/mcp/todo", "/healthz", "/"):
        for host in ("evil.com", "127.0.0.1.evil.com", "localhost:80@evil.com", "evil.com:8787", ""):
            assert get(server + path, host=host).status_code == 421
        for origin in (
            "http://evil.com",
            "null",
            "https://127.0.0.1.evil.com",
            "file://",
            "http://[::1",
            "http://localhost@evil.com",
        ):
            assert get(server + path, origin=origin).status_code == 403
    for origin in ("http://localhost:3000", "http://127.0.0.1", "http://[::1]:8787"):
        assert get(server + "/healthz", origin=origin).status_code == 200


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("http://localhost:8787/healthz", 200),
        ("HTTP://127.0.0.1/readyz?x=http://evil.com", 200),
        ("http://localhost", 404),
        ("http://evil.com/healthz", 421),
        ("http://localhost@evil.com/healthz", 421),
        ("http:///healthz", 404),
        ("ftp://localhost/healthz", 404),
    ],
)
def test_a_request_may_name_its_host_in_the_target(server: str, target: str, status: int) -> None:
    host, port = server.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), 5) as raw:
        said = "evil.com" if status == 200 else "localhost"
        raw.sendall(f"GET {target} HTTP/1.1\r\nHost: {said}\r\nConnection: close\r\n\r\n".encode())
        assert raw.recv(12) == f"HTTP/1.1 {status}".encode()


def test_configured_hosts_and_origins_pass(tmp_path: Path) -> None:
    chosen = {
        "CUEDECK_HTTP__ALLOWED_HOSTS": "deck.example.org,other.example:81",
        "CUEDECK_HTTP__ALLOWED_ORIGINS": "https://app.example.org",
        "CUEDECK_HTTP__PUBLIC_URL": "https://public.example.org/cue",
    }
    with (
        open_workspace(tmp_path, **chosen) as workspace,
        running(create_http_app(workspace, HttpSettings(ALL, registry=REGISTRY))) as address,
    ):
        for host in ("deck.example.org", "deck.example.org:8443", "other.example:81", "PUBLIC.example.org"):
            assert get(address + "/healthz", host=host).status_code == 200
        assert get(address + "/healthz", host="other.example").status_code == 421
        for origin in ("https://app.example.org", "https://public.example.org"):
            assert get(address + "/healthz", origin=origin).status_code == 200
        asked = {"access-control-request-method": "POST", "access-control-request-headers": "mcp-method"}
        for origin, shared in (("https://app.example.org", True), ("http://localhost:3000", False)):
            preflight = CLIENT.options(address + "/mcp", headers={"origin": origin, **asked})
            assert preflight.is_success is shared
            answer = post(address + "/mcp", request("read_context", {"query": "a"}), origin=origin)
            assert (answer.headers.get("access-control-allow-origin") == origin) is shared


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{bad", -32700),
        (b'{"a":NaN}', -32700),
        (b"[]", -32600),
        (b'{"id":1,"id":2}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"result":[null]}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":false}', -32602),
        (b"[" * 9999, -32700),
    ],
)
def test_malformed_bodies_are_refused(server: str, body: bytes, code: int) -> None:
    for headers in ({}, {"mcp-protocol-version": "2025-11-25"}, {"mcp-protocol-version": "2026-07-28"}):
        answer = post(server + "/mcp", body, **headers)
        assert answer.status_code == 400
        assert answer.json()["error"]["code"] == code
        assert "pydantic" not in answer.text


def test_bare_methods_answer_bare_json(server: str) -> None:
    answer = post(server + "/mcp", request("read_context", {"query": "a", "limit": 1}, "r"))
    assert answer.json() == {
        "jsonrpc": "2.0",
        "id": "r",
        "result": [{"path": "0.md", "hash": "h", "tokens": 0}],
    }
    assert post(server + "/mcp/context", request("read_context", {})).json()["error"]["code"] == 1010
    told = post(server + "/mcp", {"jsonrpc": "2.0", "method": "update_task"})
    assert (told.status_code, told.content) == (202, b"")


def last_access(caplog: pytest.LogCaptureFixture, method: str = "POST") -> Any:
    """The last line of the access log, which is written just after the answer has left."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        lines = [json.loads(record.getMessage()) for record in caplog.records]
        for line in reversed(lines):
            if line["method"] == method:
                return line
        time.sleep(0.01)
    raise AssertionError(f"no {method} was logged")


def test_large_bodies_are_refused_before_they_are_read(server: str, caplog: pytest.LogCaptureFixture) -> None:
    address = server.removeprefix("http://").split(":")
    with socket.create_connection((address[0], int(address[1])), 5) as raw:
        head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        raw.sendall((head + "Content-Length: 99999999999\r\n\r\n").encode())
        assert b"413" in raw.recv(200)

    def endless() -> Iterator[bytes]:
        for _ in range(60):
            yield b"x" * 100_000

    # The server closes in the middle of the upload, so the client may see the reset before the answer.
    caplog.set_level(logging.INFO, "cuedeck.access")
    caplog.clear()
    with contextlib.suppress(httpx.TransportError):
        CLIENT.post(server + "/mcp", content=endless(), headers=JSON)
    assert last_access(caplog)["status"] == 413
    assert call(server, "memory_store", {"content": "x" * 1_000_000}).status_code == 200


def test_the_caller_without_authentication_is_the_local_user(server: str) -> None:
    assert text_of(call(server, "todo_who"))["subject"] == "anna"


def test_a_call_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    with open_workspace(tmp_path, CUEDECK_LIMITS__CALL_SECONDS="1") as workspace:
        app = create_http_app(workspace, HttpSettings(ALL, registry=REGISTRY))
        with running(app) as address:
            body = text_of(call(address, "vault_slow", {"seconds": 3.0}))
            assert body["success"] is False
            assert "limits.call_seconds" in body["metadata"]["hint"]
            for answer in (
                call(address, "wait", {"seconds": 3.0}),
                post(address + "/mcp", request("wait", {"seconds": 3.0})),
            ):
                assert answer.json()["error"]["code"] == -32603
                assert "limits.call_seconds" in answer.json()["error"]["data"]["hint"]


@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
def test_a_call_under_way_is_answered_before_the_server_stops(tmp_path: Path, era: str) -> None:
    answers = []
    message, headers = modern("vault_slow", {"seconds": 1.0})

    def ask(url: str) -> None:
        if era == "2025-11-25":
            client = {"name": "t", "version": "1"}
            hello = {"protocolVersion": era, "capabilities": {}, "clientInfo": client}
            session = post(url, request("initialize", hello)).headers["mcp-session-id"]
            answers.append(post(url, message, **{"mcp-session-id": session}))
        else:
            answers.append(post(url, message, **headers))

    with open_workspace(tmp_path) as workspace:
        app = create_http_app(workspace, HttpSettings(ALL, registry=REGISTRY))
        with running(app, grace=10) as address:
            asking = threading.Thread(target=ask, args=[address + "/mcp"])
            asking.start()
            time.sleep(0.6)
        asking.join(10)
    assert text_of(answers[0])["data"] == {"ok": True}


def test_progress_reaches_a_current_client(server: str) -> None:
    seen: list[float] = []

    async def scenario() -> None:
        async def note(done: float, total: float | None, message: str | None) -> None:
            seen.append(done)

        async with Client(server + "/mcp", mode="auto") as client:
            await client.call_tool("wait", {"seconds": 0.6}, progress_callback=note)

    anyio.run(scenario)
    assert len(seen) >= 2


def test_an_error_is_the_same_to_a_client_that_wants_progress(server: str) -> None:
    message, headers = modern("context_read_context", {"query": 7})
    plain = post(server + "/mcp", message, **headers).json()["error"]
    message["params"]["_meta"]["progressToken"] = "t"
    told = post(server + "/mcp", message, **headers).text
    assert json.loads(told.rpartition("data:")[2])["error"] == plain
    assert plain["code"] == 1010


def test_a_client_that_would_go_on_from_an_event_gets_a_stream(server: str) -> None:
    client = {"name": "a", "version": "1"}
    greeting = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    session = post(server + "/mcp", request("initialize", greeting)).headers["mcp-session-id"]
    headers = {"mcp-session-id": session, "last-event-id": "7", "accept": "text/event-stream"}
    with CLIENT.stream("GET", server + "/mcp", headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")


def test_requests_of_one_id_are_all_answered(server: str) -> None:
    client = {"name": "a", "version": "1"}
    greeting = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    session = post(server + "/mcp", request("initialize", greeting)).headers["mcp-session-id"]

    def ask(number: int) -> Any:
        wanted = {"name": "context_read_context", "arguments": {"query": "a", "limit": number}}
        asked = {"jsonrpc": "2.0", "id": "7" if number % 2 else 7, "method": "tools/call", "params": wanted}
        return text_of(post(server + "/mcp", asked, **{"mcp-session-id": session}))

    with ThreadPoolExecutor(8) as clients:
        answers = list(clients.map(ask, [1, 2, 3, 4] * 6))
    assert [len(answer) for answer in answers] == [1, 2, 3, 4] * 6


def test_a_request_that_breaks_off_is_not_carried_out(server: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "cuedeck.access")
    caplog.clear()
    host, _, port = server.removeprefix("http://").partition(":")
    body = json.dumps(request("read_context", {"query": "a"})).encode()
    with socket.create_connection((host, int(port)), 5) as raw:
        head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        raw.sendall(f"{head}Content-Length: {len(body) + 1}\r\n\r\n".encode() + body)
    seen = last_access(caplog)
    assert (seen["status"], seen["denied"]) == (400, "broken off")


def test_health_and_readiness(server: str) -> None:
    assert get(server + "/healthz").json() == {"status": "ok"}
    assert get(server + "/readyz").json() == {"status": "ready"}


def test_readiness_fails_when_the_store_does(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / ".cuedeck").mkdir()
    (tmp_path / ".cuedeck" / "state.db").write_bytes(b"this is not a database, not at all" * 200)
    with (
        open_workspace(tmp_path) as workspace,
        running(create_http_app(workspace, HttpSettings(ALL, registry=REGISTRY))) as address,
    ):
        assert get(address + "/readyz").status_code == 503
        assert "Traceback" not in caplog.text
        assert get(address + "/healthz").status_code == 200


def test_the_access_log_has_no_secrets(server: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "cuedeck.access")
    get(server + "/healthz?token=hunter2", authorization="Bearer hunter2")
    record = last_access(caplog, "GET")
    assert record["path"] == "/healthz"
    assert record["status"] == 200
    assert "hunter2" not in caplog.text


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_nobody_listens_beyond_this_machine_without_authentication(host: str) -> None:
    with pytest.raises(CueError, match="without authentication"):
        check_bind(host, Config())
    check_bind(host, Config(auth=AuthSection(jwt_secret="s" * 32)))
    for loopback in ("127.0.0.1", "127.1.2.3", "::1", "localhost"):
        check_bind(loopback, Config())


def test_many_nodes_share_no_sessions(server: str, tmp_path: Path) -> None:
    with open_workspace(tmp_path, CUEDECK_STORE__URL="postgresql://127.0.0.1:1/none") as workspace:
        app = create_http_app(workspace, HttpSettings(ALL, registry=REGISTRY))
        with running(app) as address:
            assert get(address + "/mcp").status_code == 405
            listed = post(address + "/mcp", request("tools/list"), **{"mcp-protocol-version": "2025-11-25"})
            assert listed.json()["result"]["tools"]
            assert "mcp-session-id" not in listed.headers
