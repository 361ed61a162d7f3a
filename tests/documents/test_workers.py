"""Many files are read on several processes, and none is lost when one dies."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from cuedeck.documents import workers
from cuedeck.documents.workers import read_many


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(workers, "WORTH_WHILE", 10)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    for n in range(300):
        (tmp_path / f"{n}.md").write_text(f"# Note {n}\n\ntext [[{n + 1}]] #t{n}\n" * 20)
    return tmp_path


def paths(root: Path) -> list[str]:
    return sorted(path.name for path in root.glob("*.md"))


def test_every_file_comes_back_once(root: Path) -> None:
    found = [(path, reading) for path, reading in read_many(root, paths(root), max_bytes=10**6)]
    assert sorted(path for path, _ in found) == paths(root)
    assert all(reading is not None and reading.path == path for path, reading in found)


def test_nothing_of_the_current_folder_is_imported(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "dataclasses.py").write_text("open('planted', 'w').close()\n")
    monkeypatch.chdir(root)
    assert len(list(read_many(root, paths(root), max_bytes=10**6))) == 300
    assert not (root / "planted").exists()


def test_a_worker_that_is_killed_costs_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    begin = workers.subprocess.Popen

    def remembered(*args: object, **more: object) -> object:
        process = begin(*args, **more)  # type: ignore[call-overload]
        made.append(process.pid)
        return process

    monkeypatch.setattr(workers.subprocess, "Popen", remembered)
    reading = read_many(root, paths(root), max_bytes=10**6)
    found = [next(reading)[0]]
    os.kill(made[0], signal.SIGKILL)
    found += [path for path, _ in reading]
    assert sorted(found) == paths(root)


def test_workers_end_when_nobody_reads_on(root: Path) -> None:
    reading = read_many(root, paths(root), max_bytes=10**6)
    next(reading)
    reading.close()  # type: ignore[attr-defined]
