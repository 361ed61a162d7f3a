"""What ``cue doctor`` says about workflows: files that are not used, and runs that failed or do not end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cuedeck.model.clock import DAY_MS, now_ms
from cuedeck.model.finding import Finding, Status, passed

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace


def check(workspace: Workspace) -> Iterator[Finding]:
    """The files people wrote, then the journal."""
    engine = workspace.workflows
    mistakes = engine.registry.mistakes()
    for mistake in mistakes:
        yield Finding(
            "workflow file",
            Status.WARN,
            mistake.message,
            file=mistake.file,
            line=mistake.line,
            fix=mistake.fix or "Correct the file; `cue workflow check` reads it again.",
        )
    if not mistakes:
        yield passed("workflow files", f"{len(engine.registry.all())} workflows can run")
    now = now_ms()
    stuck = engine.journal.overdue(now - DAY_MS)
    failed = engine.journal.failed_since(now - DAY_MS)
    if stuck:
        yield Finding(
            "queue",
            Status.WARN,
            f"{stuck} runs have waited for more than a day",
            fix="A daemon or `cue worker` runs them; `cue workflow history` names them.",
        )
    if failed:
        yield Finding(
            "runs",
            Status.WARN,
            f"{failed} runs failed in the last day",
            fix="`cue workflow history` shows each with its error.",
        )
    if not stuck and not failed:
        yield passed("runs", "none failed in the last day, and none waits too long")
