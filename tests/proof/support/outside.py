"""Clients that know only the product's commands: JSON lines to a process, JSON bodies to a port."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Protocol

from clean_environ import clean_environ
from short_folder import short_folder

CUE = str(Path(sys.executable).with_name("cue"))
PATIENCE = 60.0
MODERN = "2026-07-28"
USER = "123e4567-e89b-12d3-a456-426614174000"


def environment(base: Path, **overrides: str) -> dict[str, str]:
    """An environment in which nothing outside the folder is read or written."""
    kept = {name: value for name, value in clean_environ().items() if not name.startswith("XDG_")}
    (base / "home").mkdir(mode=0o700, exist_ok=True)
    return {
        **kept,
        "HOME": str(base / "home"),
        "XDG_RUNTIME_DIR": str(short_folder()),
        "XDG_CONFIG_HOME": str(base / "home" / ".config"),
        "CUEDECK_DAEMON__IDLE_SECONDS": "60",
        **overrides,
    }


class Door(Protocol):
    """One way into the server: ask a JSON-RPC method, get the whole answer."""

    def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        """The answer to one request."""

    def close(self) -> None:
        """Leave."""


class Stdio:
    """``cue mcp`` with raw lines on its pipes."""

    def __init__(
        self, root: Path, environ: dict[str, str], *options: str, version: str | None = "2025-11-25"
    ) -> None:
        self.process = subprocess.Popen(
            [CUE, "mcp", *options],
            cwd=root,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._next = 0
        self._rest = b""
        if version is not None:
            self.greeting = self.ask("initialize", hello(version))
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: Any) -> None:
        assert self.process.stdin
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(raw + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout
        pipe = self.process.stdout.fileno()
        deadline = time.monotonic() + PATIENCE
        while b"\n" not in self._rest:
            ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, "no answer"
            chunk = os.read(pipe, 1 << 20)
            assert chunk, f"the server ended with {self.process.wait(10)}"
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)  # type: ignore[no-any-return]

    def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        self._next += 1
        message = {"jsonrpc": "2.0", "id": self._next, "method": method}
        self.send(message if params is None else {**message, "params": params})
        while True:
            answer = self.receive()
            if "method" not in answer:
                assert answer["id"] == self._next, answer
                return answer

    def close(self) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        self.process.stdout.close()


class Http:
    """``cue serve`` with one POST for each request, as the protocol's current version has it."""

    def __init__(
        self,
        root: Path,
        environ: dict[str, str],
        *options: str,
        path: str = "/mcp",
        log: Path = Path(os.devnull),
    ) -> None:
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [CUE, "serve", "--port", "0", *options],
                cwd=root,
                env=environ,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )
        assert self.process.stdout
        self.address = ""
        for line in self.process.stdout:
            words = [word for word in line.split() if word.startswith("http://") and word.endswith("/mcp")]
            self.address = self.address or (words[0].removesuffix("/mcp") if words else "")
            if "Stop with" in line:
                break
        assert self.address, "the server did not say where it is"
        self.path = path
        self._next = 0

    def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        self._next += 1
        meta = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        asked = {**(params or {}), "_meta": meta}
        headers = {"mcp-protocol-version": MODERN, "mcp-method": method}
        if method == "tools/call":
            headers["mcp-name"] = header_value(asked["name"])
        message = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": asked}
        return self.post(message, headers)[1]

    def post(self, message: Any, headers: dict[str, str] | None = None) -> tuple[int, Any]:
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        usual = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        request = urllib.request.Request(self.address + self.path, raw, {**usual, **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, _body(answer.read())
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, _body(refused.read())

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)
        assert self.process.stdout
        self.process.stdout.close()


def _body(raw: bytes) -> Any:
    text = raw.decode()
    if text.startswith(("event:", "data:", "id:", ":")):
        text = [line[5:] for line in text.splitlines() if line.startswith("data:")][-1]
    return json.loads(text) if text.strip() else None


def header_value(name: str) -> str:
    return name if name.isascii() and name.isprintable() else "unsayable"


def hello(version: str) -> dict[str, Any]:
    return {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "outside", "version": "1"},
    }


class Deck:
    """The tools of one door by name: a good call gives the contract's value, a bad one its error."""

    def __init__(self, door: Door, prefix: str = "") -> None:
        self.door = door
        self.prefix = prefix

    def raw(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        return self.door.ask("tools/call", {"name": self.prefix + name, "arguments": arguments})

    def good(self, name: str, /, **arguments: Any) -> Any:
        """What the tool answered: one text block, and the same value as structure."""
        answer = self.raw(name, **arguments)
        assert "result" in answer, answer
        result = answer["result"]
        assert not result.get("isError"), result["content"]
        (block,) = result["content"]
        assert block["type"] == "text"
        value = json.loads(block["text"])
        expected = {"result": value} if isinstance(value, list) else value
        assert result["structuredContent"] == expected
        return value

    def meta(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """What stands beside the answer."""
        return self.raw(name, **arguments)["result"].get("_meta", {})  # type: ignore[no-any-return]

    def bad(self, name: str, /, **arguments: Any) -> Any:
        """The error: the text block's JSON, or the JSON-RPC error of the context deck."""
        answer = self.raw(name, **arguments)
        if "error" in answer:
            return answer["error"]
        assert answer["result"].get("isError"), answer["result"]
        (block,) = answer["result"]["content"]
        return json.loads(block["text"])
