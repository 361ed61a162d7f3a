"""Hearing of commits on PostgreSQL: one LISTEN connection per process, shared by all who wait."""

from __future__ import annotations

import psycopg

from cuedeck.store.news import PAUSE_SECONDS, Bell, News
from cuedeck.store.postgres.pool import Pool

CHANNEL = "cuedeck"
# Notifications may be lost with a connection; whoever waits also looks this often.
LOOK_AGAIN = 1.0


class Listener(Bell):
    """Rings when any database of the server has a new commit."""

    def __init__(self, pool: Pool) -> None:
        super().__init__()
        self._pool = pool

    def wait(self, timeout: float) -> None:
        """Return at the next notification, or after the time; now and then without reason."""
        News(self).wait(min(timeout, LOOK_AGAIN))

    def hear(self) -> None:
        try:
            with self._pool.connect() as connection:
                connection.execute(f"LISTEN {CHANNEL}")
                self.heard()
                while not self.stopped.is_set():
                    for _ in connection.notifies(timeout=LOOK_AGAIN, stop_after=1):
                        self.ring()
                        # Others come in the same breath on a busy server; one look serves them all.
                        self.stopped.wait(PAUSE_SECONDS)
        except psycopg.Error as error:
            raise OSError(str(error)) from error
