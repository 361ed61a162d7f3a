"""One database of a workspace on a PostgreSQL server."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from zlib import crc32

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store.changes import changes_after
from cuedeck.store.errors import locked, lost
from cuedeck.store.keys import key
from cuedeck.store.postgres.ddl import SCHEMA
from cuedeck.store.postgres.failures import translate, translated
from cuedeck.store.postgres.listener import CHANNEL, Listener
from cuedeck.store.postgres.pool import Connection, Pool
from cuedeck.store.postgres.session import PostgresSession, Shared
from cuedeck.store.protocol import Change, Dialect, Session
from cuedeck.store.schema import DatabaseName
from cuedeck.store.text_cache import TextCache
from cuedeck.store.vectors import Matrices

_VERSION = (
    f"SELECT coalesce(sum(n), 0)::bigint AS n FROM {SCHEMA}.commits "  # noqa: S608
    "WHERE workspace_id = %(workspace)s AND database = ANY(%(names)s)"
)
_HOLDER = (
    "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted "
    "AND classid = (%(key)s::bigint >> 32 & 4294967295)::oid AND objid = (%(key)s::bigint & 4294967295)::oid"
)
_ENTER = (
    "SELECT pg_advisory_xact_lock({lock}); INSERT INTO commits VALUES({workspace}, {name}, 1) "
    "ON CONFLICT (workspace_id, database) DO UPDATE SET n = commits.n + 1"
)


# What belongs to one person is nobody else's business and not in the log: such writers wait only for those
# of the same person (and a sixteenth of the others), and the disk serves many of their commits at once.
QUEUES = 16


@lru_cache(maxsize=1024)
def _opening(begin: str, enter: str, settings: tuple[tuple[str, str], ...]) -> str:
    """What opens a transaction; values are quoted by the driver, names are ours."""
    calls = sql.SQL(", ").join(sql.SQL("set_config({}, {}, true)").format(*each) for each in settings)
    return sql.SQL("{}; SELECT {}; {}").format(sql.SQL(begin), calls, sql.SQL(enter)).as_string()


@dataclass(frozen=True, slots=True)
class Queue:
    """Writers that wait for each other: their lock, and what makes one of them the writer."""

    name: str
    lock: int
    enter: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a workspace's rows are: the server's connections, the tenant, the role to act as."""

    pool: Pool
    listener: Listener
    workspace: str
    role: str | None
    busy_timeout: float


class PostgresDatabase:
    """Transactions on one workspace's tables, one writer at a time, save for what belongs to one person."""

    def __init__(self, place: Place, name: DatabaseName) -> None:
        self._place = place
        self._name = name
        self._thread = threading.local()
        queues = (name, *(f"{name}#{number}" for number in range(QUEUES)))
        self._queues = {queue: self._queue(queue) for queue in queues}
        # A write's own connection shows what it has not committed, so caches are fed from another one.
        self._for_readers = Shared({}, Matrices(), TextCache())
        self._for_writers = replace(self._for_readers, reading=self._reading)

    @property
    def dialect(self) -> Dialect:
        return Dialect.POSTGRES

    @contextmanager
    def read(self, *, user: str | None = None) -> Iterator[Session]:
        with translated(), self._reading(user) as connection:
            yield PostgresSession(connection, self._for_readers)

    @contextmanager
    def write(self, *, actor: str, user: str | None = None, durable: bool = True) -> Iterator[Session]:
        if getattr(self._thread, "writing", False):
            raise RuntimeError("this thread is already inside a write transaction")
        queue = self._queues[f"{self._name}#{crc32(user.encode()) % QUEUES}" if user else self._name]
        with translated(), self._turn(queue):
            connection = self._begun_writing(queue, actor, user, durable=durable)
            self._thread.writing = True
            try:
                session = PostgresSession(connection, self._for_writers)
                yield session
                self._commit(connection)
            except BaseException:
                self._leave(connection, "ROLLBACK")
                raise
            finally:
                self._thread.writing = False
                self._place.pool.give_back(connection)

    def _queue(self, name: str) -> Queue:
        lock, workspace = key(f"write/{self._place.workspace}/{name}"), self._place.workspace
        enter = sql.SQL(_ENTER).format(lock=lock, workspace=workspace, name=name)
        return Queue(name, lock, enter.as_string())

    @contextmanager
    def _turn(self, queue: Queue) -> Iterator[None]:
        """Threads queue here: on the server each would hold a connection, and the writer may need another."""
        lock = self._place.pool.turn(queue.name)
        if not lock.acquire(timeout=self._place.busy_timeout):
            raise locked("postgresql", os.getpid(), self._place.busy_timeout)
        try:
            yield
        finally:
            lock.release()

    def changes(self, *, after: int, limit: int = 1000, tables: Collection[str] = ()) -> list[Change]:
        with self.read() as session:
            return changes_after(session, after=after, limit=limit, tables=tables)

    @property
    def generation(self) -> int:
        return 0  # numbers come from sequences, which outlive their rows

    def version(self) -> int:
        with translated():
            found = self._asked(_VERSION, workspace=self._place.workspace, names=list(self._queues))
        return int(found["n"]) if found else 0

    def wait_for_change(self, *, since: int, timeout: float) -> int:
        deadline = time.monotonic() + timeout
        while (now := self.version()) == since and (left := deadline - time.monotonic()) > 0:
            self._place.listener.wait(left)
        return now

    def check(self) -> list[str]:
        with self.read() as session:
            invalid = session.rows(
                "SELECT c.relname AS name FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid "
                "JOIN pg_namespace AS n ON n.oid = c.relnamespace "
                "WHERE n.nspname = 'cuedeck' AND NOT (i.indisvalid AND i.indisready)"
            )
        return [f"index {row['name']} is not valid; run REINDEX INDEX {row['name']}" for row in invalid]

    @contextmanager
    def _reading(self, user: str | None = None) -> Iterator[Connection]:
        connection = self._begun("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", user=user)
        try:
            yield connection
        finally:
            self._end_reading(connection)

    def _begun_writing(self, queue: Queue, actor: str, user: str | None, *, durable: bool) -> Connection:
        """Become the one writer of the queue, and count the commit that is to come."""
        started = time.monotonic()
        try:
            return self._begun("BEGIN", queue.enter, user=user, actor=actor, durable=durable)
        except psycopg.errors.LockNotAvailable as error:
            holder = self._asked(_HOLDER, key=queue.lock)
            pid = int(holder["pid"]) if holder else None
            raise locked("postgresql", pid, time.monotonic() - started) from error

    def _begun(
        self,
        begin: str,
        enter: str = "",
        *,
        user: str | None,
        actor: str = "",
        durable: bool = True,
    ) -> Connection:
        """A connection inside a transaction with everything set, in one round trip."""
        settings = {
            "search_path": f"{SCHEMA}, public",
            "cuedeck.workspace": self._place.workspace,
            "cuedeck.user": user or "",
            "cuedeck.actor": actor,
            "lock_timeout": str(int(self._place.busy_timeout * 1000)),
        }
        if not durable:
            settings["synchronous_commit"] = "off"
        if self._place.role:
            settings["role"] = self._place.role
        return self._answering(_opening(begin, enter, tuple(settings.items())))[0]

    def _asked(self, query: str, **params: Any) -> dict[str, Any] | None:
        """The first row of a statement that needs no transaction."""
        connection, cursor = self._answering(query, params)
        try:
            return cursor.fetchone()
        finally:
            self._place.pool.give_back(connection)

    def _answering(
        self, opening: str, params: dict[str, Any] | None = None
    ) -> tuple[Connection, psycopg.Cursor[dict[str, Any]]]:
        """Run what opens the work; nothing is done before it, so a dead connection may be replaced."""
        pool = self._place.pool
        deadline = time.monotonic() + self._place.busy_timeout
        while True:
            connection = pool.take()
            try:
                return connection, connection.execute(opening, params)
            except BaseException as error:
                died = isinstance(error, psycopg.OperationalError) and connection.closed
                connection.close()
                pool.give_back(connection)
                if not died or time.monotonic() > deadline:
                    raise
                pool.drop_idle()

    def _commit(self, connection: Connection) -> None:
        # PostgreSQL answers COMMIT after a failed statement with a silent rollback.
        if connection.info.transaction_status is not TransactionStatus.INTRANS:
            raise lost()
        try:
            # Told after the commit, for a notification inside it would make commits queue server-wide.
            connection.execute(f"COMMIT; NOTIFY {CHANNEL}")
        except psycopg.OperationalError as error:
            failure = translate(error)
            if failure.code is ErrorCode.UNAVAILABLE:
                raise CueError(
                    ErrorCode.UNAVAILABLE,
                    "The PostgreSQL server went away while it was saving",
                    hint="The change may or may not have been kept; look before you repeat it.",
                ) from error
            raise

    def _end_reading(self, connection: Connection) -> None:
        try:
            # After a rollback the driver would forget all statements it has prepared.
            self._leave(connection, "COMMIT")
        finally:
            self._place.pool.give_back(connection)

    def _leave(self, connection: Connection, how: str) -> None:
        """End a transaction that keeps nothing."""
        if connection.closed:
            return
        try:
            connection.execute(how)
        except psycopg.OperationalError:
            connection.close()
