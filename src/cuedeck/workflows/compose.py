"""Workflows that people compose in TOML from built-in actions; a mistake is named with its line."""

from __future__ import annotations

import re
import time
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.workflows.actions import ACTIONS, Action
from cuedeck.workflows.model import JSON, CronTrigger, FileTrigger, Retry, Trigger, Workflow
from cuedeck.workflows.schedule import check_cron
from cuedeck.workflows.template import COMPARISONS, fill, holds, names_in

if TYPE_CHECKING:
    from cuedeck.workflows.context import RunContext

FOLDER = ".cuedeck/workflows"
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_TOP = {"id", "name", "description", "triggers", "steps", "output", "retry", "timeout_seconds", "concurrency"}
_STEP = {"id", "action", "with", "when", "for_each"}
MOST_ITEMS = 1000


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a composed workflow."""

    id: str
    action: Action
    arguments: Mapping[str, JSON]
    when: Mapping[str, JSON] | None
    for_each: str | None


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong with a file, and where."""

    file: str
    line: int
    message: str


class ComposedWorkflows:
    """The ``*.toml`` files of ``.cuedeck/workflows``, read again when they change."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._cache: dict[str, tuple[tuple[int, int], Workflow | None, list[Mistake]]] = {}

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
        return [self._load(path) for path in sorted(folder.glob("*.toml")) if path.is_file()]

    def _load(self, path: Path) -> tuple[Workflow | None, list[Mistake]]:
        status = path.stat()
        stamp = (status.st_mtime_ns, status.st_size)
        cached = self._cache.get(path.name)
        if cached is None or cached[0] != stamp:
            cached = self._cache[path.name] = (stamp, *read_workflow(path))
        return cached[1], cached[2]


def read_workflow(path: Path) -> tuple[Workflow | None, list[Mistake]]:
    """A file as a workflow, or its mistakes."""
    name = f"{FOLDER}/{path.name}"
    try:
        text = path.read_bytes().decode("utf-8-sig")
        values = tomllib.loads(text)
    except UnicodeDecodeError:
        return None, [Mistake(name, 1, "The file is not UTF-8")]
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        return None, [Mistake(name, int(found[1]) if found else 1, f"Not valid TOML: {error}")]
    reader = _Reader(name, text)
    workflow = reader.workflow(path.stem, values)
    return (None if reader.mistakes else workflow), reader.mistakes


class _Reader:
    def __init__(self, name: str, text: str) -> None:
        self.mistakes: list[Mistake] = []
        self._name = name
        self._lines = text.splitlines()

    def workflow(self, stem: str, values: dict[str, Any]) -> Workflow | None:
        self._known(values, _TOP, "", 0)
        workflow_id = values.get("id", stem)
        if not isinstance(workflow_id, str) or not _ID.fullmatch(workflow_id):
            self._wrong("id", "id", 0, "letters a-z, digits and dashes")
            workflow_id = "invalid"
        steps = self._steps(values.get("steps"))
        output = values.get("output")
        self._names_exist(output, {step.id for step in steps}, "output", 0)
        retry = values.get("retry", {})
        return Workflow(
            id=workflow_id,
            name=str(values.get("name", workflow_id)),
            description=str(values.get("description", "")),
            function=_runner(steps, output),
            triggers=tuple(self._triggers(values.get("triggers", []))),
            retry=Retry(attempts=self._whole(retry.get("attempts", 1), "attempts", 1, 20)),
            timeout_seconds=float(
                self._whole(values.get("timeout_seconds", 3600), "timeout_seconds", 1, 86400)
            ),
            concurrency=self._whole(values.get("concurrency", 1), "concurrency", 0, 100),
            source=self._name,
        )

    def _steps(self, values: Any) -> list[Step]:
        if not isinstance(values, list) or not values:
            self._wrong("steps", "steps", 0, "at least one [[steps]] table")
            return []
        steps: list[Step] = []
        for number, value in enumerate(values):
            step = self._step(number, value, {earlier.id for earlier in steps})
            if step is not None:
                steps.append(step)
        return steps

    def _step(self, number: int, value: Any, earlier: set[str]) -> Step | None:
        if not isinstance(value, dict):
            self._wrong("steps", "steps", number, "a [[steps]] table")
            return None
        self._known(value, _STEP, "steps", number)
        action = ACTIONS.get(str(value.get("action")))
        if action is None:
            self._wrong("action", "steps", number, "one of " + ", ".join(sorted(ACTIONS)))
            return None
        step_id = str(value.get("id", f"step{number + 1}"))
        if step_id in earlier:
            self._wrong("id", "steps", number, f"an id no earlier step has ('{step_id}' is taken)")
        arguments = value.get("with", {})
        self._arguments(action, arguments, number)
        when, for_each = value.get("when"), value.get("for_each")
        if when is not None and not (
            isinstance(when, dict) and "value" in when and set(when) - {"value"} <= set(COMPARISONS)
        ):
            self._wrong("when", "steps", number, "a table with value and one of " + ", ".join(COMPARISONS))
            when = None
        for part, name in ((arguments, "with"), (when, "when"), (for_each, "for_each")):
            self._names_exist(part, earlier, name, number)
        return Step(step_id, action, arguments if isinstance(arguments, dict) else {}, when, for_each)

    def _arguments(self, action: Action, arguments: Any, number: int) -> None:
        if not isinstance(arguments, dict):
            self._wrong("with", "steps", number, "a table")
            return
        for name in set(arguments) - set(action.parameters):
            self._wrong(name, "steps", number, f"one of {', '.join(action.parameters)} for {action.name}")
        for name in action.required - set(arguments):
            self._wrong("with", "steps", number, f"'{name}', which {action.name} needs")

    def _triggers(self, values: Any) -> list[Trigger]:
        triggers: list[Trigger] = []
        for number, value in enumerate(values if isinstance(values, list) else []):
            kind = value.get("kind") if isinstance(value, dict) else None
            if kind == "file":
                events = frozenset(value.get("events", ["add", "change", "unlink"]))
                if not events <= {"add", "change", "unlink"}:
                    self._wrong("events", "triggers", number, "add, change or unlink")
                triggers.append(FileTrigger(tuple(value.get("globs", ["*.md"])), events))
            elif kind == "cron":
                cron = CronTrigger(str(value.get("expression", "")), value.get("timezone"))
                try:
                    check_cron(cron)
                    triggers.append(cron)
                except CueError as error:
                    self._add("expression", "triggers", number, error.message)
            else:
                self._wrong("kind", "triggers", number, '"file" or "cron"')
        return triggers

    def _names_exist(self, value: Any, steps: set[str], key: str, number: int) -> None:
        for name in sorted(names_in(value)):
            parts = name.split(".")
            known = parts[0] in ("input", "run", "date", "item") or (
                parts[0] == "steps" and len(parts) > 1 and parts[1] in steps
            )
            if not known:
                self._add(key, "steps" if key != "output" else "", number, f"Nothing is called '{name}' here")

    def _known(self, values: dict[str, Any], known: set[str], table: str, number: int) -> None:
        for name in set(values) - known:
            self._wrong(name, table, number, f"one of {', '.join(sorted(known))}")

    def _whole(self, value: Any, name: str, least: int, most: int) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        self._wrong(name, "", 0, f"a whole number from {least} to {most}")
        return least

    def _wrong(self, key: str, table: str, number: int, expected: str) -> None:
        self._add(key, table, number, f"'{key}': expected {expected}")

    def _add(self, key: str, table: str, number: int, message: str) -> None:
        self.mistakes.append(Mistake(self._name, self._line(key, table, number), message))

    def _line(self, key: str, table: str, number: int) -> int:
        """The line of a key inside the n-th table of a name, or of that table's header."""
        start, count = 0, -1
        for position, line in enumerate(self._lines):
            if table and re.match(rf"\s*\[\[\s*{table}\s*\]\]", line):
                count += 1
                if count == number:
                    start = position
                    break
        for position in range(start, len(self._lines)):
            line = self._lines[position]
            if position > start and table and re.match(r"\s*\[", line):
                break
            if re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]", line) or re.search(
                rf"[{{,]\s*{re.escape(key)}\s*=", line
            ):
                return position + 1
        return start + 1


def _runner(steps: list[Step], output: JSON) -> Callable[[RunContext, dict[str, JSON]], JSON]:
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
    return step.action.perform(context, name, arguments)
