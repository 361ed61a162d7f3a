"""Whether the databases open and are sound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cuedeck.model.finding import Finding, Status, passed

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace


def check(workspace: Workspace) -> Iterator[Finding]:
    """Open both databases and ask them for integrity problems."""
    store = workspace.store
    for name, database, fix in (
        ("state", store.state, "cue state import a backup; the damaged file is kept."),
        ("index", store.index, "cue clean; the index is made again."),
    ):
        problems = database.check()
        if not problems:
            yield passed(f"{name} database", "It opens, and its integrity check is clean.")
        for problem in problems[:20]:
            yield Finding(f"{name} database", Status.FAIL, problem, fix=fix)
