"""The gate before SQLite's write lock."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cuedeck.model.errors import CueError
from cuedeck.store.sqlite.turnstile import PATIENCE, Turnstile

_SHUT_AND_DIE = (
    "import os, sys, time; from pathlib import Path; from cuedeck.store.sqlite.turnstile import Turnstile; "
    "gate = Turnstile(Path(sys.argv[1])); gate.pause(time.monotonic() + 9, time.monotonic() - 1); os._exit(0)"
)


def passes(gate: Turnstile) -> bool:
    try:
        gate.enter(time.monotonic() + 0.01, time.monotonic())
    except CueError:
        return False
    gate.leave(writing=True)
    return True


@pytest.mark.skipif(sys.platform == "win32", reason="no flock")
def test_who_has_waited_long_shuts_the_gate_until_it_has_written(tmp_path: Path) -> None:
    waiting, other = Turnstile(tmp_path / "lock"), Turnstile(tmp_path / "lock")
    waiting.pause(time.monotonic() + 9, time.monotonic() - 2 * PATIENCE)
    assert not passes(other)
    waiting.leave(writing=True)
    assert passes(other)
    assert other.holder() == os.getpid()
    waiting.close()
    other.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no flock")
def test_a_gate_that_a_dead_process_left_shut_is_open(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", _SHUT_AND_DIE, str(tmp_path / "lock")], check=True)
    gate = Turnstile(tmp_path / "lock")
    assert passes(gate)
    assert (tmp_path / "lock").read_bytes() == f"{os.getpid():<20} ".encode()
    gate.close()
