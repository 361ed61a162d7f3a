"""A parsing process, and how blobs come back from it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from cuedeck.code.extraction.analysis import analyse_blob
from cuedeck.code.git.repository import MissingBlob, Repository
from cuedeck.store.code import NewBlob
from cuedeck.store.code_words import BlobWords
from cuedeck.working import answer_all

Job = tuple[str, str, str]  # blob, path, language


def as_plain(blob: NewBlob) -> tuple[Any, ...]:
    """A blob as values that can be framed."""
    return (
        blob.oid,
        blob.language,
        blob.version,
        blob.size,
        blob.symbols,
        blob.problem,
        blob.facts,
        list(blob.uses),
        list(blob.defines),
        astuple(blob.words),
    )


def from_plain(values: Sequence[Any]) -> NewBlob:
    """The blob that was framed."""
    *fields, words = values
    return NewBlob(*[*fields, BlobWords(*words)])


def read_blob(repository: Repository | None, oid: str) -> bytes | None:
    """A blob's bytes, or nothing when this clone does not hold it."""
    if repository is None:
        return None
    try:
        return repository.read(oid)
    except MissingBlob:
        return None


def serve() -> None:
    """A process's life: stored forms of the blobs it is asked for, from the repository it was started for."""
    repository = Repository.open(Path(sys.argv[1]))
    answer_all(
        lambda jobs: [
            as_plain(analyse_blob(oid, path, language, read_blob(repository, oid)))
            for oid, path, language in jobs
        ]
    )
