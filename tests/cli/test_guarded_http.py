from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn

from cuedeck.cli.http.guarded_http import GuardedHttp

HEAD = b"POST / HTTP/1.1\r\nHost: a\r\n"


class Impatient(GuardedHttp):
    head_seconds = 0.3


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answers once the body is whole, and slowly."""
    more = scope["type"] == "http"
    while more:
        message = await receive()
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@contextmanager
def served(app: Any = echo) -> Iterator[tuple[str, int]]:
    listener = socket.create_server(("127.0.0.1", 0))
    quiet: dict[str, Any] = {"log_config": None, "lifespan": "off", "timeout_graceful_shutdown": 1}
    server = uvicorn.Server(uvicorn.Config(app, http=Impatient, **quiet))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()


@pytest.fixture(scope="module")
def place() -> Iterator[tuple[str, int]]:
    with served() as address:
        yield address


def all_of(wire: socket.socket) -> bytes:
    return b"".join(iter(lambda: wire.recv(65536), b""))


@pytest.mark.parametrize("sent", [b"", b"PO", HEAD, HEAD + b"X-Long: "])
def test_a_client_that_keeps_its_headers_is_hung_up_on(place: tuple[str, int], sent: bytes) -> None:
    with socket.create_connection(place, 10) as wire:
        wire.sendall(sent)
        assert all_of(wire) == b""


def test_a_trickle_of_headers_buys_no_time(place: tuple[str, int]) -> None:
    with socket.create_connection(place, 10) as wire, pytest.raises(OSError, match=r"reset|Broken"):
        wire.sendall(b"PO")
        for _ in range(200):
            time.sleep(0.05)
            wire.sendall(b"S")


def test_a_body_takes_the_time_it_needs_and_the_connection_is_kept(place: tuple[str, int]) -> None:
    with socket.create_connection(place, 10) as wire:
        for _ in range(2):
            wire.sendall(HEAD + b"Content-Length: 4\r\n\r\nab")
            time.sleep(0.6)
            wire.sendall(b"cd")
            answer = b""
            while not answer.endswith(b"ok"):
                answer += wire.recv(65536)
            assert answer.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("verb", [b"POST", b"HEAD"])
def test_a_broken_body_is_refused_without_a_fuss(
    place: tuple[str, int], verb: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_connection(place, 10) as wire:
        wire.sendall(verb + HEAD[4:] + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n")
        assert all_of(wire).startswith(b"HTTP/1.1 400")
    time.sleep(0.1)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def hasty(scope: Any, receive: Any, send: Any) -> None:
    """Answers without waiting for the body."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.mark.parametrize("verb", [b"POST", b"GET"])
def test_a_body_that_goes_on_after_the_answer_is_hung_up_on(verb: bytes) -> None:
    with served(hasty) as place, socket.create_connection(place, 10) as wire:
        wire.sendall(verb + HEAD[4:] + b"Content-Length: 9999\r\n\r\n")
        assert wire.recv(65536).startswith(b"HTTP/1.1 200")
        with pytest.raises(OSError, match=r"reset|Broken"):
            for _ in range(200):
                time.sleep(0.05)
                wire.sendall(b"x")


def test_a_body_that_ends_after_the_answer_keeps_the_connection() -> None:
    with served(hasty) as place, socket.create_connection(place, 10) as wire:
        for _ in range(3):
            wire.sendall(HEAD + b"Content-Length: 4\r\n\r\nab")
            answer = b""
            while not answer.endswith(b"ok"):
                answer += wire.recv(65536)
            wire.sendall(b"cd")


def test_requests_sent_at_once_are_answered_in_turn(place: tuple[str, int]) -> None:
    with socket.create_connection(place, 10) as wire:
        wire.sendall((HEAD + b"Content-Length: 4\r\n\r\nabcd") * 20 + HEAD + b"Connection: close\r\n\r\n")
        assert all_of(wire).count(b"HTTP/1.1 200") == 21
