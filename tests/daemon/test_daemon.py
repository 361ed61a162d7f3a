"""What agents and users see of the workspace's daemon: real processes throughout."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any


def health(answer: dict[str, Any]) -> dict[str, Any]:
    return answer["result"]["structuredContent"]  # type: ignore[no-any-return]


def test_an_agent_is_answered_and_leaves_cleanly(agent: Any, cue: Any) -> None:
    one = agent("--decks", "vault")
    assert one.initialize()["result"]["serverInfo"]["name"] == "cuedeck"
    assert "health_check" in one.tools()
    assert health(one.call("health_check"))["success"] is True
    assert one.leave() == 0
    assert one.process.stderr.read() == b""
    status = json.loads(cue("daemon", "status", "--json").stdout)
    assert status["running"] and status["sessions"] == 0 and status["sessions_served"] == 1


def test_answers_arrive_when_input_ends_at_once(folder: Path, environ: dict[str, str], cue: Any) -> None:
    lines = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "x", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    text = "\n".join(json.dumps(line) for line in lines)  # the last line has no newline
    for options in ([], ["--no-daemon"]):
        done = cue("mcp", *options, input=text)
        assert done.returncode == 0, done.stderr
        assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]


def test_twenty_agents_at_once_share_one_daemon(agent: Any, daemon: Any, cue: Any) -> None:
    agents = [agent("--decks", "vault") for _ in range(20)]
    failures: list[Exception] = []

    def work(each: Any) -> None:
        try:
            each.initialize()
            assert health(each.call("health_check"))["success"] is True
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(each,)) for each in agents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures
    status = json.loads(cue("daemon", "status", "--json").stdout)
    assert (status["sessions"], status["pid"]) == (20, daemon.pid)
    log = Path(status["log"])
    assert log.read_text().count("serving ") == 1


def test_each_agent_sees_the_decks_it_chose(agent: Any, daemon: Any) -> None:
    vault, everything = agent("--decks", "vault"), agent("--decks=all")
    vault.initialize(), everything.initialize()
    assert "health_check" in vault.tools()
    assert "vault_health_check" in everything.tools()


def test_an_agent_outlives_a_killed_daemon(agent: Any, daemon: Any) -> None:
    one = agent("--decks", "vault")
    one.initialize()
    before = daemon.signal(signal.SIGKILL)
    # The next request finds a new daemon that already knows the client; nobody sees a second handshake.
    assert health(one.call("health_check"))["success"] is True
    assert daemon.pid != before
    daemon.signal(signal.SIGKILL)
    assert "health_check" in one.tools()
    assert one.leave() == 0


def test_requests_in_flight_when_the_daemon_dies(agent: Any, daemon: Any) -> None:
    one = agent("--decks", "vault")
    one.initialize()
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


def test_a_request_that_kills_every_daemon_is_given_up(agent: Any, daemon: Any) -> None:
    one = agent("--decks", "vault")
    one.initialize()
    os.kill(daemon.pid, signal.SIGSTOP)
    one.send({"id": 7, "method": "tools/list"})
    time.sleep(0.2)
    first = daemon.signal(signal.SIGKILL)
    deadline = time.monotonic() + 20
    while (second := daemon.recorded_pid()) in (None, first) and time.monotonic() < deadline:
        time.sleep(0.001)
    os.kill(second, signal.SIGKILL)
    answer = one.receive()
    if "error" in answer:  # the second daemon may have been quicker than the second kill
        assert answer["error"]["data"] == {"retry_safe": True}
    assert answer["id"] == 7
    assert "health_check" in one.tools()


def test_a_stale_socket_is_cleared(agent: Any, daemon: Any) -> None:
    agent().initialize()
    daemon.signal(signal.SIGKILL)
    assert list(daemon.folder.glob("*.sock"))
    assert agent().initialize()["result"]


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
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and Path(f"/proc/{first}/cmdline").exists() and _cmdline(first):
        time.sleep(0.02)
    assert not _cmdline(first)


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
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and _cmdline(pid):
        time.sleep(0.05)
    assert not _cmdline(pid)
    assert not list(daemon.folder.glob("*.sock"))


def test_socket_and_log_are_private(agent: Any, daemon: Any, folder: Path) -> None:
    agent().initialize()
    (socket,) = daemon.folder.glob("*.sock")
    assert stat.S_IMODE(daemon.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(socket.stat().st_mode) == 0o600
    log = folder / ".cuedeck" / ".cache" / "logs" / "daemon.log"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_wrong_choice_is_refused_with_a_hint(cue: Any) -> None:
    for options in (["--decks", "valt"], ["--decks", "valt", "--no-daemon"]):
        done = cue("mcp", *options, input="")
        assert (done.returncode, done.stdout) == (101, "")
        assert "There is no deck 'valt'" in done.stderr and "vault" in done.stderr


def test_a_broken_configuration_names_its_line(cue: Any, folder: Path) -> None:
    (folder / ".cuedeck" / "config.toml").write_text("[core]\ntoken_limits = 5\n")
    done = cue("mcp", input="")
    assert (done.returncode, done.stdout) == (101, "")
    assert "config.toml, line 2" in done.stderr and "Did you mean" in done.stderr


def test_an_edited_configuration_counts_at_once(agent: Any, folder: Path) -> None:
    one = agent("--decks", "vault")
    one.initialize()
    (folder / ".cuedeck" / "config.toml").write_text("[core]\nnonsense = 1\n")
    broken = health(one.call("health_check"))
    assert broken["success"] is False and "nonsense" in broken["error"]
    (folder / ".cuedeck" / "config.toml").write_text("[core]\ntoken_limit = 500\n")
    assert health(one.call("health_check"))["success"] is True


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


def test_strangers_are_turned_away_and_the_daemon_lives(agent: Any, daemon: Any) -> None:
    import socket

    one = agent("--decks", "vault")
    one.initialize()
    (path,) = daemon.folder.glob("*.sock")
    for noise in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 500, b"cuedeck/1 session 99999999999\n", b""):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            connection.settimeout(10)
            connection.sendall(noise)
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(100) == b""
    assert health(one.call("health_check"))["success"] is True


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
