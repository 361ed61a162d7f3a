"""Kills workers of a journal at random until every run has finished, and looks at what is left."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from workflow_worker import CHAOS, LOG, STEPS

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
    takeovers: int
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
    deaths: dict[int, int] = {}
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
                chosen = random.choice(workers)
                deaths.setdefault(chosen.pid, time.time_ns())
                chosen.send_signal(signal.SIGKILL)
            if journal.counts().get("completed", 0) == runs:
                more = [NewRun(execution_id(), CHAOS.id, CHAOS.name) for _ in range(processes * 4)]
                ids += journal.submit_many(more)
                runs += len(more)
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    return _outcome(store, journal, ids, killed, takeovers(root / LOG, deaths))


def takeovers(log: Path, deaths: dict[int, int]) -> list[float]:
    """For each time that a process died with a run: milliseconds until another went on with it."""
    claims: dict[str, dict[int, tuple[int, int]]] = {}
    for line in log.read_text().splitlines():
        at, pid, what, run, fence = line.split()
        if what == "died":
            deaths[int(pid)] = min(int(at), deaths.get(int(pid), int(at)))
        else:
            claims.setdefault(run, {})[int(fence)] = (int(pid), int(at))
    found = []
    for taken in claims.values():
        for fence, (pid, _at) in taken.items():
            following = taken.get(fence + 1)
            if following is not None and pid in deaths:
                found.append((following[1] - deaths[pid]) / 1_000_000)
    return found


def _start(url: str | None, root: Path, workspace_id: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(WORKER), url or "", str(root), workspace_id],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _outcome(store: Store, journal: Journal, ids: list[str], killed: int, gaps: list[float]) -> Outcome:
    with store.state.read() as session:
        rows = session.rows("SELECT position FROM trigger_cursors WHERE source = 'chaos'")
    return Outcome(
        finished=journal.counts().get("completed", 0),
        kills=killed,
        repeated_effects=sum(1 for row in rows if row["position"] != 1),
        missing_effects=len(ids) * STEPS - len(rows),
        takeovers=len(gaps),
        longest_takeover_ms=round(max(gaps, default=0)),
    )
