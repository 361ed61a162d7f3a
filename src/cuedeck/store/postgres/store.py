"""A workspace on a PostgreSQL server shared with others."""

from __future__ import annotations

from cuedeck.store.news import News
from cuedeck.store.postgres.database import Place, PostgresDatabase
from cuedeck.store.postgres.failures import translated
from cuedeck.store.postgres.listener import Listener
from cuedeck.store.postgres.migrate import Known, prepare
from cuedeck.store.postgres.pool import Pool
from cuedeck.store.protocol import Database
from cuedeck.store.schema import migrations


class PostgresStore:
    """State and index of one workspace, among the rows of many."""

    def __init__(
        self,
        url: str,
        *,
        workspace_id: str,
        busy_timeout: float,
        pool_size: int,
        known: Known = migrations,
    ) -> None:
        self._pool = Pool(url, size=pool_size, timeout=busy_timeout)
        self._listener = Listener(self._pool)
        with translated():
            connection = self._pool.take()
            try:
                role = prepare(connection, known)
            finally:
                self._pool.give_back(connection)
        place = Place(self._pool, self._listener, workspace_id, role, busy_timeout)
        self._state = PostgresDatabase(place, "state")
        self._index = PostgresDatabase(place, "index")

    @property
    def state(self) -> Database:
        return self._state

    @property
    def index(self) -> Database:
        return self._index

    def news(self) -> News:
        return News(self._listener)

    def close(self) -> None:
        self._listener.stop()
        self._pool.close()
