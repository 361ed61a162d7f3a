"""Parsing in processes gives what parsing here gives."""

from __future__ import annotations

import io
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from cuedeck.code.extraction import workers
from cuedeck.code.extraction.worker import as_plain
from cuedeck.code.git.repository import Repository
from cuedeck.working import Worker, send

from .conftest import Repo


def test_processes_find_the_same(repo: Repo) -> None:
    for number in range(30):
        repo.put(f"m{number}.py", f"def f{number}(a): return a.b({number})\n")
    commit = repo.commit()
    repository = Repository.open(repo.root)
    assert repository is not None
    files, _ = repository.files(commit)
    jobs = [(file.oid, path, file.language) for path, file in sorted(files.items())]
    jobs.append(("0" * 40, "gone.py", "python"))
    here = {
        blob.oid: as_plain(blob) for blob in workers.analyse_all(repo.root, repository, jobs, processes=1)
    }
    there = {blob.oid: as_plain(blob) for blob in workers._in_processes(repo.root, jobs, 2)}
    assert {oid: blob[:7] for oid, blob in there.items()} == {oid: blob[:7] for oid, blob in here.items()}
    assert there["0" * 40][5] == "not in this clone"


def test_what_is_no_longer_on_disk_is_read_from_git(repo: Repo) -> None:
    repo.put("gone.py", "def gone(): pass\n")
    repo.put("changed.py", "def before(): pass\n")
    commit = repo.commit()
    repository = Repository.open(repo.root)
    assert repository is not None
    files, _ = repository.files(commit)
    jobs = [(file.oid, path, file.language) for path, file in sorted(files.items())]
    (repo.root / "gone.py").unlink()
    repo.put("changed.py", "def after(): pass\n")
    for found in (
        workers.analyse_all(repo.root, repository, jobs),
        workers._in_processes(repo.root, jobs, 1),
    ):
        assert [list(blob.defines) for blob in found] == [["before"], ["gone"]]


def test_nothing_of_the_current_folder_is_imported(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.put("dataclasses.py", "open('planted', 'w').close()\n")
    monkeypatch.chdir(repo.root)
    (blob,) = workers._in_processes(repo.root, [("0" * 40, "gone.py", "python")], 1)
    assert blob.problem == "not in this clone"
    assert not (repo.root / "planted").exists()


def test_a_process_that_dies_costs_one_file_not_the_index(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        repo.put(f"m{number}.py", f"def f{number}(): pass\n")
    commit = repo.commit()
    repository = Repository.open(repo.root)
    assert repository is not None
    files, _ = repository.files(commit)
    jobs = [(file.oid, path, file.language) for path, file in sorted(files.items())]
    fatal = jobs[1][0]
    ask = workers._ask

    def dies(worker, part):  # type: ignore[no-untyped-def]
        if any(job[0] == fatal for job in part):
            worker.process.kill()
        return ask(worker, part)

    monkeypatch.setattr(workers, "_ask", dies)
    found = {blob.oid: blob for blob in workers._in_processes(repo.root, jobs, 1)}
    assert len(found) == 4
    assert found[fatal].problem == "it ended the parsing process"
    assert [blob.symbols for oid, blob in sorted(found.items()) if oid != fatal] == [1, 1, 1]


def test_a_process_that_cannot_be_started_is_said_and_not_waited_for(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_root: Path) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(workers, "_start", refuse)
    with pytest.raises(OSError, match="no more processes"):
        list(workers._in_processes(repo.root, [("0" * 40, "gone.py", "python")], 2))


def test_whoever_leaves_early_leaves_no_process_behind(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_WAITING_ROUNDS", 1)
    monkeypatch.setattr(workers, "_JOBS_PER_ROUND", 1)
    before = set(threading.enumerate())
    found = workers._in_processes(repo.root, [(f"{n:040}", "gone.py", "python") for n in range(60)], 3)
    next(found)
    found.close()
    deadline = time.monotonic() + 30
    while (left := set(threading.enumerate()) - before) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not left


def test_a_process_whose_asker_is_gone_ends_without_a_word(repo: Repo) -> None:
    life = "from cuedeck.code.extraction.worker import serve; serve()"
    command = [sys.executable, "-P", "-c", life, str(repo.root)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    _, said = process.communicate(framed([("0" * 40, "gone.py", "python")]), timeout=60)
    assert (process.returncode, said) == (0, b"")


def framed(value: object) -> bytes:
    stream = io.BytesIO()
    send(stream, value)
    return stream.getvalue()


def test_a_process_that_died_before_it_read_its_jobs_is_let_go(repo: Repo) -> None:
    worker = Worker("cuedeck.code.extraction.worker", str(repo.root))
    worker.process.kill()
    worker.process.wait()
    assert worker.process.stdin is not None
    worker.process.stdin.write(b"never read")
    worker.end()
    assert worker.process.stdin.closed
