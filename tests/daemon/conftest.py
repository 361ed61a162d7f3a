"""A workspace of its own, a runtime folder of its own, and agents that speak over real pipes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from clean_environ import clean_environ, stand_by
from short_folder import short_folder

CUE = str(Path(sys.executable).with_name("cue"))


class Agent:
    """An MCP client over the stdio of a real ``cue mcp``."""

    def __init__(self, folder: Path, environ: dict[str, str], *options: str) -> None:
        self.process = subprocess.Popen(
            [CUE, "mcp", *options],
            cwd=folder,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._next = 0

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, self.process.stderr and self.process.stderr.read().decode()
        return json.loads(line)  # type: ignore[no-any-return]

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._next += 1
        self.send({"id": self._next, "method": method, "params": params})
        answer = self.receive()
        assert answer["id"] == self._next, answer
        return answer

    def initialize(self) -> dict[str, Any]:
        client = {"name": "test", "version": "1"}
        answer = self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
        self.send({"method": "notifications/initialized"})
        return answer

    def tools(self) -> list[str]:
        return [tool["name"] for tool in self.ask("tools/list")["result"]["tools"]]

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        return self.ask("tools/call", name=name, arguments=arguments)

    def leave(self) -> int:
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(60)


class Ground:
    """A workspace and a runtime folder that nobody else uses."""

    def __init__(self, base: Path) -> None:
        self.folder = base / "work"
        (self.folder / ".cuedeck").mkdir(parents=True)
        runtime = short_folder()
        kept = clean_environ()
        self.environ = {
            **kept,
            "XDG_RUNTIME_DIR": str(runtime),
            "XDG_CONFIG_HOME": str(base / "config"),
            "CUEDECK_DAEMON__IDLE_SECONDS": "60",
        }
        stand_by(self.environ)

    def cue(self, *arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
        usual = {
            "cwd": self.folder,
            "env": self.environ,
            "capture_output": True,
            "text": True,
            "timeout": 100,
        }
        return subprocess.run([CUE, *arguments], **{**usual, **settings})


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    """A place of its own for tests that are rough with the daemon; it is stopped afterwards."""
    made = Ground(tmp_path)
    yield made
    made.cue("daemon", "stop")


@pytest.fixture(scope="module")
def common_ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    """One daemon for all gentle tests of a module."""
    made = Ground(tmp_path_factory.mktemp("common"))
    yield made
    made.cue("daemon", "stop")


@pytest.fixture
def folder(ground: Ground) -> Path:
    return ground.folder


@pytest.fixture
def environ(ground: Ground) -> dict[str, str]:
    return ground.environ


@pytest.fixture
def cue(ground: Ground) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command in the workspace."""
    return ground.cue


@pytest.fixture
def agent(ground: Ground) -> Iterator[Callable[..., Agent]]:
    """Start agents in the workspace; they are ended afterwards."""
    started: list[Agent] = []

    def start(*options: str, **overrides: str) -> Agent:
        started.append(Agent(ground.folder, {**ground.environ, **overrides}, *options))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            each.process.kill()
        each.process.wait(10)
        for pipe in (each.process.stdin, each.process.stdout, each.process.stderr):
            assert pipe
            pipe.close()


class DaemonProcess:
    """The daemon behind the agents, from outside."""

    def __init__(self, runtime: Path) -> None:
        self.folder = runtime / "cuedeck"

    @property
    def pid(self) -> int:
        pid = self.recorded_pid()
        assert pid is not None
        return pid

    def recorded_pid(self) -> int | None:
        (pid_file,) = self.folder.glob("*.pid")
        recorded = pid_file.read_text()
        return int(recorded) if recorded else None

    def signal(self, number: int) -> int:
        """Send a signal and wait for the process to be gone."""
        pid = self.pid
        os.kill(pid, number)
        deadline = time.monotonic() + 60
        while runs(pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not runs(pid)
        return pid


def runs(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.fixture
def daemon(environ: dict[str, str]) -> DaemonProcess:
    return DaemonProcess(Path(environ["XDG_RUNTIME_DIR"]))
