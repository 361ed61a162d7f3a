from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from workflow_parts import eventually

from cuedeck.store import open_store
from cuedeck.workflows.journal import Journal, execution_id
from cuedeck.workflows.model import NewRun, Run

WORKER = Path(__file__).parents[1] / "support" / "clocked_worker.py"
LIBRARY = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)

pytestmark = pytest.mark.skipif(LIBRARY is None, reason="needs libfaketime (Debian: apt install libfaketime)")


class Place:
    """A workspace whose worker processes live by a clock that a test can set."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._clock = root / "clock"
        self.set_clock("+0")
        self.store = open_store(None, root=root, workspace_id="clocked")
        self.journal = Journal(self.store.state)
        self.workers: list[subprocess.Popen[bytes]] = []

    def set_clock(self, offset: str) -> None:
        self._clock.write_text(f"{offset}\n")

    def start_worker(self) -> subprocess.Popen[bytes]:
        environ = {
            "LD_PRELOAD": str(LIBRARY),
            "FAKETIME_TIMESTAMP_FILE": str(self._clock),
            "FAKETIME_NO_CACHE": "1",
            # Setting a machine's clock does not touch its steady one.
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        worker = subprocess.Popen(
            [sys.executable, str(WORKER), str(self._root)],
            env=os.environ | environ,
            stdout=subprocess.PIPE,
        )
        self.workers.append(worker)
        assert worker.stdout is not None and worker.stdout.readline() == b"working\n"
        return worker

    def submit(self, **given: float) -> str:
        return self.journal.submit(NewRun(execution_id(), "slow", "Slow", input=dict(given)))[0]

    def status(self, run_id: str) -> Run:
        run = self.journal.find(run_id)
        assert run is not None
        return run

    def finished(self, run_id: str) -> Run:
        return eventually(lambda: (run := self.status(run_id)).status.final and run, seconds=30)

    def ticks(self) -> int:
        return self.journal.history("hourly", None, limit=100, offset=0, results=False)[1]

    def close(self) -> None:
        for worker in self.workers:
            worker.kill()
            worker.wait()
        self.store.close()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    opened = Place(tmp_path)
    yield opened
    opened.close()


def test_a_clock_set_forward_ends_no_run_twice_and_makes_one_tick_of_those_it_skipped(place: Place) -> None:
    place.start_worker()
    place.start_worker()
    first = place.submit(steps=6, seconds=0.3)
    eventually(lambda: place.journal.cursor("cron:hourly") and place.status(first).started_at)
    before = place.ticks()
    place.set_clock("+5h")
    run = place.finished(first)
    assert (run.status, run.attempt) == ("completed", 1)
    assert len(place.journal.steps(first)) == 6
    eventually(lambda: place.ticks() == before + 1, seconds=30)
    assert place.finished(place.submit()).status == "completed"
    assert place.ticks() == before + 1


def test_a_clock_set_back_strands_nothing_and_repeats_no_tick(place: Place) -> None:
    place.set_clock("+5h")
    worker = place.start_worker()
    eventually(lambda: place.journal.cursor("cron:hourly"))
    ticks = place.ticks()
    lost = place.submit(steps=1, seconds=60)
    eventually(lambda: place.status(lost).status == "running")
    worker.kill()
    worker.wait()
    place.set_clock("-2h")
    with place.store.state.write(actor="t") as session:
        session.run("UPDATE runs SET input = '{}' WHERE id = :id", id=lost)
    place.start_worker()
    assert place.finished(lost).status == "completed"
    assert place.finished(place.submit()).status == "completed"
    assert place.ticks() == ticks
