"""What happened to files, in order, for whoever reacts to it."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass

from cuedeck.store import documents as rows
from cuedeck.store.protocol import Database

# A file that is being written changes again within this time.
QUIET_MS = 250
# An event from later than this is an old one: the clock was set back since.
MOST_AHEAD_MS = 10_000


@dataclass(frozen=True, slots=True)
class FileEvent:
    """A file that was added (``add``), changed (``change``) or removed (``unlink``)."""

    seq: int
    path: str
    event: str
    sha256: str | None


class FileEvents:
    """The log of file events of one index."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def source(self) -> str:
        """Which index this is; a rebuilt one has another name."""
        with self._database.read() as session:
            name = rows.meta(session, "identity")
        if name is None:
            with self._database.write(actor="documents") as session:
                name = rows.meta(session, "identity") or secrets.token_hex(8)
                rows.set_meta(session, "identity", name)
        return name

    def latest(self, before_ms: int | None = None) -> int:
        """The newest event's number, or the newest one from before a time."""
        with self._database.read() as session:
            return rows.last_event(session, before_ms)

    def after(self, seq: int, limit: int) -> list[FileEvent]:
        """Events in order, up to those so recent that their file may still be being written."""
        now = time.time_ns() // 1_000_000
        found = []
        with self._database.read() as session:
            for event in rows.events_after(session, seq, limit):
                if now - QUIET_MS < event.at <= now + MOST_AHEAD_MS:
                    break
                found.append(FileEvent(event.seq, event.path, event.event, event.hash))
        return found
