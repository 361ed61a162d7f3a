"""Workflows written in Python: from installed packages, or from the workspace once a person trusts them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from cuedeck.model.errors import CueError
from cuedeck.paths import confine_file, read_file
from cuedeck.workflows.model import Workflow
from cuedeck.workflows.trust import TrustLedger

log = logging.getLogger(__name__)
GROUP = "cuedeck.workflows"
FOLDER = ".cuedeck/workflows"


def installed_workflows() -> list[Workflow]:
    """What installed packages offer under the entry point group ``cuedeck.workflows``."""
    found: list[Workflow] = []
    for entry in entry_points(group=GROUP):
        try:
            found += _workflows(entry.load(), source=f"package {entry.value}")
        except Exception:
            log.exception("the workflow package %s could not be loaded", entry.name)
    return found


class WorkspacePython:
    """Trusted ``*.py`` files of ``.cuedeck/workflows``; each is loaded once per content."""

    def __init__(self, root: Path, ledger: TrustLedger) -> None:
        self._root = root
        self._ledger = ledger
        self._loaded: dict[str, tuple[bytes, list[Workflow]]] = {}
        self.untrusted: list[str] = []

    def __call__(self) -> list[Workflow]:
        """The workflows of every file whose present content is trusted."""
        self.untrusted = []
        return [workflow for name in self._files() for workflow in self._load(name)]

    def _files(self) -> Iterator[str]:
        folder = self._root / FOLDER
        for path in sorted(folder.glob("*.py")) if folder.is_dir() else ():
            yield f"{FOLDER}/{path.name}"

    def _load(self, name: str) -> list[Workflow]:
        try:
            path = confine_file(self._root, name)
            content = read_file(path).data
        except CueError as error:
            log.warning("the workflow file %s is left out: %s", name, error.message)
            return []
        if not self._ledger.trusts(path.absolute, content):
            self.untrusted.append(name)
            return []
        cached = self._loaded.get(name)
        if cached is None or cached[0] != content:
            cached = self._loaded[name] = (content, self._execute(name, content))
        return cached[1]

    def _execute(self, name: str, content: bytes) -> list[Workflow]:
        module = ModuleType(f"cuedeck_workspace_{Path(name).stem}")
        module.__file__ = str(self._root / name)
        try:
            exec(compile(content, name, "exec"), module.__dict__)  # the very bytes that were trusted
            return _workflows(module, source=name)
        except Exception:
            log.exception("the workflow file %s could not be loaded", name)
            return []


def _workflows(holder: object, *, source: str) -> list[Workflow]:
    offered: Iterable[object] = (
        holder if isinstance(holder, (list, tuple)) else getattr(holder, "WORKFLOWS", ())
    )
    return [
        Workflow(**{**{slot: getattr(item, slot) for slot in Workflow.__slots__}, "source": source})
        for item in offered
        if isinstance(item, Workflow)
    ]
