"""Agents and the one daemon they share: real processes throughout."""

from __future__ import annotations

import json
import stat
import threading
import time
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def ground(common_ground: Any) -> Any:
    """Nobody here harms the daemon, so all share one."""
    return common_ground


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
    assert status["running"] and status["sessions"] == 0


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
        thread.join(100)
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


def test_each_agent_brings_its_own_settings(agent: Any) -> None:
    user = "22222222-2222-4222-8222-222222222222"
    anonymous, known = agent("--decks=todo"), agent("--decks=todo", CUEDECK_USER=user)
    small = agent("--decks=todo", CUEDECK_LIMITS__MESSAGE_BYTES="65536")
    for each in (anonymous, known, small):
        each.initialize()
    refused = anonymous.call("list_tasks", user_id=user)["result"]["content"][0]["text"]
    assert json.loads(refused)["error"] == "unauthorized"
    assert health(known.call("list_tasks", user_id=user))["success"] is True
    small.send({"id": 7, "method": "ping", "params": {"_meta": {"pad": "x" * 70_000}}})
    assert small.receive()["error"]["code"] == -32600


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
        assert (done.returncode, done.stdout) == (2, "")
        assert "There is no deck 'valt'" in done.stderr and "vault" in done.stderr


def test_an_edited_configuration_counts_at_once(agent: Any, folder: Path) -> None:
    one = agent("--decks", "vault")
    one.initialize()
    (folder / ".cuedeck" / "config.toml").write_text("[core]\nnonsense = 1\n")
    broken = health(one.call("health_check"))
    assert broken["success"] is False and "nonsense" in broken["error"]
    (folder / ".cuedeck" / "config.toml").write_text("[core]\ntoken_limit = 500\n")
    assert health(one.call("health_check"))["success"] is True
    (folder / ".cuedeck" / "config.toml").unlink()


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


def test_two_hundred_writes_of_twenty_agents_are_all_kept(agent: Any) -> None:
    user = "11111111-1111-4111-8111-111111111111"
    agents = [agent("--decks", "todo", "--user", user) for _ in range(20)]
    refused: list[dict[str, Any]] = []

    def work(number: int, each: Any) -> None:
        each.initialize()
        for write in range(10):
            answer = health(each.call("add_task", user_id=user, title=f"{number}-{write}"))
            if answer.get("success") is not True:
                refused.append(answer)

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(agents)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    assert refused == []
    pages = [
        health(agents[0].call("list_tasks", user_id=user, limit=100, offset=offset))
        for offset in (0, 100, 200)
    ]
    titles = [task["title"] for page in pages for task in page["tasks"]]
    assert sorted(titles) == sorted(f"{number}-{write}" for number in range(20) for write in range(10))


def test_bad_and_oversized_lines_are_answered_and_the_session_lives(agent: Any) -> None:
    one = agent("--decks", "vault")
    one.initialize()
    for line in (
        b"{no json\n",
        b'{"jsonrpc":"2.0","id":9,"method":"ping","x":"' + b"y" * 5_000_000 + b'"}\n',
    ):
        one.process.stdin.write(line)
        one.process.stdin.flush()
        assert one.receive()["error"]["code"] in (-32700, -32600)
    assert one.ask("ping")["result"] == {}


def test_a_client_that_writes_before_it_reads_is_no_deadlock(agent: Any) -> None:
    one = agent("--decks", "vault")
    one.initialize()
    count = 5000
    for number in range(count):
        one.send({"id": f"p{number}", "method": "ping", "params": {"_meta": {"pad": "x" * 200}}})
    answered = {one.receive()["id"] for _ in range(count)}
    assert len(answered) == count
    assert one.leave() == 0


def test_an_agent_that_is_killed_leaves_nothing_behind(agent: Any, cue: Any) -> None:
    one = agent()
    one.initialize()
    before = json.loads(cue("daemon", "status", "--json").stdout)["sessions"]
    one.process.kill()
    deadline = time.monotonic() + 60
    while json.loads(cue("daemon", "status", "--json").stdout)["sessions"] >= before:
        assert time.monotonic() < deadline
        time.sleep(0.05)
