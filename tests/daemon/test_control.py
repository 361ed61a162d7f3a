"""A daemon that hangs is reported, not waited for without end."""

from __future__ import annotations

import os
import signal
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
