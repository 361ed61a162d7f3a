"""A process that reads slices of files for another one, and what the two say to each other."""

from __future__ import annotations

import gc
import marshal
import os
import struct
import sys
from pathlib import Path
from typing import Any, BinaryIO

from cuedeck.documents.entries import Reading
from cuedeck.documents.reading import Batch, new_vocabulary, read_batch
from cuedeck.store.vocabulary import Coded, KnownKeys

_LENGTH = struct.Struct("<Q")


def serve() -> None:
    """A worker's life: root and paths first, then which of them to read, until the parent is gone."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    first = receive(requests)
    if first is None:
        return
    root, paths, max_bytes, fold = marshal.loads(first)
    # What a slice leaves behind has no cycles; looking for them is a tenth of the work.
    gc.disable()
    vocabulary = new_vocabulary() if fold else None
    keys = KnownKeys()
    while (data := receive(requests)) is not None:
        start, stop = marshal.loads(data)
        batch = read_batch(Path(root), paths[start:stop], max_bytes=max_bytes, vocabulary=vocabulary)
        try:
            send(answers, _packed(batch, keys, words=not fold))
        except BrokenPipeError:
            os._exit(0)  # whoever asked was killed, and the pipe would complain again at the end


def send(stream: BinaryIO, value: tuple[Any, ...] | list[Any]) -> None:
    """Write a value of plain tuples, lists, texts, bytes and numbers."""
    data = marshal.dumps(value)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> bytes | None:
    """The next value as it came, or nothing when the other end is gone."""
    head = _exactly(stream, _LENGTH.size)
    return None if head is None else _exactly(stream, _LENGTH.unpack(head)[0])


def unpacked(data: bytes, keys: KnownKeys) -> Batch:
    """What a worker has read; its answers have to come in the order it gave them."""
    files, words = marshal.loads(data)
    return Batch(
        [(path, packed and Reading.unpacked(packed)) for path, packed in files],
        [keys.restored(Coded._make(coded)) for coded in words],
    )


def _packed(batch: Batch, keys: KnownKeys, *, words: bool) -> tuple[list[Any], list[Any]]:
    files = [(path, reading and reading.packed(words=words)) for path, reading in batch.files]
    return files, [tuple(keys.abridged(coded)) for coded in batch.words]


def _exactly(stream: BinaryIO, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size > 0:
        part = stream.read(size)
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
