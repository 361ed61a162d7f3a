"""A parsing process, and how blobs come back from it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuedeck.code.extraction.analysis import analyse_blob
from cuedeck.code.git.objects import blob_on_disk
from cuedeck.store.code import NewBlob
from cuedeck.store.code_words import BlobWords
from cuedeck.working import answer_all

if TYPE_CHECKING:
    from cuedeck.code.git.repository import Repository

Job = tuple[str, str, str]  # blob, path, language


def as_plain(blob: NewBlob) -> tuple[Any, ...]:
    """A blob as values that can be framed."""
    words = blob.words
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
        (list(words.words), words.held, words.places, words.lengths, words.kinds, words.keys),
    )


def from_plain(values: Sequence[Any]) -> NewBlob:
    """The blob that was framed."""
    *fields, words = values
    return NewBlob._make((*fields, BlobWords._make(words)))


def read_blob(repository: Repository | None, oid: str) -> bytes | None:
    """A blob's bytes, or nothing when this clone does not hold it."""
    from cuedeck.code.git.repository import MissingBlob

    if repository is None:
        return None
    try:
        return repository.read(oid)
    except MissingBlob:
        return None


def read_source(root: Path, path: str, oid: str, repository: Callable[[], Repository | None]) -> bytes | None:
    """A blob's bytes: of the file at that path, if they are the same, else of git."""
    found = blob_on_disk(f"{root}/{path}", oid)
    return found if found is not None else read_blob(repository(), oid)


def serve() -> None:
    """A process's life: stored forms of the blobs it is asked for, from the folder it was started for."""
    root = Path(sys.argv[1])

    @cache
    def repository() -> Repository | None:
        # Most blobs are files on disk: without git's library the process begins a third sooner.
        from cuedeck.code.git.repository import Repository

        return Repository.open(root)

    answer_all(
        lambda jobs: [
            as_plain(analyse_blob(oid, path, language, read_source(root, path, oid, repository)))
            for oid, path, language in jobs
        ]
    )
