"""Keeps the index true to the disk: hints where the system gives them, looking where it does not."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from cuedeck.documents.hints import Dirty, Hints, open_hints
from cuedeck.documents.index import DocumentIndex, Refreshed
from cuedeck.model.errors import CueError

log = logging.getLogger(__name__)

RECONCILE_SECONDS = 60.0
LARGE_BATCH = 1000
QUIET_SECONDS = 0.01
PATIENCE_SECONDS = 10.0
# A look at everything may take at most this share of the time.
_LOOK_SHARE = 0.1

Listener = Callable[[Refreshed], None]


class Freshness:
    """Brings the index up to date before an answer, and by itself while it is started."""

    def __init__(self, index: DocumentIndex) -> None:
        self._index = index
        self._hints: Hints | None = None
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()
        self._looked_at = 0.0
        self._look_cost = 0.0
        self._lock = threading.RLock()
        self._listeners: list[Listener] = []
        self._cannot_watch = False
        self.trouble: str | None = None

    @property
    def watching(self) -> bool:
        """Whether the system reports changes to us."""
        return self._hints is not None

    def listen(self, listener: Listener) -> None:
        """Be told after each refresh that found something."""
        self._listeners.append(listener)

    def start(self) -> None:
        """Watch in the background from now on; starting twice does nothing."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="watch-documents", daemon=True)
                self._thread.start()

    def ensure(self, patience: float = PATIENCE_SECONDS) -> bool:
        """Take in what is on disk now; False when the first look at a large folder is still under way."""
        if not self._lock.acquire(timeout=patience):
            return False
        try:
            if self._hints is not None:
                self._apply(self._hints.drain())
                return True
            rest = self._looked_at + self._look_cost / _LOOK_SHARE - time.monotonic()
            if not self._cannot_watch or rest <= 0:
                self.look()
            return True
        finally:
            self._lock.release()

    def look(self) -> Refreshed:
        """Look at every file."""
        with self._lock:
            started = time.monotonic()
            result = self._index.refresh()
            self._looked_at = time.monotonic()
            self._look_cost = self._looked_at - started
        self._tell(result)
        return result

    def close(self) -> None:
        """Stop watching."""
        self._closing.set()
        hints, self._hints = self._hints, None
        if hints is not None:
            hints.interrupt()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5.0)
        if hints is not None:
            hints.close()

    def _run(self) -> None:
        self._begin()
        while not self._closing.is_set():
            try:
                self._turn()
            except CueError as error:
                self.trouble = error.message
                log.warning("the documents index waits: %s", error.message)
                self._closing.wait(2.0)

    def _begin(self) -> None:
        """Watch first, then look: what changes in between is reported."""
        try:
            hints = open_hints(self._index.root)
            hints.watch(self._index.folders())
        except OSError as error:
            self.trouble = f"The folder cannot be watched ({error.strerror}); it is looked at regularly."
            log.warning("%s", self.trouble)
            self._cannot_watch = True
            hints = None
        with self._lock:
            try:
                self.look()
                if hints is not None and not self._closing.is_set():
                    hints.watch(self._index.folders())
                    self._hints = hints
            except (CueError, OSError) as error:
                self.trouble = str(error)
        for listener in self._listeners:
            listener(Refreshed())

    def _turn(self) -> None:
        hints = self._hints
        if hints is None:
            self._closing.wait(max(1.0, self._look_cost / _LOOK_SHARE))
            if not self._closing.is_set():
                self.look()
            return
        if hints.wait(5.0) and not self._closing.wait(QUIET_SECONDS):
            # Who holds the lock has taken in all that was drained: an answer never falls between the two.
            with self._lock:
                self._apply(hints.drain())
        if time.monotonic() - self._looked_at > RECONCILE_SECONDS:
            self.look()

    def _apply(self, dirty: Dirty) -> None:
        # The system reports what changes in the workspace, not that the index itself is gone.
        if not self._index.complete:
            self.look()
            return
        if not dirty.anything:
            return
        with self._lock:
            if dirty.everything or dirty.folders or len(dirty.files) > LARGE_BATCH:
                self.look()
                self._rewatch()
                return
            result = self._index.refresh_paths(dirty.files)
        self._tell(result)

    def _rewatch(self) -> None:
        """Watch new folders, then look again: files may have come before the watch did."""
        hints = self._hints
        if hints is None:
            return
        try:
            hints.watch(self._index.folders())
        except OSError as error:
            self.trouble = f"No more folders can be watched ({error.strerror}); they are looked at regularly."
            log.warning("%s", self.trouble)
            self._cannot_watch = True
            self._hints = None
            hints.close()
        self.look()

    def _tell(self, result: Refreshed) -> None:
        if result.anything:
            for listener in self._listeners:
                listener(result)
