"""What git tracks: whether a clone could have brought a file along, and that ours stay out of commits."""

from __future__ import annotations

import os
from pathlib import Path

_PLAIN_INDEX = (b"DIRC\x00\x00\x00\x02", b"DIRC\x00\x00\x00\x03")
_UNSHARED = b"/.gitignore\n/.cache/\n/backups/\n/state.db*\n/SCENE.md\n"


def keep_out_of_git(folder: Path) -> None:
    """Have git pass over state and cache in a ``.cuedeck`` folder that nobody set up with ``cue init``."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(folder / ".gitignore", flags, 0o600)
    except FileExistsError:
        return
    with os.fdopen(descriptor, "wb") as file:
        file.write(_UNSHARED)


def kept_out_of_git(folder: Path) -> bool:
    """Whether the folder's own ``.gitignore`` is there and says so."""
    try:
        lines = (folder / ".gitignore").read_bytes().split()
    except OSError:
        return False
    return set(_UNSHARED.split()[1:]) <= set(lines)


def tracked_by_git(root: Path, path: Path) -> bool:
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
    found = listed_by_git(root, f":(icase){path.relative_to(root).as_posix()}")
    return found is None or bool(found)  # what git cannot tell of is not trusted


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


def listed_by_git(root: Path, *patterns: str) -> list[str] | None:
    """Git's own answer, which of the files it tracks; None when it has none."""
    import subprocess

    # Nothing that the repository configures may run, nor a remote be asked for an object that is missing.
    command = ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "ls-files", "--cached"]
    kept_in = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
    try:
        told = subprocess.run(
            [*command, "-z", "--", *patterns],
            cwd=root,
            capture_output=True,
            timeout=20,
            check=True,
            env={**os.environ, **kept_in},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return [os.fsdecode(name) for name in told.stdout.split(b"\0") if name]
