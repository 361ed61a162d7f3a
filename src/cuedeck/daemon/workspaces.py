"""The workspace as each client configured it: opened once per distinct configuration, reloaded on change."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cuedeck.config import Config, load_config
from cuedeck.config.load import WORKSPACE_FILE, user_config_path
from cuedeck.workspace import Workspace

Environment = tuple[tuple[str, str], ...]
Signature = tuple[tuple[int, int, int] | None, ...]


@dataclass(frozen=True, slots=True)
class _Known:
    """The workspace that an environment led to, and the state of the files it was read from."""

    signature: Signature
    workspace: Workspace


class Workspaces:
    """Clients whose settings are equal share one open workspace; safe to ask from any thread."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._open: list[Workspace] = []
        self._known: dict[Environment, _Known] = {}
        self._guard = threading.Lock()

    def get(self, environment: Environment) -> Workspace:
        """The workspace under these overrides, with what the configuration files say now."""
        environ = {**_own_environment(), **dict(environment)}
        signature = self._signature(environ)
        known = self._known.get(environment)
        if known is not None and known.signature == signature:
            return known.workspace
        with self._guard:
            workspace = self._matching(load_config(self._root, environ=environ))
            self._known[environment] = _Known(signature, workspace)
        return workspace

    def close(self) -> None:
        """Close everything that was opened."""
        with self._guard:
            workspaces, self._open = self._open, []
            self._known.clear()
        for workspace in workspaces:
            workspace.close()

    def _matching(self, config: Config) -> Workspace:
        for workspace in self._open:
            if workspace.config == config:
                return workspace
        # One that nobody asks for any more stays open for calls in flight; there are as many as edits.
        self._open.append(Workspace(self._root, config))
        return self._open[-1]

    def _signature(self, environ: Mapping[str, str]) -> Signature:
        return _stamp(user_config_path(environ)), _stamp(self._root / WORKSPACE_FILE)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _own_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("CUEDECK_")}
