"""The checks of ``cue doctor``, in the order they are shown.

To add one: a line in ``GROUPS`` naming a function that takes the ``Workspace`` and yields ``Finding`` records
(``model/finding.py``), best with one ``passed`` finding when all is well.
"""

from __future__ import annotations

import importlib
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuedeck.model.errors import CueError
from cuedeck.model.finding import Finding, Status

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Group:
    """A title and the function behind it; ``early`` ones take the folder and run without a workspace."""

    title: str
    function: str
    early: bool = False


GROUPS = (
    Group("Configuration", "cuedeck.cli.checks.configuration:check", early=True),
    Group("Workspace", "cuedeck.cli.checks.folder:check", early=True),
    Group("Machine", "cuedeck.cli.checks.machine:check", early=True),
    Group("Daemon", "cuedeck.cli.checks.process:check", early=True),
    Group("Store", "cuedeck.cli.checks.databases:check"),
    Group("Search", "cuedeck.cli.checks.model:check"),
    Group("Documents", "cuedeck.documents.doctor:check"),
    Group("Cards", "cuedeck.tasks.doctor:check"),
    Group("Code", "cuedeck.code.doctor:check"),
    Group("Memory", "cuedeck.memory.doctor:check"),
    Group("Workflows", "cuedeck.workflows.doctor:check"),
)


def early_findings(root: Path) -> Iterator[tuple[str, Finding]]:
    """What can be said before the workspace is opened."""
    for group in GROUPS:
        if group.early:
            yield from _run(group, root)


def engine_findings(workspace: Workspace) -> Iterator[tuple[str, Finding]]:
    """What the store and the engines say; what keeps several of them from working is said once."""
    told: set[tuple[str | None, str]] = set()
    for group in GROUPS:
        if group.early:
            continue
        for title, finding in _run(group, workspace):
            if finding.status is Status.FAIL:
                said = (finding.file, finding.message)
                if finding.check == title.lower() and said in told:
                    continue
                told.add(said)
            yield title, finding


def _run(group: Group, subject: Any) -> Iterator[tuple[str, Finding]]:
    module, _, name = group.function.partition(":")
    try:
        findings: Iterable[Finding] = getattr(importlib.import_module(module), name)(subject)
        for finding in findings:
            yield group.title, finding
    except CueError as error:
        yield group.title, Finding(group.title.lower(), Status.FAIL, error.message, fix=error.hint)
    except Exception as error:  # noqa: BLE001 - one broken check must not hide the others
        yield group.title, _broken(group, error)


def _broken(group: Group, error: Exception) -> Finding:
    import logging

    identity = secrets.token_hex(4)
    logging.getLogger("cuedeck.doctor").debug("check failed, id %s", identity, exc_info=error)
    what = f"The check itself failed: {type(error).__name__}: {error}"
    return Finding(group.title.lower(), Status.FAIL, what, fix="Run again with -v and report what it shows.")
