"""Where the index of a workspace lies: in it, or where it cannot be written, with the user's other caches."""

from __future__ import annotations

import os
import stat
from hashlib import blake2b
from pathlib import Path

from cuedeck.config.load import user_folder
from cuedeck.discovery import FOLDER


def index_file(root: Path) -> Path:
    """The index's path; of a workspace that this user cannot write, in a private folder elsewhere."""
    own = root / FOLDER / ".cache" / "index.db"
    if _may_be_written(own, root):
        return own
    return next((folder / "index.db" for folder in elsewhere(root) if _made(folder.parent)), own)


def elsewhere(root: Path) -> list[Path]:
    """The folders that may hold the index of a workspace that cannot be written, the best first."""
    name = f"{root.name}-{blake2b(os.fsencode(root), digest_size=8).hexdigest()}"
    return [folder / name for folder in _folders()]


def _may_be_written(file: Path, root: Path) -> bool:
    """Whether a file can be made or changed, with others beside it; of what is odd the opening tells."""
    if file.exists() and not os.access(file, os.W_OK):
        return False
    for folder in file.parents:
        if folder.is_symlink():
            return True
        if folder.exists():
            return not folder.is_dir() or os.access(folder, os.W_OK | os.X_OK)
        if folder == root:
            break
    return True


def _folders() -> list[Path]:
    found = [user_folder("XDG_CACHE_HOME", ".cache", os.environ)]
    if hasattr(os, "getuid"):
        # A sandbox may leave nothing to write but the folder for temporary files.
        found += [Path(base, f"cuedeck-{os.getuid()}") for base in (os.environ.get("TMPDIR"), "/tmp") if base]
    return [folder for folder in found if folder.is_absolute()]


def _made(folder: Path) -> bool:
    """Whether the folder is there, this user's alone, and can be written."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
            return False
        if status.st_mode & 0o077:
            folder.chmod(0o700)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)
