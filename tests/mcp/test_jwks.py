from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from socketserver import BaseRequestHandler, TCPServer
from typing import Any

import pytest

from cuedeck.mcp.jwks import BACK_OFF_SECONDS, FRESH_SECONDS, KeySource, key_source, signing_keys

KEY = {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Publisher:
    """A key set that can be changed, broken and counted."""

    def __init__(self, *names: str) -> None:
        self.names = list(names)
        self.reads = 0
        self.broken = False

    def __call__(self) -> bytes:
        self.reads += 1
        if self.broken:
            raise OSError("down")
        return json.dumps({"keys": [KEY | {"kid": name} for name in self.names]}).encode()


def test_keys_are_cached() -> None:
    publisher, clock = Publisher("a"), Clock()
    keys = KeySource(publisher, clock)
    for _ in range(10):
        assert keys.find("a", "EdDSA")
    assert publisher.reads == 1
    clock.now += FRESH_SECONDS + 1
    assert keys.find("a", "EdDSA")
    assert publisher.reads == 2


def test_a_rotated_key_is_fetched_when_it_first_appears() -> None:
    publisher, clock = Publisher("a"), Clock()
    keys = KeySource(publisher, clock)
    assert keys.find("a", "EdDSA")
    publisher.names = ["b"]
    clock.now += BACK_OFF_SECONDS
    assert keys.find("b", "EdDSA")
    assert keys.find("a", "EdDSA") is None


def test_unknown_key_ids_cannot_hammer_the_issuer() -> None:
    publisher, clock = Publisher("a"), Clock()
    keys = KeySource(publisher, clock)
    for number in range(1000):
        assert keys.find(f"made-up-{number}", "EdDSA") is None
    assert publisher.reads == 1


def test_while_the_issuer_is_down_known_keys_keep_working_and_the_wait_grows() -> None:
    publisher, clock = Publisher("a"), Clock()
    keys = KeySource(publisher, clock)
    assert keys.find("a", "EdDSA")
    publisher.broken = True
    for _ in range(100):
        clock.now += FRESH_SECONDS / 5
        assert keys.find("a", "EdDSA")
    assert publisher.reads < 20


def test_a_slow_issuer_holds_up_only_who_needs_a_new_key() -> None:
    publisher, clock = Publisher("a"), Clock()
    asked, answered = threading.Event(), threading.Event()

    def load() -> bytes:
        if publisher.reads:
            asked.set()
            assert answered.wait(10)
        return publisher()

    keys = KeySource(load, clock)
    assert keys.find("a", "EdDSA")
    clock.now += FRESH_SECONDS + 1
    fetching = threading.Thread(target=keys.find, args=("a", "EdDSA"))
    fetching.start()
    assert asked.wait(10)
    assert keys.find("a", "EdDSA")
    answered.set()
    fetching.join()
    assert publisher.reads == 2


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b'{"keys": 3}', b"<html>", b"[" * 100_000])
def test_what_is_no_key_set_gives_no_keys(text: bytes) -> None:
    with pytest.raises((ValueError, RecursionError)):
        signing_keys(text)
    assert KeySource(lambda: text).find("a", "EdDSA") is None


@pytest.fixture
def site() -> Iterator[Any]:
    class Site(BaseHTTPRequestHandler):
        body = b""
        status = 200

        def do_GET(self) -> None:
            self.send_response(Site.status)
            self.send_header("location", "/elsewhere")
            self.end_headers()
            self.wfile.write(Site.body)

        def log_message(self, *_: Any) -> None:
            return None

    server = HTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    Site.url = f"http://127.0.0.1:{server.server_port}/jwks"  # type: ignore[attr-defined]
    yield Site
    server.shutdown()


def test_keys_come_over_http(site: Any, tmp_path: Path) -> None:
    site.body = json.dumps({"keys": [KEY | {"kid": "a"}]}).encode()
    assert key_source(site.url, tmp_path).find("a", "EdDSA")


@pytest.mark.parametrize(("status", "body"), [(302, b""), (500, b""), (200, b"x" * 2_000_000)])
def test_redirects_and_floods_give_no_keys(site: Any, tmp_path: Path, status: int, body: bytes) -> None:
    site.status, site.body = status, body
    assert key_source(site.url, tmp_path).find("a", "EdDSA") is None


def test_what_answers_without_http_gives_no_keys_and_is_left_alone_for_a_while(tmp_path: Path) -> None:
    asked: list[bytes] = []

    class Nonsense(BaseRequestHandler):
        def handle(self) -> None:
            asked.append(self.request.recv(65536))
            self.request.sendall(b"no protocol at all\r\n\r\n")

    with TCPServer(("127.0.0.1", 0), Nonsense) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        keys = key_source(f"http://127.0.0.1:{server.server_address[1]}/jwks", tmp_path)
        assert keys.find("a", "EdDSA") is None
        assert keys.find("b", "EdDSA") is None
        server.shutdown()
    assert len(asked) == 1
