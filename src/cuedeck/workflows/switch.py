"""Which workflows are switched on, by the workspace's configuration as it is now; and switching them."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from pathlib import Path

from cuedeck.config.load import WORKSPACE_FILE, Signature, files_signature, load_config
from cuedeck.config.sections import WorkflowSetting
from cuedeck.config.source import line_of
from cuedeck.model.errors import CueError
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
    """Write ``[workflows."<id>"] enabled``; the file must be valid before and after."""
    load_config(root)
    path = root / WORKSPACE_FILE
    path.parent.mkdir(exist_ok=True)
    text = path.read_bytes().decode("utf-8-sig") if path.exists() else ""
    changed = _with_setting(text, workflow_id, "true" if on else "false")
    replace_file(ConfinedPath(WORKSPACE_FILE.as_posix(), path, root), changed.encode())
    load_config(root)


def _with_setting(text: str, workflow_id: str, value: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines()
    key_line = line_of(text, ("workflows", workflow_id, "enabled")) - 1
    if (
        key_line < len(lines)
        and re.match(r"\s*enabled\s*=", lines[key_line])
        and workflow_id in "".join(lines[:key_line])
    ):
        lines[key_line] = re.sub(r"(=\s*)(true|false)", rf"\g<1>{value}", lines[key_line], count=1)
        return newline.join(lines) + newline
    header = line_of(text, ("workflows", workflow_id)) - 1
    if header < len(lines) and re.match(r"\s*\[", lines[header]) and workflow_id in lines[header]:
        lines.insert(header + 1, f"enabled = {value}")
        return newline.join(lines) + newline
    lines += ["", f'[workflows."{workflow_id}"]', f"enabled = {value}"]
    return newline.join(lines).lstrip(newline) + newline
