"""An unexpected exception: kept in a private log with an id, so that the user sees one line."""

from __future__ import annotations

import os
import secrets
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from cuedeck.daemon.location import NoDaemon, runtime_folder, workspace_root
from cuedeck.daemon.logs import MEGABYTE, log_folder
from cuedeck.model.clock import iso_seconds, now_ms
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.secrets import mask


def record_crash(error: Exception) -> CueError:
    """Log the traceback and return what to tell the user."""
    identity = secrets.token_hex(4)
    when = iso_seconds(now_ms())
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
        log = folder / "crash.log"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        try:
            if log.exists() and log.stat().st_size > MEGABYTE:
                log.replace(f"{log}.1")
            descriptor = os.open(log, flags, 0o600)
        except OSError:
            continue
        with os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        return log
    return Path(os.devnull)


def _folders() -> Iterator[Path]:
    with suppress(OSError):
        root = Path(workspace_root())
        if (root / ".cuedeck").is_dir():
            yield log_folder(root)
    with suppress(NoDaemon):
        yield Path(runtime_folder())
