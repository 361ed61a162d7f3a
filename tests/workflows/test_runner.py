from __future__ import annotations

import logging
import threading
import time
from pathlib import Path
from typing import Any

import apsw
import pytest
from workflow_parts import engine_with, eventually

from cuedeck.config.sections import WorkflowSetting
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store import open_store, runs
from cuedeck.store.protocol import Store
from cuedeck.workflows import journal
from cuedeck.workflows.context import RunContext
from cuedeck.workflows.journal import Claim, Fenced, Journal, execution_id
from cuedeck.workflows.model import NewRun, Retry, RunStatus, Workflow
from cuedeck.workflows.runner import LEASE_MS


def workflow(function: Any, **options: Any) -> Workflow:
    return Workflow("w", "W", "A workflow of a test", function, **options)


def held_by(owner: str, lease_ms: int) -> Claim:
    return Claim(owner, lease_ms, {}, ["w"])


def test_while_no_workflow_is_switched_on_what_waits_goes_on_waiting(store: Store) -> None:
    journal = Journal(store.state)
    queued, _ = journal.submit(NewRun(id=execution_id(), workflow="w", name="W", input={}))
    assert journal.claim(Claim("me", 1000, {}, []), limit=5) == []
    assert journal.claim(Claim("me", 1000, {"w": 0}, ["w"]), limit=5)[0].id == queued


def test_a_run_passes_through_its_steps_and_keeps_its_result(store: Store) -> None:
    def add(context: Any, given: dict[str, Any]) -> Any:
        one = context.step("one", lambda: given["n"] + 1, progress=50)
        return {"two": context.step("two", lambda: one + 1)}

    with engine_with(store, workflow(add)) as engine:
        started = engine.trigger("w", {"n": 1}, wait=True)
        assert started.run is not None
        assert started.run.status is RunStatus.COMPLETED
        assert started.run.result == {"two": 3}
        assert started.run.progress == 100
        assert started.run.duration is not None and started.run.duration >= 0
        assert [step["name"] for step in engine.journal.steps(started.execution_id)] == ["one", "two"]


def test_an_async_run_is_taken_up_by_itself(store: Store) -> None:
    with engine_with(store, workflow(lambda _context, given: given)) as engine:
        started = engine.trigger("w", {"a": [1, "é\0"]}, wait=False)
        assert started.run is None
        run = eventually(lambda: (r := engine.run(started.execution_id)).status.final and r)
        assert run.result == {"a": [1, "é\0"]}


@pytest.mark.parametrize("bad", [{1, 2}, float("nan"), object(), {"deep": b"bytes"}, "\ud800"])
def test_a_result_that_json_cannot_hold_fails_the_run(store: Store, bad: object) -> None:
    with engine_with(store, workflow(lambda _context, _given: bad)) as engine:
        run = engine.trigger("w", {}, wait=True).run
        assert run is not None
        assert run.status is RunStatus.FAILED
        assert "JSON" in (run.error or "")


def test_what_is_too_large_for_the_journal_fails_the_run(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "LONGEST", 100)

    def large_step(context: RunContext, _given: Any) -> None:
        context.step("large", lambda: "x" * 100)

    for function in (large_step, lambda _context, _given: "x" * 100):
        with engine_with(store, workflow(function)) as engine:
            run = engine.trigger("w", {}, wait=True).run
            assert run is not None
            assert run.status is RunStatus.FAILED
            assert "102 characters of JSON, 100 at most" in (run.error or "")


def test_a_workflow_that_raises_is_a_failed_run_with_its_error(store: Store) -> None:
    def bang(_context: Any, _given: Any) -> None:
        raise RuntimeError("the plate is hot")

    with engine_with(store, workflow(bang)) as engine:
        run = engine.trigger("w", {}, wait=True).run
        assert run is not None and run.status is RunStatus.FAILED
        assert run.error == "RuntimeError: the plate is hot"


def test_an_error_that_no_store_could_hold_still_ends_its_run(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)  # the captured log could not be sent on either

    def bang(_context: Any, _given: Any) -> None:
        raise RuntimeError("a\0b\udcff" + "x" * 100_000)

    with engine_with(store, workflow(bang)) as engine:
        run = engine.trigger("w", {}, wait=True).run
        assert run is not None and run.status is RunStatus.FAILED
        assert (run.error or "").startswith(r"RuntimeError: a\0b\udcffxxx")


def test_a_failed_attempt_is_repeated_from_the_step_that_failed(store: Store) -> None:
    calls: list[str] = []

    def flaky(context: Any, _given: Any) -> str:
        context.step("first", lambda: calls.append("first"))
        context.step("second", lambda: calls.append("second") or 1 / (len(calls) - 2))
        return "done"

    with engine_with(store, workflow(flaky, retry=Retry(attempts=3, base_seconds=0.01))) as engine:
        engine.start()
        started = engine.trigger("w", {}, wait=False)
        run = eventually(lambda: (r := engine.run(started.execution_id)).status.final and r)
    assert run.status is RunStatus.COMPLETED
    assert run.attempt == 2
    assert calls == ["first", "second", "second"]


def test_a_database_effect_and_its_record_commit_together(store: Store) -> None:
    def effect(context: Any, _given: Any) -> None:
        def insert(session: Any) -> None:
            session.upsert("trigger_cursors", {"name": "probe", "source": "x", "position": 1}, key=["name"])
            raise ValueError("after the effect")

        context.transact("insert", insert)

    with engine_with(store, workflow(effect)) as engine:
        assert engine.trigger("w", {}, wait=True).run.status is RunStatus.FAILED  # type: ignore[union-attr]
        assert engine.journal.cursor("probe") is None


def test_the_same_key_is_one_run(store: Store) -> None:
    with engine_with(store, workflow(lambda _context, _given: "x")) as engine:
        first = engine.trigger("w", {}, wait=True, key="k")
        second = engine.trigger("w", {}, wait=True, key="k")
        assert first.execution_id == second.execution_id
        assert second.run is not None and second.run.result == "x"
        assert engine.history("w", limit=10, offset=0)[1] == 1


def test_a_waiting_run_is_cancelled_at_once_and_a_running_one_at_its_next_step(store: Store) -> None:
    entered, go = threading.Event(), threading.Event()

    def slow(context: Any, _given: Any) -> None:
        context.step("wait", lambda: entered.set() or go.wait(5))
        context.step("never", lambda: pytest.fail("ran after its cancellation"))

    with engine_with(store, workflow(slow)) as engine:
        waiting, _ = engine.journal.submit(NewRun(execution_id(), "w", "W"))
        assert engine.cancel(waiting).status is RunStatus.CANCELLED
        started = engine.trigger("w", {}, wait=False)
        assert entered.wait(5)
        engine.cancel(started.execution_id)
        go.set()
        run = eventually(lambda: (r := engine.run(started.execution_id)).status.final and r)
        assert run.status is RunStatus.CANCELLED


def test_a_run_that_takes_too_long_fails(store: Store) -> None:
    def long(context: Any, _given: Any) -> None:
        for number in range(100):
            context.step(str(number), lambda: time.sleep(0.02))

    with engine_with(store, workflow(long, timeout_seconds=0.1)) as engine:
        run = engine.trigger("w", {}, wait=True).run
        assert run is not None and run.status is RunStatus.FAILED
        assert "Timed out" in (run.error or "")


def test_concurrency_and_priority(store: Store) -> None:
    running, most, order = 0, 0, []
    guard = threading.Lock()

    def count(context: Any, given: dict[str, Any]) -> None:
        nonlocal running, most
        with guard:
            running += 1
            most = max(most, running)
            order.append(given["n"])
        context.step("work", lambda: time.sleep(0.02))
        with guard:
            running -= 1

    with engine_with(store, workflow(count, concurrency=1), workers=4) as engine:
        for number, priority in enumerate([5, 5, 1]):
            engine.journal.submit(NewRun(execution_id(), "w", "W", input={"n": number}, priority=priority))
        engine.start()
        eventually(lambda: engine.journal.counts().get("completed") == 3)
    assert most == 1
    assert order[0] == 2


def test_a_full_queue_is_refused(store: Store) -> None:
    with engine_with(store, workflow(lambda _context, _given: None, queue_limit=2), workers=0) as engine:
        engine.trigger("w", {}, wait=False)
        engine.trigger("w", {}, wait=False)
        with pytest.raises(CueError, match="is full"):
            engine.trigger("w", {}, wait=False)


def test_unknown_workflows_and_executions(store: Store) -> None:
    with engine_with(store, workflow(lambda _context, _given: None)) as engine:
        with pytest.raises(CueError) as caught:
            engine.trigger("ww", {}, wait=True)
        assert caught.value.code is ErrorCode.WORKFLOW_NOT_FOUND
        assert "'w'" in (caught.value.hint or "")
        with pytest.raises(CueError) as caught:
            engine.run("wf_exec_nope")
        assert caught.value.code is ErrorCode.EXECUTION_NOT_FOUND


def test_a_run_whose_lease_ended_is_taken_over_and_its_old_holder_fenced_off(store: Store) -> None:
    with engine_with(store, workflow(lambda _context, _given: "new"), workers=1) as engine:
        new = NewRun(execution_id(), "w", "W")
        _, lost = engine.journal.begin(new, held_by("a process that is gone", -1))
        assert lost is not None
        engine.start()
        run = eventually(lambda: (r := engine.run(lost.id)).status.final and r, seconds=LEASE_MS / 1000 + 5)
        assert run.result == "new"
        with pytest.raises(Fenced):
            engine.journal.record(lost, 1, "late", lambda _session: "null", started_at=0, progress=None)


def test_a_claim_whose_answer_was_lost_goes_back_to_the_queue(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cuedeck.workflows.runner.LEASE_MS", 300)
    busy = threading.Event()
    waits = Workflow("waits", "Waits", "", lambda _context, _given: busy.wait(20) and None)
    with engine_with(store, waits, workflow(lambda _context, _given: 7)) as engine:
        engine.start()
        engine.trigger("waits", {}, wait=False)
        eventually(lambda: engine.journal.counts().get("running") == 1)
        terms = held_by(engine._runner.owner, 60_000)
        _, lost = engine.journal.begin(NewRun(execution_id(), "w", "W"), terms)
        assert lost is not None
        assert eventually(lambda: (run := engine.run(lost.id)).status.final and run).result == 7
        busy.set()


def test_a_run_that_is_taken_up_while_leases_are_renewed_goes_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cuedeck.workflows.runner.LEASE_MS", 300)
    noticed = threading.Event()
    late: list[str] = []

    def two_steps(context: RunContext, _given: dict[str, Any]) -> int:
        context.step("first", lambda: noticed.wait(20) and None)
        return int(context.step("second", lambda: 7))

    with engine_with(store, workflow(two_steps)) as engine:
        renew = engine.journal.renew

        def renewed(**given: Any) -> dict[str, dict[str, object]]:
            held = renew(**given)
            if len(late) == 2:
                noticed.set()
            else:
                late.append(engine.journal.submit(NewRun(execution_id(), "w", "W"))[0])
                eventually(lambda: late[-1] in engine._runner._active)
            return held

        monkeypatch.setattr(engine.journal, "renew", renewed)
        engine.start()
        engine.trigger("w", {}, wait=False)
        eventually(noticed.is_set)
        ended = [eventually(lambda id=id: (run := engine.run(id)).status.final and run) for id in late]
        assert [run.result for run in ended] == [7, 7]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_leases_are_renewed_again_after_an_accident(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cuedeck.workflows.runner.LEASE_MS", 300)
    renewed = threading.Event()
    tries: list[dict[str, Any]] = []
    with engine_with(store, workflow(lambda _context, _given: renewed.wait(20), concurrency=0)) as engine:
        renew = engine.journal.renew

        def fails_once(**given: Any) -> dict[str, dict[str, object]]:
            tries.append(given)
            if len(tries) == 1:
                raise RuntimeError("an accident")
            renewed.set()
            return renew(**given)

        monkeypatch.setattr(engine.journal, "renew", fails_once)
        engine.start()
        engine.trigger("w", {}, wait=False)
        eventually(lambda: tries and not engine._runner._lives("workflow-leases"))
        engine.trigger("w", {}, wait=False)
        eventually(renewed.is_set)


def test_leases_end_when_they_were_just_about_to_rest(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cuedeck.workflows.runner.LEASE_MS", 30)
    with engine_with(store, workflow(lambda _context, _given: None)) as engine:
        runner = engine._runner

        class ClosedMeanwhile(threading.Event):
            def clear(self) -> None:
                runner._stopping.set()
                self.set()
                super().clear()

        monkeypatch.setattr(runner, "_busy", ClosedMeanwhile())
        engine.start()
        eventually(lambda: not runner._lives("workflow-leases"))


def test_a_burst_of_runs_is_worked_off_in_order_of_priority_each_once(store: Store) -> None:
    done: list[int] = []

    def note(_context: RunContext, given: dict[str, Any]) -> None:
        done.append(given["n"])

    with engine_with(store, workflow(note), workers=1) as engine:
        batch = [
            NewRun(execution_id(), "w", "W", input={"n": n}, priority=9 if n < 20 else 1) for n in range(40)
        ]
        engine.journal.submit_many(batch)
        engine.start()
        eventually(lambda: engine.journal.counts().get("completed") == 40)
        assert sorted(done) == list(range(40))
        assert sum(n >= 20 for n in done[:20]) >= 18


def test_history_is_newest_first_with_true_totals(store: Store) -> None:
    with engine_with(store, workflow(lambda _context, given: given)) as engine:
        for number in range(5):
            engine.trigger("w", {"n": number}, wait=True)
            time.sleep(0.002)
        runs, total = engine.history(None, limit=2, offset=1)
        assert (total, [run.input["n"] for run in runs]) == (5, [3, 2])
        assert engine.history("other", limit=5, offset=0) == ([], 0)
        assert runs[0].result is None
        runs, _ = engine.history("w", limit=1, offset=0, results=True)
        assert runs[0].result == {"n": 4}
        assert engine.history(None, limit=5, offset=0, status="failed") == ([], 0)
        assert engine.history("w", limit=5, offset=0, status="completed")[1] == 5


def test_old_runs_are_purged_but_never_waiting_or_running_ones(store: Store) -> None:
    with engine_with(store, workflow(lambda _context, _given: None), workers=0) as engine:
        engine.trigger("w", {}, wait=True)
        waiting = engine.trigger("w", {}, wait=False).execution_id
        with store.state.write(actor="t") as session:
            assert runs.purge(session, before=runs.now_ms(session) + 1, limit=10) == 1
        assert engine.run(waiting).status is RunStatus.PENDING


def test_a_changed_workflow_does_not_replay_another_ones_steps(store: Store, tmp_path: Path) -> None:
    with engine_with(store, workflow(lambda context, _given: context.step("renamed", lambda: 2))) as engine:
        _, run = engine.journal.begin(NewRun(execution_id(), "w", "W"), held_by("gone", -1))
        assert run is not None
        engine.journal.record(run, 1, "original", lambda _session: "1", started_at=0, progress=None)
        engine.start()
        ended = eventually(lambda: (r := engine.run(run.id)).status.final and r)
        assert ended.status is RunStatus.FAILED
        assert "changed while this run was under way" in (ended.error or "")


def test_a_wait_that_grows_too_long_is_answered_and_the_run_goes_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cuedeck.workflows.engine.SYNC_SECONDS", 0.2)
    slow = Workflow("slow", "Slow", "", lambda c, _g: c.step("one", lambda: time.sleep(1) or 1))
    with engine_with(store, slow) as engine:
        started = engine.trigger("slow", {}, wait=True)
        assert started.run is None
        eventually(lambda: engine.run(started.execution_id).status is RunStatus.COMPLETED)


def test_a_database_that_stays_locked_for_longer_than_its_timeout_is_waited_for(tmp_path: Path) -> None:
    store = open_store(None, root=tmp_path, workspace_id="locked", busy_timeout=0.5)
    began = threading.Event()

    def work(context: RunContext, _given: Any) -> Any:
        began.set()
        time.sleep(0.5)
        return context.step("one", lambda: 1)

    with engine_with(store, Workflow("work", "Work", "", work)) as engine:
        engine.start()
        started = engine.trigger("work", {}, wait=False)
        assert began.wait(10)
        other = apsw.Connection(str(next(tmp_path.rglob("state.db"))))
        other.set_busy_timeout(10_000)
        other.execute("BEGIN IMMEDIATE")
        time.sleep(2)
        other.execute("ROLLBACK")
        other.close()
        eventually(lambda: engine.run(started.execution_id).status is RunStatus.COMPLETED, seconds=30)
    store.close()


def test_a_full_disk_is_waited_for(tmp_path: Path) -> None:
    store = open_store(None, root=tmp_path, workspace_id="full", busy_timeout=0.5)

    def pages(most: str) -> None:
        with store.state.write(actor="t") as session:
            session.value(f"PRAGMA max_page_count = {most}")

    def work(context: RunContext, _given: Any) -> Any:
        context.step("one", lambda: 1)
        pages("1")  # SQLite takes what is used already for the least
        threading.Timer(1.0, pages, ["1000000"]).start()
        return context.step("two", lambda: "x" * 500_000)[:3]

    with engine_with(store, Workflow("work", "Work", "", work)) as engine:
        run = engine.trigger("work", {}, wait=True).run
        assert run is not None and run.status is RunStatus.COMPLETED, run
        assert run.result == "xxx"
        assert [step["name"] for step in engine.journal.steps(run.id)] == ["one", "two"]
    store.close()


def test_a_commit_whose_answer_was_lost_is_not_done_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []

    def work(context: RunContext, _given: Any) -> Any:
        record = context._journal.record

        def deaf(*args: Any, **options: Any) -> Any:
            record(*args, **options)
            monkeypatch.setattr(context._journal, "record", record)
            raise CueError(ErrorCode.UNAVAILABLE, "The server went away after the commit")

        monkeypatch.setattr(context._journal, "record", deaf)
        return context.transact("effect", lambda _session: counted.append(1) or len(counted))

    with engine_with(store, workflow(work)) as engine:
        run = engine.trigger("w", {}, wait=True).run
        assert run is not None and run.result == 1
    assert counted == [1]


def test_a_step_gives_the_first_time_what_a_replay_would_give(store: Store) -> None:
    seen: list[Any] = []

    def work(context: RunContext, _given: Any) -> None:
        seen.append(context.step("pair", lambda: {1: (2, 3)}))
        seen.append(context.transact("more", lambda _session: (4,)))

    with engine_with(store, workflow(work)) as engine:
        engine.trigger("w", {}, wait=True)
    assert seen == [{"1": [2, 3]}, [4]]


def test_a_workflow_that_exits_is_a_failed_run(store: Store) -> None:
    def leave(_context: Any, _given: Any) -> None:
        raise SystemExit(3)

    with engine_with(store, workflow(leave, retry=Retry(attempts=3))) as engine:
        run = engine.trigger("w", {}, wait=True).run
        assert run is not None and run.status is RunStatus.FAILED
        assert run.error == "SystemExit: 3"


def test_a_run_that_ends_every_process_is_given_up(store: Store) -> None:
    with engine_with(store, workflow(lambda _context, _given: 1)) as engine:
        run_id, _ = engine.journal.begin(NewRun(execution_id(), "w", "W"), held_by("gone", -1))
        for _ in range(runs.MOST_TAKEOVERS):
            assert engine.journal.claim(held_by("gone", -1), limit=1) != []
        assert engine.journal.claim(held_by("gone", -1), limit=1) == []
        run = engine.run(run_id)
        assert run.status is RunStatus.FAILED
        assert "its process died" in (run.error or "")


def test_an_abandoned_run_is_cancelled_at_once(store: Store) -> None:
    with engine_with(store, workflow(lambda _context, _given: 1), workers=0) as engine:
        run_id, _ = engine.journal.begin(NewRun(execution_id(), "w", "W"), held_by("gone", -1))
        assert engine.cancel(run_id).status is RunStatus.CANCELLED


def test_a_run_that_is_waited_for_keeps_within_its_workflows_concurrency(store: Store) -> None:
    guard, running, most = threading.Lock(), 0, 0

    def count(_context: Any, _given: Any) -> None:
        nonlocal running, most
        with guard:
            running += 1
            most = max(most, running)
        time.sleep(0.1)
        with guard:
            running -= 1

    with engine_with(store, workflow(count, concurrency=1), workers=0) as engine:
        callers = [
            threading.Thread(target=engine.trigger, args=("w", {}), kwargs={"wait": True}) for _ in "123"
        ]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join(20)
        assert engine.journal.counts() == {"completed": 3}
    assert most == 1


def test_what_is_switched_off_waits(store: Store) -> None:
    settings = {"w": WorkflowSetting(enabled=False)}
    with engine_with(store, workflow(lambda _context, _given: 1), settings=settings) as engine:
        run_id, _ = engine.journal.submit(NewRun(execution_id(), "w", "W"))
        engine.start()
        time.sleep(0.5)
        assert engine.run(run_id).status is RunStatus.PENDING
        settings["w"] = WorkflowSetting(enabled=True)
        eventually(lambda: engine.run(run_id).status is RunStatus.COMPLETED)
