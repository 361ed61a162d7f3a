"""Asks the kernel whether a folder changed, so that a thousand files need not be looked at again."""

from __future__ import annotations

import os
import time
import weakref
from pathlib import Path

from cuedeck.inotify import Inotify

# A change the kernel does not announce here (another machine's, a memory map's) shows after this long.
UNSEEN_SECONDS = 1.0


class FolderWatch:
    """Knows when nothing has happened in a folder; where it cannot know, it never says so."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._inotify = _watch(path)
        self._identity = _identity(path)
        self._process = os.getpid()
        self._since = time.monotonic()
        if self._inotify is not None:
            weakref.finalize(self, self._inotify.close)

    def quiet(self) -> bool:
        """Whether the folder is as it was when this was last asked; a False is to be followed by a look."""
        if self._inotify is None or os.getpid() != self._process:
            return False
        silent = not self._inotify.events()
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


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _watch(path: Path) -> Inotify | None:
    try:
        inotify = Inotify()
    except OSError:
        return None
    try:
        inotify.add(path)
    except OSError:
        inotify.close()
        return None
    return inotify
