"""Opening a SQLite file safely: private mode, WAL, and pragmas that are checked after being set."""

from __future__ import annotations

import errno
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw

from cuedeck.model.errors import CueError
from cuedeck.store.errors import broken, lost
from cuedeck.tracking import keep_out_of_git

BUSY_SECONDS = 5.0
# SQLite's own limit is 512, and its log's name is longer than the file's.
_LONGEST_PATH = 504
_IN_THE_WAY = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR)
_SAFELY = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
Bindings = tuple[Any, ...] | dict[str, Any]
_DURABILITY = {"FULL": 2, "NORMAL": 1}


def fetch(connection: apsw.Connection, sql: str, params: Bindings = ()) -> list[Any]:
    """Run one statement to its end; apsw alone would stop at its first row."""
    return connection.execute(sql, params).fetchall()


def check_open(connection: apsw.Connection) -> None:
    """Refuse to go on without a transaction, which SQLite gives up on a full disk."""
    if not connection.in_transaction:
        raise lost()


def _check_name(path: Path) -> None:
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise broken(
            "The path of this workspace is not UTF-8, and SQLite cannot open files there",
            "Rename the folder whose name is in another encoding.",
        ) from error
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise broken(
            f"The path of this workspace is too long: SQLite opens files of at most {_LONGEST_PATH} bytes",
            "Move the workspace to a folder with a shorter path.",
        )


def private_folder(path: Path) -> None:
    """Make the folder of a database, for its owner alone, in a workspace that exists."""
    _check_name(path)
    try:
        # Not all the way up: a workspace that was moved away must not come back empty.
        home = path.parent.parent if path.parent.name == ".cache" else path.parent
        home.mkdir(exist_ok=True, mode=0o700)
        path.parent.mkdir(exist_ok=True, mode=0o700)
        if home.name == ".cuedeck":
            keep_out_of_git(home)
    except OSError as error:
        raise refused(Path(error.filename or path.parent), error) from error


def private_file(path: Path) -> None:
    """Create the file for its owner alone, or take group and world rights away."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | _SAFELY, 0o600))
        if os.name == "posix":
            # SQLite gives -wal and -shm the mode of the database when it makes them, and takes them away
            # with the last connection of any process.
            for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
                with suppress(FileNotFoundError):
                    _make_private(path.with_name(name))
    except OSError as error:
        raise refused(path, error) from error


def _make_private(part: Path) -> None:
    if part.stat().st_mode & 0o077:
        part.chmod(0o600)


def connect(path: Path, *, synchronous: str, read_only: bool, mapped: int) -> apsw.Connection:
    """A connection with every setting asserted; one statement each, for apsw stops at the first row."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOFOLLOW)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    connection.set_busy_timeout(int(BUSY_SECONDS * 1000))
    _write_ahead(connection)
    _pragma(connection, "synchronous", synchronous, _DURABILITY[synchronous])
    _pragma(connection, "foreign_keys", "ON", 1)
    _pragma(connection, "mmap_size", mapped, mapped)
    # Every commit of another connection empties it.
    cache = -1024 if read_only else -8192
    _pragma(connection, "cache_size", cache, cache)
    _pragma(connection, "temp_store", "MEMORY", 2)
    _pragma(connection, "journal_size_limit", 16 << 20, 16 << 20)
    if read_only:
        _pragma(connection, "query_only", "ON", 1)
    return connection


def _write_ahead(connection: apsw.Connection) -> None:
    """Log ahead; while another process switches a new file over, SQLite refuses at once, and we wait."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            _pragma(connection, "journal_mode", "wal", "wal")
            return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.005)


def set_synchronous(connection: apsw.Connection, level: str) -> None:
    """Change how far a commit goes before it is acknowledged."""
    _pragma(connection, "synchronous", level, _DURABILITY[level])


def _pragma(connection: apsw.Connection, name: str, value: object, expected: object) -> None:
    fetch(connection, f"PRAGMA {name}={value}")
    actual = fetch(connection, f"PRAGMA {name}")[0][0]
    if actual != expected:
        raise broken(
            f"{Path(connection.filename).name}: {name} is {actual}, expected {expected}",
            "The file system may not support what SQLite needs; put the workspace on a local disk.",
        )


def refused(path: Path, error: OSError) -> CueError:
    """The system does not let us have the file."""
    hint = "Make the .cuedeck folder writable for this user, or choose another workspace."
    if error.errno in _IN_THE_WAY:
        hint = f"Something else stands where {path.name} belongs; move it away."
    return broken(
        f"{path.name} cannot be created or opened: {error.strerror}",
        hint,
        file=path.name,
    )
