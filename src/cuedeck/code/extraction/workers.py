"""Parsing in processes: threads hand out jobs, results come back in any order."""

from __future__ import annotations

import marshal
import os
import queue
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from cuedeck.code.extraction.analysis import analyse_blob
from cuedeck.code.extraction.worker import Job, from_plain, read_source
from cuedeck.code.git.repository import Repository
from cuedeck.collecting import without_collecting
from cuedeck.store.code import NewBlob
from cuedeck.working import Worker

# It multiplies no matrices; the threads for that are made when numpy is loaded.
_SETTINGS: Final = {"OPENBLAS_NUM_THREADS": "1"}
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
                data = read_source(root, path, oid, lambda: repository)
                yield analyse_blob(oid, path, language, data)
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
    parser = _Parser(root)
    try:
        while not stopped.is_set():
            try:
                jobs = rounds.get_nowait()
            except queue.Empty:
                break
            results.put(parser.analysed(jobs))
    finally:
        parser.end()


class _Parser:
    """A process that parses; should it die over a blob, that blob is described and a new one goes on."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._worker = _start(root)

    def analysed(self, jobs: Sequence[Job]) -> list[NewBlob]:
        """The stored forms of some blobs; one by one after a death, to learn which of them it was."""
        answer = _ask(self._worker, jobs)
        if answer is not None:
            return [from_plain(values) for values in marshal.loads(answer)]
        self.end()
        self._worker = _start(self._root)
        if len(jobs) == 1:
            return [_lost(jobs[0])]
        return [blob for job in jobs for blob in self.analysed([job])]

    def end(self) -> None:
        self._worker.end()


def _ask(worker: Worker, jobs: Sequence[Job]) -> bytes | None:
    try:
        worker.send(list(jobs))
        return worker.receive()
    except OSError:
        return None


def _lost(job: Job) -> NewBlob:
    return analyse_blob(*job, None)._replace(problem="it ended the parsing process")


def _start(root: Path) -> Worker:
    return Worker("cuedeck.code.extraction.worker", str(root), environ=_SETTINGS)
