"""A worker on SQLite whose clock can be set while it runs; it reports what it executes."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from typing import Any

from workflow_parts import engine_with

from cuedeck.store import open_store
from cuedeck.workflows import triggers
from cuedeck.workflows.context import RunContext
from cuedeck.workflows.model import CronTrigger, Workflow


def slow(context: RunContext, given: dict[str, Any]) -> str:
    """Say what the clock shows, then take a while over every step."""
    for number in range(int(given.get("steps", 1))):
        context.step(f"step{number}", lambda: time.sleep(given.get("seconds", 0)))
    return f"{time.time():.0f}"


WORKFLOWS = (
    Workflow("slow", "Slow", "", slow),
    Workflow("hourly", "Hourly", "", slow, triggers=(CronTrigger("0 * * * *", "UTC"),)),
)


def main(root: str) -> None:
    # libfaketime refuses the absolute sleep that Python asks the kernel for.
    time.sleep = lambda seconds: threading.Event().wait(seconds) and None
    # A user waits up to half a minute for a clock that was set to be noticed; a test does not.
    triggers.LONGEST_SLEEP = 0.5
    store = open_store(None, root=Path(root), workspace_id="clocked")
    with engine_with(store, *WORKFLOWS, workers=2) as engine:
        engine.start()
        print("working", flush=True)
        time.sleep(120)


if __name__ == "__main__":
    main(sys.argv[1])
