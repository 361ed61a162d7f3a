"""Who writes next: a process that has waited long shuts the gate, so that none starves another."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

from cuedeck.lock import is_alive
from cuedeck.store.errors import locked

try:
    import fcntl
except ImportError:  # Windows: SQLite's own lock still arbitrates, without the gate, and nobody is named.
    fcntl = None  # type: ignore[assignment]

# Up to here whoever is awake may write: strict turns would wait for a sleeping process at each.
PATIENCE = 0.1
# The file holds the pid of who wrote last, and behind it whether the gate may be shut.
_PID = 20
_OPEN, _SHUT = b" ", b"!"


class Turnstile:
    """A gate before SQLite's write lock. The kernel opens it when the process that shut it dies."""

    def __init__(self, path: Path) -> None:
        self.shown = _in_workspace(path)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
        self._descriptor = os.open(path, flags, 0o600)
        self._shut = False
        self._own = f"{os.getpid():<{_PID}}".encode()
        self._noted = b""

    def enter(self, deadline: float, started: float) -> None:
        """Pass the gate, or wait before it while somebody more impatient has it shut."""
        self._noted = self._read()
        while self._noted.endswith(_SHUT) and not self._shut:
            if self._lock(shared=True):
                # Whoever shut it has died, and while we have the lock nobody shuts it again.
                self._mark(_OPEN)
                self._unlock()
            else:
                self.pause(deadline, started)
            self._noted = self._read()

    def pause(self, deadline: float, started: float) -> None:
        """Sleep a moment, shut the gate after a while, give up with LOCKED at the deadline."""
        now = time.monotonic()
        if now >= deadline:
            raise locked(self.shown, self.holder(), now - started)
        if not self._shut and now - started > PATIENCE and self._lock(shared=False):
            self._shut = True
            self._mark(_SHUT)
        time.sleep(random.uniform(0.0003, 0.0015) if self._shut else random.uniform(0.0005, 0.005))

    def leave(self, *, writing: bool) -> None:
        """Open the gate again; a writer leaves its pid for whoever has to complain."""
        # Only what is new: a file that was written to makes the next fsync of any other dearer.
        if writing and self._noted[:_PID] != self._own and fcntl is not None:
            os.pwrite(self._descriptor, self._own, 0)
        if self._shut:
            self._mark(_OPEN)
            self._unlock()
            self._shut = False

    def holder(self) -> int | None:
        """The last process that began to write, if it is still there."""
        try:
            pid = int(self._read()[:_PID])
        except (OSError, ValueError):
            return None
        return pid if is_alive(pid) else None

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self._descriptor)

    def _read(self) -> bytes:
        return b"" if fcntl is None else os.pread(self._descriptor, _PID + 1, 0)

    def _mark(self, gate: bytes) -> None:
        if fcntl is not None:
            os.pwrite(self._descriptor, gate, _PID)

    def _lock(self, *, shared: bool) -> bool:
        if fcntl is None:
            return True
        try:
            fcntl.flock(self._descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(self) -> None:
        if fcntl is not None:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)


def _in_workspace(path: Path) -> str:
    """A path as a caller knows it: from the workspace's root on."""
    parts = path.parts
    own = [place for place, part in enumerate(parts) if part == ".cuedeck"]
    return "/".join(parts[own[-1] :]) if own else path.name
