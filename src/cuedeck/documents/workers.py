"""Extracts many files on every core: processes that read and parse, while this one writes."""

from __future__ import annotations

import os
import pickle
import select
import struct
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from cuedeck.documents.entries import Reading
from cuedeck.documents.reading import read_documents

# Below this the processes would take longer to start than the work takes.
WORTH_WHILE = 800
_SLICE = 40
_AHEAD = 2
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
    slices = deque(list(paths[start : start + _SLICE]) for start in range(0, len(paths), _SLICE))
    workers = [_Worker(root, max_bytes) for _ in range(min(cores - 1, 8))]
    try:
        yield from _shared(root, slices, workers, max_bytes)
    finally:
        for worker in workers:
            worker.close()


def _shared(root: Path, slices: deque[list[str]], workers: list[_Worker], max_bytes: int) -> Iterator[Read]:
    """Hand out slices; while none comes back this process does one itself."""
    while slices or any(worker.given for worker in workers):
        for worker in workers:
            while slices and worker.alive and len(worker.given) < _AHEAD:
                worker.give(slices.popleft())
        busy = [worker for worker in workers if worker.given]
        ready, _, _ = select.select(busy, [], [], 0 if slices else None)
        for worker in ready:
            done = worker.take()
            if done is None:
                slices.extend(worker.given)
                worker.given.clear()
            else:
                yield from done
        if not ready and slices:
            yield from read_documents(root, slices.popleft(), max_bytes=max_bytes)


class _Worker:
    """One process that extracts slices in the order they were given."""

    def __init__(self, root: Path, max_bytes: int) -> None:
        environ = {**os.environ, "PYTHONPATH": os.pathsep.join(part for part in sys.path if part)}
        # Unbuffered: what waits in a buffer of ours would not show as ready.
        self._process = subprocess.Popen(
            [sys.executable, "-c", _COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environ,
            bufsize=0,
        )
        self.given: deque[list[str]] = deque()
        self.alive = True
        self._send((str(root), max_bytes))

    def fileno(self) -> int:
        return _stream(self._process.stdout).fileno()

    def give(self, paths: list[str]) -> None:
        self.given.append(paths)
        self._send(paths)

    def take(self) -> list[Read] | None:
        """The oldest slice's result; nothing when the process died."""
        data = _receive(_stream(self._process.stdout))
        if data is None:
            self.alive = False
            return None
        self.given.popleft()
        # Written by our own child from our own code.
        result: list[Read] = pickle.loads(data)
        return result

    def close(self) -> None:
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            _stream(stream).close()
        self._process.wait()

    def _send(self, value: object) -> None:
        data = pickle.dumps(value)
        try:
            stream = _stream(self._process.stdin)
            stream.write(_LENGTH.pack(len(data)) + data)
            stream.flush()
        except BrokenPipeError:
            self.alive = False


def serve() -> None:
    """A worker's life: the root first, then slices of paths, until the parent is gone."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    first = _receive(requests)
    if first is None:
        return
    root, max_bytes = pickle.loads(first)
    while (data := _receive(requests)) is not None:
        result = pickle.dumps(list(read_documents(Path(root), pickle.loads(data), max_bytes=max_bytes)), 5)
        answers.write(_LENGTH.pack(len(result)) + result)
        answers.flush()


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
