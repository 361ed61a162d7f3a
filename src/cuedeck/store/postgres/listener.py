"""Hearing of commits on other machines: one LISTEN connection per process, shared by all who wait."""

from __future__ import annotations

import threading
import time

import psycopg

from cuedeck.store.postgres.pool import Pool

CHANNEL = "cuedeck"
# Notifications may be lost with a connection; whoever waits also looks this often.
LOOK_AGAIN = 1.0


class Listener:
    """Wakes waiting threads when a named database has a new commit."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._heard = threading.Condition()
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()

    def wait(self, timeout: float) -> None:
        """Return at the next notification, or after the time; now and then without reason."""
        with self._heard:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._listen, name="cuedeck-listen", daemon=True)
                self._thread.start()
            self._heard.wait(min(timeout, LOOK_AGAIN))

    def stop(self) -> None:
        """Let the thread end."""
        self._stopped.set()

    def _listen(self) -> None:
        while not self._stopped.is_set():
            try:
                with self._pool.connect() as connection:
                    connection.execute(f"LISTEN {CHANNEL}")
                    while not self._stopped.is_set():
                        for _ in connection.notifies(timeout=LOOK_AGAIN, stop_after=1):
                            with self._heard:
                                self._heard.notify_all()
            except psycopg.Error:
                # The server is away; those who wait look for themselves meanwhile.
                time.sleep(LOOK_AGAIN)
