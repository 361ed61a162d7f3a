"""A daemon that hangs is reported, not waited for without end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cuedeck.daemon import control
from cuedeck.daemon.location import NoDaemon


def test_a_daemon_that_hangs(
    agent: Any, daemon: Any, folder: Path, environ: dict[str, str], monkeypatch: Any
) -> None:
    agent().initialize()
    monkeypatch.setenv("XDG_RUNTIME_DIR", environ["XDG_RUNTIME_DIR"])
    monkeypatch.setattr(control, "ANSWER_SECONDS", 0.5)
    root = str(folder)
    assert control.status(root) is not None
    os.kill(daemon.pid, signal.SIGSTOP)
    try:
        with pytest.raises(NoDaemon, match="does not answer"):
            control.status(root)
    finally:
        os.kill(daemon.pid, signal.SIGCONT)
    assert control.stop(root) is not None
    assert control.status(root) is None


def test_a_daemon_that_does_not_end_is_not_called_stopped(
    agent: Any, daemon: Any, folder: Path, environ: dict[str, str], monkeypatch: Any
) -> None:
    agent().initialize()
    monkeypatch.setenv("XDG_RUNTIME_DIR", environ["XDG_RUNTIME_DIR"])
    monkeypatch.setattr(control, "_lives", lambda _pid: True)
    with pytest.raises(NoDaemon, match=f"has not ended yet .pid {daemon.pid}"):
        control.stop(str(folder), patience=0.1)


_STUCK = """
import pathlib, sys, time
from cuedeck.daemon import __main__, daemon
from cuedeck.daemon.session import Sessions

def prepare(*_):
    pathlib.Path(sys.argv[1], "asked").touch()
    time.sleep(600)

daemon.GRACE_SECONDS = daemon.STUCK_SECONDS = 0.3
Sessions.prepare = prepare
sys.exit(__main__.main())
"""


def test_a_daemon_with_a_call_that_never_ends_ends_all_the_same(
    agent: Any, daemon: Any, folder: Path, environ: dict[str, str], monkeypatch: Any
) -> None:
    reading, writing = os.pipe()
    command = [sys.executable, "-c", _STUCK, str(folder), str(writing)]
    subprocess.run(command, env=environ, pass_fds=(writing,), check=True, timeout=60)
    os.close(writing)
    assert os.read(reading, 100) == b"ready\n"
    os.close(reading)
    caller = agent()
    caller.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    deadline = time.monotonic() + 60
    while not (folder / "asked").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    pid = daemon.pid
    monkeypatch.setenv("XDG_RUNTIME_DIR", environ["XDG_RUNTIME_DIR"])
    assert control.stop(str(folder)) == pid
    [log] = folder.parent.rglob("daemon.log")
    assert "had not ended" in log.read_text()
