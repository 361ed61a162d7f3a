"""What files cost a language model, counted once for each content: the tokeniser takes long to load."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256

from cuedeck.documents.reader import DocumentReader
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.search.tokens import count_tokens
from cuedeck.store import documents as rows
from cuedeck.store.protocol import Database

ACTOR = "documents"
_BATCH = 200


class TokenCounts:
    """Token counts kept with the index by the hash of what was counted."""

    def __init__(self, database: Database, reader: DocumentReader) -> None:
        self._database = database
        self._reader = reader
        self._loaded = False

    def of(self, files: Mapping[str, str]) -> dict[str, int]:
        """Tokens by path of files given with their hashes; a file that changed since is left out."""
        with self._database.read() as session:
            known = rows.token_counts(session, set(files.values()))
        new = self._count({path: digest for path, digest in files.items() if digest not in known})
        self._keep(new)
        known |= new
        return {path: known[digest] for path, digest in files.items() if digest in known}

    @contextmanager
    def counting(self) -> Iterator[Callable[[str], int]]:
        """Counts any texts; what was not known is kept when all are counted."""
        known: dict[str, int] = {}
        new: dict[str, int] = {}

        def count(text: str) -> int:
            digest = sha256(text.encode("utf-8", "replace")).hexdigest()
            if digest not in known:
                known.update(rows.token_counts(session, [digest]))
            if digest not in known:
                known[digest] = new[digest] = count_tokens(text)
            return known[digest]

        with self._database.read() as session:
            yield count
        self._keep(new)

    def complete(self, seconds: float) -> None:
        """Once the tokeniser had to be loaded, count what never was, for about so long."""
        if not self._loaded:
            return
        deadline = time.monotonic() + seconds
        with self._database.read() as session:
            left = rows.uncounted(session)
        for start in range(0, len(left), _BATCH):
            if time.monotonic() > deadline:
                return
            self._keep(self._count(dict(left[start : start + _BATCH])))

    def _count(self, files: Mapping[str, str]) -> dict[str, int]:
        self._loaded = self._loaded or bool(files)
        contents = ((digest, self._reader.content(path, digest)) for path, digest in files.items())
        return {
            digest: count_tokens(data.decode("utf-8", "replace"))
            for digest, data in contents
            if data is not None
        }

    def _keep(self, counts: Mapping[str, int]) -> None:
        if not counts:
            return
        try:
            with self._database.write(actor=ACTOR, durable=False) as session:
                rows.put_token_counts(session, counts)
        except CueError as error:
            # They are right all the same, and somebody else will count them again.
            if error.code is not ErrorCode.LOCKED:
                raise
