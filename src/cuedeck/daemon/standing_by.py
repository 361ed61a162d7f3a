"""Where the processes are that keep commands ready (``cli/standby``); only ``os``, as all that is quick."""

# ruff: noqa: PTH116, PTH123, PTH208
from __future__ import annotations

import os
import sys

from cuedeck.daemon.location import NoDaemon, runtime_folder

SUFFIX = ".cmd"
ANSWER_SECONDS = 2.0
# Loading takes most of a second of CPU: a command that stays the only one for a while is not worth it.
SECOND_WITHIN_SECONDS = 600.0
STARTING_SECONDS = 5.0
_FIRST, _STARTING = b"first", b"starting"
# One for each kind of surroundings that commands are run in.
MOST = 3
SPARE_MEMORY = 1 << 30


class Place:
    """The socket, and the lock that is held while it is somebody's."""

    def __init__(self, socket: str) -> None:
        self.socket = socket
        self.life = socket + ".lock"

    def is_due(self) -> bool:
        """Whether to start a standby: at the second command in a while, unless one lives or is about to."""
        import fcntl
        import time

        descriptor = os.open(self.life, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            said = os.read(descriptor, 20)
            age = time.time() - os.fstat(descriptor).st_mtime
            if said == _STARTING and age < STARTING_SECONDS:
                return False
            due = said == _FIRST and age < SECOND_WITHIN_SECONDS
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, _STARTING if due else _FIRST, 0)
            return due
        except BlockingIOError:
            return False
        finally:
            os.close(descriptor)


def make_room() -> bool:
    """Let those go that were used longest ago, so that one more is not too many; False without the memory."""
    sockets = sorted(_sockets(), key=lambda socket: os.stat(Place(socket).life).st_mtime)
    _stop(_listening(sockets[: max(0, len(sockets) + 1 - MOST)]))
    with open("/proc/meminfo", "rb") as file:
        told = dict(line.split(b":") for line in file)
    return int(told[b"MemAvailable"].split()[0]) * 1024 >= SPARE_MEMORY


def standbys() -> dict[int, int]:
    """The user's standbys: process and bytes of memory."""
    return {process: _memory(process) for process in _listening(_sockets()).values()}


def stop_standbys() -> list[int]:
    """Tell the user's standbys to go, and wait until none of them takes another command."""
    told = _listening(_sockets())
    _stop(told)
    return list(told.values())


def _stop(told: dict[str, int]) -> None:
    import time
    from _signal import SIGTERM  # type: ignore[import-not-found]

    for process in told.values():
        try:
            os.kill(process, SIGTERM)
        except ProcessLookupError:
            continue
    deadline = time.monotonic() + ANSWER_SECONDS
    while any(map(os.path.exists, told)) and time.monotonic() < deadline:
        time.sleep(0.005)


def _sockets() -> list[str]:
    try:
        folder = runtime_folder()
    except NoDaemon:
        return []
    return [f"{folder}/{name}" for name in sorted(os.listdir(folder)) if name.endswith(SUFFIX)]


def _listening(sockets: list[str]) -> dict[str, int]:
    return {socket: process for socket in sockets if (process := _process_at(socket))}


def _process_at(path: str) -> int | None:
    """Who listens there, as the kernel names it to us: a number in a file may be of another container."""
    import _socket

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    connection.settimeout(ANSWER_SECONDS)
    try:
        connection.connect(path)
        told = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    except OSError:
        return None
    finally:
        connection.close()
    return int.from_bytes(told[:4], sys.byteorder)


def _memory(process: int) -> int:
    try:
        with open(f"/proc/{process}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
