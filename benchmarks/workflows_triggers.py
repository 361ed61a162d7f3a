"""Triggers in full size: 20,000 file changes while stopped, a checkout of 5,000 files, and no loop.

    python benchmarks/workflows_triggers.py [CHANGES] [CHECKED_OUT]

Every change must start its workflow once: nothing lost, nothing twice. A workflow that writes a note where it
listens must not be started by its own note.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from cuedeck import Workspace
from cuedeck.workflows.context import RunContext
from cuedeck.workflows.engine import WorkflowEngine
from cuedeck.workflows.model import FileTrigger, Workflow
from cuedeck.workflows.registry import Registry

EVENTS = ("add", "change", "unlink")
WAIT_SECONDS = 900.0


def nothing(_context: RunContext, _given: dict[str, Any]) -> None:
    """The trigger is what is measured."""


COUNTED = Workflow("count", "Count", "", nothing, triggers=(FileTrigger(("*.md",), EVENTS),))
ECHO = """
name = "Echo"

[[triggers]]
kind = "file"
globs = ["inbox/*.md"]
events = ["add", "change"]

[[steps]]
action = "write_note"
with = { path = "inbox/echo.md", content = "last seen: {{ input.path }}" }
"""
SHOWN = 6
LETTERS = 50


class Place:
    """A workspace under git that can be opened, left and opened again."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / ".cuedeck").mkdir()
        (root / ".gitignore").write_text(".cuedeck/\n")
        self.git("init", "-q")

    def git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=self.root, check=True, stdout=subprocess.DEVNULL)

    def open(self) -> tuple[Workspace, WorkflowEngine]:
        workspace = Workspace.open(self.root, flags={"search": {"enabled": False}})
        engine = WorkflowEngine(
            workspace, Registry([lambda: [COUNTED]], dict), workspace.documents.events, workers=0
        )
        return workspace, engine


def fired(workspace: Workspace) -> Counter[tuple[str, str]]:
    """Which changes have started a run so far, and how often."""
    with workspace.store.state.read() as session:
        rows = session.rows("SELECT input FROM runs WHERE workflow = 'count'")
    return Counter((given["path"], given["event"]) for given in (json.loads(row["input"]) for row in rows))


def settle(workspace: Workspace, expected: int) -> float:
    """Seconds until as many runs were started, and then until no more came for a while."""
    began = time.perf_counter()
    reached = None
    while time.perf_counter() - began < WAIT_SECONDS:
        with workspace.store.state.read() as session:
            count = session.value("SELECT count(*) FROM runs WHERE workflow = 'count'")
        if count >= expected and reached is None:
            reached = time.perf_counter() - began
        if reached is not None and time.perf_counter() - began > reached + 5.0:
            return reached
        time.sleep(0.2)
    raise SystemExit(f"only {count} of {expected} runs were started within {WAIT_SECONDS:.0f} s")


def verdict(what: str, wanted: set[tuple[str, str]], found: Counter[tuple[str, str]], seconds: float) -> None:
    lost, twice = wanted - found.keys(), [key for key, count in found.items() if count > 1]
    extra = found.keys() - wanted
    print(
        f"{what}: {len(found)} runs after {seconds:.1f} s; "
        f"lost {len(lost)}, twice {len(twice)}, without reason {len(extra)}"
    )
    # On a busy machine git may take longer between removing and writing a file than counts as replacing it.
    for path, event in sorted({*lost, *twice, *extra})[:SHOWN]:
        print(f"  {path}: {event}")


def write(root: Path, names: list[str], text: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {path.stem}\n\n{text} {name}\n")


def while_stopped(place: Place, changes: int) -> None:
    """A fifth is added, a fifth removed, the rest changed, with nobody watching."""
    names = [f"notes/{number // 500}/note{number}.md" for number in range(changes * 4 // 5)]
    removed, changed = names[: changes // 5], names[changes // 5 :]
    added = [f"notes/new/{number // 500}/note{number}.md" for number in range(changes - len(names))]
    write(place.root, names, "before")
    workspace, engine = place.open()
    workspace.documents.refresh()
    engine.fire_due()
    engine.close()
    workspace.close()

    write(place.root, changed, "after")
    write(place.root, added, "new")
    for name in removed:
        (place.root / name).unlink()
    wanted = {(name, "change") for name in changed} | {(name, "add") for name in added}
    wanted |= {(name, "unlink") for name in removed}

    workspace, engine = place.open()
    workspace.documents.start()
    engine.start()
    seconds = settle(workspace, len(wanted))
    verdict(f"{changes} changes while stopped", wanted, fired(workspace), seconds)
    engine.close()
    workspace.close()


def checkout(place: Place, files: int) -> None:
    """A branch with other contents of as many files, checked out while everything runs."""
    names = [f"doc/{number // 500}/page{number}.md" for number in range(files)]
    write(place.root, names, "on main")
    place.git("add", "-A")
    place.git("commit", "-qm", "main")
    place.git("branch", "-M", "main")
    place.git("checkout", "-qb", "other")
    write(place.root, names, "on the other branch")
    place.git("commit", "-qam", "other")
    place.git("checkout", "-q", "main")

    workspace, engine = place.open()
    workspace.documents.refresh()
    workspace.documents.start()
    engine.start()
    engine.fire_due()
    place.git("checkout", "-q", "other")
    wanted = {(name, "change") for name in names}
    seconds = settle(workspace, len(wanted))
    verdict(f"a checkout of {files} files", wanted, fired(workspace), seconds)
    engine.close()
    workspace.close()


def own_writes(place: Place) -> None:
    """Letters come in; a workflow answers each with a note in the same folder."""
    (place.root / ".cuedeck" / "workflows").mkdir()
    (place.root / ".cuedeck" / "workflows" / "echo.toml").write_text(ECHO)
    with Workspace.open(place.root, flags={"search": {"enabled": False}}) as workspace:
        workspace.documents.start()
        workspace.workflows.start()
        while workspace.workflows.journal.cursor("files") is None:
            time.sleep(0.1)
        write(place.root, [f"inbox/letter{number}.md" for number in range(LETTERS)], "dear")
        time.sleep(20)
        runs, total = workspace.workflows.history("echo", limit=10 * LETTERS, offset=0)
    failed = sum(run.status != "completed" for run in runs)
    print(f"{LETTERS} letters, each answered with a note beside it: {total} runs, {failed} failed")


def main() -> None:
    """Each in a folder of its own."""
    changes = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    files = int(sys.argv[2]) if len(sys.argv) > 2 else 5_000
    for measure, size in ((while_stopped, changes), (checkout, files)):
        with tempfile.TemporaryDirectory() as folder:
            measure(Place(Path(folder)), size)
    with tempfile.TemporaryDirectory() as folder:
        own_writes(Place(Path(folder)))


if __name__ == "__main__":
    main()
