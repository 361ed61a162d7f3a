"""One scenario over all five decks: the same golden answers over every transport, era and client.

``CUEDECK_REFRESH_TRANSCRIPTS=1`` writes the transcript anew.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from ground import Ground
from outside import MODERN, Http, Stdio, hello
from scenario import SCENARIO, Call, compare, seen, told

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


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

    def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return door.ask("tools/call", {"name": name, "arguments": arguments, "_meta": META})

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


def test_bytes_over_a_socket(served: Http) -> None:
    host, _, port = served.address.removeprefix("http://").partition(":")
    number = 0

    def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        nonlocal number
        number += 1
        params = {"name": name, "arguments": arguments, "_meta": META}
        body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        data = json.dumps(body).encode()
        head = (
            f"POST /mcp HTTP/1.1\r\nhOST: {host}:{port}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {MODERN}\r\n"
            f"Mcp-Method: tools/call\r\nMcp-Name: {name}\r\nContent-Length: {len(data)}\r\n\r\n"
        ).encode()
        # In two halves that split the body, as a slow network would.
        whole = head + data
        plug.sendall(whole[: len(head) + 7])
        plug.sendall(whole[len(head) + 7 :])
        return answer_of(plug)

    with socket.create_connection((host, int(port)), timeout=60) as plug:
        compare(told(call))


def answer_of(plug: socket.socket) -> dict[str, Any]:
    """One HTTP answer with a length, read byte by byte as far as its head goes."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        piece = plug.recv(1)
        assert piece, head
        head += piece
    lines = head.decode().lower().splitlines()
    assert lines[0].startswith("http/1.1 "), head
    (size,) = (int(line.partition(":")[2]) for line in lines if line.startswith("content-length:"))
    body = b""
    while len(body) < size:
        body += plug.recv(size - len(body))
    answer: dict[str, Any] = json.loads(body)
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
