"""Extracts many files on every core: processes that read and parse, while this one writes."""

from __future__ import annotations

import gc
import marshal
import os
import struct
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import BinaryIO

from cuedeck.documents.entries import Reading
from cuedeck.documents.reading import read_documents

# Below this the processes would take longer to start than the work takes.
WORTH_WHILE = 800
_SLICE = 40
# How many slices may wait to be written: enough that nobody waits for a transaction to end.
_WAITING = 50
_LENGTH = struct.Struct("<Q")
# A worker begins from nothing: forking a process with threads is unsafe, and running its main module again
# would run whatever program imported us.
_COMMAND = "from cuedeck.documents.workers import serve; serve()"

Read = tuple[str, Reading | None]


def read_many(root: Path, paths: Sequence[str], *, max_bytes: int) -> Iterator[Read]:
    """Read and extract files, in no particular order, on several processes when there are many."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if len(paths) < WORTH_WHILE or cores < 2 or os.name == "nt":
        yield from read_documents(root, paths, max_bytes=max_bytes)
        return
    work = _Work(root, paths, max_bytes)
    try:
        for _ in range(min(cores - 1, 8)):
            work.hire()
        yield from work.results()
    finally:
        work.end()


class _Work:
    """Slices of paths to read: workers take them one after another, and so do we while none is done."""

    def __init__(self, root: Path, paths: Sequence[str], max_bytes: int) -> None:
        self.root, self.max_bytes = root, max_bytes
        self.slices = deque(list(paths[start : start + _SLICE]) for start in range(0, len(paths), _SLICE))
        self.done: SimpleQueue[bytes | None] = SimpleQueue()
        self.room = threading.Semaphore(_WAITING)
        self._left = len(self.slices)
        self._workers: list[_Worker] = []

    def hire(self) -> None:
        self._workers.append(_Worker(self))

    def take(self) -> list[str] | None:
        """A slice for a worker, once there is room for its result."""
        self.room.acquire()
        try:
            return self.slices.popleft()
        except IndexError:
            self.room.release()
            return None

    def results(self) -> Iterator[Read]:
        while self._left:
            try:
                result = self.done.get(block=not self.slices)
            except Empty:
                yield from self._own()
                continue
            if result is None:
                # A worker died; what it was given lies among the slices again.
                continue
            self.room.release()
            self._left -= 1
            for path, packed in marshal.loads(result):
                yield path, packed and Reading.unpacked(packed)

    def end(self) -> None:
        self.slices.clear()
        self.room.release(_WAITING)
        for worker in self._workers:
            worker.close()

    def _own(self) -> Iterator[Read]:
        try:
            paths = self.slices.popleft()
        except IndexError:
            return
        self._left -= 1
        yield from read_documents(self.root, paths, max_bytes=self.max_bytes)


class _Worker:
    """One process that extracts slices, and the thread that gives them to it."""

    def __init__(self, work: _Work) -> None:
        environ = {**os.environ, "PYTHONPATH": os.pathsep.join(part for part in sys.path if part)}
        self._process = subprocess.Popen(
            # -P: a file of the current folder must never be imported as a module.
            [sys.executable, "-P", "-c", _COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environ,
            # Ctrl-C is for us; the process ends when its pipe does.
            process_group=0,
        )
        self._work = work
        self._thread = threading.Thread(target=self._run, name="documents-worker", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._thread.join()
        for stream in (self._process.stdin, self._process.stdout):
            try:
                _stream(stream).close()
            except BrokenPipeError:
                continue

    def _run(self) -> None:
        given: deque[list[str]] = deque()
        try:
            self._send((str(self._work.root), self._work.max_bytes))
            while True:
                # One slice ahead, so that the process never waits for us.
                while len(given) < 2 and (paths := self._work.take()):
                    given.append(paths)
                    self._send(paths)
                if not given:
                    return
                result = _receive(_stream(self._process.stdout))
                if result is None:
                    break
                given.popleft()
                self._work.done.put(result)
        except BrokenPipeError:
            pass
        self._work.slices.extend(given)
        self._work.done.put(None)

    def _send(self, value: tuple[str, int] | list[str]) -> None:
        data = marshal.dumps(value)
        stream = _stream(self._process.stdin)
        stream.write(_LENGTH.pack(len(data)) + data)
        stream.flush()


def serve() -> None:
    """A worker's life: the root first, then slices of paths, until the parent is gone."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    first = _receive(requests)
    if first is None:
        return
    root, max_bytes = marshal.loads(first)
    # What a slice leaves behind has no cycles; looking for them is a tenth of the work.
    gc.disable()
    while (data := _receive(requests)) is not None:
        found = read_documents(Path(root), marshal.loads(data), max_bytes=max_bytes)
        result = marshal.dumps([(path, reading and reading.packed()) for path, reading in found])
        try:
            answers.write(_LENGTH.pack(len(result)) + result)
            answers.flush()
        except BrokenPipeError:
            os._exit(0)  # whoever asked was killed, and the pipe would complain again at the end


def _receive(stream: BinaryIO) -> bytes | None:
    head = _exactly(stream, _LENGTH.size)
    return None if head is None else _exactly(stream, _LENGTH.unpack(head)[0])


def _exactly(stream: BinaryIO, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size > 0:
        part = stream.read(size)
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _stream(stream: object) -> BinaryIO:
    assert stream is not None
    return stream  # type: ignore[return-value]
