"""Replacing a file of the user's in one step, through a symlink to its target."""

from __future__ import annotations

import os
from pathlib import Path

from cuedeck.paths import ConfinedPath, replace_file


def write_atomically(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Write a whole file or leave the old one untouched; ``mode`` is for a new one."""
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        replace_file(ConfinedPath(target.name, target, target.parent), data, new_mode=mode)
    except OSError as error:
        error.filename = str(path)  # the user knows no other
        raise
