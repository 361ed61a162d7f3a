from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cuedeck.mcp.wire import Malformed, Oversized, bounded_lines, check_request, parse


class Chunks:
    def __init__(self, chunks: list[bytes]) -> None:
        self._chunks = list(chunks)

    async def receive(self, max_bytes: int = 65536) -> bytes:
        return self._chunks.pop(0) if self._chunks else b""


def lines(chunks: list[bytes], limit: int = 100) -> list[bytes | Oversized]:
    async def read() -> list[bytes | Oversized]:
        return [line async for line in bounded_lines(Chunks(chunks), limit)]

    return anyio.run(read)


@given(st.lists(st.binary(min_size=1, max_size=40)), st.integers(1, 60))
@example([b"\t\t"], 1)
def test_lines_do_not_depend_on_how_the_bytes_arrive(chunks: list[bytes], limit: int) -> None:
    whole = b"".join(chunks)
    expected = whole.split(b"\n")
    # A blank rest is no line, unless it is too long to be told from one.
    if not expected[-1].strip() and len(expected[-1]) <= limit:
        expected.pop()
    got = lines(chunks, limit)
    assert len(got) == len(expected)
    for line, want in zip(got, expected, strict=True):
        assert isinstance(line, Oversized) if len(want) > limit else line == want


@pytest.mark.parametrize("position", ["first", "last", "middle"])
def test_the_id_of_an_oversized_request_is_found_at_its_edges(position: str) -> None:
    padding = "x" * 5000
    message: dict[str, Any] = {
        "first": {"jsonrpc": "2.0", "id": 7, "method": "m", "params": {"p": padding}},
        "last": {"method": "m", "params": {"p": padding, "o": {"id": 9}}, "jsonrpc": "2.0", "id": 7},
        "middle": {"params": {"p": padding}, "id": 7, "method": "m" * 600},
    }[position]
    raw = json.dumps(message).encode() + b"\n"
    (line,) = lines([raw[i : i + 700] for i in range(0, len(raw), 700)])
    assert isinstance(line, Oversized)
    assert line.request_id() == (None if position == "middle" else 7)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"garbage", -32700),
        (b'{"a":', -32700),
        (b"\xff\xfe{}", -32700),
        (b'{"a": NaN}', -32700),
        (b'{"a": -Infinity}', -32700),
        (b'{"a": ' + b"9" * 5000 + b"}", -32700),
        (b"[" * 100_000, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}', -32600),
        (b'{"id":1,"params":{"x":1,"x":2}}', -32600),
    ],
)
def test_what_is_not_strict_json_is_refused(text: bytes, code: int) -> None:
    with pytest.raises(Malformed) as refused:
        parse(text)
    assert refused.value.code == code
    json.dumps(refused.value.to_json()).encode()


def test_a_repeated_name_among_very_many_is_found() -> None:
    # Compared name by name this one message would hold a server for hours.
    names = b",".join(b'"k%d":1' % number for number in range(300_000))
    with pytest.raises(Malformed, match="'a' is given twice"):
        parse(b'{"a":1,' + names + b',"a":2}')


def test_a_repeated_name_is_answered_under_its_id() -> None:
    with pytest.raises(Malformed) as refused:
        parse(b'{"jsonrpc":"2.0","id":5,"method":"m","params":{"x":1,"x":2}}')
    assert refused.value.request_id == 5


@pytest.mark.parametrize(
    ("message", "request_id"),
    [
        (3, None),
        ({}, None),
        ({"jsonrpc": "1.0", "id": 1, "method": "m"}, 1),
        ({"jsonrpc": "2.0", "id": 1}, 1),
        ({"jsonrpc": "2.0", "id": None, "method": "m"}, None),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "m"}, None),
        ({"jsonrpc": "2.0", "id": True, "method": "m"}, None),
        ({"jsonrpc": "2.0", "id": {}, "method": "m"}, None),
        ({"jsonrpc": "2.0", "id": "a", "method": 7}, "a"),
        ({"jsonrpc": "2.0", "id": "a", "method": "m", "params": [1]}, "a"),
        ({"jsonrpc": "2.0", "id": "a", "method": "m", "params": False}, "a"),
        ({"jsonrpc": "2.0", "id": 3, "result": [None]}, 3),
        ({"jsonrpc": "2.0", "id": 3, "error": "no"}, 3),
    ],
)
def test_what_is_not_a_request_is_refused_under_its_id(message: Any, request_id: Any) -> None:
    with pytest.raises(Malformed) as refused:
        check_request(message)
    assert refused.value.request_id == request_id


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "method": "m"},
        {"jsonrpc": "2.0", "method": "m", "params": {}},
        {"jsonrpc": "2.0", "id": "x", "result": {}},
        {"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "m"}},
    ],
)
def test_requests_notifications_and_responses_pass(message: Any) -> None:
    assert check_request(message) == message
