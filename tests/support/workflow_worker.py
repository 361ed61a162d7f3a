"""A process that takes part in running a journal until it is killed; sometimes it kills itself mid-step."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

from workflow_parts import engine_with

from cuedeck.store import open_store
from cuedeck.store.protocol import Session
from cuedeck.workflows.context import RunContext
from cuedeck.workflows.model import Workflow

STEPS = 6
LOG = Path("chaos.log")


def note(what: str, run: str = "-", fence: int = 0) -> None:
    """One line in a log that all processes share: when, which process, what, and for which claim of a run."""
    with LOG.open("a") as log:
        log.write(f"{time.time_ns()} {os.getpid()} {what} {run} {fence}\n")


def count_once(context: RunContext, given: dict[str, Any]) -> int:
    """Six steps, each adding one to a counter of its own; above one, an effect happened twice."""
    note("took", context.run.id, context.run.fence)
    for number in range(STEPS):
        name = f"effect:{context.run.id}:{number}"

        def add(session: Session, name: str = name) -> int:
            now = session.value("SELECT position FROM trigger_cursors WHERE name = :name", name=name) or 0
            session.upsert(
                "trigger_cursors", {"name": name, "source": "chaos", "position": now + 1}, key=["name"]
            )
            _maybe_die(given.get("danger", 0))
            return int(now) + 1

        context.transact(f"step{number}", add, progress=100 * (number + 1) / STEPS)
        _maybe_die(given.get("danger", 0))
    return STEPS


def _maybe_die(danger: float) -> None:
    if random.random() < danger:
        note("died")
        os.kill(os.getpid(), signal.SIGKILL)


CHAOS = Workflow("chaos", "Chaos", "Counts its own steps", count_once)


def main(url: str, root: str, workspace_id: str) -> None:
    os.chdir(root)
    store = open_store(url or None, root=Path(root), workspace_id=workspace_id)
    with engine_with(store, CHAOS, workers=2) as engine:
        engine.start()
        print("working", flush=True)
        time.sleep(300)


if __name__ == "__main__":
    main(*sys.argv[1:4])
