"""Which workspace a command means and where its daemon is; only ``os``, since the shim starts like Python."""

# ruff: noqa: PTH101, PTH102, PTH109, PTH111, PTH117, PTH118, PTH120
from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# sun_path holds 108 bytes on Linux and 104 on macOS, the closing NUL included.
LONGEST_SOCKET_PATH = 100


class NoDaemon(Exception):
    """There can be no daemon here; the sentence says why, and serving in-process is the way on."""


def workspace_root(named: str | None = None) -> str:
    """The real path of the folder that was named; else what ``discovery.find_root`` finds from here."""
    try:
        here = os.path.realpath(os.getcwd())
    except FileNotFoundError as error:
        raise FileNotFoundError(error.errno, "The current folder no longer exists", ".") from error
    if named is not None:
        return os.path.realpath(os.path.join(here, os.path.expanduser(named)))
    return _nearest(here, ".cuedeck", os.path.isdir) or _nearest(here, ".git", os.path.exists) or here


def _nearest(folder: str, name: str, is_there: Callable[[str], bool]) -> str | None:
    while (parent := os.path.dirname(folder)) != folder:
        if is_there(os.path.join(folder, name)):
            return folder
        folder = parent
    return None


class Address:
    """The files of one workspace's daemon in the user's private runtime folder."""

    def __init__(self, root: str) -> None:
        self.root = root
        base = os.path.join(runtime_folder(), f"{_fingerprint(os.fsencode(root)):016x}")
        self.socket = base + ".sock"
        self.starting = base + ".lock"  # held while a client starts the daemon
        self.life = base + ".pid"  # held by the daemon while the socket is its own
        self.errors = base + ".err"  # what the daemon said before it had a log


def runtime_folder() -> str:
    """The user's private folder for sockets."""
    if not hasattr(os, "getuid"):
        raise NoDaemon("this system has no unix sockets")
    problem = "no folder for the socket"
    for folder in _candidates():
        if len(os.fsencode(folder)) > LONGEST_SOCKET_PATH - 22:
            problem = f"the path {folder} is too long for a socket"
            continue
        reason = _make_private(folder)
        if reason is None:
            return folder
        problem = reason
    raise NoDaemon(problem)


def _candidates() -> list[str]:
    shared = f"cuedeck-{os.getuid()}"
    found = [os.path.join(os.environ.get("TMPDIR") or "/tmp", shared), os.path.join("/tmp", shared)]
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        found.insert(0, os.path.join(runtime, "cuedeck"))
    # The daemon starts in another folder than its clients, and would look elsewhere.
    return [folder for folder in found if os.path.isabs(folder)]


def _make_private(folder: str) -> str | None:
    """Create the folder, or prove that it is ours alone; the reason when it cannot be used."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    except OSError as error:
        return f"{folder} cannot be created: {error.strerror}"
    try:
        status = os.lstat(folder)
        if not stat.S_ISDIR(status.st_mode):
            return f"{folder} is not a folder"
        if status.st_uid != os.getuid():
            return f"{folder} belongs to another user"
        if stat.S_IMODE(status.st_mode) & 0o077:
            os.chmod(folder, 0o700)
    except OSError as error:
        return f"{folder} cannot be used: {error.strerror}"
    return None if os.access(folder, os.W_OK | os.X_OK) else f"{folder} cannot be written"


def _fingerprint(data: bytes) -> int:
    """FNV-1a: hashlib costs several milliseconds to import, and the handshake compares the root anyway."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value
