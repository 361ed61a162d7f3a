"""Hearing of commits on SQLite: every one of them writes to a file beside the database."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator, Sequence
from pathlib import Path

from cuedeck import inotify
from cuedeck.inotify import Inotify
from cuedeck.store.news import PAUSE_SECONDS, Bell

# A commit is written, then synced, and only then made visible, which nobody hears: look again after these.
LOOK_AGAIN = (0.0, 0.1, 0.3, 1.0, 5.0)
_LOST = inotify.OVERFLOW | inotify.UNMOUNT | inotify.IGNORED
_REPLACED = inotify.CREATE | inotify.DELETE | inotify.MOVED_FROM | inotify.MOVED_TO


class SqliteBell(Bell):
    """Watches the folders of some database files; where there is no inotify, it hears nothing."""

    def __init__(self, paths: Sequence[Path]) -> None:
        super().__init__()
        self._paths = paths
        self._interrupted, self._interrupt = os.pipe()

    def stop(self) -> None:
        if not self.stopped.is_set():
            super().stop()
            os.close(self._interrupt)
            self.join()
            os.close(self._interrupted)

    def hear(self) -> None:
        folders = {path.parent for path in self._paths}
        # A folder that is removed says so to the one above it; itself only when its last file is closed.
        masks = {folder.parent: _REPLACED for folder in folders}
        masks |= dict.fromkeys(folders, _REPLACED | inotify.MODIFY)
        watch = Inotify()
        try:
            for folder, mask in masks.items():
                watch.add(folder, mask)
            self.heard()
            self._until_lost(watch, {folder.name for folder in folders})
        finally:
            watch.close()

    def _until_lost(self, watch: Inotify, folders: set[str]) -> None:
        names = tuple(path.name for path in self._paths)
        poll = select.poll()
        poll.register(watch.descriptor, select.POLLIN)
        poll.register(self._interrupted, select.POLLIN | select.POLLHUP)
        later: Iterator[float] = iter(())
        while not self.stopped.is_set():
            pause = next(later, None)
            poll.poll(None if pause is None else pause * 1000)
            events = watch.events()
            written = any(event.name.startswith(names) for event in events)
            if written or pause is not None:
                self.ring()
            if written:
                later = iter(LOOK_AGAIN)
            if any(event.mask & _LOST or event.name in folders for event in events):
                return
            self.stopped.wait(PAUSE_SECONDS)
