"""Extracts many files on every core: processes that read and parse, while this one writes."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Self

from cuedeck.documents.reading import Batch, new_vocabulary, read_batch
from cuedeck.documents.serving import unpacked
from cuedeck.store.vocabulary import KnownKeys
from cuedeck.working import Worker

# Below this the processes would take longer to start than the work takes.
WORTH_WHILE = 800
# A slice has so many files; less towards the end, when somebody may have to wait for the last one.
_SLICE = 160
_SHORTEST = 20
# How many slices may wait to be written: enough that nobody waits for a transaction to end.
_WAITING = 16
# Freed memory is kept for the next slice, for what comes anew from the system comes page by page.
_SETTINGS = {
    "MALLOC_MMAP_THRESHOLD_": str(1 << 28),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 28),
    "MALLOC_TOP_PAD_": str(1 << 24),
}

_Slice = tuple[int, int, int]  # its number, and which of the paths


class Crew:
    """Processes that read files: started as soon as many are seen to be there, and ended with the work."""

    def __init__(self) -> None:
        self._workers: list[Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.end()

    def expect(self, files: int) -> None:
        """Be told that there are so many files to read, or more."""
        if files >= WORTH_WHILE and not self._workers and os.name != "nt":
            cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
            self._workers += [
                Worker("cuedeck.documents.serving", environ=_SETTINGS) for _ in range(min(cores - 1, 8))
            ]

    def read(
        self, root: Path, paths: Sequence[str], *, max_bytes: int, fold: bool = False
    ) -> Iterator[Batch]:
        """Read and extract files, in their order, on several processes when there are many."""
        self.expect(len(paths))
        work = _Work(root, paths, max_bytes, fold)
        feeders = [_Feeder(work, worker) for worker in self._workers]
        try:
            yield from work.results()
        finally:
            work.end()
            for feeder in feeders:
                feeder.close()


def _slices(count: int) -> Iterator[_Slice]:
    start = number = 0
    while start < count:
        stop = min(count, start + max(_SHORTEST, min(_SLICE, (count - start) // 8)))
        yield number, start, stop
        start, number = stop, number + 1


class _Work:
    """Slices of paths to read: workers take them one after another, and so do we while none is done."""

    def __init__(self, root: Path, paths: Sequence[str], max_bytes: int, fold: bool) -> None:
        self.root, self.paths, self.max_bytes, self.fold = root, list(paths), max_bytes, fold
        self.slices = deque(_slices(len(paths)))
        self.done: SimpleQueue[tuple[int, bytes, KnownKeys] | None] = SimpleQueue()
        self.room = threading.Semaphore(_WAITING)
        self._count = len(self.slices)
        self._vocabulary = new_vocabulary() if fold else None

    def take(self) -> _Slice | None:
        """A slice for a worker, once there is room for its result."""
        self.room.acquire()
        try:
            return self.slices.popleft()
        except IndexError:
            self.room.release()
            return None

    def results(self) -> Iterator[Batch]:
        ready: dict[int, Batch] = {}
        for number in range(self._count):
            while number not in ready:
                self._await(ready)
            yield ready.pop(number)

    def end(self) -> None:
        self.slices.clear()
        self.room.release(_WAITING)

    def _await(self, ready: dict[int, Batch]) -> None:
        try:
            result = self.done.get(block=not self.slices)
        except Empty:
            self._read(ready)
            return
        # None: a worker died, and what it was given lies among the slices again.
        if result is not None:
            self.room.release()
            number, data, keys = result
            ready[number] = unpacked(data, keys)

    def _read(self, ready: dict[int, Batch]) -> None:
        try:
            number, start, stop = self.slices.popleft()
        except IndexError:
            return
        ready[number] = read_batch(
            self.root, self.paths[start:stop], max_bytes=self.max_bytes, vocabulary=self._vocabulary
        )


class _Feeder:
    """The thread that gives slices to one process, and takes what it made of them."""

    def __init__(self, work: _Work, worker: Worker) -> None:
        self._worker = worker
        self._work = work
        self._keys = KnownKeys()
        self._thread = threading.Thread(target=self._run, name="documents-worker", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._worker.process.kill()
        self._thread.join()

    def _run(self) -> None:
        given: deque[_Slice] = deque()
        try:
            work = self._work
            # All paths now, then numbers: were a slice ahead more than a pipe holds, each would wait for the
            # other to read.
            self._worker.send((str(work.root), work.paths, work.max_bytes, work.fold))
            while True:
                # One slice ahead, so that the process never waits for us.
                while len(given) < 2 and (some := work.take()):
                    given.append(some)
                    self._worker.send(some[1:])
                if not given:
                    return
                result = self._worker.receive()
                if result is None:
                    break
                work.done.put((given.popleft()[0], result, self._keys))
        except BrokenPipeError:
            pass
        finally:
            # Also after an error of ours: whoever waits would wait without end.
            self._work.slices.extend(given)
            self._work.done.put(None)
