"""Workflows that people compose in TOML from built-in actions, run step by step."""

from __future__ import annotations

import stat
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuedeck.model.errors import CueError, ErrorCode, invalid
from cuedeck.workflows.model import FOLDER, JSON, Mistake, Workflow, WorkflowFunction
from cuedeck.workflows.recipe import Step, read_recipe
from cuedeck.workflows.template import fill, holds

if TYPE_CHECKING:
    from cuedeck.workflows.context import RunContext

MOST_ITEMS = 1000


class ComposedWorkflows:
    """The ``*.toml`` files of ``.cuedeck/workflows``, read again when they change."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._cache: dict[str, tuple[tuple[int, ...], Workflow | None, list[Mistake]]] = {}

    def __call__(self) -> list[Workflow]:
        """The workflows of every file without mistakes."""
        return [workflow for workflow, _ in self._all() if workflow is not None]

    def mistakes(self) -> list[Mistake]:
        """What keeps the other files from being used."""
        return [mistake for _, mistakes in self._all() for mistake in mistakes]

    def _all(self) -> list[tuple[Workflow | None, list[Mistake]]]:
        folder = self._root / FOLDER
        if not folder.is_dir():
            return []
        return [self._load(path) for path in sorted(folder.glob("*.toml"))]

    def _load(self, path: Path) -> tuple[Workflow | None, list[Mistake]]:
        try:
            status = path.stat()
        except OSError:
            return None, []  # it went just now
        if not stat.S_ISREG(status.st_mode):
            return None, []
        stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
        cached = self._cache.get(path.name)
        if cached is None or cached[0] != stamp:
            cached = self._cache[path.name] = (stamp, *read_recipe(self._root, path, _made_of))
        return cached[1], cached[2]


def _made_of(steps: Sequence[Step], output: JSON) -> WorkflowFunction:
    def function(context: RunContext, given: dict[str, JSON]) -> JSON:
        scope: dict[str, Any] = {
            "input": given,
            "steps": {},
            "run": {"id": context.run.id, "workflow": context.run.workflow},
            "date": time.strftime("%Y-%m-%d", time.localtime(context.run.created_at / 1000)),
        }
        for number, step in enumerate(steps, 1):
            scope["steps"][step.id] = _perform(context, step, scope)
            context.progress(100 * number / len(steps))
        return fill(output, scope) if output is not None else scope["steps"]

    return function


def _perform(context: RunContext, step: Step, scope: dict[str, Any]) -> JSON:
    if step.for_each is None:
        return _perform_once(context, step, scope, step.id)
    items = fill(step.for_each, scope)
    if not isinstance(items, list) or len(items) > MOST_ITEMS:
        raise CueError(
            ErrorCode.VALIDATION, f"Step '{step.id}': for_each needs a list of at most {MOST_ITEMS} items"
        )
    return [
        _perform_once(context, step, {**scope, "item": item}, f"{step.id}[{number}]")
        for number, item in enumerate(items)
    ]


def _perform_once(context: RunContext, step: Step, scope: dict[str, Any], name: str) -> JSON:
    if step.when is not None and not holds(step.when, scope):
        return context.step(name, lambda: {"skipped": True})
    arguments = fill(dict(step.arguments), scope)
    for argument, value in arguments.items():
        if not step.action.parameters[argument].fits(value):
            raise invalid(argument, step.action.parameters[argument].expected, value)
    return step.action.perform(context, name, arguments)
