"""Workflows written in Python: from installed packages, or from the workspace once a person trusts them."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoints, entry_points
from pathlib import Path
from traceback import walk_tb
from types import ModuleType

from cuedeck.model.errors import CueError, invalid
from cuedeck.paths import confine_file, read_file
from cuedeck.patterns import is_pattern
from cuedeck.workflows.model import FOLDER, CronTrigger, FileTrigger, Mistake, Trigger, Workflow
from cuedeck.workflows.schedule import check_cron
from cuedeck.workflows.trust import TrustLedger

log = logging.getLogger(__name__)
GROUP = "cuedeck.workflows"
# Somebody's module may do anything while it is imported, also try to end the process.
LOADING_FAILURES = (Exception, SystemExit)


def offered_by_packages() -> EntryPoints:
    """What installed packages name, looked up once: it reads a file of every package."""
    return _offered_on(tuple(sys.path))


@cache
def _offered_on(_path: tuple[str, ...]) -> EntryPoints:
    return entry_points(group=GROUP)


class InstalledPython:
    """What installed packages offer under the entry point group ``cuedeck.workflows``; loaded once."""

    def __init__(self) -> None:
        self._found: list[Workflow] | None = None
        self._mistakes: list[Mistake] = []

    def __call__(self) -> list[Workflow]:
        """The workflows of every package that could be loaded."""
        if self._found is None:
            self._found = []
            for entry in offered_by_packages():
                source = f"package {entry.value}"
                try:
                    self._found += _workflows(entry.load(), source=source)
                except LOADING_FAILURES as error:
                    log.info("the workflow package %s could not be loaded", entry.name, exc_info=True)
                    self._mistakes.append(Mistake(source, 1, _said(error)))
        return self._found

    def mistakes(self) -> list[Mistake]:
        """Which packages could not be loaded."""
        self()
        return self._mistakes


class WorkspacePython:
    """Trusted ``*.py`` files of ``.cuedeck/workflows``; each is loaded once per content."""

    def __init__(self, root: Path, ledger: TrustLedger) -> None:
        self._root = root
        self._ledger = ledger
        self._loaded: dict[str, tuple[bytes, list[Workflow], list[Mistake]]] = {}

    def __call__(self) -> list[Workflow]:
        """The workflows of every file whose present content is trusted."""
        return [workflow for name in self._files() for workflow in self._load(name)[0]]

    def mistakes(self) -> list[Mistake]:
        """Which files are not trusted or could not be loaded."""
        return [mistake for name in self._files() for mistake in self._load(name)[1]]

    def _files(self) -> Iterator[str]:
        folder = self._root / FOLDER
        for path in sorted(folder.glob("*.py")) if folder.is_dir() else ():
            yield f"{FOLDER}/{path.name}"

    def _load(self, name: str) -> tuple[list[Workflow], list[Mistake]]:
        try:
            path = confine_file(self._root, name)
            content = read_file(path).data
        except CueError as error:
            return [], [Mistake(name, 1, error.message)]
        if not self._ledger.trusts(path.absolute, content):
            fix = f"Read it, then `cue workflow trust {name}`."
            return [], [Mistake(name, 1, "Not trusted as it is now, so it does not run", fix)]
        cached = self._loaded.get(name)
        if cached is None or cached[0] != content:
            cached = self._loaded[name] = (content, *self._execute(name, content))
        return cached[1], cached[2]

    def _execute(self, name: str, content: bytes) -> tuple[list[Workflow], list[Mistake]]:
        module = ModuleType(f"cuedeck_workspace_{Path(name).stem}")
        module.__file__ = str(self._root / name)
        try:
            exec(compile(content, name, "exec"), module.__dict__)  # the very bytes that were trusted
            return _workflows(module, source=name), []
        except LOADING_FAILURES as error:
            log.info("the workflow file %s could not be loaded", name, exc_info=True)
            return [], [Mistake(name, _line_in(error, name), _said(error))]


def _line_in(error: BaseException, name: str) -> int:
    if isinstance(error, SyntaxError):
        return error.lineno or 1
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == name]
    return lines[-1] if lines else 1


def _said(error: BaseException) -> str:
    return f"It could not be loaded: {type(error).__name__}: {error}"


def _workflows(holder: object, *, source: str) -> list[Workflow]:
    offered: Iterable[object] = (
        holder if isinstance(holder, (list, tuple)) else getattr(holder, "WORKFLOWS", ())
    )
    found = [replace(item, source=source) for item in offered if isinstance(item, Workflow)]
    for trigger in (trigger for workflow in found for trigger in workflow.triggers):
        _check(trigger)
    return found


def _check(trigger: Trigger) -> None:
    """Refuse what cannot be understood: it would keep the triggers of every other workflow from firing."""
    match trigger:
        case CronTrigger():
            check_cron(trigger)
        case FileTrigger(globs) if isinstance(globs, str) or not all(map(is_pattern, globs)):
            # A text alone would be taken for a pattern of each of its letters.
            raise invalid("globs", "a tuple of patterns as in .gitignore", globs)
