"""Asks the kernel whether a folder changed, so that a thousand files need not be looked at again."""

from __future__ import annotations

import os
import sys
import time
import weakref
from pathlib import Path

# A change the kernel does not announce here (another machine's, a memory map's) shows after this long.
UNSEEN_SECONDS = 1.0

_EVENTS = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800  # every change to it or in it
_ONLY_FOLDERS = 0x01000000


class FolderWatch:
    """Knows when nothing has happened in a folder; where it cannot know, it never says so."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = _watch(path)
        self._identity = _identity(path)
        self._process = os.getpid()
        self._since = time.monotonic()
        if self._descriptor is not None:
            weakref.finalize(self, os.close, self._descriptor)

    def quiet(self) -> bool:
        """Whether the folder is as it was when this was last asked; a False is to be followed by a look."""
        if self._descriptor is None or os.getpid() != self._process:
            return False
        silent = not self._drained(self._descriptor)
        if (
            silent
            and time.monotonic() - self._since < UNSEEN_SECONDS
            and _identity(self._path) == self._identity
        ):
            return True
        self._since = time.monotonic()
        return False

    def valid(self) -> bool:
        """Whether the watched folder is still the one at its path."""
        return os.getpid() == self._process and _identity(self._path) == self._identity

    def _drained(self, descriptor: int) -> bool:
        """Read what the kernel has to say; whether it said anything."""
        said = False
        try:
            while os.read(descriptor, 65536):
                said = True
        except BlockingIOError:
            return said
        return said


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _watch(path: Path) -> int | None:
    if sys.platform != "linux":
        return None
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    descriptor: int = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0:
        return None
    if library.inotify_add_watch(descriptor, os.fsencode(path), _EVENTS | _ONLY_FOLDERS) < 0:
        os.close(descriptor)
        return None
    return descriptor
