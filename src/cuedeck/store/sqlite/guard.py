"""What a clone must not be able to do: plant a database, or lead us out of the workspace."""

from __future__ import annotations

from pathlib import Path

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.tracking import tracked_by_git


def refuse_planted(root: Path, path: Path) -> None:
    """Refuse a database that git tracks or that lies behind a link out of the workspace."""
    if not path.parent.resolve().is_relative_to(root):
        raise CueError(
            ErrorCode.PATH_REFUSED,
            f"{path.parent.relative_to(root)} leads out of the workspace",
            data={"path": str(path.relative_to(root))},
            hint="Replace the link with a folder.",
        )
    if tracked_by_git(root, path):
        raise CueError(
            ErrorCode.CONFIGURATION,
            f"{path.relative_to(root).as_posix()} is tracked by git and will not be opened",
            data={"path": path.relative_to(root).as_posix()},
            hint="Run `git rm --cached` on it, or on a link that leads to it, and add .cuedeck/state.db to "
            ".gitignore; "
            "a database that comes with a clone could hold anything.",
        )
