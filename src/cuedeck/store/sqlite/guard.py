"""What a clone must not be able to do: plant a database, or lead us out of the workspace."""

from __future__ import annotations

import os
from pathlib import Path

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.tracking import tracked_by_git

_NETWORK = {
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "afs",
    "ceph",
    "fuse.sshfs",
    "fuse.rclone",
    "virtiofs",
}


def refuse_planted(root: Path, path: Path) -> None:
    """Refuse a database that git tracks or that lies behind a link out of the workspace."""
    if not path.parent.resolve().is_relative_to(root):
        raise CueError(
            ErrorCode.PATH_REFUSED,
            f"{path.parent.relative_to(root)} leads out of the workspace",
            data={"path": str(path.relative_to(root))},
            hint="Replace the link with a folder.",
        )
    if path.exists() and tracked_by_git(root, path):
        raise CueError(
            ErrorCode.CONFIGURATION,
            f"{path.relative_to(root).as_posix()} is tracked by git and will not be opened",
            data={"path": path.relative_to(root).as_posix()},
            hint="Run `git rm --cached` on it and add .cuedeck/state.db to .gitignore; "
            "a database that comes with a clone could hold anything.",
        )


def location_warnings(folder: Path) -> list[str]:
    """What may go wrong where the files lie."""
    kind = _file_system(folder)
    if kind not in _NETWORK:
        return []
    return [
        f"The workspace is on a network file system ({kind}), where SQLite's locks cannot be trusted. "
        "Move it to a local disk or set store.url to a PostgreSQL server."
    ]


def _file_system(folder: Path) -> str:
    """The kind of file system a folder is on, where the system tells."""
    try:
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    for line in lines:
        fields, _, rest = line.partition(" - ")
        point = fields.split()[4].encode().decode("unicode_escape")
        inside = folder == Path(point) or os.fspath(folder).startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, rest.split()[0]
    return kind
