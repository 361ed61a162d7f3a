"""Which workflows there are: built-in, composed in the workspace, and from installed or trusted Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Protocol, runtime_checkable

from cuedeck.config.sections import WorkflowSetting
from cuedeck.model.errors import CueError, ErrorCode, shortened
from cuedeck.workflows.model import Mistake, Workflow

Source = Callable[[], Iterable[Workflow]]


@runtime_checkable
class Files(Protocol):
    """A source that reads files, some of which may be wrong."""

    def mistakes(self) -> list[Mistake]:
        """What keeps the others from being used."""


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
        for workflow in self._offered():
            found.setdefault(workflow.id, workflow)
        return list(found.values())

    def enabled_ones(self) -> list[Workflow]:
        """Every workflow that the settings allow."""
        settings = self._settings()
        return [one for one in self.all() if _allowed(settings, one.id)]

    def mistakes(self) -> list[Mistake]:
        """Which files are not used, and why."""
        first: dict[str, Workflow] = {}
        mistakes = []
        for workflow in self._offered():
            earlier = first.setdefault(workflow.id, workflow)
            if earlier is not workflow:
                message = f"The id '{workflow.id}' is taken ({earlier.source})"
                mistakes.append(Mistake(workflow.source, 1, message, "Give it another id."))
        for source in self._sources:
            if isinstance(source, Files):
                mistakes += source.mistakes()
        return mistakes

    def _offered(self) -> Iterator[Workflow]:
        for source in self._sources:
            yield from source()

    def get(self, workflow_id: str) -> Workflow:
        """One workflow, or WORKFLOW_NOT_FOUND with the nearest name."""
        found = {workflow.id: workflow for workflow in self.all()}
        if workflow_id in found:
            return found[workflow_id]
        close = get_close_matches(workflow_id, found, 1)
        raise CueError(
            ErrorCode.WORKFLOW_NOT_FOUND,
            f"Workflow not found: {shortened(workflow_id)}",
            data={"workflowId": shortened(workflow_id)},
            hint=f"Did you mean '{close[0]}'?"
            if close
            else "list_workflows names them all; `cue workflow check` says which files are not used.",
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
        return _allowed(self._settings(), workflow_id)


def _allowed(settings: Mapping[str, WorkflowSetting], workflow_id: str) -> bool:
    setting = settings.get(workflow_id)
    return setting is None or setting.enabled
