"""Keep the index and the scene current while files change."""

from __future__ import annotations

import signal
import threading
from datetime import datetime
from typing import TYPE_CHECKING

import click

from cuedeck.cli.commands.scene import summary
from cuedeck.cli.frame import Here
from cuedeck.cli.frame import command as define
from cuedeck.model.errors import CueError

if TYPE_CHECKING:
    from cuedeck.documents.index import Refreshed
    from cuedeck.workspace import Workspace

QUIET_SECONDS = 0.5


@define("watch")
@click.option("--no-clipboard", is_flag=True, help="Leave the clipboard alone.")
def command(here: Here, no_clipboard: bool) -> None:
    """Keep the index, SCENE.md and the clipboard current, and run workflows, until interrupted."""
    stop, changed = threading.Event(), threading.Event()

    def end(*_: object) -> None:
        stop.set()
        changed.set()

    def heard(result: Refreshed) -> None:
        for word, paths in (
            ("added", result.added),
            ("changed", result.changed),
            ("removed", result.removed),
        ):
            _say(here, f"{word} {_few(paths)}") if paths else None
        changed.set()

    with here.open() as workspace:
        with here.output.progress("Indexing") as progress:
            workspace.documents.refresh(lambda done, total: progress(done, total))
        # Not before: what has not begun to watch is interrupted like any other command.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, end)
        workspace.documents.freshness.listen(heard)
        workspace.documents.start()
        workspace.workflows.start()
        here.output.note(f"Watching {workspace.root}. Press Ctrl+C to stop.")
        last = _update(here, workspace, None, copied=not no_clipboard)
        while _quiet(changed, stop):
            last = _update(here, workspace, last, copied=not no_clipboard)
    here.output.note("Stopped.")


def _quiet(changed: threading.Event, stop: threading.Event) -> bool:
    """Wait for a change and then until nothing has changed for a moment; False when asked to stop."""
    changed.wait()
    while not stop.is_set():
        changed.clear()
        if not changed.wait(QUIET_SECONDS):
            return True
    return False


def _update(here: Here, workspace: Workspace, last: str | None, *, copied: bool) -> str | None:
    try:
        scene = workspace.scene.build()
        if scene.text == last:
            return last
        workspace.scene.write(scene)
    except CueError as error:
        _say(here, f"no scene: {error.message}. {error.hint or ''}".rstrip())
        return None
    done = ""
    if copied:
        from cuedeck.scene.clipboard import copy

        done = f", copied with {name}" if (name := copy(scene.text)) else ", no clipboard"
    _say(here, summary(scene) + done)
    return scene.text


def _say(here: Here, text: str) -> None:
    here.output.note(f"{datetime.now():%H:%M:%S} {text}")


def _few(paths: list[str]) -> str:
    shown = ", ".join(paths[:3])
    return shown if len(paths) <= 3 else f"{shown} and {len(paths) - 3} more"
