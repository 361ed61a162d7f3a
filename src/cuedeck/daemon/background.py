"""What a serving process does besides answering: watch the folder, make vectors, run workflows."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace

logger = logging.getLogger("cuedeck.daemon")

# Engines with ``start`` and ``close``; watching comes first, because workflows react to what it sees.
ENGINES = ("documents", "workflows", "housekeeping", "symbol_vectors")
# The first client asks its first questions before the engines begin to compete with it.
DELAY_SECONDS = 2.0


class Background:
    """Starts a workspace's engines without making the first client wait."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._guard = threading.Lock()
        self._started: list[str] = []
        self._stopping = threading.Event()

    def start(self) -> None:
        """Begin in a thread of its own."""
        threading.Thread(target=self._start, name="background", daemon=True).start()

    def stop(self) -> None:
        """End what was begun; the workspace itself stays open for calls in flight."""
        self._stopping.set()
        with self._guard:
            for name in reversed(self._started):
                getattr(self._workspace, name).close()
            self._started.clear()

    def _start(self) -> None:
        self._stopping.wait(DELAY_SECONDS)
        for name in ENGINES:
            with self._guard:
                if self._stopping.is_set():
                    return
                try:
                    getattr(self._workspace, name).start()
                    self._started.append(name)
                except Exception:
                    # A store that cannot be opened must not keep tools/list and the error from the client.
                    logger.exception("%s cannot run in the background", name)
