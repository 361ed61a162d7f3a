"""Once a day, by whichever process comes first: forget what was promised to be kept for ninety days only."""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from cuedeck.model.clock import DAY_MS, now_ms
from cuedeck.model.errors import CueError
from cuedeck.store import changes, runs

if TYPE_CHECKING:
    from cuedeck.store.protocol import Session
    from cuedeck.workspace import Workspace

log = logging.getLogger(__name__)
CURSOR = "housekeeping"
TICK_SECONDS = 60.0
LOOK_SECONDS = 3600.0
# Of Python's full collections, which visit everything a warm process holds, one in so many is left to chance.
SELDOM = 1000
# So many new objects are looked through together: with 700 an edit of a source file takes 3 to 7 % longer.
YOUNG = 10_000
BATCH = 5000
# However far the clock has jumped, a round takes back no more than this: a wrong clock is noticed before
# it has cost anything that was not already old.
LONGEST_STEP_MS = 30 * DAY_MS


class Housekeeping:
    """A thread that collects garbage once a minute instead of during an answer, and tidies every hour."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin; starting twice does nothing."""
        if self._thread is None:
            collect_seldom()
            self._thread = threading.Thread(target=self._loop, name="housekeeping", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop."""
        self._stopping.set()

    def run_if_due(self) -> int | None:
        """Make today's round unless somebody did; how many rows went."""
        state = self._workspace.store.state
        now = now_ms()
        with state.write(actor=CURSOR) as session:
            last = runs.cursor(session, CURSOR)
            if last is not None and 0 <= now - last[1] < DAY_MS:
                return None
            believed = _believed(session, last, now)
            runs.move_cursor(session, CURSOR, str(believed), now)
        before = believed - changes.KEPT_MS
        removed = self._repeat(lambda: self._rows(changes.purge, before))
        removed += self._repeat(lambda: self._workspace.memory.purge(before=before))
        if days := self._workspace.config.workflows.keep_days:
            removed += self._repeat(lambda: self._rows(runs.purge, believed - days * DAY_MS))
        return removed

    def _rows(self, purge: Callable[..., int], before: int) -> int:
        with self._workspace.store.state.write(actor=CURSOR, durable=False) as session:
            return purge(session, before=before, limit=BATCH)

    def _repeat(self, purge: Callable[[], int]) -> int:
        removed = 0
        while not self._stopping.is_set() and (gone := purge()):
            removed += gone
        return removed

    def _loop(self) -> None:
        due = time.monotonic()
        collected = -1
        while not self._stopping.wait(TICK_SECONDS):
            if (used := gc.get_stats()[1]["collections"]) != collected:
                collected = used
                gc.collect()
            if time.monotonic() < due:
                continue
            due = time.monotonic() + LOOK_SECONDS
            try:
                give_back()
                removed = self.run_if_due()
            except CueError as error:
                log.warning("housekeeping waits: %s", error.message)
                continue
            except Exception:
                # Without this thread nobody would collect garbage any more.
                log.exception("housekeeping waits")
                continue
            if removed:
                log.info("housekeeping removed %d rows", removed)


def collect_seldom() -> None:
    """Leave full collections to whoever has time for them, and look through young objects in large lots."""
    _, middle, _ = gc.get_threshold()
    gc.set_threshold(YOUNG, middle, SELDOM)


def give_back() -> bool:
    """Return freed memory to the system, where the C library would keep it; whether there was any."""
    import ctypes

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim is not None and bool(trim(0))


def _believed(session: Session, last: tuple[str, int] | None, now: int) -> int:
    """The time by which things grow old: the clock's, as long as it follows from what was seen before."""
    known = changes.oldest(session) if last is None else int(last[0] or last[1])
    return now if known is None else min(now, known + LONGEST_STEP_MS)
