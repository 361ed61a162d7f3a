from __future__ import annotations

import time
from typing import Any

from workflow_parts import RecordedFiles, engine_with, eventually

from cuedeck.config.sections import WorkflowSetting
from cuedeck.documents.events import FileEvent
from cuedeck.store import documents, runs
from cuedeck.store.protocol import Store
from cuedeck.tasks.agent_task import TaskDraft
from cuedeck.tasks.agent_tasks import AgentTasks
from cuedeck.workflows.model import ChangeTrigger, CronTrigger, FileTrigger, Workflow
from cuedeck.workflows.triggers import Triggers


def watcher(
    *, events: frozenset[str] = frozenset({"add", "change", "unlink"}), globs: tuple[str, ...] = ("*.md",)
) -> Workflow:
    return Workflow("watch", "Watch", "", lambda _c, given: given, triggers=(FileTrigger(globs, events),))


def paths(engine: Any) -> list[str]:
    return sorted(run.input["path"] for run in engine.history("watch", limit=100, offset=0)[0])


def test_files_that_were_there_before_are_no_news_and_later_ones_fire_once(store: Store) -> None:
    files = RecordedFiles([FileEvent(1, "old.md", "add", "h")])
    with engine_with(store, watcher(), files=files, workers=0) as engine:
        assert engine.fire_due() == 0
        files.events += [
            FileEvent(2, "notes/new.md", "add", "h"),
            FileEvent(3, "code.py", "change", "h"),
            FileEvent(4, "old.md", "unlink", None),
        ]
        assert engine.fire_due() == 2
        assert engine.fire_due() == 0
        assert paths(engine) == ["notes/new.md", "old.md"]


def test_two_processes_that_see_the_same_event_start_one_run(store: Store) -> None:
    files = RecordedFiles()
    with (
        engine_with(store, watcher(), files=files, workers=0) as one,
        engine_with(store, watcher(), files=files, workers=0) as two,
    ):
        one.fire_due()
        files.events.append(FileEvent(1, "a.md", "add", "h"))
        runs_before = one.journal.cursor("files")
        one.fire_due()
        with store.state.write(actor="t") as session:
            runs.move_cursor(session, "files", *runs_before)  # type: ignore[misc]
        two.fire_due()
        assert paths(one) == ["a.md"]


def test_a_rebuilt_index_does_not_fire_everything_again(store: Store) -> None:
    files = RecordedFiles()
    with engine_with(store, watcher(), files=files, workers=0) as engine:
        engine.fire_due()
        files.name = "index-2"
        files.events = [FileEvent(number, f"{number}.md", "add", "h") for number in range(1, 50)]
        assert engine.fire_due() == 0


def test_events_globs_and_switches_are_honoured(store: Store) -> None:
    files = RecordedFiles()
    only_unlinks = watcher(events=frozenset({"unlink"}), globs=("specs/**/*.md",))
    with engine_with(store, only_unlinks, files=files, workers=0) as engine:
        engine.fire_due()
        files.events = [
            FileEvent(1, "specs/a/b.md", "change", "h"),
            FileEvent(2, "specs/a/b.md", "unlink", None),
            FileEvent(3, "x.md", "unlink", None),
        ]
        assert engine.fire_due() == 1
    disabled = {"watch": WorkflowSetting(enabled=False)}
    with engine_with(store, watcher(), files=files, workers=0, settings=disabled) as engine:
        files.events.append(FileEvent(4, "y.md", "add", "h"))
        assert engine.fire_due() == 0


def test_a_workflow_is_not_started_by_its_own_file(store: Store) -> None:
    files = RecordedFiles()
    with engine_with(store, watcher(), files=files, workers=0) as engine:
        engine.fire_due()
        with store.state.write(actor="workflow:watch") as session:
            runs.note_write(session, "watch", "digest.md", "mine")
        files.events = [
            FileEvent(1, "digest.md", "change", "mine"),
            FileEvent(2, "digest.md", "change", "yours"),
        ]
        assert engine.fire_due() == 1


def test_changes_made_while_stopped_fire_once_each(store: Store) -> None:
    files = RecordedFiles()
    with engine_with(store, watcher(), files=files, workers=0) as engine:
        engine.fire_due()
        files.events = [FileEvent(number, f"n/{number}.md", "change", "h") for number in range(1, 2001)]
        assert engine.fire_due() == 2000
        assert engine.history("watch", limit=1, offset=0)[1] == 2000


def test_a_schedule_fires_its_latest_tick_once_and_survives_a_wrong_clock(store: Store) -> None:
    minutely = Workflow("tick", "Tick", "", lambda _c, _g: None, triggers=(CronTrigger("* * * * *"),))
    with engine_with(store, minutely, workers=0) as engine:
        assert engine.fire_due() == 0
        hour_ago = time.time_ns() // 1_000_000 - 3_600_000
        engine.journal.submit_many([], cursor=("cron:tick", "* * * * *", hour_ago))
        assert engine.fire_due() == 1
        assert engine.fire_due() == 0
        next_year = time.time_ns() // 1_000_000 + 365 * 86_400_000
        engine.journal.submit_many([], cursor=("cron:tick", "* * * * *", next_year))
        assert engine.fire_due() == 0
        _, position = engine.journal.cursor("cron:tick") or ("", 0)
        assert position < next_year


def test_two_schedules_of_one_workflow_both_fire(store: Store) -> None:
    crons = (CronTrigger("0 9 * * *"), CronTrigger("* * * * *"))
    twice = Workflow("twice", "Twice", "", lambda _c, _g: None, triggers=crons)
    with engine_with(store, twice, workers=0) as engine:
        assert engine.fire_due() == 0
        assert engine.fire_due() == 0
        days_ago = time.time_ns() // 1_000_000 - 2 * 86_400_000
        for name, cron in zip(("cron:twice", "cron:twice#2"), crons, strict=True):
            assert engine.journal.cursor(name) is not None
            engine.journal.submit_many([], cursor=(name, cron.expression, days_ago))
        assert engine.fire_due() == 2
        assert engine.fire_due() == 0


def test_a_started_engine_fires_by_itself(store: Store) -> None:
    files = RecordedFiles()
    with engine_with(store, watcher(), files=files) as engine:
        engine.fire_due()
        engine.start()
        files.events.append(FileEvent(1, "a.md", "add", "h"))
        eventually(lambda: engine.journal.counts().get("completed") == 1)
        assert engine.check() == []


class Settling(RecordedFiles):
    """Events that are told of only from a time on."""

    settled_at = 0.0

    def after(self, seq: int, limit: int) -> tuple[list[FileEvent], int]:
        return super().after(seq, limit) if time.monotonic() >= self.settled_at else ([], seq)


def test_a_tick_before_a_change_has_settled_does_not_put_it_off(store: Store, monkeypatch: Any) -> None:
    ticks = iter([0.5])
    monkeypatch.setattr(Triggers, "_until_next_tick", lambda _self: next(ticks, 1000.0))
    files = Settling()
    with engine_with(store, watcher(), files=files) as engine:
        engine.start()
        eventually(lambda: engine.journal.cursor("files"))
        files.settled_at = time.monotonic() + 1.0
        files.events.append(FileEvent(1, "a.md", "add", "h"))
        with store.index.write(actor="t") as session:
            documents.set_meta(session, "identity", "x")
        eventually(lambda: engine.journal.counts().get("completed") == 1)


def test_what_happened_before_anybody_listened_is_no_news(store: Store) -> None:
    def listener(table: str) -> Workflow:
        return Workflow(table, table, "", lambda _c, given: given, triggers=(ChangeTrigger(table),))

    tasks = AgentTasks(store, lease_seconds=60, mark_success=lambda *_: None)
    with engine_with(store, listener("memories"), workers=0) as engine:
        engine.fire_due()
        tasks.create(TaskDraft("A", "before"))
        assert engine.fire_due() == 0
    (before,) = store.state.changes(after=0, limit=10, tables={"agent_tasks"})
    both = listener("memories"), listener("agent_tasks")
    # Times are kept to the millisecond, and what happened in the same one may have come after: it is news.
    with engine_with(store, *both, workers=0, opened_ms=before.at + 1) as engine:
        assert engine.fire_due() == 0
        tasks.create(TaskDraft("A", "after"))
        assert engine.fire_due() == 1


def test_what_happened_once_the_workspace_was_open_is_news_before_anybody_looks(store: Store) -> None:
    created = Workflow("new", "New", "", lambda _c, given: given, triggers=(ChangeTrigger("agent_tasks"),))
    tasks = AgentTasks(store, lease_seconds=60, mark_success=lambda *_: None)
    tasks.create(TaskDraft("A", "first"))
    (first,) = store.state.changes(after=0, limit=10, tables={"agent_tasks"})
    with engine_with(store, created, workers=0, opened_ms=first.at) as engine:
        assert engine.fire_due() + engine.fire_due() == 1


def test_an_engine_that_is_just_starting_has_not_stopped(store: Store, monkeypatch: Any) -> None:
    seen: list[str] = []
    with engine_with(store, watcher()) as engine:
        begin = engine._triggers.start
        monkeypatch.setattr(engine._triggers, "start", lambda: (seen.extend(engine.check()), begin()))
        engine.start()
        assert seen == engine.check() == []
