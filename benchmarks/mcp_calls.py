"""What one tool call costs in the server: stdio and HTTP, both eras, against a bare JSON echo."""

from __future__ import annotations

import json
import os
import platform
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CALLS = 300
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
ECHO = "import sys\nfor line in sys.stdin: sys.stdout.write(line); sys.stdout.flush()"
STDIO = """
import sys, anyio
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.stdio import serve_stdio
from cuedeck.workspace import Workspace
with Workspace.open(sys.argv[1], environ={"HOME": sys.argv[1]}) as workspace:
    anyio.run(serve_stdio, lambda _: workspace, ConnectionOptions(decks=("all",)))
"""
HTTP = """
import sys, uvicorn
from cuedeck.mcp.http import HttpSettings, create_http_app
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.workspace import Workspace
with Workspace.open(sys.argv[1], environ={"HOME": sys.argv[1]}) as workspace:
    app = create_http_app(workspace, HttpSettings(ConnectionOptions(decks=("all",))))
    uvicorn.run(app, port=int(sys.argv[2]), log_level="error")
"""


def call(modern: bool) -> dict[str, Any]:
    params: dict[str, Any] = {"name": "context_validate_task_graph", "arguments": {}}
    return {"method": "tools/call", "params": params | ({"_meta": ENVELOPE} if modern else {})}


@contextmanager
def process(code: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", code, *arguments]
    running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield running
    finally:
        running.terminate()
        running.wait(10)


def over_pipe(running: subprocess.Popen[bytes]) -> Callable[[dict[str, Any]], Any]:
    def send(message: dict[str, Any]) -> Any:
        assert running.stdin and running.stdout
        running.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, **message}).encode() + b"\n")
        running.stdin.flush()
        return json.loads(running.stdout.readline())

    return send


def over_http(port: int, modern: bool) -> Callable[[dict[str, Any]], Any]:
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    if modern:
        headers |= {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call"}
        headers["mcp-name"] = "context_validate_task_graph"

    def send(message: dict[str, Any]) -> Any:
        connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, **message}), headers)
        answer = connection.getresponse()
        if session := answer.headers.get("mcp-session-id"):
            headers["mcp-session-id"] = session
        body = answer.read()
        return json.loads(body) if body else None

    return send


def hello(send: Callable[[dict[str, Any]], Any]) -> None:
    client = {"name": "bench", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    send({"method": "initialize", "params": params})


def cpu_ms(pid: int) -> float:
    """Processor time of a process, on Linux."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def measure(name: str, pid: int, send: Callable[[dict[str, Any]], Any], message: dict[str, Any]) -> float:
    for _ in range(30):
        answer = send(message)
    assert "error" not in answer, answer
    before, times = cpu_ms(pid), []
    for _ in range(CALLS):
        started = time.perf_counter()
        send(message)
        times.append((time.perf_counter() - started) * 1000)
    cpu = (cpu_ms(pid) - before) / CALLS
    times.sort()
    p50, p95 = statistics.median(times), times[int(len(times) * 0.95)]
    print(f"{name:32} p50 {p50:6.2f} ms   p95 {p95:6.2f} ms   server CPU {cpu:5.2f} ms/call")
    return p50


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def main() -> None:
    machine = f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores"
    print(f"{machine}, {CALLS} calls each")
    with tempfile.TemporaryDirectory() as folder:
        with process(ECHO) as running:
            measure("pipe echo (lower bound)", running.pid, over_pipe(running), call(False))
        for modern in (False, True):
            with process(STDIO, folder) as running:
                send = over_pipe(running)
                if not modern:
                    hello(send)
                era = "2026-07-28" if modern else "2025-11-25"
                measure(f"stdio in process, {era}", running.pid, send, call(modern))
        port = free_port()
        with process(HTTP, folder, str(port)) as running:
            wait_for(port)
            for modern in (False, True):
                send = over_http(port, modern)
                if not modern:
                    hello(send)
                era = "2026-07-28" if modern else "2025-11-25"
                measure(f"HTTP, {era}", running.pid, send, call(modern))


def wait_for(port: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server did not start")


if __name__ == "__main__":
    main()
