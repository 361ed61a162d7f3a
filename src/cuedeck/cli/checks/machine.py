"""Whether this machine can watch the workspace and lock its files."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from cuedeck.model.finding import Finding, Status, passed

NETWORK = (
    *("nfs", "cifs", "smb", "9p", "afs", "ceph", "glusterfs", "davfs", "vboxsf", "drvfs", "virtiofs"),
    *("fuse.sshfs", "fuse.rclone"),
)
LEAST_FREE_BYTES = 200_000_000
MANY_FOLDERS = 100_000
# Blanks and backslashes in the list of mounts.
_ESCAPED = re.compile(r"\\([0-7]{3})")
SKIPPED = {".git", "node_modules", ".venv", "target", "__pycache__"}


def check(root: Path) -> Iterator[Finding]:
    """File system, free space, watch limits, git."""
    yield _file_system(root)
    yield _free_space(root)
    if sys.platform == "linux":
        yield _watches(root)
    yield _git()


def _file_system(root: Path) -> Finding:
    kind = file_system(root)
    if kind is None or not kind.startswith(NETWORK):
        return passed("file system", f"The workspace is on a local file system ({kind or 'unknown'}).")
    return Finding(
        "file system",
        Status.WARN,
        f"The workspace is on {kind}; locks and change events may not work there.",
        fix="Keep the workspace on a local disk, or set store.url to a PostgreSQL URL.",
    )


def file_system(folder: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str | None:
    """The type of the file system a folder is on, where the system tells."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    best, kind = "", None
    for line in lines:
        before, _, after = line.partition(" - ")
        point = _ESCAPED.sub(lambda found: chr(int(found[1], 8)), before.split()[4])
        inside = point == "/" or str(folder) == point or str(folder).startswith(point + "/")
        if inside and len(point) >= len(best) and after:
            best, kind = point, after.split()[0]
    return kind


def _free_space(root: Path) -> Finding:
    free = shutil.disk_usage(root).free
    if free >= LEAST_FREE_BYTES:
        return passed("disk space", f"{free / 1e9:.1f} GB are free.")
    return Finding(
        "disk space", Status.WARN, f"Only {free / 1e6:.0f} MB are free.", fix="Make room; cue clean helps."
    )


def _watches(root: Path) -> Finding:
    try:
        limit = int(Path("/proc/sys/fs/inotify/max_user_watches").read_text())
    except (OSError, ValueError):
        return passed("watch limit", "The system sets no watch limit that could be read.")
    needed = _count_folders(root, min(limit, MANY_FOLDERS))
    if needed < limit // 2:
        return passed("watch limit", f"{needed} folders to watch, {limit} allowed.")
    return Finding(
        "watch limit",
        Status.WARN,
        f"{needed} folders or more to watch, and the system allows {limit} for all programs together.",
        fix="sysctl fs.inotify.max_user_watches=524288; until then changes are found by scanning.",
    )


def _count_folders(root: Path, enough: int) -> int:
    count = 0
    for _, folders, _ in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED]
        count += 1
        if count >= enough:
            break
    return count


def _git() -> Finding:
    if shutil.which("git"):
        return passed("git", "git is installed.")
    return Finding(
        "git", Status.WARN, "git is not on the PATH.", fix="Install git to search code on branches."
    )
