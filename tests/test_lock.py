from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cuedeck import lock
from cuedeck.lock import workspace_lock
from cuedeck.model.errors import CueError, ErrorCode

HOLD = """
import sys, time
from pathlib import Path
from cuedeck.lock import workspace_lock
with workspace_lock(Path(sys.argv[1]), timeout=5):
    print("held", flush=True)
    time.sleep(60)
"""


def recorded(work: Path) -> int:
    pid: int = json.loads((work / lock.LOCK_FILE).read_bytes())["pid"]
    return pid


@pytest.fixture
def other_process(tmp_path: Path):  # type: ignore[no-untyped-def]
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout and process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()


def test_a_link_that_a_clone_brought_is_not_written_through(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("kept")
    work = tmp_path / "work"
    (work / ".cuedeck" / ".cache").mkdir(parents=True)
    (work / ".cuedeck" / ".cache" / "lock").symlink_to(precious)
    with pytest.raises(CueError) as caught, workspace_lock(work, timeout=1):
        pytest.fail("held through a link")
    assert caught.value.code is ErrorCode.PATH_REFUSED
    assert precious.read_text() == "kept"


def test_the_error_names_the_holder(tmp_path: Path, other_process: subprocess.Popen[str]) -> None:
    with pytest.raises(CueError) as caught, workspace_lock(tmp_path, timeout=0.05):
        pytest.fail("two holders")
    assert caught.value.code is ErrorCode.LOCKED
    assert caught.value.data["holder_pid"] == other_process.pid
    assert caught.value.data["lock_file"] == ".cuedeck/.cache/lock"


def test_a_killed_holder_leaves_no_stale_lock(tmp_path: Path, other_process: subprocess.Popen[str]) -> None:
    os.kill(other_process.pid, signal.SIGKILL)
    other_process.wait()
    with workspace_lock(tmp_path, timeout=1):
        assert recorded(tmp_path) == os.getpid()


def test_threads_take_turns(tmp_path: Path) -> None:
    inside = 0
    most = 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(10):
            with workspace_lock(tmp_path, timeout=10):
                inside += 1
                most = max(most, inside)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_without_flock_a_dead_holder_is_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "fcntl", None)
    with workspace_lock(tmp_path, timeout=1), pytest.raises(CueError), workspace_lock(tmp_path, timeout=0.05):
        pytest.fail("two holders")
    gone = subprocess.Popen([sys.executable, "-c", "pass"])
    gone.wait()
    (tmp_path / lock.LOCK_FILE).write_text(f'{{"pid": {gone.pid}}}')
    with workspace_lock(tmp_path, timeout=1):
        assert (tmp_path / lock.LOCK_FILE).exists()


def test_a_file_that_was_moved_away_is_not_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / ".cuedeck/.cache"
    flock = lock.fcntl.flock

    def after_clean(descriptor: int, how: int) -> None:
        if not cache.with_name("aside").exists():
            cache.rename(cache.with_name("aside"))
        flock(descriptor, how)

    monkeypatch.setattr(lock.fcntl, "flock", after_clean)
    with workspace_lock(tmp_path, timeout=1):
        assert recorded(tmp_path) == os.getpid()
