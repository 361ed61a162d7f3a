"""Proof that a daemon lives: a lock the kernel drops with its holder, around the socket's path."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Protocol


class Held(Protocol):
    """The files of a process that others connect to."""

    socket: str
    life: str


class Life:
    """Held from before the socket exists until after it is gone, so nobody removes another's socket."""

    def __init__(self, address: Held) -> None:
        self._address = address
        self._descriptor: int | None = None

    def begin(self, patience: float) -> bool:
        """Become the workspace's daemon; False when another one stays alive."""
        descriptor = os.open(self._address.life, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + patience
        while not _locked(descriptor):
            if time.monotonic() > deadline:
                os.close(descriptor)
                return False
            time.sleep(0.02)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        self._descriptor = descriptor
        self._forget_socket()
        return True

    def end(self) -> None:
        """Give the socket's path back, while the process may still finish what it began."""
        if self._descriptor is None:
            return
        self._forget_socket()
        os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)
        self._descriptor = None

    def touch(self) -> None:
        """Show that the process was needed just now."""
        assert self._descriptor is not None
        os.utime(self._descriptor)

    def leave_to_parent(self) -> None:
        """In a forked child: the lock is the parent's alone, and falls with it."""
        assert self._descriptor is not None
        os.close(self._descriptor)
        self._descriptor = None

    def _forget_socket(self) -> None:
        with suppress(FileNotFoundError):
            Path(self._address.socket).unlink()


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
