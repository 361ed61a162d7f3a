"""An open SQLite file: its one writer, its readers, and the process that may use them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from cuedeck.store.errors import closed, locked
from cuedeck.store.portable import sqlite_parameters
from cuedeck.store.schema import Migration
from cuedeck.store.sqlite import migrate
from cuedeck.store.sqlite.connection import check_open, connect, fetch, private_file, set_synchronous
from cuedeck.store.sqlite.failures import translated
from cuedeck.store.sqlite.turnstile import Turnstile
from cuedeck.store.text_cache import TextCache
from cuedeck.store.vectors import Matrices

_IDLE_READERS = 4
_ACTOR = "UPDATE current_actor SET actor = :actor WHERE actor <> :actor"


class OpenFile:
    """Connections to one file as it is now; when it is replaced, another one is opened."""

    def __init__(
        self,
        path: Path,
        known: Sequence[Migration],
        *,
        synchronous: str,
        mapped: int,
        turnstile: Turnstile,
        busy_timeout: float,
    ) -> None:
        self.path = path
        self._spelt = str(path)
        self.vectors = Matrices()
        self.texts = TextCache()
        self.identified: dict[str, bool] = {}
        self._known = known
        self._synchronous = self._level = synchronous
        self._mapped = mapped
        self._turnstile = turnstile
        self._busy_timeout = busy_timeout
        self._writer_lock = threading.Lock()
        self._thread: int | None = None
        self._watcher_lock = threading.Lock()
        self._watcher: apsw.Connection | None = None
        # The number of the content, and as of which version.
        self._numbered = (-1, 0)
        self._writer: apsw.Connection | None = None
        self._readers: list[apsw.Connection] = []
        self._closed = False
        self._actor: str | None = None
        self._acted: tuple[int, str | None] = (-1, None)
        self.translated = translated(path)
        with self.translated:
            private_file(path)
            self.identity = file_identity(path)
            self._migrate()

    @property
    def is_current(self) -> bool:
        """Whether the path still names the file that is open."""
        return file_identity(self._spelt) == self.identity

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """A reader with its snapshot taken."""
        connection = self._take_reader()
        try:
            fetch(connection, "BEGIN")
            # The snapshot is taken by the first read, not by BEGIN.
            fetch(connection, "SELECT 1 FROM sqlite_schema LIMIT 1")
            yield connection
        finally:
            self._return_reader(connection)

    def begin(self, actor: str | None = None, *, durable: bool = True) -> apsw.Connection:
        """The writer inside BEGIN IMMEDIATE; whoever gets it calls ``end``."""
        thread = threading.get_ident()
        if not self._writer_lock.acquire(blocking=False):
            self._wait(thread)
        self._thread = thread
        try:
            connection = self._opened_writer()
        except BaseException:
            self._let_go()
            raise
        try:
            level = self._synchronous if durable else "NORMAL"
            if level != self._level:
                set_synchronous(connection, level)
                self._level = level
            self._begin(connection)
            # Who wrote last is known unless anybody else has written since.
            if actor is not None and (connection.data_version(), actor) != self._acted:
                fetch(connection, _ACTOR, sqlite_parameters({"actor": actor}))
        except BaseException:
            self.end(commit=False)
            raise
        self._actor = actor
        return connection

    def end(self, *, commit: bool) -> None:
        """Commit or roll back, and let the next one write."""
        connection = self._writer
        assert connection is not None
        try:
            if commit:
                check_open(connection)
                fetch(connection, "COMMIT")
                self._acted = (connection.data_version(), self._actor)
        finally:
            try:
                if connection.in_transaction:
                    fetch(connection, "ROLLBACK")
            finally:
                self._let_go()

    def data_version(self) -> int:
        """SQLite's own count of commits, seen from a connection that never writes."""
        with self._watcher_lock:
            if self._watcher is None:
                self._watcher = self._reader()
            found: int = fetch(self._watcher, "PRAGMA data_version")[0][0]
            return found

    def content_number(self) -> int:
        """The number of its content, which is another once an import has put other content in its place."""
        version = self.data_version()
        if self._numbered[0] != version:
            with self._watcher_lock:
                number = fetch(self._watcher, "PRAGMA user_version")[0][0] if self._watcher else 0
            self._numbered = (version, number)
        return self._numbered[1]

    def close(self) -> None:
        """Close what is idle now and the rest when it comes back."""
        self._closed = True
        # Whoever came before may still take one.
        with suppress(IndexError):
            while True:
                self._readers.pop().close()
        with self._watcher_lock:
            if self._watcher is not None:
                self._watcher.close()
        if self._writer_lock.acquire(timeout=self._busy_timeout):
            try:
                if self._writer is not None:
                    self._writer.close()
            finally:
                self._writer_lock.release()

    def _wait(self, thread: int) -> None:
        """Wait until another thread has written."""
        if self._thread == thread:
            raise RuntimeError("this thread is already inside a write transaction")
        started = time.monotonic()
        if not self._writer_lock.acquire(timeout=self._busy_timeout):
            raise locked(self._turnstile.shown, self._turnstile.holder(), time.monotonic() - started)

    def _opened_writer(self) -> apsw.Connection:
        """The one connection that writes; whoever asks holds the lock."""
        if self._writer is None and not self._closed:
            writer = connect(self.path, synchronous=self._synchronous, read_only=False, mapped=self._mapped)
            if self.is_current:
                self._writer = writer
            else:
                writer.close()  # of another file, which stands in its place since this one was chosen
        if self._writer is None or self._closed:
            raise closed()
        return self._writer

    def _let_go(self) -> None:
        self._thread = None
        self._writer_lock.release()

    def _migrate(self) -> None:
        # By a reader: most commands only read, and need no other connection.
        reader = self._take_reader()
        try:
            missing = migrate.pending(reader, self._known, self.path.name)
        finally:
            self._return_reader(reader)
        if not missing:
            return
        connection, applied = self.begin(), False
        try:
            # Asked again inside the transaction: another process may have been faster.
            migrate.apply(connection, migrate.pending(connection, self._known, self.path.name))
            applied = True
        finally:
            self.end(commit=applied)

    def _take_reader(self) -> apsw.Connection:
        try:
            return self._readers.pop()
        except IndexError:
            return self._reader()

    def _reader(self) -> apsw.Connection:
        return connect(self.path, synchronous="NORMAL", read_only=True, mapped=self._mapped)

    def _return_reader(self, connection: apsw.Connection) -> None:
        if connection.in_transaction:
            fetch(connection, "ROLLBACK")
        if self._closed or len(self._readers) >= _IDLE_READERS:
            connection.close()
        else:
            self._readers.append(connection)

    def _begin(self, connection: apsw.Connection) -> None:
        """Get SQLite's write lock, in a time that is bounded and shared fairly between processes."""
        started = time.monotonic()
        deadline = started + self._busy_timeout
        writing = False
        connection.set_busy_timeout(0)
        try:
            self._turnstile.enter(deadline, started)
            while not writing:
                try:
                    fetch(connection, "BEGIN IMMEDIATE")
                    writing = True
                except apsw.BusyError:
                    self._turnstile.pause(deadline, started)
        finally:
            self._turnstile.leave(writing=writing)
            connection.set_busy_timeout(5_000)


def file_identity(path: str | Path) -> tuple[int, int] | None:
    """Which file a path names now, if any."""
    try:
        found = os.stat(path)  # noqa: PTH116 - a Path would be spelt anew before every write
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino
