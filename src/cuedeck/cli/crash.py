"""An unexpected exception: kept in a private log with an id, so that the user sees one line."""

from __future__ import annotations

import getpass
import os
import secrets
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from cuedeck.daemon.location import workspace_root
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.secrets import mask


def record_crash(error: Exception) -> CueError:
    """Log the traceback and return what to tell the user."""
    identity = secrets.token_hex(4)
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    text = f"{when} {identity}\n{''.join(traceback.format_exception(error))}\n"
    log = _append(mask(text).text)
    return CueError(
        ErrorCode.INTERNAL,
        f"Something went wrong that should not have (id {identity}).",
        data={"id": identity, "log": str(log)},
        hint=f"The details are in {log}; run again with -v to see them here.",
    )


def _append(text: str) -> Path:
    for folder in _folders():
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            log = folder / "crash.log"
            descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError:
            continue
        with os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        return log
    return Path(os.devnull)


def _folders() -> Iterator[Path]:
    try:
        ours = Path(workspace_root()) / ".cuedeck"
        if ours.is_dir():
            yield ours / ".cache" / "logs"
    except OSError:
        pass  # the current folder is gone
    yield Path(tempfile.gettempdir()) / f"cuedeck-{getpass.getuser()}-crashes"
