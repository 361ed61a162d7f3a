from __future__ import annotations

import gc
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from cuedeck import Workspace
from cuedeck.housekeeping import CURSOR, DAY_MS, LONGEST_STEP_MS, SELDOM, YOUNG, give_back
from cuedeck.memory.model import Draft, MemoryType
from cuedeck.store import runs
from cuedeck.store.changes import KEPT_MS


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / ".cuedeck").mkdir()
    with Workspace.open(tmp_path, flags={"search": {"enabled": False}}) as opened:
        yield opened


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def log_of(workspace: Workspace) -> list[int]:
    return [change.seq for change in workspace.store.state.changes(after=0)]


def last_round(workspace: Workspace, believed: int, at: int) -> None:
    with workspace.store.state.write(actor="t") as session:
        runs.move_cursor(session, CURSOR, str(believed), at)


def stored(workspace: Workspace, content: str, *, at: int) -> int:
    workspace.memory.store(Draft(MemoryType.KNOWLEDGE, content), actor="t")
    seq = log_of(workspace)[-1]
    with workspace.store.state.write(actor="t") as session:
        session.run("UPDATE change_log SET at = :at WHERE seq = :seq", at=at, seq=seq)
    return seq


def test_the_change_log_is_kept_for_ninety_days_and_the_round_made_once_a_day(workspace: Workspace) -> None:
    old = stored(workspace, "old", at=now_ms() - KEPT_MS - 1000)
    new = stored(workspace, "new", at=now_ms())
    last_round(workspace, now_ms() - DAY_MS, now_ms() - DAY_MS)
    assert workspace.housekeeping.run_if_due() == 1
    assert old not in log_of(workspace) and new in log_of(workspace)
    assert workspace.housekeeping.run_if_due() is None
    assert workspace.memory.stats()["total"] == 2


@pytest.mark.parametrize(("keep_days", "left"), [(0, True), (91, True), (30, False)])
def test_finished_runs_are_kept_as_long_as_the_settings_say_and_waiting_ones_always(
    tmp_path: Path, keep_days: int, left: bool
) -> None:
    (tmp_path / ".cuedeck").mkdir()
    flags = {"search": {"enabled": False}, "workflows": {"keep_days": keep_days}}
    with Workspace.open(tmp_path, flags=flags) as workspace:
        last_round(workspace, now_ms() - DAY_MS, now_ms() - DAY_MS)
        queue_two_runs(workspace, at=now_ms() - KEPT_MS - 1000)
        assert workspace.housekeeping.run_if_due() == (0 if left else 1)
        with workspace.store.state.read() as session:
            assert (runs.find(session, "done") is not None) is left
            assert runs.find(session, "waiting") is not None


def queue_two_runs(workspace: Workspace, *, at: int) -> None:
    with workspace.store.state.write(actor="t") as session:
        for name, status in (("done", "completed"), ("waiting", "pending")):
            row = {
                "id": name,
                "workflow": "w",
                "name": "W",
                "trigger": "manual",
                "priority": 1,
                "input": "{}",
            }
            runs.insert_run(session, {**row, "idempotency_key": None, "run_at": at, "created_at": at})
            sql = "UPDATE runs SET status = :status, ended_at = :at WHERE id = :id"
            session.run(sql, status=status, at=at, id=name)


def test_a_clock_far_ahead_takes_nothing_that_is_not_old_by_what_was_seen_before(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = stored(workspace, "yesterday", at=now_ms() - DAY_MS)
    assert workspace.housekeeping.run_if_due() == 0
    wrong = time.time_ns() + 365 * DAY_MS * 1_000_000
    with monkeypatch.context() as clock:
        clock.setattr("cuedeck.housekeeping.time.time_ns", lambda: wrong)
        assert workspace.housekeeping.run_if_due() == 0
    assert kept in log_of(workspace)
    assert workspace.housekeeping.run_if_due() == 0
    with workspace.store.state.read() as session:
        believed, at = runs.cursor(session, CURSOR) or ("", 0)
    assert int(believed) <= at <= now_ms()


def test_after_a_long_absence_what_is_old_goes_within_a_few_rounds(workspace: Workspace) -> None:
    absent = 400 * DAY_MS
    old = stored(workspace, "old", at=now_ms() - absent)
    rounds = 0
    while old in log_of(workspace):
        assert workspace.housekeeping.run_if_due() is not None
        rounds += 1
        with workspace.store.state.write(actor="t") as session:
            believed, at = runs.cursor(session, CURSOR) or ("", 0)
            runs.move_cursor(session, CURSOR, believed, at - DAY_MS)
    assert rounds == KEPT_MS // LONGEST_STEP_MS + 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the C library of Linux keeps freed memory")
def test_freed_memory_goes_back_to_the_system() -> None:
    blocks = [bytes(1000) for _ in range(60_000)]
    # One block in fifty stays, so that nothing can be given back from the end.
    kept = blocks[::50]
    blocks.clear()
    before = resident_kb()
    give_back()
    assert len(kept) == 1_200
    assert resident_kb() < before - 20_000


def resident_kb() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("RssAnon")).split()[1])


class Knot:
    def __init__(self) -> None:
        self.itself = self


def test_old_garbage_is_collected_between_answers(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = gc.get_threshold()
    monkeypatch.setattr("cuedeck.housekeeping.TICK_SECONDS", 0.05)
    knot = Knot()
    gc.collect()  # it is old now: only a full collection finds it
    gone = weakref.ref(knot)
    try:
        workspace.housekeeping.start()
        assert gc.get_threshold() == (YOUNG, before[1], SELDOM)
        del knot
        deadline = time.monotonic() + 20
        while gone() is not None and time.monotonic() < deadline:
            gc.collect(1)  # what a busy process does by itself
            time.sleep(0.02)
        assert gone() is None
    finally:
        workspace.housekeeping.close()
        gc.set_threshold(*before)


def test_a_round_that_fails_in_an_unforeseen_way_is_not_the_last(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = gc.get_threshold()
    monkeypatch.setattr("cuedeck.housekeeping.TICK_SECONDS", 0.01)
    monkeypatch.setattr("cuedeck.housekeeping.LOOK_SECONDS", 0.01)
    again = threading.Event()
    rounds: list[int] = []

    def fails_once() -> None:
        rounds.append(1)
        if len(rounds) == 1:
            raise RuntimeError("unforeseen")
        again.set()

    monkeypatch.setattr(workspace.housekeeping, "run_if_due", fails_once)
    try:
        workspace.housekeeping.start()
        assert again.wait(20)
    finally:
        workspace.housekeeping.close()
        gc.set_threshold(*before)
