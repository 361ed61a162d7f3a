"""Objects of git that need no repository: what a blob is called, and the one that a file on disk is."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from typing import Any, Final

# What is checked out, whatever a branch of that name holds.
HERE: Final = ("HEAD", "@")
NOT_HERE: Final = "not in this clone"
NO_UTF8: Final = "its name is not UTF-8"
# Without waiting: a pipe in a file's place would never open.
READING: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_LONG: Final = 64


def lacking(problems: Iterable[tuple[str, str]]) -> str:
    """What to say of files that a clone does not hold; nothing where it holds all."""
    missing = sum(reason == NOT_HERE for _, reason in problems)
    return f"{missing} of its files are not in this clone" if missing else ""


def digest(size: int, like: str) -> Any:
    """What the id of a blob of that many bytes is made by, in a repository with ids like this one."""
    made = hashlib.sha256 if len(like) == _LONG else hashlib.sha1
    return made(b"blob %d\0" % size, usedforsecurity=False)


def blob_id(data: bytes, like: str) -> str:
    """The id that git would give these bytes."""
    made = digest(len(data), like)
    made.update(data)
    return str(made.hexdigest())


def blob_on_disk(file: str, oid: str) -> bytes | None:
    """A file's bytes if they are that blob: read and hashed several times faster than git unpacks it."""
    try:
        descriptor = os.open(file, READING)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        data = os.read(descriptor, status.st_size + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return data if blob_id(data, oid) == oid else None
