"""Waiting for commits, of this process or another, without looking all the time."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from abc import ABC, abstractmethod

# How often to look where commits cannot be heard.
LOOK_SECONDS = 0.25
# How long to wait before listening again where that was lost.
RETRY_SECONDS = 5.0
# Commits in quick succession are told of once in this time.
PAUSE_SECONDS = 0.05


class News:
    """Where one thread waits; it may be woken without reason, and looks for itself what is new."""

    def __init__(self, bell: Bell) -> None:
        self._bell = bell
        self._event = threading.Event()
        bell.subscribe(self)

    def wait(self, timeout: float) -> None:
        """Return when either database may have changed since the last wait, when woken, or after the time."""
        hearing = self._bell.ensure()
        self._event.wait(timeout if hearing else min(timeout, LOOK_SECONDS))
        self._event.clear()

    def wake(self) -> None:
        """End the wait, or the next one."""
        self._event.set()


class Bell(ABC):
    """A thread that hears of commits and wakes who waits; subclasses know how to hear."""

    def __init__(self) -> None:
        self._subscribers: weakref.WeakSet[News] = weakref.WeakSet()
        self.stopped = threading.Event()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._hearing = False

    def ensure(self) -> bool:
        """Listen from now on; whether commits are heard."""
        with self._own_guard():
            if (self._thread is None or not self._thread.is_alive()) and not self.stopped.is_set():
                self._hearing = False
                self._thread = threading.Thread(target=self._listen, name="commits", daemon=True)
                self._thread.start()
        return self._hearing

    def subscribe(self, news: News) -> None:
        """Wake this one too, as long as somebody holds it."""
        with self._own_guard():
            self._subscribers.add(news)

    def ring(self) -> None:
        """Wake everybody who waits."""
        with self._guard:
            waiting = list(self._subscribers)
        for news in waiting:
            news.wake()

    def stop(self) -> None:
        """Listen no more."""
        self.stopped.set()

    def join(self) -> None:
        """Wait until the thread has ended, unless it is the one that asks."""
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=1.0)

    @abstractmethod
    def hear(self) -> None:
        """Call ``heard`` once listening, ``ring`` for commits; return or raise OSError when that is lost."""

    def heard(self) -> None:
        """Say that from now on nothing is missed."""
        self._hearing = True
        self.ring()

    def _own_guard(self) -> threading.Lock:
        if self._process != os.getpid():
            # Threads do not come over a fork, and a lock that one of them held is never given back.
            self._process, self._thread, self._hearing = os.getpid(), None, False
            self._guard = threading.Lock()
        return self._guard

    def _listen(self) -> None:
        while not self.stopped.is_set():
            try:
                # Without a way to hear, those who wait look for themselves.
                with contextlib.suppress(OSError):
                    self.hear()
            finally:
                self._hearing = False
                self.ring()
            self.stopped.wait(RETRY_SECONDS)
