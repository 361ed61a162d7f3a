"""Asking a workspace's daemon how it is, and telling it to stop."""

from __future__ import annotations

import os
import time

from cuedeck.daemon.location import Address, NoDaemon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ANSWER_SECONDS = 10.0
STOP_SECONDS = 20.0


def status(root: str) -> dict[str, Any] | None:
    """What the running daemon says of itself; None when there is none."""
    from cuedeck.daemon.protocol import STATUS

    answer = _ask(Address(root), STATUS)
    if answer is None:
        return None
    import json

    found: dict[str, Any] = json.loads(answer)
    return found


def stop(root: str, *, patience: float = STOP_SECONDS) -> int | None:
    """Stop the daemon after it has answered what it was asked; its pid, or None when there was none."""
    from cuedeck.daemon.protocol import STOP

    answer = _ask(Address(root), STOP)
    if answer is None:
        return None
    import json

    pid = int(json.loads(answer)["pid"])
    deadline = time.monotonic() + patience
    while _lives(pid):
        if time.monotonic() > deadline:
            raise NoDaemon(f"it was told to stop {patience:g} s ago and has not ended yet (pid {pid})")
        time.sleep(0.01)
    return pid


def _ask(address: Address, verb: str) -> bytes | None:
    from cuedeck.daemon.dial import ask, connect
    from cuedeck.daemon.protocol import encode_hello

    connection = connect(address, ANSWER_SECONDS)
    if connection is None:
        return None
    try:
        answer = ask(connection, encode_hello(verb, {}))
    finally:
        connection.close()
    return answer[3:] if answer.startswith(b"ok ") else None


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    # Where nobody reaps orphans (some containers), a finished daemon stays in the process table.
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            return file.read().rpartition(b")")[2].split()[0] == b"Z"
    except OSError:
        return False
