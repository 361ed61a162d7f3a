"""Advisory write locks, of a workspace or a file: held by one process, named in errors, never stale."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from cuedeck.discovery import FOLDER
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.paths import ConfinedPath, make_folders

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCK_FILE = Path(FOLDER) / ".cache" / "lock"


def workspace_lock(root: Path, *, timeout: float) -> AbstractContextManager[None]:
    """Hold the workspace's lock for the block; LOCKED with the holder's pid when it stays taken."""
    return file_lock(_place(root), timeout=timeout)


@contextmanager
def file_lock(place: ConfinedPath, *, timeout: float) -> Iterator[None]:
    """Hold a lock file for the block; LOCKED with the holder's pid when it stays taken."""
    deadline = time.monotonic() + timeout
    pause = 0.001
    while (descriptor := _try_acquire(place)) is None:
        if time.monotonic() >= deadline:
            raise _locked(place)
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
    try:
        yield
    finally:
        _release(place.absolute, descriptor)


def _place(root: Path) -> ConfinedPath:
    """The lock's path, refused where a link that a clone may have brought would have us write elsewhere."""
    path = root.resolve() / LOCK_FILE
    if path.resolve() != path:
        raise CueError(
            ErrorCode.PATH_REFUSED,
            f"{LOCK_FILE.as_posix()} is a link",
            data={"path": LOCK_FILE.as_posix()},
            hint="Remove the link; the lock must be a file of the workspace.",
        )
    return ConfinedPath(LOCK_FILE.as_posix(), path, root.resolve())


def is_alive(pid: int) -> bool:
    """Whether a process of that id exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _try_acquire(place: ConfinedPath) -> int | None:
    make_folders(place.root, place.absolute.parent, mode=0o700)
    return _try_flock(place.absolute) if fcntl is not None else _try_exclusive(place.absolute)


def _try_flock(path: Path) -> int | None:
    """The kernel drops a flock with its holder, so a lock that can be taken is never stale."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # `cue clean` may have moved the file away since it was opened.
        if os.path.samestat(os.fstat(descriptor), path.stat()):
            _record(descriptor)
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _try_exclusive(path: Path) -> int | None:
    """Without flock the file itself is the lock; one whose holder is gone is taken over."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pid = _recorded_pid(path)
        if pid is not None and not is_alive(pid):
            path.unlink(missing_ok=True)
        return None
    _record(descriptor)
    return descriptor


def _record(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.write(descriptor, json.dumps({"pid": os.getpid(), "since": int(time.time())}).encode())


def _release(path: Path, descriptor: int) -> None:
    if fcntl is not None:
        os.ftruncate(descriptor, 0)
    else:
        path.unlink(missing_ok=True)
    os.close(descriptor)


def _recorded_pid(path: Path) -> int | None:
    try:
        pid = json.loads(path.read_bytes())["pid"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return pid if isinstance(pid, int) else None


def _locked(place: ConfinedPath) -> CueError:
    pid = _recorded_pid(place.absolute)
    return CueError(
        ErrorCode.LOCKED,
        "Lock Error",
        data={
            "lock_file": place.relative,
            "holder_pid": pid,
            "suggestion": "Close other CueDeck instances or remove stale lock",
        },
        hint=f"Process {pid} is writing; try again in a moment." if pid else "Try again in a moment.",
    )
