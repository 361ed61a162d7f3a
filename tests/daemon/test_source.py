"""A daemon whose program was updated under the same version."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import cuedeck
from cuedeck.daemon.source import source_stamp


def test_a_changed_program_gets_a_new_daemon_and_agents_keep_theirs(
    agent: Any, daemon: Any, tmp_path: Path
) -> None:
    copy = tmp_path / "copy" / "cuedeck"
    shutil.copytree(Path(cuedeck.__file__).parent, copy)
    old = agent("--decks", "vault", PYTHONPATH=str(copy.parent))
    old.initialize()
    first = daemon.pid
    agent("--decks", "vault", PYTHONPATH=str(copy.parent)).initialize()
    assert daemon.pid == first
    with (copy / "graph" / "drawing.py").open("a") as module:
        module.write("# updated\n")
    agent("--decks", "vault", PYTHONPATH=str(copy.parent)).initialize()
    assert daemon.pid != first
    assert old.call("health_check")["result"]["structuredContent"]["success"] is True


def test_the_stamp_follows_modules_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    module = tmp_path / "inner" / "a.py"
    module.write_text("a")
    stamps = [source_stamp(str(tmp_path))]
    (tmp_path / "inner" / "__pycache__").mkdir()
    (tmp_path / "inner" / "__pycache__" / "b.py").write_text("")
    (tmp_path / "notes.txt").write_text("")
    assert source_stamp(str(tmp_path)) == stamps[0]
    os.utime(module, ns=(1, 1))
    stamps.append(source_stamp(str(tmp_path)))
    module.rename(tmp_path / "c.py")
    stamps.append(source_stamp(str(tmp_path)))
    assert len(set(stamps)) == 3
