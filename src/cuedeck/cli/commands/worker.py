"""Run queued workflows until interrupted."""

from __future__ import annotations

import signal
import threading

from cuedeck.cli.frame import Here
from cuedeck.cli.frame import command as define


@define("worker")
def command(here: Here) -> None:
    """Run queued workflows and their triggers until interrupted; any number of workers may share a store."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    with here.open() as workspace:
        workspace.workflows.start()
        here.output.note(f"Working for {workspace.root}. Press Ctrl+C to stop.")
        stop.wait()
    here.output.note("Stopped; work under way was given back.")
