"""Parsing in processes: threads hand out jobs, results come back in any order."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from cuedeck.code.extraction.analysis import analyse_blob
from cuedeck.code.extraction.worker import Job, from_plain, read_blob, receive, send
from cuedeck.code.git.repository import Repository
from cuedeck.collecting import without_collecting
from cuedeck.store.code import NewBlob

_JOBS_PER_ROUND: Final = 12
_WORTH_A_PROCESS: Final = 250
_WAITING_ROUNDS: Final = 8

Results = queue.Queue[list[NewBlob] | Exception]


def analyse_all(
    root: Path, repository: Repository | None, jobs: Sequence[Job], *, processes: int = 0
) -> Iterator[NewBlob]:
    """The stored form of every blob; in this process when there are few."""
    count = processes or os.cpu_count() or 1
    if len(jobs) < _WORTH_A_PROCESS or count == 1:
        with without_collecting():
            for oid, path, language in jobs:
                yield analyse_blob(oid, path, language, read_blob(repository, oid))
        return
    yield from _in_processes(root, jobs, min(count, len(jobs) // (_WORTH_A_PROCESS // 2) or 1))


def _in_processes(root: Path, jobs: Sequence[Job], count: int) -> Iterator[NewBlob]:
    rounds: queue.SimpleQueue[Sequence[Job]] = queue.SimpleQueue()
    total = 0
    for start in range(0, len(jobs), _JOBS_PER_ROUND):
        rounds.put(jobs[start : start + _JOBS_PER_ROUND])
        total += 1
    # Bounded, so that a slow writer does not pile up results in memory; with a last place for each process.
    results: Results = queue.Queue(max(_WAITING_ROUNDS, count))
    stopped = threading.Event()
    threads = [
        threading.Thread(target=_drive, args=(root, rounds, results, stopped), daemon=True)
        for _ in range(count)
    ]
    for thread in threads:
        thread.start()
    try:
        for _ in range(total):
            found = results.get()
            if isinstance(found, Exception):
                raise found
            yield from found
    finally:
        stopped.set()
        while not results.empty():
            results.get_nowait()


def _drive(
    root: Path, rounds: queue.SimpleQueue[Sequence[Job]], results: Results, stopped: threading.Event
) -> None:
    try:
        _feed(root, rounds, results, stopped)
    except Exception as error:  # noqa: BLE001 - raised again by whoever waits for results
        results.put(error)


def _feed(
    root: Path, rounds: queue.SimpleQueue[Sequence[Job]], results: Results, stopped: threading.Event
) -> None:
    """Feed one process; should it die over a blob, that blob is described and a new process goes on."""
    process = _start(root)
    while not stopped.is_set():
        try:
            jobs = rounds.get_nowait()
        except queue.Empty:
            break
        done: list[NewBlob] = []
        pending = [list(jobs)]
        while pending and not stopped.is_set():
            part = pending.pop()
            found = _ask(process, part)
            if found is not None:
                done += found
                continue
            process = _restart(process, root)
            if len(part) == 1:
                done.append(_lost(part[0]))
            else:
                pending += [[job] for job in part]
        results.put(done)
    _stop(process)


def _ask(process: subprocess.Popen[bytes], jobs: Sequence[Job]) -> list[NewBlob] | None:
    if process.stdin is None or process.stdout is None:
        return None
    try:
        send(process.stdin, list(jobs))
        answer = receive(process.stdout)
    except (OSError, ValueError, EOFError):
        return None
    return None if answer is None else [from_plain(values) for values in answer]


def _lost(job: Job) -> NewBlob:
    blob = analyse_blob(job[0], job[1], job[2], None)
    return NewBlob(
        **{**{f: getattr(blob, f) for f in blob.__slots__}, "problem": "it ended the parsing process"}
    )


def _start(root: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        # -P: a file of the current folder must never be imported as a module.
        [sys.executable, "-P", "-m", "cuedeck.code.extraction.worker", str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Ctrl-C is for us; the process ends when its pipe does.
        process_group=0,
    )


def _restart(process: subprocess.Popen[bytes], root: Path) -> subprocess.Popen[bytes]:
    _stop(process)
    return _start(root)


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        # What a process that died has not read is still to be written.
        with suppress(OSError):
            process.stdin.close()
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
