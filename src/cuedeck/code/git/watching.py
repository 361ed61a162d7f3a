"""Tells at the time of asking whether any file below a folder may have changed.

Linux queues a notification before the writing call returns, so reading the queue without waiting is as
good as looking at every file. Elsewhere, or when there are too many folders to watch, the answer is always
"maybe", and the caller looks.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable

from cuedeck.inotify import DELETE_SELF, IS_FOLDER, MOVE_SELF, OVERFLOW, Inotify


class Watch:
    """Watched folders of one process."""

    def __init__(self) -> None:
        self._folders: dict[int, str] = {}
        self._watched: set[str] = set()
        self._inotify: Inotify | None = None
        try:
            self._inotify = Inotify()
        except OSError:
            self.broken = True
        else:
            self.broken = False

    def add(self, folders: Iterable[str]) -> None:
        """Watch more folders; when the system refuses one, everything counts as changed from then on."""
        if self.broken or self._inotify is None:
            return
        for folder in folders:
            if folder in self._watched:
                continue
            try:
                self._folders[self._inotify.add(folder)] = folder
                self._watched.add(folder)
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                    self.broken = True
                    return

    def changed(self) -> set[str] | None:
        """The paths touched since the last call; None when that cannot be told."""
        if self.broken or self._inotify is None:
            return None
        try:
            events = self._inotify.events()
        except OSError:
            self.broken = True
            return None
        touched: set[str] = set()
        for watch, mask, name in events:
            # Folders that come, go, move or may be read again change what is to be watched: begin anew.
            if mask & (OVERFLOW | IS_FOLDER | DELETE_SELF | MOVE_SELF):
                return None
            folder = self._folders.get(watch)
            if folder is not None and name:
                touched.add(f"{folder}/{name}")
        return touched

    def close(self) -> None:
        """Stop watching."""
        if self._inotify is not None:
            self._inotify.close()
        self.broken = True
