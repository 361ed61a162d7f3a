"""Workflow engine on SQLite: start, five-step runs, throughput, idle cost; DBOS beside it in the same run.

python -m benchmarks.workflows_bench
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks._peers import ABSENT, PYTHON

QUEUED = 2000


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


def parts():  # type: ignore[no-untyped-def]
    """Ours, imported late: the Python of DBOS has none of it."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
    from workflow_parts import engine_with, eventually

    from cuedeck.store import open_store

    return engine_with, eventually, open_store


def ours(folder: Path) -> None:
    from cuedeck.workflows.model import Workflow

    engine_with, eventually, open_store = parts()
    store = open_store(None, root=folder, workspace_id="bench")
    with engine_with(store, Workflow("five", "Five", "", five), workers=2) as engine:
        engine.trigger("five", {}, wait=True)
        print("CueDeck, five steps, waited for:", timed(lambda: engine.trigger("five", {}, wait=True), 200))
        print(
            "CueDeck, start async:", timed(lambda: engine.trigger("five", {}, wait=False, start=False), 200)
        )
        engine.start()
        eventually(lambda: engine.journal.counts().get("pending", 0) == 0, seconds=60)
        cpu = time.process_time()
        time.sleep(10)
        print(f"CueDeck, idle: {(time.process_time() - cpu) * 10:.2f} % CPU (goal 0.2)")
    store.close()


def throughput(folder: Path, workers: int) -> None:
    from cuedeck.workflows.journal import execution_id
    from cuedeck.workflows.model import NewRun, Workflow

    engine_with, _, open_store = parts()
    store = open_store(None, root=folder, workspace_id="bench")
    with engine_with(store, Workflow("five", "Five", "", five), workers=workers) as engine:
        engine.journal.submit_many([NewRun(execution_id(), "five", "Five") for _ in range(QUEUED)])
        start, cpu = time.perf_counter(), time.process_time()
        engine.start()
        # Counting thousands of runs is work too: look seldom.
        while engine.journal.counts().get("completed", 0) < QUEUED:
            time.sleep(0.1)
        rate, each = QUEUED / (time.perf_counter() - start), (time.process_time() - cpu) * 1000 / QUEUED
        print(
            f"CueDeck, {workers} workers, queued five-step runs: {rate:.0f} a second (goal 500), "
            f"{each:.2f} ms of processor each"
        )
    store.close()


def beside(python: Path) -> None:
    """DBOS, measured by its own Python."""
    if not python.exists():
        print(f"DBOS is {ABSENT}")
        return
    command = [python, "-m", "benchmarks.workflows_bench", "--as-dbos"]
    subprocess.run(command, check=True, timeout=300, cwd=Path(__file__).parents[1])


def dbos(folder: Path) -> None:
    from dbos import DBOS, DBOSConfig

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
    print("DBOS, five steps, waited for:", timed(five_steps, 200))
    handles = []
    print("DBOS, start async:", timed(lambda: handles.append(DBOS.start_workflow(five_steps)), 200))
    for handle in handles:
        handle.get_result()
    start, cpu = time.perf_counter(), time.process_time()
    for handle in [DBOS.start_workflow(five_steps) for _ in range(QUEUED // 4)]:
        handle.get_result()
    rate = QUEUED // 4 / (time.perf_counter() - start)
    each = (time.process_time() - cpu) * 1000 / (QUEUED // 4)
    print(f"DBOS, five-step runs started together: {rate:.0f} a second, {each:.2f} ms of processor each")
    cpu = time.process_time()
    time.sleep(10)
    print(f"DBOS, idle: {(time.process_time() - cpu) * 10:.2f} % CPU")
    DBOS.destroy()


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--as-dbos", action="store_true", help=argparse.SUPPRESS)
    chosen = given.parse_args()
    with tempfile.TemporaryDirectory() as name:
        if chosen.as_dbos:
            dbos(Path(name))
            return
        ours(Path(name))
    for workers in (2, 4):
        with tempfile.TemporaryDirectory() as name:
            throughput(Path(name), workers)
    beside(PYTHON / "python")


if __name__ == "__main__":
    main()
