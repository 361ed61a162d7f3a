"""Reads files for the index: one by one, or many of them with their words folded."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from cuedeck.documents.entries import Reading, asset, reading_of
from cuedeck.documents.extract import Extracted, Words, extract
from cuedeck.documents.kinds import Kind, kind_of
from cuedeck.documents.scan import FileStamp
from cuedeck.model.errors import CueError
from cuedeck.paths import FileReader
from cuedeck.search.analyser import analyse_bytes, spaced, word_tokens
from cuedeck.store.document_values import coded_words
from cuedeck.store.vocabulary import Coded, Vocabulary

log = logging.getLogger(__name__)


class Batch(NamedTuple):
    """Files that were read together, and the words of all their pieces where those are to be folded."""

    files: list[tuple[str, Reading | None]]
    words: list[Coded]


def read_batch(
    root: Path, paths: Sequence[str], *, max_bytes: int, vocabulary: Vocabulary | None = None
) -> Batch:
    """Read many files in order; with a vocabulary their words are coded by it."""
    if vocabulary is None:
        return Batch(list(read_documents(root, paths, max_bytes=max_bytes)), [])
    files = list(read_documents(root, paths, max_bytes=max_bytes, words=spaced))
    found = (reading.entry for _, reading in files if reading is not None)
    return Batch(files, list(coded_words(found, vocabulary)))


def new_vocabulary() -> Vocabulary:
    """A vocabulary of the words of documents, for whoever reads many of them one after another."""
    return Vocabulary(word_tokens)


def read_document(root: Path, path: str, *, max_bytes: int) -> Reading | None:
    """Read and extract one file; nothing when it is gone or no longer a plain file."""
    return next(read_documents(root, [path], max_bytes=max_bytes))[1]


def read_documents(
    root: Path, paths: Sequence[str], *, max_bytes: int, words: Words = analyse_bytes
) -> Iterator[tuple[str, Reading | None]]:
    """Read many files in order."""
    reader = FileReader(root)
    try:
        for path in paths:
            if kind_of(path) is Kind.ASSET:
                yield path, _asset(root, path)
            else:
                yield path, _read(reader, path, max_bytes, words)
    finally:
        reader.close()


def _read(reader: FileReader, path: str, max_bytes: int, words: Words) -> Reading | None:
    try:
        found = reader.read(path, at_most=max_bytes + 1)
    except CueError:
        return None
    now = time.time_ns()
    extracted = _extract(path, found.data, max_bytes, words)
    return reading_of(extracted, FileStamp.of(found.status), now, _created(found.status))


def _asset(root: Path, path: str) -> Reading | None:
    try:
        status = os.lstat(f"{root}/{path}")
    except OSError:
        return None
    stamp = FileStamp.of(status)
    return reading_of(
        asset(path, f"{stamp.size:x}-{stamp.mtime_ns:x}"), stamp, time.time_ns(), _created(status)
    )


def _extract(path: str, data: bytes, max_bytes: int, words: Words) -> Extracted:
    try:
        return extract(path, data, max_bytes=max_bytes, words=words)
    except Exception as error:  # one file that defeats a parser must not stop the others
        log.exception("cannot index %s", path)
        return Extracted(path, kind_of(path), "", skipped=f"cannot be read: {type(error).__name__}")


def _created(status: os.stat_result) -> int:
    birth = getattr(status, "st_birthtime_ns", None) or getattr(status, "st_birthtime", 0) * 1e9
    return int(birth or min(status.st_ctime_ns, status.st_mtime_ns))
