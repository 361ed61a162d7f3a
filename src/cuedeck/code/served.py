"""What a caller may name: the workspace that is served, and paths inside it."""

from __future__ import annotations

import posixpath
from pathlib import Path

from cuedeck.model.errors import CueError, ErrorCode, invalid


def require_served(root: Path, asked: str) -> None:
    """Refuse a workspace other than the one this server is for."""
    try:
        same = (root / Path(asked).expanduser()).resolve() == root.resolve()
    except (OSError, ValueError, RuntimeError):
        same = False
    if not same:
        raise CueError(
            ErrorCode.PROJECT_NOT_FOUND,
            "That workspace is not served here",
            data={"workspace": asked[:200]},
            hint="Leave workspace out to use this one.",
        )


def clean_path(path: str, field: str = "path") -> str:
    """A workspace-relative path in one spelling, or a refusal of the argument it came in."""
    cleaned = posixpath.normpath(path)
    if "\0" in path or path.startswith("/") or cleaned.split("/", 1)[0] == "..":
        raise invalid(field, "a path inside the workspace and relative to it", path)
    return cleaned
