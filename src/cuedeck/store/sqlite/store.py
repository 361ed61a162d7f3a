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
from cuedeck.store.sqlite.place import index_file


class SqliteStore:
    """``state.db`` with the main checkout, ``index.db`` in a cache folder of this one's.

    Each is opened when first used: many commands need only one of them.
    """

    def __init__(
        self,
        *,
        root: Path,
        state_root: Path,
        busy_timeout: float,
        known: Callable[[DatabaseName], Sequence[Migration]] = migrations,
    ) -> None:
        state_root, root = state_root.resolve(), root.resolve()
        state_path = state_root / FOLDER / "state.db"
        index_path = index_file(root)
        self._state = SqliteDatabase(
            state_path, "state", known("state"), checkout=state_root, busy_timeout=busy_timeout
        )
        self._index = SqliteDatabase(
            index_path,
            "index",
            known("index"),
            checkout=root if index_path.is_relative_to(root) else index_path.parent,
            busy_timeout=busy_timeout,
        )
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
