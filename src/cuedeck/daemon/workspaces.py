"""The workspace as each client configured it: opened once per distinct configuration, reloaded on change."""

from __future__ import annotations

import os
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from cuedeck.config import Config, load_config
from cuedeck.config.load import Signature, files_signature
from cuedeck.daemon.background import Background
from cuedeck.daemon.protocol import travels
from cuedeck.workspace import Workspace

Environment = tuple[tuple[str, str], ...]
# A call that began under old settings has ended by then.
CLOSED_AFTER_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class _Open:
    """An open workspace and what it does by itself."""

    workspace: Workspace
    background: Background


@dataclass(frozen=True, slots=True)
class _Known:
    """Where an environment led, and the state of the files it was read from."""

    signature: Signature
    open: _Open


class Workspaces:
    """Clients whose settings are equal share one open workspace; safe to ask from any thread."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._open: list[_Open] = []
        self._retired: list[tuple[threading.Timer, _Open]] = []
        self._known: dict[Environment, _Known] = {}
        self._present: Counter[Environment] = Counter()
        self._guard = threading.Lock()

    def get(self, environment: Environment) -> Workspace:
        """The workspace under these overrides, with what the configuration files say now."""
        environ = _environ(environment)
        signature = files_signature(self._root, environ)
        known = self._known.get(environment)
        if known is not None and known.signature == signature:
            return known.open.workspace
        with self._guard:
            found = self._matching(load_config(self._root, environ=environ))
            self._known[environment] = _Known(signature, found)
            self._retire_unused(environment)
        return found.workspace

    def joined(self, environment: Environment) -> None:
        """A client under these overrides has come; one thread tells of all, and may not wait."""
        self._present[environment] += 1

    def left(self, environment: Environment) -> None:
        """It has gone; its workspace stays warm until other settings are asked for."""
        self._present[environment] -= 1
        self._present += Counter()

    def close(self) -> None:
        """Close everything that was opened."""
        with self._guard:
            for timer, _ in self._retired:
                timer.cancel()
            opened = [*self._open, *(each for _, each in self._retired)]
            self._open, self._retired = [], []
            self._known.clear()
        for each in opened:
            each.background.stop()
            each.workspace.close()

    def _matching(self, config: Config) -> _Open:
        for each in self._open:
            if each.workspace.config == config:
                return each
        workspace = Workspace(self._root, config)
        made = _Open(workspace, Background(workspace))
        made.background.start()
        self._open.append(made)
        return made

    def _retire_unused(self, asked: Environment) -> None:
        """Stop what nobody's settings still want; the workspace stays open a while for calls under way."""
        self._known = {
            each: known
            for each, known in self._known.items()
            if each == asked or (self._present[each] and self._current(each, known))
        }
        used = [known.open for known in self._known.values()]
        for each in [each for each in self._open if each not in used]:
            each.background.stop()
            self._open.remove(each)
            timer = threading.Timer(CLOSED_AFTER_SECONDS, self._close_retired, (each,))
            timer.daemon = True
            self._retired.append((timer, each))
            timer.start()

    def _close_retired(self, over: _Open) -> None:
        with self._guard:
            self._retired = [entry for entry in self._retired if entry[1] is not over]
        over.workspace.close()

    def _current(self, environment: Environment, known: _Known) -> bool:
        return known.signature == files_signature(self._root, _environ(environment))


def _environ(environment: Environment) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not travels(name)}
    return own | dict(environment)
