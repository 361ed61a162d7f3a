"""Connections to the server: opened when needed, kept when idle, dropped when the server went away."""

from __future__ import annotations

import os
import threading
import time
import weakref
from contextlib import suppress
from typing import Any

import psycopg
from psycopg.rows import dict_row

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store.errors import closed
from cuedeck.store.postgres.failures import malformed, refusal, refused

Connection = psycopg.Connection[dict[str, Any]]

# A server that restarts is away for a moment; a first connection is not given this grace.
GRACE = 3.0
_pools: weakref.WeakSet[Pool] = weakref.WeakSet()
# What came over a fork shares its socket with the parent: never used, never closed, never collected.
_inherited: list[object] = []


class Pool:
    """At most ``size`` connections, each used by one transaction at a time."""

    def __init__(self, url: str, *, size: int, timeout: float) -> None:
        self._url = url
        self._size = size
        self._timeout = timeout
        self._idle: list[Connection] = []
        self._places = threading.BoundedSemaphore(size)
        self._turns: dict[str, threading.Lock] = {}
        self._closed = False
        self._reached = False
        _pools.add(self)

    def take(self) -> Connection:
        """An idle connection or a new one."""
        if not self._places.acquire(timeout=self._timeout):
            raise CueError(
                ErrorCode.UNAVAILABLE,
                f"All {self._size} PostgreSQL connections of this process are busy",
                hint="Try again, or raise store.pool_size.",
            )
        try:
            if self._closed:
                raise closed()
            try:
                return self._idle.pop()
            except IndexError:
                return self._connect_patiently()
        except BaseException:
            self._places.release()
            raise

    def give_back(self, connection: Connection) -> None:
        """Keep the connection for the next one, unless it is broken or inside a transaction."""
        try:
            if self._closed or connection.closed or connection.pgconn.transaction_status != 0:
                connection.close()
            else:
                self._idle.append(connection)
        finally:
            self._places.release()

    def turn(self, name: str) -> threading.Lock:
        """Held by the one thread of this process that may write to that database."""
        return self._turns.setdefault(name, threading.Lock())

    def drop_idle(self) -> None:
        """The server went away: what is idle now is of no use."""
        # Each thread that finds its connection dead comes here, and one may take what another saw.
        with suppress(IndexError):
            while True:
                self._idle.pop().close()

    def connect(self) -> Connection:
        """A connection outside the pool."""
        return psycopg.connect(
            self._url,
            autocommit=True,
            row_factory=dict_row,
            connect_timeout=5,
            application_name="cuedeck",
            keepalives_idle=30,
        )

    def close(self) -> None:
        """Close what is idle now and the rest when it comes back."""
        self._closed = True
        self.drop_idle()

    def forget_parent(self) -> None:
        """After a fork: leave the parent's connections alone."""
        _inherited.append(self._idle)
        self._idle = []
        self._places = threading.BoundedSemaphore(self._size)
        self._turns = {}

    def _connect_patiently(self) -> Connection:
        deadline = time.monotonic() + (GRACE if self._reached else 0.0)
        while True:
            try:
                connection = self.connect()
                self._reached = True
                return connection
            except psycopg.ProgrammingError:
                raise malformed() from None
            except psycopg.OperationalError as error:
                why = refusal(error)
                if (why and not why.passing) or time.monotonic() >= deadline:
                    raise refused(why) from error
                time.sleep(0.1)


def _after_fork() -> None:
    for pool in list(_pools):
        pool.forget_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
