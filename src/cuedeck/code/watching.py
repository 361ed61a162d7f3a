"""Tells at the time of asking whether any file below a folder may have changed.

Linux queues a notification before the writing call returns, so reading the queue without waiting is as
good as looking at every file. Elsewhere, or when there are too many folders to watch, the answer is always
"maybe", and the caller looks.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import struct
import sys
from collections.abc import Iterable
from typing import Final

_MODIFY, _ATTRIB, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF = 0x40, 0x80, 0x100, 0x200, 0x400, 0x800
_OVERFLOW, _ONLYDIR, _ISDIR = 0x4000, 0x01000000, 0x40000000
_MASK: Final = (
    _MODIFY
    | _ATTRIB
    | _CLOSE_WRITE
    | _MOVED_FROM
    | _MOVED_TO
    | _CREATE
    | _DELETE
    | _DELETE_SELF
    | _MOVE_SELF
    | _ONLYDIR
)
_EVENT: Final = struct.Struct("iIII")
_BUFFER: Final = 256 * 1024


class Watch:
    """Watched folders of one process."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
        self._descriptor = -1
        self._folders: dict[int, str] = {}
        self._watched: set[str] = set()
        self.broken = self._library is None
        if self._library is not None:
            self._descriptor = self._library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
            self.broken = self._descriptor < 0

    def add(self, folders: Iterable[str]) -> None:
        """Watch more folders; when the system refuses one, everything counts as changed from then on."""
        if self.broken or self._library is None:
            return
        for folder in folders:
            if folder in self._watched:
                continue
            number = self._library.inotify_add_watch(self._descriptor, os.fsencode(folder), _MASK)
            if number >= 0:
                self._folders[number] = folder
                self._watched.add(folder)
            elif ctypes.get_errno() not in (2, 20):  # gone, or no folder any more
                self.broken = True
                return

    def changed(self) -> set[str] | None:
        """The paths touched since the last call; None when that cannot be told."""
        if self.broken:
            return None
        touched: set[str] = set()
        while True:
            try:
                data = os.read(self._descriptor, _BUFFER)
            except BlockingIOError:
                return touched
            except OSError:
                self.broken = True
                return None
            at = 0
            while at < len(data):
                number, mask, _cookie, size = _EVENT.unpack_from(data, at)
                name = data[at + _EVENT.size : at + _EVENT.size + size].rstrip(b"\0")
                at += _EVENT.size + size
                folder = self._folders.get(number)
                # Folders that come, go or move change what is to be watched: begin anew.
                if mask & (_OVERFLOW | _ISDIR | _DELETE_SELF | _MOVE_SELF) and not mask & _ATTRIB:
                    return None
                if folder is not None and name:
                    touched.add(f"{folder}/{os.fsdecode(name)}")

    def close(self) -> None:
        """Stop watching."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        self.broken = True
