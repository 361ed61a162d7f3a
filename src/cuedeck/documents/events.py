"""What happened to files, in order, for whoever reacts to it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from cuedeck.model.clock import now_ms
from cuedeck.store import documents as rows
from cuedeck.store.protocol import Database

# A file that is being written, or replaced by git, changes again within this time.
QUIET_MS = 1000
# A file that was gone for less than this was replaced: git takes a file away before it writes the new one.
REPLACED_MS = 5000
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

    def __init__(self, database: Database, root: Path | None = None) -> None:
        self._database = database
        self._root = root

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

    def after(self, seq: int, limit: int) -> tuple[list[FileEvent], int]:
        """What happened next, in order, once it has settled; and the number up to which this is all.

        Changes of one file in quick succession are one event: what became of it in the end.
        """
        now = now_ms()
        with self._database.read() as session:
            batch = rows.events_after(session, seq, limit)
            if not batch:
                return [], seq
            around = rows.events_around(session, batch[0], batch[-1], REPLACED_MS)
        histories: dict[str, list[rows.FileEvent]] = {}
        for event in around:
            histories.setdefault(event.path, []).append(event)
        found: list[FileEvent] = []
        for event in batch:
            if now - QUIET_MS < event.at <= now + MOST_AHEAD_MS:
                break
            seq = event.seq
            kind = _in_the_end(event, histories[event.path])
            if kind is not None and not (kind == "unlink" and self._is_back(event.path)):
                found.append(FileEvent(event.seq, event.path, kind, event.hash))
        return found, seq

    def _is_back(self, path: str) -> bool:
        """Whether a file that was gone is there: its return is told of as soon as it is indexed."""
        return self._root is not None and (self._root / path).exists()


def _in_the_end(event: rows.FileEvent, history: list[rows.FileEvent]) -> str | None:
    """What this event and those just before it come to; nothing when another one follows soon."""
    place = history.index(event)
    if place + 1 < len(history) and _soon(event, history[place + 1]):
        return None
    first = place
    while first and _soon(history[first - 1], history[first]):
        first -= 1
    if event.event == "unlink":
        return "unlink"
    began = history[first]
    if first and began.event == "add" and _replaced(history[first - 1], began):
        return "change"
    return event.event if first == place else ("add" if began.event == "add" else "change")


def _replaced(earlier: rows.FileEvent, later: rows.FileEvent) -> bool:
    return earlier.event == "unlink" and abs(later.at - earlier.at) <= REPLACED_MS


def _soon(earlier: rows.FileEvent, later: rows.FileEvent) -> bool:
    return abs(later.at - earlier.at) <= QUIET_MS
