"""A parsing process: reads jobs on standard input, answers with stored forms of blobs.

Started as ``python -m cuedeck.code.extraction.worker ROOT``. Jobs come from the parent over a private pipe.
"""

from __future__ import annotations

import gc
import marshal
import os
import sys
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from typing import IO, Any

from cuedeck.code.extraction.analysis import analyse_blob
from cuedeck.code.git.repository import MissingBlob, Repository
from cuedeck.store.code import NewBlob
from cuedeck.store.code_words import BlobWords

Job = tuple[str, str, str]  # blob, path, language


def send(stream: IO[bytes], value: Any) -> None:
    """Write one framed value."""
    data = marshal.dumps(value)
    stream.write(len(data).to_bytes(4, "little") + data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one framed value; None at the end."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    size = int.from_bytes(head, "little")
    data = stream.read(size)
    return marshal.loads(data) if len(data) == size else None


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


def main() -> None:
    """Answer jobs until the pipe closes."""
    repository = Repository.open(Path(sys.argv[1]))
    # Extraction makes no cycles worth collecting; the process is short-lived.
    gc.disable()
    while (jobs := receive(sys.stdin.buffer)) is not None:
        found = [
            as_plain(analyse_blob(oid, path, language, read_blob(repository, oid)))
            for oid, path, language in jobs
        ]
        send(sys.stdout.buffer, found)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(0)  # whoever asked was interrupted, and the pipe would complain again at the end
