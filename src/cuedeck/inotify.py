"""Linux's inotify: what happened in watched folders, in order, read without waiting and without a thread."""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path
from typing import NamedTuple

MODIFY, ATTRIB, CLOSE_WRITE = 0x2, 0x4, 0x8
MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x40, 0x80, 0x100, 0x200
DELETE_SELF, MOVE_SELF = 0x400, 0x800
UNMOUNT, OVERFLOW, IGNORED, IS_FOLDER = 0x2000, 0x4000, 0x8000, 0x40000000
ANYTHING = MODIFY | ATTRIB | CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE | DELETE_SELF | MOVE_SELF

_ONLY_FOLDER, _DONT_FOLLOW = 0x01000000, 0x02000000
_EVENT = struct.Struct("iIII")
_BUFFER = 256 * 1024


class Event(NamedTuple):
    """One notification; the name is empty when it is about the watched folder itself."""

    watch: int
    mask: int
    name: str


class Inotify:
    """One instance and its watches; an OSError where the system has none or no more of them."""

    def __init__(self) -> None:
        if sys.platform != "linux":
            raise OSError("this system has no inotify")
        import ctypes

        self._ctypes = ctypes
        self._library = ctypes.CDLL(None, use_errno=True)
        self.descriptor = self._checked(self._library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))

    def add(self, folder: str | Path, mask: int = ANYTHING, *, follow: bool = True) -> int:
        """Watch a folder; the number that its events carry."""
        full = mask | _ONLY_FOLDER | (0 if follow else _DONT_FOLLOW)
        return self._checked(
            self._library.inotify_add_watch(self.descriptor, os.fsencode(folder), self._ctypes.c_uint32(full))
        )

    def remove(self, watch: int) -> None:
        """Stop watching one folder; one that is gone was removed already."""
        self._library.inotify_rm_watch(self.descriptor, watch)

    def events(self) -> list[Event]:
        """Everything that was queued since the last call."""
        found: list[Event] = []
        while True:
            try:
                data = os.read(self.descriptor, _BUFFER)
            except BlockingIOError:
                return found
            at = 0
            while at < len(data):
                watch, mask, _cookie, size = _EVENT.unpack_from(data, at)
                at += _EVENT.size + size
                found.append(Event(watch, mask, os.fsdecode(data[at - size : at].rstrip(b"\0"))))

    def close(self) -> None:
        """End all watches; closing twice does nothing."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def _checked(self, number: int) -> int:
        if number < 0:
            code = self._ctypes.get_errno()
            raise OSError(code, os.strerror(code))
        return number
