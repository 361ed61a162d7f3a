"""Whether the settings of the workspace that a command means allow a standby."""

from __future__ import annotations

from cuedeck.cli.quick import has_settings
from cuedeck.daemon.location import workspace_root


def is_wanted(arguments: list[str]) -> bool:
    """False also where the settings are wrong: the command itself says so."""
    try:
        root = workspace_root(_named(arguments))
        if not has_settings(root):
            return True
        from pathlib import Path

        from cuedeck.config import load_config
        from cuedeck.model.errors import CueError
    except OSError:
        return False
    try:
        return load_config(Path(root)).daemon.standby
    except (CueError, OSError):
        return False


def _named(arguments: list[str]) -> str | None:
    for position, argument in enumerate(arguments):
        if argument == "--":
            return None
        if argument.startswith("--workspace="):
            return argument.partition("=")[2]
        if argument == "--workspace" and position + 1 < len(arguments):
            return arguments[position + 1]
    return None
