"""health_check: every part is probed for real, each time it is asked."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from cuedeck import __version__
from cuedeck.mcp.incident import unexpected
from cuedeck.mcp.shapes import BOOLEAN, INTEGER, STRING, mapping, object_of, one_of
from cuedeck.mcp.tool import READS, Answer, Arguments, Call, Tool
from cuedeck.model.deck import Deck
from cuedeck.model.errors import CueError, ErrorCode

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace


class HealthCheck(Arguments):
    """No arguments."""


class _RollBack(Exception):
    """Undoes the probe's write."""


def probe_store(workspace: Workspace) -> None:
    """Read both databases, and write to both without leaving anything behind."""
    for database in (workspace.store.index, workspace.store.state):
        with database.read() as session:
            session.value("SELECT 1")
        try:
            with database.write(actor="health_check") as session:
                session.value("SELECT 1")
                raise _RollBack
        except _RollBack:
            pass


def probe_files(workspace: Workspace) -> None:
    """List the workspace's root and write a file in its own folder."""
    with os.scandir(workspace.root) as entries:
        next(entries, None)
    with tempfile.NamedTemporaryFile(dir=workspace.folder, prefix=".health-") as probe:
        probe.write(b"ok")
        probe.flush()


def probe_workflows(workspace: Workspace) -> None:
    """Ask journal, scheduler and workers, and the watcher that feeds them, what is wrong with them."""
    problems = [*workspace.workflows.check(), *workspace.documents.freshness.problems()]
    if problems:
        raise CueError(ErrorCode.UNAVAILABLE, "; ".join(problems))


# Files first: opening the store creates what is missing, which would hide that a folder was gone.
PROBES: Mapping[str, Callable[[Workspace], None]] = {
    "fileSystem": probe_files,
    "shadowCache": probe_store,
    "workflowEngine": probe_workflows,
}


def health(workspace: Workspace) -> tuple[str, dict[str, bool], dict[str, str]]:
    """The overall status, each component's state, and what is wrong with those that fail."""
    problems: dict[str, str] = {}
    for component, probe in PROBES.items():
        try:
            probe(workspace)
        except CueError as error:
            problems[component] = error.message
        except OSError as error:
            problems[component] = error.strerror or type(error).__name__
        except Exception as error:  # noqa: BLE001 - a broken part is what this tool is there to report
            problems[component] = unexpected(f"probe of {component}", error).message
    components = {component: component not in problems for component in PROBES}
    if not components["shadowCache"]:
        return "unhealthy", components, problems
    return ("degraded" if problems else "healthy"), components, problems


def _health_check(call: Call[HealthCheck]) -> Answer:
    status, components, problems = health(call.workspace)
    return Answer(
        {
            "status": status,
            "components": components,
            "uptime": call.activity.uptime_ms,
            "requestCount": call.activity.requests,
            "version": __version__,
            **({"problems": problems} if problems else {}),
        }
    )


_OUTPUT = object_of(
    {
        "status": one_of("healthy", "degraded", "unhealthy"),
        "components": object_of(dict.fromkeys(PROBES, BOOLEAN)),
        "uptime": {"type": "integer", "description": "Milliseconds"},
        "requestCount": INTEGER,
        "version": STRING,
    },
    problems=mapping(STRING),
)

TOOLS = (
    Tool(
        name="health_check",
        deck=Deck.VAULT,
        title="Check health",
        description="Probe the index, the workflow engine and the file system; uptime and version.",
        arguments=HealthCheck,
        output=_OUTPUT,
        effects=READS,
        handler=_health_check,
        needs_folder=False,
    ),
)
