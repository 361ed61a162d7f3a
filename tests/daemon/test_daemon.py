"""The daemon's life and deaths, as agents see them: real processes throughout."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def health(answer: dict[str, Any]) -> dict[str, Any]:
    return answer["result"]["structuredContent"]  # type: ignore[no-any-return]


def test_an_agent_outlives_killed_daemons(agent: Any, daemon: Any) -> None:
    one = agent("--decks", "vault")
    one.initialize()
    first = daemon.signal(signal.SIGKILL)
    assert list(daemon.folder.glob("*.sock"))  # left behind, and no obstacle
    # The next request finds a new daemon that already knows the client; nobody sees a second handshake.
    assert health(one.call("health_check"))["success"] is True
    assert daemon.pid != first
    os.kill(daemon.pid, signal.SIGSTOP)
    one.send({"id": "read", "method": "tools/call", "params": {"name": "health_check", "arguments": {}}})
    one.send({"id": "list", "method": "tools/list"})
    one.send({"id": "write", "method": "tools/call", "params": {"name": "trigger_workflow", "arguments": {}}})
    time.sleep(0.2)
    daemon.signal(signal.SIGKILL)
    answers = {answer["id"]: answer for answer in (one.receive(), one.receive(), one.receive())}
    # What changes nothing is asked again of the next daemon; what may have changed something is not.
    assert health(answers["read"])["success"] is True
    assert answers["list"]["result"]["tools"]
    assert answers["write"]["error"]["data"] == {"retry_safe": False}
    assert "look before sending it again" in answers["write"]["error"]["message"]
    assert one.leave() == 0


def test_another_version_gets_its_own_daemon_and_the_old_one_drains(
    agent: Any, daemon: Any, folder: Path, environ: dict[str, str]
) -> None:
    old = agent("--decks", "vault")
    old.initialize()
    first = daemon.pid
    assert _hello(daemon.folder, folder, version="9.9.9") == b"drain\n"
    new = agent("--decks", "vault")
    new.initialize()
    assert daemon.pid != first
    assert health(old.call("health_check"))["success"] is True  # its daemon still serves it
    old.leave()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and Path(f"/proc/{first}/cmdline").exists() and _cmdline(first):
        time.sleep(0.02)
    assert not _cmdline(first)


def test_a_daemon_whose_socket_was_removed_makes_way(agent: Any, daemon: Any) -> None:
    old = agent("--decks", "vault")
    old.initialize()
    first = daemon.pid
    for path in daemon.folder.glob("*.sock"):
        path.unlink()
    new = agent("--decks", "vault")
    new.initialize()
    assert daemon.pid != first
    assert health(old.call("health_check"))["success"] is True


def test_stop_ends_it_and_agents_come_back(agent: Any, daemon: Any, cue: Any) -> None:
    one = agent("--decks", "vault")
    one.initialize()
    pid = daemon.pid
    done = cue("daemon", "stop")
    assert done.stdout == f"Stopped the daemon (pid {pid}).\n"
    assert cue("daemon", "stop").stdout == "No daemon was running.\n"
    assert cue("daemon", "status").returncode == 1
    assert health(one.call("health_check"))["success"] is True
    assert daemon.pid != pid


def test_it_ends_when_idle(agent: Any, daemon: Any) -> None:
    one = agent(CUEDECK_DAEMON__IDLE_SECONDS="1")
    one.initialize()
    pid = daemon.pid
    time.sleep(1.5)
    assert _cmdline(pid)  # a connected client keeps it
    one.leave()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and _cmdline(pid):
        time.sleep(0.05)
    assert not _cmdline(pid)
    assert not list(daemon.folder.glob("*.sock"))


def test_a_broken_configuration_names_its_line(cue: Any, folder: Path) -> None:
    (folder / ".cuedeck" / "config.toml").write_text("[core]\ntoken_limits = 5\n")
    done = cue("mcp", input="")
    assert (done.returncode, done.stdout) == (101, "")
    assert "config.toml, line 2" in done.stderr and "Did you mean" in done.stderr


def test_without_a_place_for_the_socket_it_serves_in_process(folder: Path, environ: dict[str, str]) -> None:
    code = (
        "import sys, cuedeck.daemon.location as l; from cuedeck.cli import main;"
        "l._candidates = lambda: ['/proc/nowhere']; sys.exit(main(['mcp']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input='{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert json.loads(done.stdout)["id"] == 1
    assert "no daemon (/proc/nowhere cannot be created" in done.stderr
    assert "serving in this process instead" in done.stderr


def test_a_workspace_that_cannot_be_written_is_served(agent: Any, folder: Path) -> None:
    (folder / ".cuedeck" / ".cache").write_text("no folder can be here")  # stops root as well
    (folder / ".cuedeck" / "state.db").mkdir()
    one = agent("--decks", "vault")
    one.initialize()
    report = health(one.call("health_check"))
    assert report["data"]["status"] == "unhealthy"
    assert "health_check" in one.tools()


def _hello(runtime: Path, root: Path, **fields: str) -> bytes:
    import socket

    (path,) = runtime.glob("*.sock")
    body = b"\0".join(f"{name}={value}".encode() for name, value in {"root": str(root), **fields}.items())
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        connection.sendall(b"cuedeck/1 session %d\n%s" % (len(body), body))
        return connection.recv(1000)


def _cmdline(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
