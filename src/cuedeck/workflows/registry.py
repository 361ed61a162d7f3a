"""Which workflows there are: built-in, composed in the workspace, and from installed or trusted Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches

from cuedeck.config.sections import WorkflowSetting
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.workflows.model import Workflow

Source = Callable[[], Iterable[Workflow]]


class Registry:
    """Asks its sources each time, so that an edited workflow is picked up without a restart."""

    def __init__(
        self, sources: Iterable[Source], settings: Callable[[], Mapping[str, WorkflowSetting]]
    ) -> None:
        self._sources = tuple(sources)
        self._settings = settings

    def all(self) -> list[Workflow]:
        """Every workflow; the first source to use an id keeps it."""
        found: dict[str, Workflow] = {}
        for source in self._sources:
            for workflow in source():
                found.setdefault(workflow.id, workflow)
        return list(found.values())

    def get(self, workflow_id: str) -> Workflow:
        """One workflow, or WORKFLOW_NOT_FOUND with the nearest name."""
        found = {workflow.id: workflow for workflow in self.all()}
        if workflow_id in found:
            return found[workflow_id]
        close = get_close_matches(workflow_id, found, 1)
        raise CueError(
            ErrorCode.WORKFLOW_NOT_FOUND,
            f"Workflow not found: {workflow_id}",
            data={"workflowId": workflow_id},
            hint=f"Did you mean '{close[0]}'?" if close else "list_workflows names them all.",
        )

    def runnable(self, workflow_id: str) -> Workflow:
        """A workflow that exists and is enabled."""
        workflow = self.get(workflow_id)
        if not self.enabled(workflow_id):
            raise CueError(
                ErrorCode.WORKFLOW_DISABLED,
                f"Workflow disabled: {workflow_id}",
                data={"workflowId": workflow_id},
                hint=f"`cue workflow enable {workflow_id}` switches it on.",
            )
        return workflow

    def enabled(self, workflow_id: str) -> bool:
        """Whether the settings allow it."""
        setting = self._settings().get(workflow_id)
        return setting is None or setting.enabled
