"""A workspace's state and index as one portable file: tar + zstd, described first, every hash checked."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import secrets
import shutil
import tarfile
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import apsw
import zstandard

from cuedeck.discovery import FOLDER
from cuedeck.lock import workspace_lock
from cuedeck.model.clock import iso_seconds, now_ms
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store import open_store
from cuedeck.store.schema import DatabaseName, Migration, migrations
from cuedeck.store.sqlite.store import SqliteStore

FORMAT: Final = 1
_DESCRIPTION: Final = "metadata.json"
_DATABASES: Final = {"state.db": Path("state.db"), "index.db": Path(".cache") / "index.db"}
_WHEN: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_MAX_DESCRIPTION: Final = 1024 * 1024
_MAX_BYTES: Final = 64 * 1024 * 1024 * 1024
# Real databases compress about tenfold; a file that grows more than this is a trap.
_MAX_RATIO: Final = 400
_CHUNK: Final = 1024 * 1024
_BACKUPS_KEPT: Final = 5
_ZSTANDARD: Final = b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True, slots=True)
class Archived:
    """What an archive holds."""

    path: Path
    size: int
    created_at: str
    files: Mapping[str, int]


def export_state(root: Path, state_root: Path, target: Path) -> Archived:
    """Write a consistent copy of both databases; the target appears complete or not at all."""
    target = target.expanduser().absolute()
    _require_replaceable(target)
    _bring_up_to_date(root, state_root)
    with _staging(root) as staging:
        files: dict[str, dict[str, Any]] = {}
        for name, inner in _DATABASES.items():
            base = state_root if name == "state.db" else root
            source = base / FOLDER / inner
            if source.exists():
                copy = staging / name
                _copy_database(source, copy)
                files[name] = {"size": copy.stat().st_size, "sha256": _sha256(copy)}
        description = {
            "format": FORMAT,
            "created_at": iso_seconds(now_ms()),
            "schema": {
                name: sorted({f"{m.domain}/{m.number}" for m in migrations(name)})
                for name in ("state", "index")
            },
            "files": files,
        }
        partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}.partial")
        try:
            _pack(partial, staging, description)
            partial.replace(target)
        except OSError as error:
            raise _not_written(error) from error
        finally:
            partial.unlink(missing_ok=True)
    return _archived(target, description)


def _require_replaceable(target: Path) -> None:
    """Refuse a target that holds something else than an archive, such as a mistyped source file."""
    try:
        if not target.exists():
            return
        with target.open("rb") as file:
            if target.is_file() and file.read(len(_ZSTANDARD)) in (b"", _ZSTANDARD):
                return
    except OSError as error:
        raise _not_written(error) from error
    raise CueError(
        ErrorCode.VALIDATION,
        f"{target.name} is there and is no archive, so it was not replaced",
        hint="Name another file, or remove that one first.",
    )


def _not_written(error: OSError) -> CueError:
    return CueError(
        ErrorCode.VALIDATION,
        f"The archive cannot be written: {error.strerror}",
        hint="Name a file in a folder that exists and may be written to.",
    )


def import_state(
    root: Path, state_root: Path, source: Path, *, lock_timeout: float
) -> tuple[Archived, Path | None]:
    """Replace both databases by an archive's; the old state is kept as a backup, whose path is returned.

    Everything is unpacked, hashed, checked and migrated aside first: an archive that fails any of it
    changes nothing. The databases are then overwritten page by page in one SQLite transaction each, so
    processes that have them open see either the old or the new content.
    """
    source = source.expanduser()
    with _staging(root) as staging:
        description = _unpack(source, staging / FOLDER)
        for name, inner in _DATABASES.items():
            if name in description["files"]:
                _check_database(staging / FOLDER / inner, "state" if name == "state.db" else "index")
        _bring_up_to_date(staging, staging)
        for name, inner in _DATABASES.items():
            if name in description["files"]:
                _mark_replaced(staging / FOLDER / inner)
        _bring_up_to_date(root, state_root)
        with workspace_lock(root, timeout=lock_timeout):
            kept = _keep_old_state(state_root)
            for name, inner in _DATABASES.items():
                if name in description["files"]:
                    base = state_root if name == "state.db" else root
                    _copy_database(staging / FOLDER / inner, base / FOLDER / inner)
    return _archived(source, description), kept


# -- copying


def _bring_up_to_date(root: Path, state_root: Path) -> None:
    """Make both databases, or migrate what is there: each is opened when it is first read."""
    store = open_store(None, root=root, state_root=state_root, workspace_id="archive")
    try:
        for database in (store.state, store.index):
            with database.read():
                pass
    finally:
        store.close()


def _copy_database(source: Path, target: Path) -> None:
    """Copy a database that others may be using, through SQLite's own backup."""
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = not target.exists()
    old = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READONLY)
    new = apsw.Connection(str(target))
    try:
        for connection in (old, new):
            connection.set_busy_timeout(10_000)
        with new.backup("main", old, "main") as backup:
            while not backup.done:
                backup.step(2000 if fresh else -1)
        if fresh:
            # One file, with nothing beside it.
            new.execute("PRAGMA journal_mode = DELETE").fetchall()
            target.chmod(0o600)
    except apsw.Error as error:
        raise _refused("A database could not be copied") from error
    finally:
        old.close()
        new.close()


def _mark_replaced(path: Path) -> None:
    """Give the content a number of its own, by which running processes know their caches are of another."""
    connection = apsw.Connection(str(path))
    connection.execute(f"PRAGMA user_version = {secrets.randbits(31)}").fetchall()
    connection.close()


def _keep_old_state(state_root: Path) -> Path | None:
    current = state_root / FOLDER / "state.db"
    if not current.exists():
        return None
    folder = state_root / FOLDER / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    kept = folder / f"state-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(2)}.db"
    with _staging(state_root) as staging:
        # A process that ends half-way leaves nothing that looks like a backup.
        copy = staging / current.name
        _copy_database(current, copy)
        copy.replace(kept)
    for old in sorted(folder.glob("state-*.db"))[:-_BACKUPS_KEPT]:
        old.unlink(missing_ok=True)
    return kept


# -- packing


def _pack(target: Path, staging: Path, description: Mapping[str, Any]) -> None:
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        with (
            zstandard.ZstdCompressor(level=6, threads=-1).stream_writer(file, closefd=False) as packed,
            tarfile.open(fileobj=packed, mode="w|") as tar,
        ):
            text = json.dumps(description, indent=1, sort_keys=True).encode()
            _add(tar, _DESCRIPTION, io.BytesIO(text), len(text))
            for name, entry in description["files"].items():
                with (staging / name).open("rb") as data:
                    _add(tar, name, data, entry["size"])
        file.flush()
        os.fsync(file.fileno())


def _add(tar: tarfile.TarFile, name: str, data: IO[bytes], size: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o600
    tar.addfile(entry, data)


# -- unpacking


def _unpack(source: Path, folder: Path) -> dict[str, Any]:
    """Unpack exactly the members an archive may have, each no larger than it says."""
    try:
        with (
            source.open("rb") as file,
            zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as packed,
        ):
            limit = min(_MAX_BYTES, max(source.stat().st_size * _MAX_RATIO, 64 * _CHUNK))
            bounded = _Bounded(packed, limit)
            with tarfile.open(fileobj=bounded, mode="r|") as tar:
                description = _members(tar, folder)
            while piece := bounded.read(_CHUNK):
                if piece.strip(b"\0"):
                    raise _refused("It goes on behind its end")
            return description
    except (
        OSError,
        tarfile.TarError,
        zstandard.ZstdError,
        EOFError,
        ValueError,
        KeyError,
        TypeError,
        RecursionError,
    ) as error:
        if isinstance(error, FileNotFoundError):
            raise _refused("There is no such file") from error
        raise _refused("It is damaged or no archive of this kind") from error


def _members(tar: tarfile.TarFile, folder: Path) -> dict[str, Any]:
    description: dict[str, Any] | None = None
    seen: set[str] = set()
    for member in tar:
        if not member.isreg():
            raise _refused(f"It holds {member.name[:80]!r}, which is no plain file")
        if description is None:
            description = _description(tar, member)
            continue
        if member.name not in description["files"] or member.name in seen:
            raise _refused(f"It holds {member.name[:80]!r}, which does not belong there")
        seen.add(member.name)
        _extract(tar, member, folder / _DATABASES[member.name], description["files"][member.name])
    if description is None or seen != set(description["files"]):
        raise _refused("It is incomplete")
    return description


def _description(tar: tarfile.TarFile, member: tarfile.TarInfo) -> dict[str, Any]:
    data = (
        tar.extractfile(member) if member.name == _DESCRIPTION and member.size <= _MAX_DESCRIPTION else None
    )
    if data is None:
        raise _refused("Its description does not come first")
    found = json.loads(data.read())
    if not isinstance(found, dict) or type(found.get("format")) is not int or found["format"] < 1:
        raise _refused("Its description cannot be read")
    if found["format"] > FORMAT or _unknown_schema(found["schema"]):
        raise CueError(
            ErrorCode.SCHEMA_TOO_NEW,
            "The archive was written by a newer version",
            hint="Upgrade with `cue upgrade`, then import again. Nothing was changed.",
        )
    if not _WHEN.fullmatch(found["created_at"]):
        raise _refused("Its description does not say when it was written")
    files = found["files"]
    if not files or not set(files) <= set(_DATABASES):
        raise _refused("Its description names other files than it may")
    return found


def _unknown_schema(schema: Mapping[str, list[str]]) -> bool:
    """Whether an archive holds migrations that are not ours; both databases' are always listed."""
    known = {name: {f"{m.domain}/{m.number}" for m in migrations(name)} for name in ("state", "index")}
    return any(not set(schema[name]) <= known[name] for name in ("state", "index"))


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path, entry: Mapping[str, Any]) -> None:
    if member.size != entry["size"]:
        raise _refused(f"{member.name} has another size than it says")
    data = tar.extractfile(member)
    if data is None:
        raise _refused(f"{member.name} cannot be read")
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        while piece := data.read(_CHUNK):
            digest.update(piece)
            file.write(piece)
    if digest.hexdigest() != entry["sha256"]:
        raise _refused(f"{member.name} is damaged: its hash differs")


class _Bounded(io.RawIOBase):
    """A stream that ends in an error once more comes out of it than may."""

    def __init__(self, stream: Any, limit: int) -> None:
        self._stream = stream
        self._left = limit

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        piece: bytes = self._stream.read(size if size >= 0 else _CHUNK)
        self._left -= len(piece)
        if self._left < 0:
            raise ValueError("it unpacks to too much")
        return piece


def _check_database(path: Path, kind: DatabaseName) -> None:
    """Refuse a damaged database, and one with tables or triggers that its migrations do not make."""
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
            if [row[0] for row in connection.execute("PRAGMA integrity_check(5)")] != ["ok"]:
                raise _refused(f"{path.name} is damaged")
            found = _objects(connection)
            applied = set(connection.execute("SELECT domain, number FROM migrations"))
        finally:
            connection.close()
    except apsw.Error as error:
        raise _refused(f"{path.name} is no database of this kind") from error
    if foreign := sorted(f"{what} {name}" for what, name in found - _expected(kind, applied)):
        raise _refused(f"{path.name} holds the {foreign[0][:80]}, which does not belong there")


def _expected(kind: DatabaseName, applied: Collection[tuple[str, int]]) -> set[tuple[str, str]]:
    """What those of our migrations make, read off a new database: later ones drop what is no more needed."""
    import tempfile

    def known(name: DatabaseName) -> list[Migration]:
        return [made for made in migrations(name) if name != kind or (made.domain, made.number) in applied]

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        store = SqliteStore(root=place, state_root=place, busy_timeout=10, known=known)
        with (store.state if kind == "state" else store.index).read():
            pass
        store.close()
        inner = _DATABASES[f"{kind}.db"]
        connection = apsw.Connection(str(place / FOLDER / inner), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return _objects(connection)
        finally:
            connection.close()


def _objects(connection: apsw.Connection) -> set[tuple[str, str]]:
    return set(connection.execute("SELECT type, name FROM sqlite_master"))


# -- the rest


@contextmanager
def _staging(root: Path) -> Iterator[Path]:
    folder = root / FOLDER / ".cache" / f"staging-{secrets.token_hex(6)}"
    folder.mkdir(parents=True, mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _archived(path: Path, description: Mapping[str, Any]) -> Archived:
    sizes = {name: entry["size"] for name, entry in description["files"].items()}
    return Archived(path, path.expanduser().stat().st_size, str(description.get("created_at", "")), sizes)


def _refused(reason: str) -> CueError:
    return CueError(
        ErrorCode.VALIDATION,
        f"The archive was refused. {reason}.",
        hint="Nothing was changed. Export it again with `cue state export PATH`.",
    )
