"""The program on disk: whether it is still the one that a long-running process was started from."""

from __future__ import annotations

import os
from collections.abc import Iterator


def source_stamp(package: str) -> int:
    """A number that differs, within one process, once a module was changed, added or removed."""
    return hash(frozenset(_modules(package)))


def _modules(folder: str) -> Iterator[tuple[str, int, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                status = entry.stat()
                yield entry.path, status.st_mtime_ns, status.st_size, status.st_ino
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _modules(entry.path)
