from __future__ import annotations

from typing import Any

import anyio
import pytest

from cuedeck.mcp.gates import BodyGate

Sent = list[dict[str, Any]]


async def answer(scope: Any, receive: Any, send: Any) -> None:
    message = await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": message.get("body", b"")})


def through(method: str, headers: dict[str, str], parts: list[bytes], *, ends: bool = True) -> Sent:
    """What a request is answered with whose body comes in parts, and then ends or stays away."""
    waiting = list(parts)
    sent: Sent = []

    async def receive() -> dict[str, Any]:
        if not waiting and not ends:
            await anyio.sleep_forever()
        part = waiting.pop(0) if waiting else b""
        return {"type": "http.request", "body": part, "more_body": bool(waiting) or not ends}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def run() -> None:
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "method": method, "headers": raw}
        await BodyGate(answer, max_bytes=10, seconds=0.1)(scope, receive, send)  # type: ignore[arg-type]

    anyio.run(run)
    return sent


@pytest.mark.parametrize("method", ["POST", "PUT", "GET", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("announced", [{"content-length": "9"}, {"transfer-encoding": "chunked"}])
def test_a_body_that_stays_away_is_not_waited_for(method: str, announced: dict[str, str]) -> None:
    start = through(method, announced, [b"abc"], ends=False)[0]
    assert start["status"] == 408
    assert (b"connection", b"close") in start["headers"]


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
def test_a_body_in_parts_arrives_whole(method: str) -> None:
    start, body = through(method, {"content-length": "6"}, [b"ab", b"", b"cd", b"ef"])
    assert (start["status"], body["body"]) == (200, b"abcdef")


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
def test_a_body_that_is_longer_than_it_said_is_refused(method: str) -> None:
    assert through(method, {"transfer-encoding": "chunked"}, [b"abcdef"] * 2)[0]["status"] == 413


def test_without_a_body_nothing_is_waited_for() -> None:
    assert through("GET", {}, [b""], ends=False)[0]["status"] == 200


def test_a_compressed_body_is_refused_as_such() -> None:
    start = through("POST", {"content-length": "3", "content-encoding": "gzip"}, [b"\x1f\x8b\x08"])[0]
    assert (start["status"], dict(start["headers"])[b"accept-encoding"]) == (415, b"identity")
