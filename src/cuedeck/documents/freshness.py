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
        self._looked_at = self._watch_at = 0.0
        self._look_cost = 0.0
        # The index that the last look was for: an import or a deletion puts another in its place.
        self._looked_for: int | None = None
        self._in_doubt = False
        self._lock = threading.RLock()
        self._first_look = threading.Event()
        self._listeners: list[Listener] = []
        self._cannot_watch: str | None = None
        self._trouble: str | None = None

    @property
    def watching(self) -> bool:
        """Whether the system reports changes to us."""
        return self._hints is not None

    def problems(self) -> list[str]:
        """What keeps the index from following the disk by itself, one sentence each."""
        found = [problem for problem in (self._cannot_watch, self._trouble) if problem is not None]
        if self._thread is not None and not self._thread.is_alive() and not self._closing.is_set():
            found.append("The thread that watches the documents has stopped")
        return found

    def listen(self, listener: Listener) -> None:
        """Be told after each refresh that found something."""
        self._listeners.append(listener)

    def start(self) -> None:
        """Watch in the background from now on; starting twice does nothing."""
        with self._lock:
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="watch-documents", daemon=True)
                thread.start()
                # Last: whoever looks meanwhile must not take what has not begun for what has stopped.
                self._thread = thread

    def ensure(self, patience: float | None = PATIENCE_SECONDS) -> bool:
        """Take in what is on disk now; False when the first look at a large folder takes longer than that."""
        if self._thread is not None and not self._first_look.wait(patience):
            return False
        if not self._lock.acquire(timeout=-1 if patience is None else patience):
            return False
        try:
            if self._hints is not None and self._index.generation == self._looked_for:
                self._apply(self._hints.drain())
                return True
            rest = self._looked_at + self._look_cost / _LOOK_SHARE - time.monotonic()
            if self._cannot_watch is None or rest <= 0:
                self.look()
            return True
        finally:
            self._lock.release()

    def look(self) -> Refreshed:
        """Look at every file."""
        with self._lock:
            started = time.monotonic()
            generation = self._index.generation
            result = self._index.refresh()
            self._looked_for = generation
            self._in_doubt = False
            self._looked_at = time.monotonic()
            self._look_cost = self._looked_at - started
            self._first_look.set()
        self._tell(result)
        return result

    def close(self) -> None:
        """Stop watching."""
        self._closing.set()
        self._first_look.set()
        if (hints := self._hints) is not None:
            hints.interrupt()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5.0)
        # Only now: the thread may just have begun to watch.
        hints, self._hints = self._hints, None
        if hints is not None:
            hints.close()

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                if self._hints is None and time.monotonic() >= self._watch_at:
                    self._begin()
                else:
                    self._turn()
                self._trouble = None
            except CueError as error:
                self._wait_after(error.message)
            except Exception as error:
                # Whatever it was, the folder must go on being looked at.
                log.exception("the documents index waits")
                self._wait_after(f"{type(error).__name__}: {error}")

    def _wait_after(self, trouble: str) -> None:
        self._trouble = f"The documents index waits: {trouble}"
        # Whoever asks now looks for himself and hears of the trouble.
        self._first_look.set()
        log.warning("%s", self._trouble)
        self._closing.wait(2.0)

    def _begin(self) -> None:
        """Watch first, then look: what changes in between is reported."""
        hints = None
        try:
            hints = open_hints(self._index.root)
            hints.watch(self._index.folders())
        except OSError as error:
            self._cannot(
                f"The folder cannot be watched ({error.strerror}); it is looked at regularly.", hints
            )
            hints = None
        try:
            with self._lock:
                self.look()
                if hints is not None and not self._closing.is_set():
                    self._hints, hints = hints, None
                    self._cannot_watch = None
                    self._rewatch()
        finally:
            if hints is not None:
                hints.close()
        for listener in self._listeners:
            listener(Refreshed())

    def _cannot(self, why: str, hints: Hints | None) -> None:
        self._cannot_watch = why
        self._watch_at = time.monotonic() + RECONCILE_SECONDS
        log.warning("%s", why)
        if hints is not None:
            hints.close()

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
        with self._lock:
            # The system reports what changes in the workspace, not that the index itself is gone.
            if not dirty.anything and not self._in_doubt and self._index.complete:
                return
            large = dirty.everything or bool(dirty.folders) or len(dirty.files) > LARGE_BATCH
            # What was drained is told once only: should taking it in fail, everything is looked at next time.
            doubt, self._in_doubt = self._in_doubt or not self._index.complete, True
            if large or doubt:
                self.look()
                self._rewatch()
                return
            result = self._index.refresh_paths(dirty.files)
            self._in_doubt = False
        self._tell(result)

    def _rewatch(self) -> None:
        """Watch new folders, then look again: files may have come before the watch did."""
        hints = self._hints
        if hints is None:
            return
        try:
            hints.watch(self._index.folders())
        except OSError as error:
            self._hints = None
            self._cannot(
                f"No more folders can be watched ({error.strerror}); they are looked at regularly.", hints
            )
        self.look()

    def _tell(self, result: Refreshed) -> None:
        if result.anything:
            for listener in self._listeners:
                listener(result)
