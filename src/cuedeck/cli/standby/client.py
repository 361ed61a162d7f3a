"""Handing a command to the standby: only what is loaded anyway, since this must start like Python."""

from __future__ import annotations

import os
import sys

try:
    import _signal  # type: ignore[import-not-found]
    import _socket
except ImportError:
    _socket = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket as Socket
    from types import FrameType

    from cuedeck.daemon.standing_by import Place

SWITCH = "CUEDECK_DAEMON__STANDBY"
READY, BEGUN, EXIT, SIGNAL = b"ready ", b"begun", b"exit ", b"signal "
LONGEST_REQUEST = 128 * 1024
# For a standby that does not answer; then the command runs in its own process.
PATIENCE_SECONDS = 5.0
_MESSAGE = 64
_PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGTSTP")


class Standby:
    """Where the standby of these surroundings is, and whether somebody should start one."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.missing = False

    def run(self) -> None:
        """Run this process's command line there and end with it; return when it must run here."""
        try:
            connection = self._connect()
            if connection is None:
                return
            process = _handed_over(connection)
        except OSError:
            return
        if process is not None:
            # Nothing was written here: taking Python apart would only take time.
            os._exit(_await_end(connection, process))

    def _connect(self) -> Socket | None:
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        connection.settimeout(PATIENCE_SECONDS)
        try:
            connection.connect(self.place.socket)
        except (FileNotFoundError, ConnectionRefusedError):
            self.missing = True
            return None
        return connection


def find_standby() -> Standby | None:
    """The standby that could run this process's command line; None where there can be none."""
    if sys.platform != "linux" or _socket is None or os.environ.get(SWITCH, "true") != "true":
        return None
    # An interpreter with options, or one that is watched, is not replaced behind its user's back.
    if len(sys.orig_argv) != 1 + len(sys.argv) or sys.gettrace() or sys.getprofile():
        return None
    if None in (sys.stdin, sys.stdout, sys.stderr) or any("/fd/" in argument for argument in sys.argv):
        return None
    from cuedeck.cli.standby.surroundings import (
        fingerprint,
        foreign_to_python,
        inherited,
        variables_read_once,
    )
    from cuedeck.daemon.location import NoDaemon, runtime_folder
    from cuedeck.daemon.standing_by import SUFFIX, Place

    variables = variables_read_once()
    try:
        own = None if foreign_to_python(variables) else inherited("self")
        if own is None:
            return None
        return Standby(Place(f"{runtime_folder()}/{fingerprint(own, variables)}{SUFFIX}"))
    except (OSError, NoDaemon):
        return None


def _handed_over(connection: Socket) -> int | None:
    """Send the command; the process that has begun it, or None when nobody has and nobody will."""
    request = b"\0".join(
        [
            str(len(sys.argv)).encode(),
            *map(os.fsencode, sys.argv),
            *(name + b"=" + value for name, value in os.environb.items()),
        ]
    )
    if len(request) > LONGEST_REQUEST:
        return None
    # Our streams go to a process that waits for them, never into the queue of one that may hang.
    answer = connection.recv(_MESSAGE)
    if not answer.startswith(READY):
        return None
    process = int(answer[len(READY) :])
    connection.settimeout(None)
    _pass_signals_to(process)
    try:
        _send_with_streams(connection, request)
        if connection.recv(_MESSAGE) == BEGUN:
            return process
    except OSError:
        pass  # it is gone
    _take_signals_back()
    return None


def _send_with_streams(connection: Socket, request: bytes) -> None:
    folder = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    descriptors = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2, folder))
    try:
        connection.sendmsg([request], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, descriptors)])
    finally:
        os.close(folder)


def _pass_signals_to(process: int) -> None:
    """Let signals reach the command. It stays a zombie until we leave, so the number is never another's."""

    def pass_on(number: int, _frame: FrameType | None) -> None:
        if number == _signal.SIGTSTP:
            os.kill(process, _signal.SIGSTOP)
            os.kill(os.getpid(), _signal.SIGSTOP)
            number = _signal.SIGCONT
        os.kill(process, number)

    for number in _passed_on():
        _signal.signal(number, pass_on)


def _take_signals_back() -> None:
    for number in _passed_on():
        _signal.signal(number, _signal.default_int_handler if number == _signal.SIGINT else _signal.SIG_DFL)


def _passed_on() -> list[int]:
    numbers = [getattr(_signal, name) for name in _PASSED_ON]
    return [number for number in numbers if _signal.getsignal(number) != _signal.SIG_IGN]


def _await_end(connection: Socket, process: int) -> int:
    answer = connection.recv(_MESSAGE)
    if answer.startswith(EXIT):
        return int(answer[len(EXIT) :])
    if answer.startswith(SIGNAL):
        number = int(answer[len(SIGNAL) :])
        if number not in (_signal.SIGKILL, _signal.SIGSTOP):
            _signal.signal(number, _signal.SIG_DFL)
        os.kill(os.getpid(), number)
        return 128 + number
    sys.stderr.write(
        f"error: The process that ran this command is gone (pid {process})\n"
        " hint: Look what it did before you run it again.\n"
    )
    sys.stderr.flush()
    return 1
