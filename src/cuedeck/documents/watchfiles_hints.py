"""Hints through watchfiles, for systems without inotify; reports are paths to look at, never facts."""

from __future__ import annotations

import threading
from pathlib import Path

from cuedeck.documents.hints import Dirty
from cuedeck.documents.ignore import IGNORE_FILES

_STEP_MS = 50
# Beyond this the system's queue may have overflowed without saying so.
_SUSPICIOUS = 4000


class WatchfilesHints:
    """A thread that collects what watchfiles reports about a workspace."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folders: frozenset[str] = frozenset()
        self._dirty = Dirty()
        self._arrived = threading.Event()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def watch(self, folders: frozenset[str]) -> None:
        with self._lock:
            self._folders = folders
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="watchfiles", daemon=True)
                self._thread.start()

    def wait(self, timeout: float) -> bool:
        return self._arrived.wait(timeout)

    def drain(self) -> Dirty:
        with self._lock:
            dirty, self._dirty = self._dirty, Dirty()
            self._arrived.clear()
        return dirty

    def interrupt(self) -> None:
        self._stop.set()
        self._arrived.set()

    def close(self) -> None:
        self.interrupt()

    def _run(self) -> None:
        from watchfiles import watch

        changes = watch(self._root, stop_event=self._stop, step=_STEP_MS, recursive=True, watch_filter=None)
        for batch in changes:
            with self._lock:
                if len(batch) > _SUSPICIOUS:
                    self._dirty.everything = True
                for _, path in batch:
                    self._note(Path(path))
                if self._dirty.anything:
                    self._arrived.set()

    def _note(self, path: Path) -> None:
        try:
            relative = path.relative_to(self._root).as_posix()
        except ValueError:
            return
        folder = relative.rpartition("/")[0]
        inside = f"{folder}/" if folder else ""
        if inside not in self._folders:
            return
        if path.name in IGNORE_FILES:
            self._dirty.everything = True
        elif f"{relative}/" in self._folders or path.is_dir():
            self._dirty.folders.add(f"{relative}/")
        else:
            self._dirty.files.add(relative)
