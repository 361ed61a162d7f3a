"""A workflow's TOML file, read and checked: every mistake is named with its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cuedeck.config.source import parse_toml
from cuedeck.model.errors import CueError
from cuedeck.paths import confine_file, read_file
from cuedeck.patterns import is_pattern
from cuedeck.workflows.actions import ACTIONS, COUNT, NAMES, TEXT, Action, Parameter, choice, choices
from cuedeck.workflows.model import (
    FOLDER,
    JSON,
    ChangeTrigger,
    CronTrigger,
    FileTrigger,
    Mistake,
    Retry,
    Trigger,
    Workflow,
    WorkflowFunction,
)
from cuedeck.workflows.schedule import check_cron
from cuedeck.workflows.template import COMPARISONS, names_in

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_TOP = {
    *("id", "name", "description", "triggers", "steps", "output"),
    *("retry", "timeout_seconds", "concurrency", "queue_limit", "priority"),
}
_STEP = {"id", "action", "with", "when", "for_each"}
_SOURCES = {"task": "agent_tasks", "memory": "memories"}
_TRIGGERS: Mapping[str, Mapping[str, Parameter]] = {
    "file": {"globs": NAMES, "events": choices("add", "change", "unlink")},
    "cron": {"expression": TEXT, "timezone": TEXT},
    "event": {
        "of": choice(*_SOURCES),
        "operations": choices("insert", "update", "delete"),
        "field": TEXT,
        "becomes": TEXT,
    },
}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a composed workflow."""

    id: str
    action: Action
    arguments: Mapping[str, JSON]
    when: Mapping[str, JSON] | None
    for_each: JSON


Make = Callable[[Sequence[Step], JSON], WorkflowFunction]


def read_recipe(root: Path, path: Path, make: Make) -> tuple[Workflow | None, list[Mistake]]:
    """A file as the workflow that is made of its steps and output, or its mistakes, from the top."""
    name = f"{FOLDER}/{path.name}"
    try:
        text = read_file(confine_file(root, name)).data.decode("utf-8-sig")
        reader = _Reader(name, text)
        workflow = reader.workflow(path.stem, parse_toml(text), make)
    except CueError as error:
        return None, [Mistake(name, 1, error.message)]
    except UnicodeDecodeError:
        return None, [Mistake(name, 1, "The file is not UTF-8")]
    except ValueError as error:  # also for a number of thousands of digits
        found = re.search(r"line (\d+)", str(error))
        return None, [Mistake(name, int(found[1]) if found else 1, f"Not valid TOML: {error}")]
    except RecursionError:
        return None, [Mistake(name, 1, "The values are nested too deep")]
    mistakes = sorted(reader.mistakes, key=lambda mistake: mistake.line)
    return (None if mistakes else workflow), mistakes


class _Reader:
    def __init__(self, name: str, text: str) -> None:
        self.mistakes: list[Mistake] = []
        self._name = name
        self._lines = text.splitlines()

    def workflow(self, stem: str, values: dict[str, Any], make: Make) -> Workflow:
        self._known(values, _TOP, "", 0)
        workflow_id = values.get("id", stem)
        if not isinstance(workflow_id, str) or not _ID.fullmatch(workflow_id):
            self._wrong("id", "id", 0, "letters a-z, digits and dashes")
            workflow_id = "invalid"
        steps = self._steps(values.get("steps"))
        output = values.get("output")
        self._names_exist(output, {step.id for step in steps}, "output", 0, table="output")
        return Workflow(
            id=workflow_id,
            name=self._words(values, "name", workflow_id),
            description=self._words(values, "description", ""),
            triggers=tuple(self._triggers(values.get("triggers", []))),
            function=make(steps, output),
            retry=self._retry(values.get("retry", {})),
            timeout_seconds=float(self._whole(values, "timeout_seconds", 3600, 1, 86400)),
            concurrency=self._whole(values, "concurrency", 1, 0, 100),
            queue_limit=self._whole(values, "queue_limit", 0, 0, 1_000_000),
            priority=self._whole(values, "priority", 5, 0, 9),
            source=self._name,
        )

    def _steps(self, values: Any) -> list[Step]:
        if not isinstance(values, list) or not values:
            self._wrong("steps", "", 0, "at least one [[steps]] table")
            return []
        steps: list[Step] = []
        for number, value in enumerate(values):
            step = self._step(number, value, {earlier.id for earlier in steps})
            if step is not None:
                steps.append(step)
        return steps

    def _step(self, number: int, value: Any, earlier: set[str]) -> Step | None:
        if not isinstance(value, dict):
            self._wrong("steps", "", 0, "a [[steps]] table")
            return None
        self._known(value, _STEP, "steps", number)
        action = ACTIONS.get(str(value.get("action")))
        if action is None:
            self._wrong("action", "steps", number, "one of " + ", ".join(sorted(ACTIONS)))
            return None
        step_id = value.get("id", f"step{number + 1}")
        if not isinstance(step_id, str) or not re.fullmatch(r"[A-Za-z0-9_-]+", step_id):
            self._wrong("id", "steps", number, "letters, digits, dashes and underscores")
            step_id = f"step{number + 1}"
        if step_id in earlier:
            self._wrong("id", "steps", number, f"an id no earlier step has ('{step_id}' is taken)")
        arguments, for_each = value.get("with", {}), value.get("for_each")
        self._arguments(action, arguments, number)
        when = self._condition(value.get("when"), number)
        if for_each is not None and not isinstance(for_each, list) and not names_in(for_each):
            self._wrong("for_each", "steps", number, "a list, or the name of one as {{ steps.id.files }}")
        self._names_exist(for_each, earlier, "for_each", number, table="steps")
        for part, name in ((arguments, "with"), (when, "when")):
            self._names_exist(part, earlier, name, number, table="steps", item=for_each is not None)
        return Step(step_id, action, arguments if isinstance(arguments, dict) else {}, when, for_each)

    def _condition(self, value: Any, number: int) -> Mapping[str, JSON] | None:
        if value is None:
            return None
        if isinstance(value, dict) and "value" in value:
            compared = set(value) - {"value"}
            if compared and compared <= set(COMPARISONS):
                return value
        self._wrong("when", "steps", number, "a table with value and one of " + ", ".join(COMPARISONS))
        return None

    def _arguments(self, action: Action, arguments: Any, number: int) -> None:
        if not isinstance(arguments, dict):
            self._wrong("with", "steps", number, "a table")
            return
        for name, value in arguments.items():
            parameter = action.parameters.get(name)
            if parameter is None:
                self._wrong(name, "steps", number, f"one of {', '.join(action.parameters)} for {action.name}")
            elif not names_in(value) and not parameter.fits(value):
                self._wrong(name, "steps", number, parameter.expected)
        for name in sorted(action.required - set(arguments)):
            self._wrong("with", "steps", number, f"'{name}', which {action.name} needs")

    def _triggers(self, values: Any) -> Iterator[Trigger]:
        if not isinstance(values, list):
            self._wrong("triggers", "", 0, "[[triggers]] tables")
            return
        for number, value in enumerate(values):
            kind = value.get("kind") if isinstance(value, dict) else None
            if not isinstance(kind, str) or kind not in _TRIGGERS:
                self._wrong("kind", "triggers", number, "one of " + ", ".join(_TRIGGERS))
                continue
            before = len(self.mistakes)
            for name, given in value.items():
                parameter = _TRIGGERS[kind].get(name)
                if parameter is None and name != "kind":
                    self._wrong(name, "triggers", number, f"one of {', '.join(_TRIGGERS[kind])} for {kind}")
                elif parameter is not None and not parameter.fits(given):
                    self._wrong(name, "triggers", number, parameter.expected)
            trigger = self._trigger(kind, value, number) if len(self.mistakes) == before else None
            if trigger is not None:
                yield trigger

    def _trigger(self, kind: str, value: Mapping[str, Any], number: int) -> Trigger | None:
        try:
            if kind == "file":
                globs = tuple(value.get("globs", ["*.md"]))
                if not all(map(is_pattern, globs)):
                    self._wrong("globs", "triggers", number, "patterns as in .gitignore")
                    return None
                return FileTrigger(globs, frozenset(value.get("events", ("add", "change", "unlink"))))
            if kind == "cron":
                cron = CronTrigger(str(value.get("expression", "")), value.get("timezone"))
                check_cron(cron)
                return cron
        except CueError as error:
            key = "timezone" if error.data.get("field") == "timezone" else "expression"
            self._add(key, "triggers", number, error.message)
            return None
        if "of" not in value:
            self._wrong("of", "triggers", number, "one of " + ", ".join(_SOURCES))
            return None
        return ChangeTrigger(
            _SOURCES[value["of"]],
            frozenset(value.get("operations", ("insert", "update", "delete"))),
            value.get("field"),
            value.get("becomes"),
        )

    def _retry(self, value: Any) -> Retry:
        if not isinstance(value, dict):
            self._wrong("retry", "", 0, "a table with attempts, base_seconds and most_seconds")
            return Retry()
        self._known(value, {"attempts", "base_seconds", "most_seconds"}, "", 0)
        return Retry(
            attempts=self._whole(value, "attempts", 1, 1, 20),
            base_seconds=float(self._whole(value, "base_seconds", 1, 0, 3600)),
            most_seconds=float(self._whole(value, "most_seconds", 300, 1, 86400)),
        )

    def _names_exist(
        self, value: Any, steps: set[str], key: str, number: int, *, table: str, item: bool = False
    ) -> None:
        for name in sorted(names_in(value)):
            first, *rest = name.split(".")
            known = first in ("input", "run", "date") or (first == "item" and item)
            if not known and not (first == "steps" and rest and rest[0] in steps):
                self._add(key, table, number, f"Nothing is called '{name}' here")

    def _known(self, values: dict[str, Any], known: set[str], table: str, number: int) -> None:
        for name in sorted(set(values) - known):
            self._wrong(name, table, number, f"one of {', '.join(sorted(known))}")

    def _words(self, values: dict[str, Any], name: str, default: str) -> str:
        value = values.get(name, default)
        if isinstance(value, str):
            return value
        self._wrong(name, "", 0, "a string")
        return default

    def _whole(self, values: dict[str, Any], name: str, default: int, least: int, most: int) -> int:
        value = values.get(name, default)
        if COUNT.fits(value) and least <= value <= most:
            return int(value)
        self._wrong(name, "", 0, f"a whole number from {least} to {most}")
        return default

    def _wrong(self, key: str, table: str, number: int, expected: str) -> None:
        self._add(key, table, number, f"'{key}': expected {expected}")

    def _add(self, key: str, table: str, number: int, message: str) -> None:
        self.mistakes.append(Mistake(self._name, self._line(key, table, number), message))

    def _line(self, key: str, table: str, number: int) -> int:
        """The line of a key inside the n-th table of a name, or of that table's header."""
        start, count = 0, -1
        for position, line in enumerate(self._lines):
            if table and re.match(rf"\s*\[\[?\s*{table}\s*\]", line):
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
