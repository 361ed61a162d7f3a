"""Which workflows are switched on, by the workspace's configuration as it is now; and switching them."""

from __future__ import annotations

import logging
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from cuedeck.config.load import WORKSPACE_FILE, Signature, files_signature, load_config
from cuedeck.config.sections import WorkflowSetting
from cuedeck.config.source import line_of
from cuedeck.lock import workspace_lock
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.paths import ConfinedPath, replace_file

log = logging.getLogger(__name__)


class Switches:
    """Settings by workflow, read again when a configuration file changes."""

    def __init__(self, root: Path, settings: Mapping[str, WorkflowSetting]) -> None:
        self._root = root
        self._signature: Signature = ()
        self._settings = settings

    def __call__(self) -> Mapping[str, WorkflowSetting]:
        """The settings as the files have them; of a file with a mistake, those before it."""
        signature = files_signature(self._root, os.environ)
        if signature != self._signature:
            self._signature = signature
            try:
                self._settings = load_config(self._root).workflows.by_id
            except CueError as error:
                log.warning("the settings of workflows stay as they were: %s", error.message)
        return self._settings


def set_enabled(root: Path, workflow_id: str, *, on: bool) -> None:
    """Write ``[workflows."<id>"] enabled`` and change nothing else; the file stays valid."""
    config = load_config(root)
    path = root / WORKSPACE_FILE
    with workspace_lock(root, timeout=config.core.lock_timeout):
        text = path.read_bytes().decode("utf-8-sig") if path.exists() else ""
        changed = _with_setting(text, workflow_id, on)
        replace_file(ConfinedPath(WORKSPACE_FILE.as_posix(), path, root), changed.encode())


def _with_setting(text: str, workflow_id: str, on: bool) -> str:
    wanted = tomllib.loads(text)
    wanted.setdefault("workflows", {}).setdefault(workflow_id, {})["enabled"] = on
    for attempt in _attempts(text, workflow_id, "true" if on else "false"):
        try:
            if tomllib.loads(attempt) == wanted:
                return attempt
        except tomllib.TOMLDecodeError:
            continue
    raise CueError(
        ErrorCode.CONFIGURATION,
        f"{WORKSPACE_FILE.as_posix()} cannot be changed without rewriting it",
        hint=f'Set enabled = {"true" if on else "false"} for "{workflow_id}" under [workflows] by hand.',
    )


def _attempts(text: str, workflow_id: str, value: str) -> Iterator[str]:
    """The file with the value replaced, added to the workflow's table, or given a table of its own."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines()
    key, header = (line_of(text, ("workflows", workflow_id, *rest)) for rest in (("enabled",), ()))
    for number in (key, header) if lines else ():
        replaced = re.sub(r"\b(enabled\s*=\s*)(true|false)", rf"\g<1>{value}", lines[number - 1], count=1)
        yield newline.join([*lines[: number - 1], replaced, *lines[number:]]) + newline
    yield newline.join([*lines[:header], f"enabled = {value}", *lines[header:]]) + newline
    table = ["", f'[workflows."{workflow_id}"]', f"enabled = {value}"]
    yield newline.join([*lines, *table]).lstrip(newline) + newline
