"""Reaching a workspace's daemon: connect, or start it exactly once, and agree on version and workspace."""

from __future__ import annotations

import os
import sys

from cuedeck.daemon.location import Address, NoDaemon

try:
    # The C core alone: the socket module drags in enum, selectors and re, which cost as much as Python.
    import _socket
except ImportError:
    _socket = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket as Socket

DONT_WAIT: int = getattr(_socket, "MSG_DONTWAIT", 0)
ATTEMPTS = 4
ANSWER_SECONDS = 30.0
START_SECONDS = 30.0


class Refused(Exception):
    """The daemon understood and said no; holds its JSON answer."""

    def __init__(self, answer: bytes) -> None:
        super().__init__(answer)
        self.answer = answer


def connect(address: Address, patience: float = ANSWER_SECONDS) -> Socket | None:
    """A connection to the running daemon; None when there is none."""
    if _socket is None or not hasattr(_socket, "AF_UNIX"):
        raise NoDaemon("this system has no unix sockets")
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.settimeout(patience)
    try:
        connection.connect(address.socket)
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None
    except OSError as error:
        connection.close()
        raise NoDaemon(f"{address.socket} cannot be reached: {error}") from error
    return connection


def dial(address: Address, hello: bytes) -> tuple[Socket, bytes]:
    """A connection whose hello was accepted, and the daemon's answer; starts the daemon when needed."""
    for _ in range(ATTEMPTS):
        connection = connect(address)
        fresh = connection is None
        connection = connection or start(address)
        answer = ask(connection, hello)
        if answer.startswith(b"ok "):
            connection.settimeout(None)
            return connection, answer[3:]
        connection.close()
        if answer.startswith(b"error "):
            raise Refused(answer[6:])
        if fresh and not answer:
            break  # what has just been started and died will die again
    raise NoDaemon("the daemon went away before it answered" + _last_words(address))


def ask(connection: Socket, hello: bytes) -> bytes:
    """Send a hello and read the one line of answer; empty when the daemon went away instead."""
    try:
        connection.sendall(hello)
        answer = b""
        while not answer.endswith(b"\n"):
            # One byte too many would swallow the start of the conversation: nothing follows before we speak.
            received = connection.recv(65536)
            if not received:
                return b""
            answer += received
    except ConnectionError:
        return b""
    except TimeoutError as error:
        raise NoDaemon("the daemon does not answer") from error
    return answer.rstrip(b"\n")


def start(address: Address) -> Socket:
    """Start the daemon unless somebody else just did, and connect to it."""
    import fcntl

    descriptor = os.open(address.starting, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        connection = connect(address)
        if connection is None:
            _spawn(address)
            connection = connect(address)
    finally:
        os.close(descriptor)
    if connection is None:
        raise NoDaemon("the daemon did not start" + _last_words(address))
    return connection


def _spawn(address: Address) -> None:
    import select
    import subprocess

    environment = {name: value for name, value in os.environ.items() if not name.startswith("CUEDECK_")}
    ready, signal = os.pipe()
    errors = os.open(address.errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    # -P: a file of the workspace must never be imported as a module.
    command = [sys.executable, "-P", "-m", "cuedeck.daemon", address.root, str(signal)]
    try:
        starter = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=(signal,),
            cwd="/",
            env=environment,
            start_new_session=True,
        )
        os.close(signal)
        signal = -1
        poller = select.poll()
        poller.register(ready, select.POLLIN)
        if poller.poll(START_SECONDS * 1000):
            os.read(ready, 16)
        starter.wait(START_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        raise NoDaemon(f"the daemon cannot be started: {error}") from error
    finally:
        for descriptor in (ready, errors, signal):
            if descriptor >= 0:
                os.close(descriptor)


def _last_words(address: Address) -> str:
    try:
        with open(address.errors, "rb") as file:  # noqa: PTH123
            lines = file.read(65536).decode("utf-8", "replace").strip().splitlines()
    except OSError:
        return ""
    return f": {lines[-1]}" if lines else ""
