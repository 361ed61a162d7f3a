"""A workspace of its own and agents over real pipes, for the start and chaos measurements."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CUE = str(Path(sys.executable).with_name("cue"))
USER = "11111111-1111-4111-8111-111111111111"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}


class Ground:
    """A fresh workspace with a runtime folder nobody else uses."""

    def __init__(self, folder: Path, url: str | None) -> None:
        self.folder = folder / "work"
        (self.folder / ".cuedeck").mkdir(parents=True)
        self.runtime = folder / "run"
        self.runtime.mkdir(mode=0o700)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CUEDECK_")}
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        self.environ = {**kept, "XDG_RUNTIME_DIR": str(self.runtime), "CUEDECK_USER": USER}
        if url is not None:
            self.environ["CUEDECK_STORE__URL"] = url

    def agent(self, *options: str) -> Agent:
        return Agent(self, *options)

    def cue(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [CUE, *arguments], cwd=self.folder, env=self.environ, capture_output=True, text=True, timeout=60
        )

    def status(self) -> dict[str, Any]:
        return json.loads(self.cue("daemon", "status", "--json").stdout)  # type: ignore[no-any-return]


@contextmanager
def ground(url: str | None = None) -> Iterator[Ground]:
    """Make one, with its state in PostgreSQL when there is a URL, and stop its daemon afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        made = Ground(Path(folder), url)
        try:
            yield made
        finally:
            made.cue("daemon", "stop")


class Agent:
    """One ``cue mcp``."""

    def __init__(self, ground: Ground, *options: str) -> None:
        self.process = subprocess.Popen(
            [CUE, "mcp", *options],
            cwd=ground.folder,
            env=ground.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._next = 0

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def line(self) -> bytes:
        assert self.process.stdout
        return self.process.stdout.readline()

    def initialize(self) -> Agent:
        self.send(INITIALIZE)
        self.line()
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        self._next += 1
        params = {"name": tool, "arguments": arguments}
        self.send({"jsonrpc": "2.0", "id": self._next, "method": "tools/call", "params": params})
        return json.loads(self.line())  # type: ignore[no-any-return]

    def ping(self) -> None:
        self._next += 1
        self.send({"jsonrpc": "2.0", "id": self._next, "method": "ping"})
        self.line()

    def leave(self) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()
