"""The daemon's log: a small rotating file that only its owner can read."""

from __future__ import annotations

import errno
import logging
import os
import time
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from cuedeck.secrets import mask

MEGABYTE = 1024 * 1024


class PrivateLog(RotatingFileHandler):
    """Created with mode 0600, never through a symlink."""

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(self.baseFilename, flags, 0o600)
        return open(descriptor, "a", encoding="utf-8", errors="backslashreplace")  # noqa: PTH123


class Discreet(logging.Formatter):
    """Times in UTC, and no secret, not even in a traceback."""

    converter = staticmethod(time.gmtime)

    def format(self, record: logging.LogRecord) -> str:
        """The line as it is written."""
        return mask(super().format(record)).text


def log_folder(root: Path) -> Path:
    """The workspace's folder for logs, made when missing; an OSError when a link leads elsewhere."""
    folder = root / ".cuedeck" / ".cache" / "logs"
    # Each by itself: parents would get the usual rights, and a workspace that is gone would come back.
    for each in (folder.parent.parent, folder.parent, folder):
        each.mkdir(mode=0o700, exist_ok=True)
        if each.is_symlink():
            raise OSError(errno.ELOOP, "is a link, which a clone may have brought", str(each))
    return folder


def start_log(root: Path, fallback: Path) -> Path:
    """Log into the workspace's cache; into the fallback when the workspace cannot be written."""
    try:
        handler = PrivateLog(log_folder(root) / "daemon.log", maxBytes=MEGABYTE, backupCount=3)
    except OSError:
        handler = PrivateLog(fallback, maxBytes=MEGABYTE, backupCount=1)
    handler.setFormatter(Discreet("%(asctime)sZ %(levelname)s %(name)s: %(message)s"))
    top = logging.getLogger()
    top.addHandler(handler)
    top.setLevel(logging.INFO)
    return Path(handler.baseFilename)
