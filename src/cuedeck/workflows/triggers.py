"""What starts runs by itself: file events, cron ticks and rows of the change log, each once."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cuedeck.documents.events import FileEvent, FileEvents
from cuedeck.model.clock import DAY_MS, now_ms
from cuedeck.model.errors import CueError
from cuedeck.patterns import git_patterns
from cuedeck.store.changes import last_seq
from cuedeck.workflows.journal import Journal, execution_id
from cuedeck.workflows.model import JSON, ChangeTrigger, CronTrigger, FileTrigger, NewRun, Workflow
from cuedeck.workflows.registry import Registry
from cuedeck.workflows.schedule import day_of, latest_tick, next_tick

if TYPE_CHECKING:
    from cuedeck.store.news import News
    from cuedeck.store.protocol import Change, Database

log = logging.getLogger(__name__)
POLL_SECONDS = 0.5
SETTLE_SECONDS = 1.1
# The clock may be set, a laptop may sleep, a workflow's file may be new: look at all of it this often.
LONGEST_SLEEP = 30.0
BATCH = 1000


class Triggers:
    """One thread per process; idempotency keys make sure that several processes fire once."""

    def __init__(
        self,
        journal: Journal,
        registry: Registry,
        files: FileEvents,
        *,
        index: Database,
        opened_ms: int,
        news: News,
        wake: Callable[[], None],
    ) -> None:
        self._journal = journal
        self._registry = registry
        self._files = files
        self._index = index
        # What happens once the workspace is open counts, also before this process first looks; then from now.
        self._news_since: int | None = opened_ms
        self._news = news
        self._wake = wake
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self.last_failure: str | None = None

    def start(self) -> None:
        """Begin to watch; starting twice does nothing."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name="workflow-triggers", daemon=True)
            self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the thread is running."""
        return self._thread is not None and self._thread.is_alive()

    def close(self) -> None:
        """Stop watching."""
        self._stopping.set()
        self._news.wake()
        if self._thread is not None:
            self._thread.join(timeout=2.0)

    def fire_due(self) -> int:
        """Queue everything that is due now; how many runs."""
        return self._fire(clock=True, state=True, index=True)

    def _fire(self, *, clock: bool, state: bool, index: bool) -> int:
        workflows = self._registry.enabled_ones()
        fired = 0
        if clock:
            fired += self._fire_cron(workflows)
        if state:
            fired += self._fire_changes(workflows)
        if index:
            fired += self._fire_files(workflows)
        self._news_since = None
        if fired:
            self._wake()
        return fired

    def _loop(self) -> None:
        seen = (-1, -1)
        clock_at = settled_at = 0.0
        while not self._stopping.is_set():
            try:
                versions = (self._journal.database.version(), self._index.version())
                now = time.monotonic()
                clock = now >= clock_at
                state, index = clock or versions[0] != seen[0], clock or now >= settled_at
                if versions[1] != seen[1]:
                    # What is not settled yet changes nothing more when it is: look again then.
                    index, settled_at = True, now + SETTLE_SECONDS
                elif now >= settled_at:
                    settled_at = math.inf
                if state or index:
                    self._fire(clock=clock, state=state, index=index)
                seen = versions
                if clock:
                    clock_at = now + self._until_next_tick()
                self.last_failure = None
            except CueError as error:
                self._pause(error.message)
            except Exception as error:
                # Somebody's workflow or file; the triggers of all the others must live on.
                log.exception("triggers wait")
                self._pause(f"{type(error).__name__}: {error}")
            else:
                self._news.wait(max(0.0, min(clock_at, settled_at) - time.monotonic()))
                # Commits come in flocks; each look answers for all of them.
                self._stopping.wait(min(POLL_SECONDS, max(0.0, clock_at - time.monotonic())))

    def _pause(self, reason: str) -> None:
        self.last_failure = reason
        log.warning("triggers wait: %s", reason)
        self._stopping.wait(2.0)

    def _until_next_tick(self) -> float:
        now = now_ms()
        ticks = [
            next_tick(trigger, now_ms=now)
            for workflow in self._registry.all()
            for trigger in workflow.triggers
            if isinstance(trigger, CronTrigger)
        ]
        return max(0.0, min(LONGEST_SLEEP, (min(ticks, default=math.inf) - now) / 1000))

    def _fire_cron(self, workflows: Iterable[Workflow]) -> int:
        now = now_ms()
        fired = 0
        for workflow in workflows:
            crons = [trigger for trigger in workflow.triggers if isinstance(trigger, CronTrigger)]
            for number, trigger in enumerate(crons):
                name = f"cron:{workflow.id}" + (f"#{number + 1}" if number else "")
                fired += self._fire_tick(name, workflow, trigger, now)
        return fired

    def _fire_tick(self, name: str, workflow: Workflow, trigger: CronTrigger, now: int) -> int:
        cursor = self._journal.cursor(name)
        source = " ".join(filter(None, (trigger.expression, trigger.timezone)))
        if cursor is None or cursor[0] != source or cursor[1] > now + DAY_MS:
            # First seen, changed, or left in the future by a clock that was wrong: begin from now.
            self._journal.submit_many([], cursor=(name, source, now))
            return 0
        tick = latest_tick(trigger, after_ms=cursor[1], now_ms=now)
        if tick is None:
            return 0
        day = day_of(trigger, tick).isoformat()
        run = self._new(workflow, "schedule", {"date": day}, key=f"cron:{tick}")
        self._journal.submit_many([run], cursor=(name, source, tick))
        return 1

    def _fire_changes(self, workflows: list[Workflow]) -> int:
        listening = [(w, t) for w in workflows for t in w.triggers if isinstance(t, ChangeTrigger)]
        tables = {trigger.table for _, trigger in listening}
        source, position = self._journal.cursor("changes") or (None, 0)
        heard = tables.intersection((source or "").split(","))
        wanted = ",".join(sorted(tables))
        fired, latest = 0, self._last_change() if source != wanted else 0
        while heard and (
            changes := self._journal.database.changes(after=position, limit=BATCH, tables=heard)
        ):
            batch = [
                self._new(workflow, "event", _change_input(change), key=f"change:{change.seq}")
                for change in changes
                for workflow, trigger in listening
                if _matches(trigger, change) and change.actor != f"workflow:{workflow.id}"
            ]
            position = changes[-1].seq
            self._journal.submit_many(batch, cursor=("changes", source or "", position))
            fired += len(batch)
        if source != wanted:
            # What a table held before anybody listened to it is no news.
            self._journal.submit_many([], cursor=("changes", wanted, max(position, latest)))
        return fired

    def _last_change(self) -> int:
        with self._journal.database.read() as session:
            return last_seq(session, self._news_since)

    def _fire_files(self, workflows: list[Workflow]) -> int:
        listening = [
            (workflow, trigger, _patterns(tuple(trigger.globs)))
            for workflow in workflows
            for trigger in workflow.triggers
            if isinstance(trigger, FileTrigger)
        ]
        if not listening:
            return 0
        source = self._files.source()
        cursor = self._journal.cursor("files")
        if cursor is None or cursor[0] != source:
            # A new or rebuilt index lists every file as added; that is no news.
            self._journal.submit_many([], cursor=("files", source, self._files.latest(self._news_since)))
            return 0
        fired, seen = 0, cursor[1]
        events, position = self._files.after(seen, BATCH)
        while position > seen:
            batch = [
                self._new(
                    workflow,
                    "file-change",
                    {"path": event.path, "event": event.event},
                    key=f"file:{source}:{event.seq}",
                )
                for event in events
                for workflow, trigger, spec in listening
                if event.event in trigger.events
                and spec.match_file(event.path)
                and not self._own_write(workflow, event)
            ]
            self._journal.submit_many(batch, cursor=("files", source, position))
            fired, seen = fired + len(batch), position
            events, position = self._files.after(seen, BATCH)
        return fired

    def _own_write(self, workflow: Workflow, event: FileEvent) -> bool:
        return event.sha256 is not None and self._journal.wrote(workflow.id, event.path, event.sha256)

    def _new(self, workflow: Workflow, trigger: str, given: dict[str, JSON], *, key: str) -> NewRun:
        return NewRun(
            id=execution_id(),
            workflow=workflow.id,
            name=workflow.name,
            input=given,
            trigger=trigger,
            priority=workflow.priority,
            idempotency_key=key,
        )


# With a thousand workflows, compiling their globs at every look would be most of its cost.
_patterns = lru_cache(maxsize=4096)(git_patterns)


def _matches(trigger: ChangeTrigger, change: Change) -> bool:
    if change.table != trigger.table or change.op not in trigger.operations:
        return False
    if trigger.column is None:
        return True
    before, after = (change.before or {}).get(trigger.column), (change.after or {}).get(trigger.column)
    return before != after and (trigger.becomes is None or after == trigger.becomes)


def _change_input(change: Change) -> dict[str, Any]:
    return {"table": change.table, "op": change.op, "id": change.id, "seq": change.seq}
