"""The forked process: it becomes the command, as if the client's own process had gone on."""

from __future__ import annotations

import array
import io
import os
import signal
import socket
import sys
import time
from typing import Any, NoReturn

from cuedeck.cli import main
from cuedeck.cli.failure import exit_code_for
from cuedeck.cli.leaving import last_steps
from cuedeck.cli.standby.client import BEGUN, EXIT, LONGEST_REQUEST, READY
from cuedeck.cli.standby.pages import Pages, copy_ahead
from cuedeck.cli.standby.switch import is_wanted

_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_INTEGER = array.array("i").itemsize


def wait_for_command(channel: socket.socket, pages: Pages) -> None:
    """Wait until the parent passes a client on; return when there will be none."""
    copy_ahead(pages)
    _, ancillary, _, _ = channel.recvmsg(1, socket.CMSG_SPACE(_INTEGER))
    channel.close()
    passed = _descriptors(ancillary)
    if passed:
        _serve(socket.socket(fileno=passed[0]))


def _serve(client: socket.socket) -> NoReturn:
    """Read the request, say that it has begun, run it, tell how it ended, and end."""
    client.send(READY + str(os.getpid()).encode())
    arguments = _become(client)
    if arguments is None or not is_wanted(arguments):
        os._exit(0)
    client.send(BEGUN)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _PASSED_ON)
        code = main(arguments)
    except BaseException as error:  # noqa: BLE001 - an interrupt that came before
        code = exit_code_for(error, arguments)
    code = last_steps(code)
    os.closerange(0, 3)
    try:
        client.send(EXIT + str(code).encode())
    finally:
        os._exit(code)


def _become(client: socket.socket) -> list[str] | None:
    """Take over the client's streams, folder, arguments and variables; the arguments, unless it left."""
    request, ancillary, _, _ = client.recvmsg(LONGEST_REQUEST, socket.CMSG_SPACE(4 * _INTEGER))
    descriptors = _descriptors(ancillary)
    if not request or len(descriptors) != 4:
        return None
    for number in (0, 1, 2):
        os.dup2(descriptors[number], number, inheritable=True)
    os.fchdir(descriptors[3])
    for descriptor in descriptors:
        os.close(descriptor)
    count, *words = request.split(b"\0")
    _set_environment(words[int(count) :])
    sys.argv = list(map(os.fsdecode, words[: int(count)]))
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        stream = _stream(number, mode, getattr(sys, name))
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    return sys.argv[1:]


def _set_environment(given: list[bytes]) -> None:
    wanted = dict(pair.split(b"=", 1) for pair in given)
    for name in os.environb.keys() - wanted.keys():
        del os.environb[name]
    for name, value in wanted.items():
        if os.environb.get(name) != value:
            os.environb[name] = value
    time.tzset()


def _stream(number: int, mode: str, like: io.TextIOWrapper) -> io.TextIOWrapper:
    """A standard stream as Python makes it; what does not depend on the file is as it was chosen for us."""
    unbuffered = like.write_through
    buffering = 0 if unbuffered and mode == "w" else -1
    buffer: Any = open(number, mode + "b", buffering, closefd=False)  # noqa: SIM115
    raw = getattr(buffer, "raw", buffer)
    raw.name = like.name
    made = io.TextIOWrapper(
        buffer,
        encoding=like.encoding,
        errors=like.errors,
        newline="\n",
        line_buffering=like.line_buffering or (not unbuffered and raw.isatty()),
        write_through=unbuffered,
    )
    setattr(made, "mode", mode)  # noqa: B010 - as Python itself does
    return made


def forget_signals() -> None:
    """Undo what the standby arranged for itself; what a client passes on waits until its command begins."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_ON)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def _descriptors(ancillary: list[tuple[int, int, bytes]]) -> list[int]:
    found = array.array("i")
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            found.frombytes(data[: len(data) - len(data) % _INTEGER])
    return list(found)
