"""Workflow engine on SQLite: start, five-step runs, throughput, idle cost; DBOS beside it if installed."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from workflow_parts import engine_with, eventually

from cuedeck.store import open_store
from cuedeck.workflows.journal import execution_id
from cuedeck.workflows.model import NewRun, Workflow


def five(context, _given):  # type: ignore[no-untyped-def]
    for number in range(5):
        context.step(f"step{number}", lambda number=number: number)
    return 5


def timed(action, times):  # type: ignore[no-untyped-def]
    took = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        took.append((time.perf_counter() - start) * 1000)
    return f"p50 {statistics.median(took):.2f} ms, p95 {sorted(took)[int(times * 0.95)]:.2f} ms"


def ours(folder: Path) -> None:
    store = open_store(None, root=folder, workspace_id="bench")
    with engine_with(store, Workflow("five", "Five", "", five), workers=2) as engine:
        engine.trigger("five", {}, wait=True)
        print("CueDeck, five steps, waited for:", timed(lambda: engine.trigger("five", {}, wait=True), 200))
        print(
            "CueDeck, start async:", timed(lambda: engine.trigger("five", {}, wait=False, start=False), 200)
        )
        engine.start()
        eventually(lambda: engine.journal.counts().get("pending", 0) == 0, seconds=60)
        before = engine.journal.counts().get("completed", 0)
        batch = [NewRun(execution_id(), "five", "Five") for _ in range(2000)]
        start = time.perf_counter()
        engine.journal.submit_many(batch)
        engine._runner.wake()
        eventually(lambda: engine.journal.counts().get("completed", 0) >= before + 2000, seconds=120)
        print(f"CueDeck, queued five-step runs: {2000 / (time.perf_counter() - start):.0f} runs/s (goal 500)")
        cpu = time.process_time()
        time.sleep(10)
        print(f"CueDeck, idle: {(time.process_time() - cpu) * 10:.2f} % CPU (goal 0.2)")
    store.close()


def dbos(folder: Path) -> None:
    try:
        from dbos import DBOS, DBOSConfig
    except ImportError:
        print("DBOS: not installed (pip install dbos)")
        return

    config: DBOSConfig = {
        "name": "bench",
        "system_database_url": f"sqlite:///{folder / 'dbos.db'}",
        "log_level": "ERROR",
    }
    DBOS(config=config)

    @DBOS.step()
    def one(number: int) -> int:
        return number

    @DBOS.workflow()
    def five_steps() -> int:
        for number in range(5):
            one(number)
        return 5

    DBOS.launch()
    five_steps()
    print("DBOS, five steps, waited for:", timed(five_steps, 50))
    print("DBOS, start async:", timed(lambda: DBOS.start_workflow(five_steps), 50))
    DBOS.destroy()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        ours(Path(name))
        dbos(Path(name))
