"""Removing the cache: the daemon put to rest, the folder moved aside, and no symlink followed."""

# ruff: noqa: PTH104, PTH106, PTH108, PTH112, PTH114, PTH118
from __future__ import annotations

import errno
import os

from cuedeck.daemon.control import stop
from cuedeck.daemon.location import NoDaemon


def clean(root: str) -> str | None:
    """Remove ``.cuedeck/.cache`` and nothing else; the name of what was removed, None when there was none.

    Of a workspace that cannot be written it is the index that is kept elsewhere.
    """
    name = ".cuedeck/.cache/"
    folder = os.path.join(root, ".cuedeck")
    cache = os.path.join(folder, ".cache")
    is_own = os.access(folder if os.path.lexists(folder) else root, os.W_OK)
    if not is_own and (kept := _elsewhere(root)) is not None:
        name = cache = kept
    if not os.path.lexists(cache):
        return None
    try:  # noqa: SIM105 - contextlib costs more to import than all of this
        # It would go on writing into files that no longer have a name.
        stop(root)
    except NoDaemon:
        pass
    if os.path.islink(cache) or not os.path.isdir(cache):
        os.unlink(cache)
        return name
    lock = _lock(cache)
    try:
        aside = f"{cache}.removed-{os.getpid()}"
        os.rename(cache, aside)
    finally:
        if lock is not None:
            os.close(lock)
    _remove(aside)
    return name


def _elsewhere(root: str) -> str | None:
    """The folder of the index beside the user's other caches, if there is one."""
    from pathlib import Path

    from cuedeck.store.sqlite.place import elsewhere

    kept = (folder for folder in elsewhere(Path(root).resolve()) if folder.is_dir())
    return next((str(folder) for folder in kept if os.access(folder.parent, os.W_OK)), None)


def _lock(cache: str) -> int | None:
    """Hold the workspace's write lock, so that nobody writes while the folder moves."""
    try:
        import fcntl

        descriptor = os.open(os.path.join(cache, "lock"), os.O_RDWR | os.O_CLOEXEC)
    except (ImportError, OSError):
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        from cuedeck.model.errors import CueError, ErrorCode

        raise CueError(
            ErrorCode.LOCKED,
            "Another process is writing in this workspace",
            data={"lock_file": ".cuedeck/.cache/lock"},
            hint="Try again in a moment.",
        ) from error
    return descriptor


def _remove(folder: str) -> None:
    if not hasattr(os, "fwalk"):
        import shutil

        shutil.rmtree(folder)
        return
    for _, folders, files, descriptor in os.fwalk(folder, topdown=False, follow_symlinks=False):
        for name in files:
            os.unlink(name, dir_fd=descriptor)
        for name in folders:
            try:
                os.rmdir(name, dir_fd=descriptor)
            except OSError as error:
                if error.errno != errno.ENOTDIR:
                    raise
                os.unlink(name, dir_fd=descriptor)  # a symlink to a folder
    os.rmdir(folder)
