"""What a clone must not be able to do: plant a database, or lead us out of the workspace."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from cuedeck.model.errors import CueError, ErrorCode

_PLAIN_INDEX = (b"DIRC\x00\x00\x00\x02", b"DIRC\x00\x00\x00\x03")
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
    if path.exists() and _tracked(root, path):
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


def _tracked(root: Path, path: Path) -> bool:
    """Whether git's index lists the file. Nothing of the repository is run, no hook and no filter."""
    if any((folder / ".git").exists() for folder in (path.parent, path.parent.parent) if folder != root):
        return True  # The folder is a repository of its own, as a submodule would be.
    index = _git_index(root)
    if index is None:
        return False
    content = index.read_bytes()
    name = path.relative_to(root).as_posix().encode()
    # Paths stand in full in versions 2 and 3; file systems may ignore case.
    if content[:8] in _PLAIN_INDEX and b"sdir" not in content and not _split(index):
        return name.lower() in content.lower()
    return _listed(root, path)


def _git_index(root: Path) -> Path | None:
    """The index of the checkout that holds the workspace, if there is one."""
    for folder in (root, *root.parents):
        marker = folder / ".git"
        if marker.is_file():
            # A worktree's marker says where its part of the repository is.
            place = (
                folder / marker.read_text(encoding="utf-8", errors="replace").removeprefix("gitdir:").strip()
            )
            return place / "index" if (place / "index").is_file() else None
        if marker.is_dir():
            return marker / "index" if (marker / "index").is_file() else None
    return None


def _split(index: Path) -> bool:
    return any(index.parent.glob("sharedindex.*"))


def _listed(root: Path, path: Path) -> bool:
    """Git's own answer, for an index that only git can read; when it has none, the file is not trusted."""
    command = ["git", "-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "ls-files", "--cached", "-z"]
    try:
        told = subprocess.run(
            [*command, "--", f":(icase){path.relative_to(root).as_posix()}"],
            cwd=root,
            capture_output=True,
            timeout=20,
            check=True,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.SubprocessError):
        return True
    return bool(told.stdout)


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
