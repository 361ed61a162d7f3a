"""Who writes next: processes queue for the writer's place, so that none starves another."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

from cuedeck.store.errors import locked

try:
    import fcntl
except ImportError:  # Windows: SQLite's own lock still arbitrates, without the queue.
    fcntl = None  # type: ignore[assignment]


class Turnstile:
    """A file lock taken before SQLite's write lock and left once that is held.

    Whoever has just written must queue again behind those who wait, which SQLite's own retrying
    does not ensure. The kernel drops the lock with its holder.
    """

    def __init__(self, path: Path) -> None:
        self.shown = path.name
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
        self._descriptor = os.open(path, flags, 0o600)

    def enter(self, deadline: float, waited_from: float) -> None:
        """Wait for the place until the deadline."""
        while not self._take():
            self.pause(deadline, waited_from)

    def pause(self, deadline: float, waited_from: float) -> None:
        """Sleep a moment, or give up with LOCKED when the deadline has passed."""
        now = time.monotonic()
        if now >= deadline:
            raise locked(self.shown, self.holder(), now - waited_from)
        time.sleep(random.uniform(0.0003, 0.0015))

    def leave(self, *, writing: bool) -> None:
        """Let the next one wait; the writer leaves its pid for whoever has to complain."""
        if writing:
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, f"{os.getpid():<20}".encode())
        if fcntl is not None:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def holder(self) -> int | None:
        """The last process that began to write."""
        try:
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            return int(os.read(self._descriptor, 20))
        except (OSError, ValueError):
            return None

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self._descriptor)

    def _take(self) -> bool:
        if fcntl is None:
            return True
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
