"""Hints from Linux's inotify: in order, at once, without a thread, and honest about overflow."""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
import threading
from pathlib import Path

from cuedeck.documents.hints import Dirty

_MODIFY, _ATTRIB, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF = 0x400, 0x800
_UNMOUNT, _OVERFLOW, _IGNORED, _IS_FOLDER = 0x2000, 0x4000, 0x8000, 0x40000000
_ONLY_FOLDER, _DONT_FOLLOW = 0x01000000, 0x02000000
_MASK = (
    _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF
)
# Our own folder also holds databases that change all the time; only new folders in it matter.
OWN_FOLDER = ".cuedeck/"
_OWN_MASK = _CREATE | _MOVED_TO
_EVENT = struct.Struct("iIII")
_BUFFER = 256 * 1024


class InotifyHints:
    """One inotify instance over a workspace's folders."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._checked(self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        self._interrupted, self._interrupt = os.pipe()
        self._folders: dict[int, str] = {}
        self._watches: dict[str, int] = {}
        self._lock = threading.Lock()

    def watch(self, folders: frozenset[str]) -> None:
        with self._lock:
            for folder in self._watches.keys() - folders - {OWN_FOLDER}:
                number = self._watches.pop(folder)
                self._folders.pop(number, None)
                self._libc.inotify_rm_watch(self._descriptor, number)
            for folder in (*folders, OWN_FOLDER):
                if folder not in self._watches:
                    self._add(folder)

    def wait(self, timeout: float) -> bool:
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        poll.register(self._interrupted, select.POLLIN)
        return any(number == self._descriptor for number, _ in poll.poll(timeout * 1000))

    def drain(self) -> Dirty:
        dirty = Dirty()
        with self._lock:
            while self._descriptor >= 0:
                try:
                    data = os.read(self._descriptor, _BUFFER)
                except BlockingIOError:
                    break
                self._take(data, dirty)
        return dirty

    def interrupt(self) -> None:
        os.write(self._interrupt, b"x")

    def close(self) -> None:
        with self._lock:
            if self._descriptor >= 0:
                for number in (self._descriptor, self._interrupted, self._interrupt):
                    os.close(number)
                self._descriptor = -1

    def _add(self, folder: str) -> None:
        path = os.fsencode(self._root / folder)
        mask = (_OWN_MASK if folder == OWN_FOLDER else _MASK) | _ONLY_FOLDER | _DONT_FOLLOW
        number = self._libc.inotify_add_watch(self._descriptor, path, ctypes.c_uint32(mask))
        if number < 0:
            # A folder that vanished meanwhile is the next scan's business; a limit is not.
            if ctypes.get_errno() in (errno.ENOENT, errno.ENOTDIR, errno.EACCES):
                return
            self._checked(number)
        self._folders[number] = folder
        self._watches[folder] = number

    def _take(self, data: bytes, dirty: Dirty) -> None:
        position = 0
        while position < len(data):
            number, mask, _, length = _EVENT.unpack_from(data, position)
            start = position + _EVENT.size
            name = os.fsdecode(data[start : start + length].rstrip(b"\0"))
            position = start + length
            if mask & (_OVERFLOW | _UNMOUNT):
                dirty.everything = True
                continue
            folder = self._folders.get(number)
            if folder is not None:
                self._note(folder, name, number, mask, dirty)

    def _note(self, folder: str, name: str, number: int, mask: int, dirty: Dirty) -> None:
        if mask & (_DELETE_SELF | _MOVE_SELF | _IGNORED):
            self._folders.pop(number, None)
            self._watches.pop(folder, None)
            dirty.folders.add(folder)
        elif mask & _IS_FOLDER:
            if mask & (_CREATE | _MOVED_FROM | _MOVED_TO | _DELETE):
                dirty.folders.add(f"{folder}{name}/")
        elif folder == OWN_FOLDER:
            return
        elif name in (".gitignore", ".cuedeckignore"):
            dirty.everything = True
        elif name:
            dirty.files.add(folder + name)

    def _checked(self, number: int) -> int:
        if number < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
        return number
