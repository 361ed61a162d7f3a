"""A process that reads slices of files for another one, and what the two say to each other."""

from __future__ import annotations

import marshal
import sys
from pathlib import Path
from typing import Any

from cuedeck.documents.entries import Reading
from cuedeck.documents.reading import Batch, new_vocabulary, read_batch
from cuedeck.store.vocabulary import Coded, KnownKeys
from cuedeck.working import answer_all, receive


def serve() -> None:
    """A worker's life: root and paths come first, then which of them to read."""
    first = receive(sys.stdin.buffer)
    if first is None:
        return
    root, paths, max_bytes, fold = marshal.loads(first)
    vocabulary = new_vocabulary() if fold else None
    keys = KnownKeys()

    def read(asked: tuple[int, int]) -> tuple[list[Any], list[Any]]:
        some = paths[slice(*asked)]
        batch = read_batch(Path(root), some, max_bytes=max_bytes, vocabulary=vocabulary)
        return _packed(batch, keys, words=not fold)

    answer_all(read)


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
