"""One scenario over all five decks: the same golden answers over every transport, era and client.

``CUEDECK_REFRESH_TRANSCRIPTS=1`` writes the transcript anew.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ground import Ground
from outside import MODERN, USER, Http, Stdio, hello

GOLDEN = Path(__file__).parent / "transcripts" / "all_decks.json"
HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
SCENARIO: tuple[tuple[str, dict[str, Any]], ...] = (
    ("context_read_doc", {"path": "docs/auth.md", "anchor": "Error Codes"}),
    ("context_read_doc", {"path": "docs/auht.md"}),
    ("context_read_context", {"query": "login flow", "mode": "keyword", "limit": 1}),
    ("code_index_repo", {}),
    ("code_find_references", {"symbol_name": "shout"}),
    ("code_diff_context", {"base_ref": "main", "head_ref": "feat/oauth2", "path_filter": "src/auth/o"}),
    ("code_find_references", {"symbol_name": "unheard_of"}),
    ("todo_list_tasks", {"user_id": USER, "status": "complete"}),
    ("todo_complete_task", {"user_id": USER, "task_title": "nothing like it"}),
    ("memory_search", {"query": "nothing stored yet"}),
    ("memory_read", {"id": "memory:none"}),
    ("vault_search_links", {"path": "docs/tokens.md"}),
    ("vault_get_file", {"path": "none.md"}),
    ("vault_query_files", {"limit": 0, "type": "concept"}),
)
VOLATILE = (
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"),
    (r"\b[0-9a-f]{40}\b", "COMMIT"),
    (r'"(executionTime|duration_ms|created|modified|lastUpdated)":[\d.]+', r'"\1":0'),
    (r'"(mode)":"(full|incremental|overlay)"', r'"\1":"MODE"'),
    (r'"(changed_files)":\d+', r'"\1":0'),
    (r'"cached":(true|false)', '"cached":false'),
)
Call = Callable[[str, dict[str, Any]], dict[str, Any]]


def told(call: Call) -> list[Any]:
    """The scenario with every answer as this client saw it, but for what differs each time."""
    return [[name, arguments, seen(call(name, arguments))] for name, arguments in SCENARIO]


def seen(answer: dict[str, Any]) -> Any:
    if "error" in answer:
        return {"error": json.loads(normal(json.dumps(answer["error"], separators=(",", ":"))))}
    result = answer["result"]
    text = result["content"][0]["text"]
    return {"isError": result.get("isError", False), "text": json.loads(normal(text))}


def normal(text: str) -> str:
    for pattern, plain in VOLATILE:
        text = re.sub(pattern, plain, text)
    return text


def compare(transcript: list[Any]) -> None:
    if os.environ.get("CUEDECK_REFRESH_TRANSCRIPTS"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(json.dumps(transcript, indent=1, ensure_ascii=False) + "\n")
    for expected, found in zip(json.loads(GOLDEN.read_text()), transcript, strict=True):
        assert found == expected


def raw(door: Any) -> Call:
    return lambda name, arguments: door.ask("tools/call", {"name": name, "arguments": arguments})


@pytest.mark.parametrize("version", HANDSHAKES)
def test_lines_over_stdio_after_a_handshake(ground: Ground, version: str) -> None:
    door = Stdio(ground.root, ground.environ, "--decks", "all", version=version)
    try:
        assert door.greeting["result"]["protocolVersion"] == version
        compare(told(raw(door)))
    finally:
        door.close()


def test_lines_over_stdio_without_a_handshake(ground: Ground) -> None:
    door = Stdio(ground.root, ground.environ, "--decks", "all", version=None)
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    }

    def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return door.ask("tools/call", {"name": name, "arguments": arguments, "_meta": meta})

    try:
        compare(told(call))
    finally:
        door.close()


@pytest.fixture(scope="module")
def served(ground: Ground) -> Iterator[Http]:
    server = Http(ground.root, ground.environ, "--decks", "all")
    yield server
    server.close()


def test_bodies_over_http(served: Http) -> None:
    compare(told(raw(served)))


@pytest.mark.parametrize("version", HANDSHAKES)
def test_bodies_over_http_after_a_handshake(served: Http, version: str) -> None:
    session = Session(served, version)
    compare(told(session.call))


class Session:
    """A client of the handshake era over HTTP."""

    def __init__(self, server: Http, version: str) -> None:
        import urllib.request

        body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello(version)}
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        request = urllib.request.Request(server.address + "/mcp", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            session = answer.headers.get("mcp-session-id")
            greeting = json.loads(answer.read())
        assert greeting["result"]["protocolVersion"] == version
        self.server = server
        self.headers = {"mcp-protocol-version": version, **({"mcp-session-id": session} if session else {})}
        server.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, self.headers)

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        params = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
        answer: dict[str, Any] = self.server.post(message, self.headers)[1]
        return answer


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_official_client(ground: Ground, served: Http, transport: str) -> None:
    import anyio

    async def conversation() -> list[Any]:
        from mcp.client import Client
        from mcp.client.stdio import StdioServerParameters, stdio_client
        from outside import CUE

        from mcp import MCPError

        command = StdioServerParameters(
            command=CUE, args=["mcp", "--decks", "all"], env=ground.environ, cwd=ground.root
        )
        target: Any = stdio_client(command) if transport == "stdio" else f"{served.address}/mcp"
        transcript: list[Any] = []
        async with Client(target) as client:
            for name, arguments in SCENARIO:
                try:
                    result = await client.call_tool(name, arguments)
                    answer = {"result": result.model_dump(by_alias=True, mode="json")}
                except MCPError as error:
                    answer = {"error": error.error.model_dump(mode="json", exclude_none=True)}
                transcript.append([name, arguments, seen(answer)])
        return transcript

    compare(anyio.run(conversation))
