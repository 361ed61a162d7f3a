"""What ``cue doctor`` says about memories: how many wait for a vector, and whether their words are found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cuedeck.model.finding import Finding, Status, passed

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace


def check(workspace: Workspace) -> Iterator[Finding]:
    """Counts of the memory engine."""
    counted = workspace.memory.stats()
    total, waiting = counted["total"], counted["pending_embeddings"]
    yield passed("memories", f"{total} memories, {counted['total_links']} links")
    if waiting and workspace.config.search.enabled:
        yield Finding(
            "memory vectors",
            Status.WARN,
            f"{waiting} of {total} memories wait for their vector and are found by keyword only",
            fix="A running daemon or server makes them in the background; start one, or install the model.",
        )
