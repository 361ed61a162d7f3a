"""``cue clean`` removes the cache and nothing else."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any


def test_only_the_cache_goes(cue: Any, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("x")
    cache = folder / ".cuedeck/.cache"
    (cache / "deep/er").mkdir(parents=True)
    (cache / "deep/er/index.db").write_text("x")
    (cache / "to-folder").symlink_to(outside)
    (cache / "deep/to-file").symlink_to(outside / "precious")
    (cache / "to-nothing").symlink_to(tmp_path / "missing")
    (folder / ".cuedeck/state.db").write_text("precious")
    assert cue("clean").stdout == "Removed .cuedeck/.cache/; it is made again when needed.\n"
    assert sorted(path.name for path in (folder / ".cuedeck").iterdir()) == ["state.db"]
    assert (outside / "precious").read_text() == "x"
    assert cue("clean").stdout == "Nothing to clean.\n"
    assert json.loads(cue("clean", "--json").stdout) == {"cleaned": False}


def test_a_cache_that_is_a_symlink_loses_only_the_link(cue: Any, folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir()
    (target / "file").write_text("x")
    (folder / ".cuedeck").mkdir()
    (folder / ".cuedeck/.cache").symlink_to(target)
    assert cue("clean").returncode == 0
    assert not (folder / ".cuedeck/.cache").is_symlink() and (target / "file").exists()


def test_a_running_daemon_steps_aside(cue: Any, folder: Path) -> None:
    (folder / ".cuedeck").mkdir()
    cue("mcp", input="")
    assert cue("daemon", "status").returncode == 0
    assert cue("clean").returncode == 0
    assert cue("daemon", "status").returncode == 1
    assert not (folder / ".cuedeck/.cache").exists()


def test_a_writer_at_work_is_not_disturbed(cue: Any, folder: Path) -> None:
    lock = folder / ".cuedeck/.cache/lock"
    lock.parent.mkdir(parents=True)
    lock.write_text("{}")
    holder = subprocess.Popen(
        ["flock", str(lock), "sh", "-c", "echo held; read line"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout and holder.stdin
    holder.stdout.readline()
    done = cue("clean")
    assert done.returncode == 1 and "Another process is writing" in done.stderr
    assert lock.exists()
    holder.communicate(b"\n")
    assert cue("clean").returncode == 0
