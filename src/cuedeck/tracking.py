"""What git tracks: whether a clone could have brought a file along, and that ours stay out of commits."""

from __future__ import annotations

import os
import re
from pathlib import Path

_INDEX = b"DIRC"
_PLAIN_INDEX = (b"DIRC\x00\x00\x00\x02", b"DIRC\x00\x00\x00\x03")
_SPECIAL = re.compile(r"[*?\[\\]")
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
    """Whether git's index lists the file, one that goes with it, or a link to it. Nothing is run of it."""
    files, links = _names(root, path)
    folders = {root / above for name in files for above in Path(name).parents if above.name}
    if any((folder / ".git").exists() for folder in folders):
        return True  # The folder is a repository of its own, as a submodule would be.
    named = index_names(root, *map(os.fsencode, files), *(os.fsencode(link) + b"\0" for link in links))
    if named is not None:
        return named
    patterns = [*(_literal(name) + "*" for name in files), *map(_literal, links)]
    found = listed_by_git(root, *(f":(icase){pattern}" for pattern in patterns))
    return found is None or bool(found)  # what git cannot tell of is not trusted


def in_checkout(root: Path) -> bool:
    """Whether the folder belongs to a git checkout."""
    return any((folder / ".git").exists() for folder in (root, *root.parents))


def index_names(root: Path, *parts: bytes) -> bool | None:
    """Whether any of these stands in a path of git's index; None where only git can tell."""
    index = _git_index(root)
    if index is None:
        return False
    content = index.read_bytes()
    if not content.startswith(_INDEX):
        return False  # emptied, as a loss of power leaves it: git knows of nothing either
    # Paths stand in full in versions 2 and 3; file systems may ignore case.
    if content[:8] in _PLAIN_INDEX and b"sdir" not in content and not _split(index):
        content = content.lower()
        return any(part.lower() in content for part in parts)
    return None


def _names(root: Path, path: Path) -> tuple[list[str], list[str]]:
    """The file as it is named and where links lead, with whose name others begin; and the links."""
    links = [way for way in (path, *path.parents) if root in way.parents and way.is_symlink()]
    files = [path]
    if links and (real := path.resolve()).is_relative_to(top := root.resolve()):
        files.append(root / real.relative_to(top))
    return [_name(root, file) for file in files], [_name(root, link) for link in links]


def _name(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def _literal(name: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", name)


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
