"""How a standby comes, what it holds, and when it goes."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import cuedeck
from cuedeck.cli.standby import process

if TYPE_CHECKING:
    from conftest import Ready

from tests.cli.standby.conftest import SWITCH, held, lives, until


def started_for(lock: Path) -> int | None:
    """The process that is to hold a lock, as it was started."""
    wanted = str(lock.with_suffix("")).encode()
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if wanted in (each / "cmdline").read_bytes().split(b"\0"):
                return int(each.name)
    return None


def opened_by(process: int) -> list[Path]:
    with contextlib.suppress(OSError):
        return [each.readlink() for each in Path(f"/proc/{process}/fd").iterdir()]
    return []


def test_the_second_command_starts_one_and_the_next_uses_it(unstarted: Ready) -> None:
    unstarted.cue("card", "list")
    (lock,) = unstarted.locks()
    assert lock.read_text() == "first" and not held(lock)
    os.utime(lock, (0, 0))  # so long ago that it no longer counts
    unstarted.cue("card", "list")
    assert lock.read_text() == "first" and not held(lock)
    assert unstarted.start() and len(unstarted.sockets()) == 1
    served, done = unstarted.served(lambda: unstarted.cue("card", "list"))
    assert served and done.returncode == 0


def test_many_at_once_start_one_and_are_all_answered(unstarted: Ready) -> None:
    for _ in range(2):
        started = [unstarted.begin("memory", "add", f"Number {number}") for number in range(25)]
        outcomes = [(each.communicate(timeout=100), each.returncode) for each in started]
        assert {code for _, code in outcomes} == {0}, outcomes
        until(unstarted.sockets)
    started = [unstarted.begin("memory", "list", "--json") for _ in range(50)]
    said = {each.communicate(timeout=100) for each in started}
    assert len(said) == 1 and {each.returncode for each in started} == {0}
    (unstarted.socket,) = unstarted.sockets()
    until(lambda: len(unstarted.children()) == 1)


def test_a_command_that_looks_whether_one_is_due_does_not_keep_it_from_coming(unstarted: Ready) -> None:
    unstarted.cue("card", "list")
    (lock,) = unstarted.locks()
    second = unstarted.begin("card", "list")
    until(lambda: lock.read_text() == "starting")
    with lock.open("rb") as looking:
        fcntl.flock(looking, fcntl.LOCK_EX)
        assert lock.read_text() == "starting"
        coming = until(lambda: started_for(lock))
        until(lambda: not lives(coming) or lock in opened_by(coming))
    assert second.communicate(timeout=100) and second.returncode == 0
    (unstarted.socket,) = until(unstarted.sockets)
    assert unstarted.process == coming


def test_it_holds_nothing_of_anybody(common: Ready) -> None:
    secret = {**common.environ, "MY_SECRET": "hunter2"}
    common.cue("card", "list", env=secret)
    process = Path(f"/proc/{common.process}")
    assert b"hunter2" not in (process / "environ").read_bytes()
    assert str((process / "cwd").readlink()) == "/"
    until(lambda: len(common.children()) == 1)
    until(common.spare)
    opened = {str(each.readlink()).partition(":")[0] for each in (process / "fd").iterdir()}
    assert opened <= {"/dev/null", "socket", "anon_inode", f"{common.socket}.lock"}
    assert len(list((process / "task").iterdir())) == 1
    assert os.getsid(common.process) == common.process


def test_nobody_waits_for_it(unstarted: Ready) -> None:
    """Neither the pipes nor another descriptor of the command that started it stay open."""
    reading, writing = os.pipe()
    unstarted.cue("todo", "--help")
    done = unstarted.cue("todo", "--help", pass_fds=(writing,))
    os.close(writing)
    assert done.returncode == 0
    (unstarted.socket,) = until(unstarted.sockets)
    assert os.read(reading, 1) == b""
    os.close(reading)


def test_a_fourth_makes_the_one_go_that_was_used_longest_ago(ready: Ready) -> None:
    first = ready.process
    for count, home in enumerate(("a", "b", "c")):
        other = {**ready.environ, "HOME": home}
        for _ in range(2):
            assert ready.cue("todo", "--help", env=other).returncode == 0
        until(lambda count=count: len(ready.sockets()) == min(3, count + 2))
        assert lives(first) == (count < 2)
        until(lambda other=other: ready.cue("todo", "--help", env=other).returncode == 0)
    assert ready.socket not in ready.sockets()


def test_what_a_command_leaves_behind_stays(common: Ready, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    clipboard = programs / "wl-copy"  # as the real one, it stays in the background to answer for the text
    clipboard.write_text(
        f'#!/bin/sh\ntext=$(cat)\n(sleep 0.5; echo "$text" > {tmp_path}/copied) >/dev/null 2>&1 &\n'
    )
    clipboard.chmod(0o755)
    desktop = {"WAYLAND_DISPLAY": "wayland-0", "PATH": f"{programs}:{os.environ['PATH']}"}
    environ = {name: value for name, value in common.environ.items() if not name.startswith("SSH_")}
    served, done = common.served(lambda: common.cue("scene", env={**environ, **desktop}))
    assert served and done.returncode == 0 and b"wl-copy" in done.stderr + done.stdout
    assert until(lambda: (tmp_path / "copied").exists() and (tmp_path / "copied").read_text())


def test_it_leaves_when_nobody_needs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert process.IDLE_SECONDS == 600
    monkeypatch.setattr(process, "IDLE_SECONDS", 0.0)
    standby = process.Standby.__new__(process.Standby)
    standby._runs, standby._last, standby._told_to_stop = {}, 0.0, False
    assert standby._must_leave()


def test_it_leaves_when_its_socket_or_folder_is_removed(ready: Ready) -> None:
    first = ready.process
    ready.sockets()[0].unlink()
    until(lambda: not lives(first))
    second = ready.start()
    shutil.rmtree(ready.runtime / "cuedeck")
    until(lambda: not lives(second))
    assert ready.cue("card", "list").returncode == 0


def test_a_socket_that_nobody_listens_at_is_replaced(ready: Ready) -> None:
    first = ready.process
    os.kill(first, signal.SIGKILL)
    (stale,) = ready.sockets()
    until(lambda: not any(map(held, ready.locks())))  # its child has noticed, too
    for _ in range(2):
        assert ready.cue("card", "list").returncode == 0
    until(lambda: ready.process not in (0, first) and ready.spare())
    served, _ = ready.served(lambda: ready.cue("card", "list"))
    assert served and ready.sockets() == [stale]


def test_one_that_just_left_is_not_followed_at_once(ready: Ready) -> None:
    ready.stop()
    assert ready.cue("card", "list").returncode == 0
    assert not ready.sockets() and not ready.process
    assert ready.start()


def test_it_is_shown_and_stopped_like_the_daemon(ready: Ready) -> None:
    process = ready.process
    shown = ready.cue("daemon", "status")
    assert shown.returncode == 1 and f"Commands are kept ready by pid {process} (".encode() in shown.stdout
    (told,) = json.loads(ready.cue("daemon", "status", "--json").stdout)["standby"]
    assert told["pid"] == process and 20e6 < told["memory_bytes"] < 150e6
    stopped = ready.cue("daemon", "stop")
    assert f"Stopped the standby of commands (pid {process})." in stopped.stdout.decode()
    until(lambda: not lives(process))
    assert json.loads(ready.cue("daemon", "stop", "--json").stdout)["standby"] == []


@pytest.mark.parametrize("way", ["variable", "workspace", "user"])
def test_switched_off_nobody_starts_or_uses_one(unstarted: Ready, way: str) -> None:
    environ = dict(unstarted.environ)
    if way == "variable":
        environ[SWITCH] = "no"
    else:
        home = Path(environ["XDG_CONFIG_HOME"]) / "cuedeck"
        folder = home if way == "user" else unstarted.folder / ".cuedeck"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.toml").write_text("[daemon]\nstandby = false\n")
    for _ in range(2):
        assert unstarted.cue("card", "list", env=environ).returncode == 0
    assert not unstarted.sockets() and not list(unstarted.runtime.glob("cuedeck/*.lock"))
    if way == "workspace":
        elsewhere = unstarted.folder.parent
        until(lambda: unstarted.cue("card", "list", cwd=elsewhere).returncode == 0 and unstarted.sockets())
        (unstarted.socket,) = unstarted.sockets()
        child = until(unstarted.spare)
        assert unstarted.cue("card", "list").returncode == 0
        until(lambda: not lives(child))  # it looked at the settings, and declined


def test_a_wrong_setting_is_named(ready: Ready) -> None:
    (ready.folder / ".cuedeck/config.toml").write_text("[daemon]\nstandby = 'maybe'\n")
    done = ready.cue("card", "list")
    assert done.returncode == 101 and b"line 2" in done.stderr
    assert ready.cue("card", "list", env={**ready.environ, SWITCH: "maybe"}).returncode == 101


@pytest.mark.parametrize(
    "confined", [["unshare", "--mount"], ["unshare", "--net"], ["setpriv", "--no-new-privs"]]
)
def test_who_is_confined_stays_so(common: Ready, confined: list[str]) -> None:
    if (
        shutil.which(confined[0]) is None
        or subprocess.run([*confined, "true"], capture_output=True).returncode
    ):
        pytest.skip(f"{confined[0]} is not permitted here")
    command = [*confined, common.program, "card", "list"]
    served, done = common.served(
        lambda: subprocess.run(command, cwd=common.folder, env=common.environ, capture_output=True)
    )
    assert done.returncode == 0 and not served


def test_another_user_is_turned_away(common: Ready) -> None:
    if os.getuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can become somebody else")
    common.runtime.chmod(0o777)
    folder = common.runtime / "cuedeck"
    socket = common.socket
    folder.chmod(0o777)
    socket.chmod(0o777)
    code = (
        "import socket, sys; s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET);"
        "s.connect(sys.argv[1]); s.settimeout(10);\n"
        "try: s.send(b'1'); print(s.recv(64))\n"
        "except OSError: print(b'')"
    )
    command = [
        "setpriv",
        "--reuid=65534",
        "--clear-groups",
        "/usr/bin/env",
        "python3",
        "-c",
        code,
        str(socket),
    ]
    served, done = common.served(lambda: subprocess.run(command, capture_output=True, text=True, cwd="/"))
    for each, mode in ((common.runtime, 0o700), (folder, 0o700), (socket, 0o600)):
        each.chmod(mode)
    if done.returncode:
        pytest.skip("no Python that another user may run")
    assert done.stdout == "b''\n" and not served


def test_it_makes_way_for_a_changed_program(tmp_path: Path) -> None:
    from tests.cli.standby.conftest import Ready

    installed = copied_installation(tmp_path / "installed")
    ready = Ready(tmp_path, str(installed / "bin/cue"))
    module = next(installed.rglob("cuedeck/cli/commands/card.py"))
    try:
        first = ready.start()
        served, before = ready.served(lambda: ready.cue("card", "--help"))
        assert served and b"Task cards in markdown." in before.stdout
        module.write_text(module.read_text().replace("Task cards in markdown.", "Cards of another kind."))
        assert b"Cards of another kind." in ready.cue("card", "--help").stdout
        until(lambda: not lives(first))
        assert ready.start() != first
        served, after = ready.served(lambda: ready.cue("card", "--help"))
        assert served and b"Cards of another kind." in after.stdout
        (module.parents[3] / "somebody-1.0.dist-info").mkdir()
        until(lambda: not ready.sockets())
    finally:
        ready.stop()


def copied_installation(folder: Path) -> Path:
    """An environment with a copy of the package, beside everything that this one has."""
    venv.create(folder, symlinks=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    shutil.copytree(Path(cuedeck.__file__).parent, packages / "cuedeck")
    ours = next(each for each in sys.path if each.endswith("site-packages"))
    (packages / "beside.pth").write_text(f"{ours}\n")
    script = folder / "bin/cue"
    script.write_text(f"#!{folder}/bin/python\nimport sys\nfrom cuedeck.cli import main\nsys.exit(main())\n")
    script.chmod(0o755)
    return folder


def test_nothing_is_left_to_import(tmp_path: Path) -> None:
    """What a command would import on first use is there; else each of them would pay for it anew."""
    code = """
import os, sys
os.environ["OPENBLAS_NUM_THREADS"] = "1"
from cuedeck.cli import main
from cuedeck.cli.standby.program import is_single_threaded, load
load()
assert is_single_threaded()
old = set(sys.modules)
for line in sys.argv[1:]:
    main(line.split())
print(*sorted(set(sys.modules) - old), file=sys.stderr)
"""
    lines = ["card list", "card new Kettle", "card board", "card --help", "task list", "todo list", "scene"]
    lines += ["memory add Tea", "memory list", "search tea --mode keyword", "links nope", "workflow list"]
    lines += ["memory search tea", "doctor"]
    (tmp_path / ".cuedeck").mkdir()
    environ = {**os.environ, "CUEDECK_SEARCH__ENABLED": "false", "CUEDECK_USER": "me"}
    done = subprocess.run(
        [sys.executable, "-c", code, *lines],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1].split() == []
