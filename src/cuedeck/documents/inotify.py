"""Hints from Linux's inotify: in order, at once, without a thread, and honest about overflow."""

from __future__ import annotations

import errno
import os
import select
import threading
from pathlib import Path

from cuedeck import inotify
from cuedeck.documents.hints import Dirty
from cuedeck.documents.ignore import IGNORE_FILES
from cuedeck.inotify import Event, Inotify

# Our own folder also holds databases that change all the time; only new folders in it matter.
OWN_FOLDER = ".cuedeck/"
_OWN_MASK = inotify.CREATE | inotify.MOVED_TO
_COMES_OR_GOES = inotify.CREATE | inotify.MOVED_FROM | inotify.MOVED_TO | inotify.DELETE
_VANISHED = (errno.ENOENT, errno.ENOTDIR, errno.EACCES)


class InotifyHints:
    """One inotify instance over a workspace's folders."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._inotify = Inotify()
        self._interrupted, self._interrupt = os.pipe()
        self._folders: dict[int, str] = {}
        self._watches: dict[str, int] = {}
        self._lock = threading.Lock()

    def watch(self, folders: frozenset[str]) -> None:
        with self._lock:
            for folder in self._watches.keys() - folders - {OWN_FOLDER}:
                number = self._watches.pop(folder)
                self._folders.pop(number, None)
                self._inotify.remove(number)
            for folder in (*folders, OWN_FOLDER):
                if folder not in self._watches:
                    self._add(folder)

    def wait(self, timeout: float) -> bool:
        poll = select.poll()
        descriptor = self._inotify.descriptor
        poll.register(descriptor, select.POLLIN)
        poll.register(self._interrupted, select.POLLIN)
        return any(number == descriptor for number, _ in poll.poll(timeout * 1000))

    def drain(self) -> Dirty:
        dirty = Dirty()
        with self._lock:
            for event in self._inotify.events() if self._inotify.descriptor >= 0 else ():
                self._take(event, dirty)
        return dirty

    def interrupt(self) -> None:
        with self._lock:
            # Closed meanwhile, the number may be another file's by now.
            if self._inotify.descriptor >= 0:
                os.write(self._interrupt, b"x")

    def close(self) -> None:
        with self._lock:
            if self._inotify.descriptor >= 0:
                self._inotify.close()
                os.close(self._interrupted)
                os.close(self._interrupt)

    def _add(self, folder: str) -> None:
        mask = _OWN_MASK if folder == OWN_FOLDER else inotify.ANYTHING
        try:
            number = self._inotify.add(self._root / folder, mask, follow=False)
        except OSError as error:
            # A folder that vanished meanwhile is the next scan's business; a limit is not.
            if error.errno in _VANISHED:
                return
            raise
        self._folders[number] = folder
        self._watches[folder] = number

    def _take(self, event: Event, dirty: Dirty) -> None:
        if event.mask & (inotify.OVERFLOW | inotify.UNMOUNT):
            dirty.everything = True
            return
        folder = self._folders.get(event.watch)
        if folder is not None:
            self._note(folder, event, dirty)

    def _note(self, folder: str, event: Event, dirty: Dirty) -> None:
        number, mask, name = event
        if mask & (inotify.DELETE_SELF | inotify.MOVE_SELF | inotify.IGNORED):
            self._folders.pop(number, None)
            self._watches.pop(folder, None)
            dirty.folders.add(folder)
        elif mask & inotify.IS_FOLDER:
            # Of a folder that may be read again nothing but this is heard.
            if mask & (_COMES_OR_GOES | inotify.ATTRIB):
                dirty.folders.add(f"{folder}{name}/" if name else folder)
        elif folder == OWN_FOLDER:
            return
        elif name in IGNORE_FILES:
            dirty.everything = True
        elif name:
            dirty.files.add(folder + name)
