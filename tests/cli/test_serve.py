"""``cue serve`` as a process: it answers, explains itself, refuses what is unsafe, and ends calmly."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CUE = str(Path(sys.executable).with_name("cue"))


def _default_interrupt() -> None:
    """A background job's children ignore SIGINT; the server must be asked as a person at a terminal would."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def serve(folder: Path, environ: dict[str, str]) -> Iterator[Callable[..., tuple[Any, str]]]:
    started: list[subprocess.Popen[str]] = []

    def start(*options: str, **overrides: str) -> tuple[subprocess.Popen[str], str]:
        process = subprocess.Popen(
            [CUE, "serve", *options],
            cwd=folder,
            env={**environ, **overrides},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=_default_interrupt,
        )
        started.append(process)
        assert process.stdout
        greeting = ""
        while "Stop with" not in greeting:
            line = process.stdout.readline()
            assert line, process.stderr and process.stderr.read()
            greeting += line
        return process, greeting

    yield start
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)  # its workers as well
        process.communicate()


def url_in(greeting: str) -> str:
    return next(word for word in greeting.split() if word.startswith("http://") and word.endswith("/mcp"))


def post(url: str, message: dict[str, Any]) -> dict[str, Any]:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, **message}).encode()
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=60) as answer:
        return json.loads(answer.read())  # type: ignore[no-any-return]


USER = "11111111-1111-4111-8111-111111111111"
INITIALIZE = {
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_it_answers_and_ends_calmly(serve: Any, number: int, code: int) -> None:
    port = free_port()
    process, greeting = serve(PORT=str(port))
    assert f"claude mcp add --transport http cuedeck http://127.0.0.1:{port}/mcp" in greeting
    answer = post(url_in(greeting), INITIALIZE)
    assert answer["result"]["serverInfo"]["name"] == "cuedeck"
    process.send_signal(number)
    assert process.wait(60) == code
    assert "Traceback" not in process.stderr.read()


def test_a_port_in_use_is_one_clear_sentence(cue: Any) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = cue("serve", "--port", str(port))
    assert done.returncode == 1 and done.stdout == ""
    assert f"Cannot listen on 127.0.0.1, port {port}: address already in use" in done.stderr
    assert "--port N" in done.stderr


def test_beyond_this_machine_only_with_authentication(cue: Any, serve: Any) -> None:
    done = cue("serve", "--host", "0.0.0.0", "--port", "0")
    assert done.returncode == 101 and "without authentication" in done.stderr
    _, greeting = serve("--host", "0.0.0.0", "--port", "0", CUEDECK_AUTH__JWT_SECRET="s" * 40)
    assert "Authorization: Bearer TOKEN" in greeting


def test_workers_need_postgresql(cue: Any) -> None:
    done = cue("serve", "--workers", "2")
    assert done.returncode == 101 and "PostgreSQL" in done.stderr


def test_unknown_decks_and_ports_are_refused(cue: Any) -> None:
    done = cue("serve", "--decks", "memry")
    assert done.returncode == 2 and "memory" in done.stderr
    assert cue("serve", "--port", "70000").returncode == 2
    assert cue("serve", env={**os.environ, "PORT": "http"}).returncode == 2


def test_several_workers_share_one_postgresql(serve: Any, postgres_url: str) -> None:
    process, greeting = serve(
        "--workers", "2", "--port", "0", "--decks", "todo", CUEDECK_STORE__URL=postgres_url, CUEDECK_USER=USER
    )
    url = url_in(greeting)
    added = [call(url, "add_task", user_id=USER, title=f"task {number}") for number in range(10)]
    assert all(answer["success"] for answer in added)
    assert call(url, "list_tasks", user_id=USER)["count"] == 10
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0


def call(url: str, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = post(url, {"method": "tools/call", "params": {"name": tool, "arguments": arguments}})
    return answer["result"]["structuredContent"]  # type: ignore[no-any-return]
