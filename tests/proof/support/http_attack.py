"""Raw HTTP no client should send, held against what every answer must keep to."""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import socket
import struct
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attack import Broken, contract_problem
from odd_messages import VERSIONS, Messages, answer_problem
from outside import MODERN, Http, hello

PATIENCE = 40.0
# The share of clients that do not wait for their answer.
RUDE = 0.05
VERBS = ("GET", "DELETE", "PUT", "OPTIONS", "HEAD", "PATCH", "TRACE", "BREW", "PO\x00ST", "")
TARGETS = (
    "/mcp",
    "/mcp/todo",
    "/mcp/context",
    "/mcp/",
    "/mcp/none",
    "/mcp/%00",
    "/mcp/../healthz",
    "//mcp",
    "/mcp?x=" + "y" * 3000,
    "/healthz",
    "/readyz",
    "/",
    "*",
    "http://127.0.0.1/mcp",
    "/.well-known/oauth-protected-resource/mcp",
    "/mcp\xff",
)
TYPES = (
    "application/json; charset=utf-8",
    "APPLICATION/JSON",
    "application/json; charset=utf-16",
    "application/jsonx",
    "application/json, text/plain",
    "text/plain",
    "multipart/form-data; boundary=x",
    "",
)
ACCEPTS = ("application/json", "text/event-stream", "*/*", "text/html", "", ";;;,,,", "a/b;q=" + "9" * 400)
ODD = ("", "x", "../../etc/passwd", "a" * 9000, "\xe9\xff", "0", "null", "' OR 1=1", "a, b", "\t")
STATUSES = {200, 202, 204, 307, 400, 401, 403, 404, 405, 406, 408, 411, 413, 415, 421, 426, 431}
LEAKS = (b"Traceback", b'.py", line', b"site-packages", b"sqlite3.", b"psycopg", b"pydantic")


@dataclass(frozen=True)
class Sent:
    """A request as it went out, and the message in it where it was an honest one."""

    verb: str
    raw: bytes
    message: Any
    # Whether the bytes say themselves where they end.
    whole: bool


class HttpAttack:
    """One server, odd requests, and the promise that a good one is answered after each of them."""

    def __init__(self, server: Http, log: Path, seed: int) -> None:
        self.server = server
        self.log = log
        self.chance = random.Random(seed)
        self.tools = {tool["name"]: tool for tool in server.ask("tools/list")["result"]["tools"]}
        self.messages = Messages(self.chance, self.tools)
        host, _, port = server.address.removeprefix("http://").partition(":")
        self.place = (host, int(port))
        self.session = self._greet()
        self.requests = 0
        self._read = 0
        self.statuses: dict[int | None, int] = {}

    def rounds(self, number: int) -> None:
        """So many odd requests, and a good one after every few."""
        for count in range(number):
            self.once()
            if count % 10 == 9:
                self.check()
        self.check()

    def once(self) -> None:
        sent = self.request()
        self.requests += 1
        if self.chance.random() < RUDE:
            self.leave_early(sent)
            return
        try:
            status, kind, body = self.exchange(sent)
        except (TimeoutError, http.client.HTTPException) as error:
            raise Broken(f"{error!r}: {sent.raw[:3000]!r}") from error
        self.statuses[status] = self.statuses.get(status, 0) + 1
        if problem := self._problem(sent, status, kind, body):
            raise Broken(f"{problem}: {sent.raw[:3000]!r} -> {status} {kind} {body[:2000]!r}")

    def check(self) -> None:
        """A good client is served, and the server has nothing to report."""
        started = time.monotonic()
        answer = self.server.ask("tools/call", {"name": "vault_health_check", "arguments": {}})
        health = answer["result"]["structuredContent"]["data"]
        assert health["status"] == "healthy", health
        assert time.monotonic() - started < PATIENCE
        with self.log.open(errors="replace") as log:
            log.seek(self._read)
            said = log.read()
            self._read = log.tell()
        for trouble in ("Traceback", "Exception in ASGI", "never retrieved"):
            if (at := said.find(trouble)) >= 0:
                raise Broken(f"the server's log: {said[max(0, at - 1000) : at + 6000]}")

    def exchange(self, sent: Sent) -> tuple[int | None, str, bytes]:
        """Status, content type and body; no status where the server hung up on what is not HTTP."""
        with socket.create_connection(self.place, PATIENCE) as wire:
            # A refusal may come before all is sent, and is there to read all the same.
            with contextlib.suppress(OSError):
                for piece in self._pieces(sent.raw):
                    wire.sendall(piece)
                if not sent.whole:
                    wire.shutdown(socket.SHUT_WR)
            answer = http.client.HTTPResponse(wire, method=sent.verb or "GET")
            try:
                answer.begin()
                kind = answer.headers.get_content_type()
                # A stream stays open for as long as its client likes.
                body = b"" if kind == "text/event-stream" and sent.verb == "GET" else answer.read()
                return answer.status, kind, body
            except (ConnectionResetError, http.client.RemoteDisconnected):
                return None, "", b""

    def leave_early(self, sent: Sent) -> None:
        """Send all or a part, and be gone before the answer; now and then without a goodbye."""
        with socket.create_connection(self.place, PATIENCE) as wire, contextlib.suppress(OSError):
            if self.chance.random() < 0.5:
                wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            whole = self.chance.random() < 0.5
            wire.sendall(sent.raw if whole else sent.raw[: self.chance.randrange(1, len(sent.raw))])
        self.statuses[None] = self.statuses.get(None, 0) + 1

    def request(self) -> Sent:
        """The next request of this seed."""
        chance = self.chance.random
        verb = "POST" if chance() < 0.93 else self.chance.choice(VERBS)
        target = "/mcp" if chance() < 0.88 else self.chance.choice(TARGETS)
        era = self.chance.choice((MODERN, MODERN, "2025-11-25", "2025-11-25", ""))
        body, message = self.messages.raw(era)
        headers = self._headers(era, message)
        framing, payload, whole = self._framing(body)
        version = self.chance.choice(("1.1",) * 20 + ("1.0", "2.0", "9"))
        lines = [f"{verb} {target} HTTP/{version}"]
        lines += [f"{name}: {value}" for name, value in headers + framing]
        head = "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n"
        honest = message if payload.endswith(body) or framing[0][0] == "transfer-encoding" else None
        # What is not HTTP at all is hung up on, and a refusal may be lost while its rest is still on the way.
        whole = whole and verb.isalpha() and target.isascii() and version.startswith("1.")
        return Sent(verb, head + payload, honest if target == "/mcp" else None, whole)

    def _headers(self, era: str, message: Any) -> list[tuple[str, str]]:
        chance, choose = self.chance.random, self.chance.choice
        headers = [("host", "127.0.0.1" if chance() < 0.97 else choose(ODD))]
        headers.append(("content-type", "application/json" if chance() < 0.9 else choose(TYPES)))
        both = "application/json, text/event-stream"
        headers.append(("accept", both if chance() < 0.85 else choose(ACCEPTS)))
        if era == MODERN:
            headers += [("mcp-protocol-version", era), *_spoken(message)]
        elif era:
            headers += [("mcp-protocol-version", era), ("mcp-session-id", self.session)]
        else:
            headers.append(("mcp-protocol-version", choose((*VERSIONS, *ODD))))
        for name in ("mcp-session-id", "mcp-method", "mcp-name", "mcp-protocol-version", "last-event-id"):
            if chance() < 0.02:
                headers.append((name, choose(ODD)))
        for name in ("origin", "authorization", "expect", "x-" + "y" * 200, "cookie", "upgrade"):
            if chance() < 0.01:
                headers.append((name, choose((*ODD, "100-continue", "websocket", "http://127.0.0.1:1"))))
        return headers

    def _framing(self, body: bytes) -> tuple[list[tuple[str, str]], bytes, bool]:
        """How the body is delimited: headers, bytes, and whether they end where they say."""
        roll = self.chance.random()
        size = str(len(body))
        if roll < 0.87:
            return [("content-length", size), ("connection", "close")], body, True
        if roll < 0.93:
            half = len(body) // 2
            parts = [part for part in (body[:half], body[half:]) if part]
            chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
            return [("transfer-encoding", "chunked"), ("connection", "close")], chunks + b"0\r\n\r\n", True
        if roll < 0.95:
            return [("transfer-encoding", "chunked")], b"zz\r\n" + body, False
        wrong = self.chance.choice(("-1", "x", "", "9" * 30, "0", size + ", " + size, "5", "99999999"))
        return [("content-length", wrong)], body, False

    def _pieces(self, raw: bytes) -> list[bytes]:
        if self.chance.random() < 0.9 or len(raw) < 3:
            return [raw]
        at = self.chance.randrange(1, len(raw))
        return [raw[:at], raw[at:]]

    def _greet(self) -> str:
        asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello("2025-11-25")}
        body = json.dumps(asked).encode()
        usual = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        connection = http.client.HTTPConnection(*self.place, timeout=PATIENCE)
        try:
            connection.request("POST", "/mcp", body, usual)
            answer = connection.getresponse()
            answer.read()
            return str(answer.headers["mcp-session-id"])
        finally:
            connection.close()

    def _problem(self, sent: Sent, status: int | None, kind: str, body: bytes) -> str:
        if status is None:
            return "" if not sent.whole else "no answer to a whole request"
        if status == 404 and b"Session not found" in body:
            self.session = self._greet()  # a DELETE ended it, or it was no session at all
        if status not in STATUSES:
            return "an unexpected status"
        if any(leak in body for leak in LEAKS):
            return "an answer shows what is inside"
        if kind == "application/json" and body:
            return self._json_problem(sent, json.loads(body))
        return ""

    def _json_problem(self, sent: Sent, answer: Any) -> str:
        if not isinstance(answer, dict) or "jsonrpc" not in answer:
            return "" if sent.message is None else "not a JSON-RPC answer"
        if problem := answer_problem(answer):
            return problem
        match sent.message:
            case {"method": "tools/call", "params": {"name": str(name)}} if name in self.tools:
                if "error" in answer and -32768 <= answer["error"]["code"] <= -32000:
                    return ""  # the protocol's own refusal, before any tool
                return contract_problem(name, answer)
        return ""


def _spoken(message: Any) -> list[tuple[str, str]]:
    """The headers with which a client of the newest era repeats its message."""
    if not isinstance(message, dict):
        return []
    found = [("mcp-method", str(message.get("method", "")))]
    params = message.get("params")
    if isinstance(params, dict) and "name" in params:
        found.append(("mcp-name", str(params["name"])))
    return [(name, "".join(filter(str.isprintable, value))[:4000]) for name, value in found]
