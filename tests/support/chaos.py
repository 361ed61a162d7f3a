"""Kills workers of a journal at random until every run has finished, and looks at what is left."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from workflow_worker import CHAOS, STEPS

from cuedeck.store.protocol import Store
from cuedeck.workflows.journal import Journal, execution_id
from cuedeck.workflows.model import NewRun

WORKER = Path(__file__).with_name("workflow_worker.py")


@dataclass(frozen=True)
class Outcome:
    """What the chaos left behind."""

    finished: int
    kills: int
    repeated_effects: int
    missing_effects: int
    longest_takeover_ms: int


def chaos(
    store: Store, *, url: str | None, root: Path, workspace_id: str, processes: int, runs: int, kills: int
) -> Outcome:
    journal = Journal(store.state)
    ids = journal.submit_many(
        [
            NewRun(execution_id(), CHAOS.id, CHAOS.name, input={"danger": kills / runs / STEPS / 4})
            for _ in range(runs)
        ]
    )
    workers = [_start(url, root, workspace_id) for _ in range(processes)]
    killed = 0
    deadline = time.monotonic() + 240
    try:
        while time.monotonic() < deadline:
            time.sleep(random.uniform(0.02, 0.3))
            for position, worker in enumerate(workers):
                if worker.poll() is not None:
                    killed += 1
                    workers[position] = _start(url, root, workspace_id)
            if journal.counts().get("completed", 0) == runs and killed >= kills:
                break
            if killed < kills:
                random.choice(workers).send_signal(signal.SIGKILL)
            if journal.counts().get("completed", 0) == runs:
                more = [NewRun(execution_id(), CHAOS.id, CHAOS.name) for _ in range(processes * 4)]
                ids += journal.submit_many(more)
                runs += len(more)
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    return _outcome(store, journal, ids, killed)


def _start(url: str | None, root: Path, workspace_id: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(WORKER), url or "", str(root), workspace_id],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _outcome(store: Store, journal: Journal, ids: list[str], killed: int) -> Outcome:
    with store.state.read() as session:
        rows = session.rows("SELECT position FROM trigger_cursors WHERE source = 'chaos'")
        gaps = session.rows(
            """SELECT later.started_at - earlier.ended_at AS gap FROM steps AS later
               JOIN steps AS earlier ON earlier.run_id = later.run_id AND earlier.seq = later.seq - 1"""
        )
    return Outcome(
        finished=journal.counts().get("completed", 0),
        kills=killed,
        repeated_effects=sum(1 for row in rows if row["position"] != 1),
        missing_effects=len(ids) * STEPS - len(rows),
        longest_takeover_ms=max((int(row["gap"]) for row in gaps), default=0),
    )
