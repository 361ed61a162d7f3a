"""The workflow engine: journal, triggers, built-ins, user workflows. Import `open_engine`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cuedeck.workflows.engine import WorkflowEngine
    from cuedeck.workspace import Workspace


def open_engine(workspace: Workspace) -> WorkflowEngine:
    """The engine of a workspace with everything it can run."""
    from cuedeck.documents.events import FileEvents
    from cuedeck.workflows.builtin import builtin_workflows
    from cuedeck.workflows.compose import ComposedWorkflows
    from cuedeck.workflows.engine import WorkflowEngine
    from cuedeck.workflows.python import InstalledPython, WorkspacePython
    from cuedeck.workflows.registry import Registry, Source
    from cuedeck.workflows.switch import Switches
    from cuedeck.workflows.trust import TrustLedger

    built_in = builtin_workflows()
    sources: list[Source] = [
        lambda: built_in,
        InstalledPython(),
        ComposedWorkflows(workspace.root),
        WorkspacePython(workspace.root, TrustLedger()),
    ]
    return WorkflowEngine(
        workspace,
        Registry(sources, Switches(workspace.root, workspace.config.workflows.by_id)),
        FileEvents(workspace.store.index, workspace.root),
        workers=workspace.config.workflows.workers,
    )
