"""One SQLite database: transactions, what changed, and recovery of what is only derived."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store.changes import changes_after
from cuedeck.store.errors import closed
from cuedeck.store.protocol import Change, Dialect, Session
from cuedeck.store.schema import DatabaseName, Migration
from cuedeck.store.sqlite.connection import fetch, private_folder, refused
from cuedeck.store.sqlite.failures import is_corrupt, translated
from cuedeck.store.sqlite.file import OpenFile, file_identity
from cuedeck.store.sqlite.guard import refuse_planted
from cuedeck.store.sqlite.session import SqliteSession
from cuedeck.store.sqlite.turnstile import Turnstile

_POLL = 0.05
# A reader gives up the whole map after any commit: it pays where much is read between commits.
_MAPPED = {"state": 0, "index": 1 << 30}
_databases: weakref.WeakSet[SqliteDatabase] = weakref.WeakSet()
# What came over a fork belongs to the parent: never used, never closed, never collected.
_inherited: list[object] = []


class SqliteDatabase:
    """Transactions on one file, safe for many threads, many processes and forks."""

    def __init__(
        self,
        path: Path,
        name: DatabaseName,
        known: Sequence[Migration],
        *,
        checkout: Path,
        busy_timeout: float,
    ) -> None:
        self.path = path
        self._checkout = checkout
        self._name = name
        self._known = known
        self._busy_timeout = busy_timeout
        self._file: OpenFile | None = None
        self._turnstile: Turnstile | None = None
        self._opening = threading.RLock()
        self._closed = False
        self._base = 0
        self.translated = translated(path, self._set_open_aside if name == "index" else None)
        _databases.add(self)

    @property
    def dialect(self) -> Dialect:
        return Dialect.SQLITE

    @contextmanager
    def read(self, *, user: str | None = None) -> Iterator[Session]:
        with self.translated:
            file = self.current()
            with file.reading() as connection:
                yield SqliteSession(connection, file, writes=False)

    def write(
        self, *, actor: str, user: str | None = None, durable: bool = True
    ) -> AbstractContextManager[Session]:
        return _Write(self, actor if self._name == "state" else None, durable=durable)

    def changes(self, *, after: int, limit: int = 1000, tables: Collection[str] = ()) -> list[Change]:
        with self.read() as session:
            return changes_after(session, after=after, limit=limit, tables=tables)

    @property
    def generation(self) -> int:
        with self.translated:
            number = self.current().content_number()
            return (self._base << 31) + number

    def version(self) -> int:
        with self.translated:
            file = self.current()
            return self._base + file.data_version()

    def wait_for_change(self, *, since: int, timeout: float) -> int:
        deadline = time.monotonic() + timeout
        while (now := self.version()) == since and (left := deadline - time.monotonic()) > 0:
            time.sleep(min(_POLL, left))
        return now

    def check(self) -> list[str]:
        try:
            file = self.current()
            with file.translated, file.reading() as connection:
                found = fetch(connection, "PRAGMA integrity_check")
                dangling = fetch(connection, "PRAGMA foreign_key_check")
        except CueError as error:
            if not is_corrupt(error):
                raise
            return [error.message]
        return [str(text) for (text,) in found if text != "ok"] + [
            f"{table} row {row} points to a missing row of {parent}" for table, row, parent, _ in dangling
        ]

    def close(self) -> None:
        """Close every connection; whoever still reads finishes first."""
        with self._opening:
            self._closed = True
            if self._file is not None:
                self._file.close()
                self._file = None
            if self._turnstile is not None:
                self._turnstile.close()
                self._turnstile = None

    def forget_parent(self) -> None:
        """After a fork: leave the parent's connections alone and open our own when needed."""
        _inherited.append((self._file, self._turnstile, self._opening))
        self._file = self._turnstile = None
        self._opening = threading.RLock()

    def current(self) -> OpenFile:
        """The open file: opened when first used, and again when it was replaced or deleted under us."""
        file = self._file
        if file is not None and file.is_current:
            return file
        with self._opening:
            if self._closed:
                raise closed()
            if self._file is None or not self._file.is_current:
                replaced, self._file = self._file, None
                if replaced is not None:
                    # Forgotten first: the same file may come back after a failure to open it.
                    replaced.close()
                self._file = self._open()
                # Versions of the new file must differ from any of the old one.
                self._base += 1_000_000_007
            return self._file

    def _open(self) -> OpenFile:
        refuse_planted(self._checkout, self.path)
        found = file_identity(self.path)
        if self._name == "index" and self._is_emptied():
            # Whoever still reads it from its log would keep everyone else from making it a database.
            self._set_aside(found)
        try:
            return self._open_once()
        except CueError as error:
            if self._name != "index" or not (is_corrupt(error) or self._may_replace(error)):
                raise
        self._set_aside(found)
        return self._open_once()

    def _may_replace(self, error: CueError) -> bool:
        """Another build's index is replaced when we start, never while running: the two would take turns."""
        return error.code is ErrorCode.SCHEMA_TOO_NEW and self._base == 0

    def _open_once(self) -> OpenFile:
        private_folder(self.path)
        if self._name == "state":
            self._keep_log()
        if self._turnstile is None:
            lock = self.path.with_name(f"{self.path.name}-lock")
            try:
                self._turnstile = Turnstile(lock)
            except OSError as error:
                raise refused(lock, error) from error
        return OpenFile(
            self.path,
            self._known,
            synchronous="FULL" if self._name == "state" else "NORMAL",
            mapped=_MAPPED[self._name],
            turnstile=self._turnstile,
            busy_timeout=self._busy_timeout,
        )

    @property
    def _log(self) -> Path:
        return self.path.with_name(f"{self.path.name}-wal")

    def _is_emptied(self) -> bool:
        """Whether nothing is left of the file but its log, which begins only after the file does."""
        return not _size(self.path) and bool(_size(self._log))

    def _keep_log(self) -> None:
        """Set aside the log of a file that was moved away: SQLite would delete what stands only there."""
        if self._is_emptied():
            self._log.rename(self._log.with_name(f"{self._log.name}.left-{time.time_ns():x}"))

    def _set_open_aside(self) -> None:
        """An index found damaged while in use: the next call builds a new one."""
        if self._file is not None:
            self._set_aside(self._file.identity)

    def _set_aside(self, damaged: tuple[int, int] | None) -> None:
        with self._opening:
            # Another process may have put a sound file in its place already.
            if damaged is None or file_identity(self.path) != damaged:
                return
            stamp = f"{time.time_ns():x}"
            for suffix in ("", "-wal", "-shm"):
                part = self.path.with_name(self.path.name + suffix)
                if part.exists():
                    part.rename(part.with_name(f"{part.name}.damaged-{stamp}"))


class _Write:
    """A write transaction. No generator: between two commits caches are cold, and each layer of it shows."""

    __slots__ = ("_actor", "_database", "_durable", "_file")

    def __init__(self, database: SqliteDatabase, actor: str | None, *, durable: bool) -> None:
        self._database = database
        self._actor = actor
        self._durable = durable

    def __enter__(self) -> Session:
        with self._database.translated:
            file = self._file = self._database.current()
            return SqliteSession(file.begin(self._actor, durable=self._durable), file, writes=True)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        with self._database.translated:
            self._file.end(commit=error is None)
        if error is not None:
            self._database.translated.__exit__(kind, error, trace)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0


def _after_fork() -> None:
    for database in list(_databases):
        database.forget_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
