"""A workspace's two SQLite files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from cuedeck.discovery import FOLDER
from cuedeck.store.news import News
from cuedeck.store.protocol import Database
from cuedeck.store.schema import DatabaseName, Migration, migrations
from cuedeck.store.sqlite.bell import SqliteBell
from cuedeck.store.sqlite.database import SqliteDatabase
from cuedeck.store.sqlite.guard import refuse_planted


class SqliteStore:
    """``state.db`` with the main checkout, ``index.db`` in the cache folder of this one."""

    def __init__(
        self,
        *,
        root: Path,
        state_root: Path,
        busy_timeout: float,
        known: Callable[[DatabaseName], Sequence[Migration]] = migrations,
    ) -> None:
        state_path = state_root.resolve() / FOLDER / "state.db"
        index_path = root.resolve() / FOLDER / ".cache" / "index.db"
        for base, path in ((state_root, state_path), (root, index_path)):
            refuse_planted(base.resolve(), path)
        self._state = SqliteDatabase(state_path, "state", known("state"), busy_timeout=busy_timeout)
        try:
            self._index = SqliteDatabase(index_path, "index", known("index"), busy_timeout=busy_timeout)
        except BaseException:
            self._state.close()
            raise
        self._bell = SqliteBell((state_path, index_path))

    @property
    def state(self) -> Database:
        return self._state

    @property
    def index(self) -> Database:
        return self._index

    def news(self) -> News:
        return News(self._bell)

    def close(self) -> None:
        self._bell.stop()
        self._state.close()
        self._index.close()
