"""Once a day, by whichever process comes first: forget what was promised to be kept for ninety days only."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from cuedeck.model.errors import CueError
from cuedeck.store import changes, runs

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace

log = logging.getLogger(__name__)
CURSOR = "housekeeping"
DAY_MS = 86_400_000
FIRST_LOOK_SECONDS = 60.0
LOOK_SECONDS = 3600.0


class Housekeeping:
    """A thread that looks every hour whether today's round was made."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin; starting twice does nothing."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name="housekeeping", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop."""
        self._stopping.set()

    def run_if_due(self) -> int | None:
        """Make today's round unless somebody did; how many rows went."""
        state = self._workspace.store.state
        now = time.time_ns() // 1_000_000
        with state.write(actor=CURSOR) as session:
            last = runs.cursor(session, CURSOR)
            if last is not None and 0 <= now - last[1] < DAY_MS:
                return None
            runs.move_cursor(session, CURSOR, "", now)
        return self._forget_changes(now) + self._workspace.memory.purge()

    def _forget_changes(self, now: int) -> int:
        removed, batch = 0, 5000
        while not self._stopping.is_set():
            with self._workspace.store.state.write(actor=CURSOR, durable=False) as session:
                gone = changes.purge(session, before=now - changes.KEPT_MS, limit=batch)
            removed += gone
            if gone < batch:
                break
        return removed

    def _loop(self) -> None:
        pause = FIRST_LOOK_SECONDS
        while not self._stopping.wait(pause):
            pause = LOOK_SECONDS
            try:
                removed = self.run_if_due()
            except CueError as error:
                log.warning("housekeeping waits: %s", error.message)
                continue
            if removed:
                log.info("housekeeping removed %d rows", removed)
