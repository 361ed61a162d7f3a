"""The standby itself: one thread that waits, with a child forked ahead, and nothing open of anybody."""

from __future__ import annotations

import array
import os
import select
import signal
import socket
import struct
import time
from dataclasses import dataclass
from typing import NoReturn

from cuedeck.cli.standby import child
from cuedeck.cli.standby.client import EXIT, SIGNAL
from cuedeck.cli.standby.pages import Pages
from cuedeck.cli.standby.program import Program
from cuedeck.cli.standby.surroundings import inherited
from cuedeck.daemon.life import Life
from cuedeck.daemon.standing_by import Place

MOST_RUNS = 32
IDLE_SECONDS = 600.0
_CREDENTIALS = struct.Struct("3i")


@dataclass
class Run:
    """A command that was handed to a child."""

    process: int
    client: socket.socket
    ended: bool = False


@dataclass(frozen=True)
class Spare:
    """A child that waits for its command."""

    process: int
    channel: socket.socket


class Standby:
    """Accepts commands until it is idle, told to stop, or no longer the program on disk."""

    def __init__(
        self, place: Place, life: Life, program: Program, listener: socket.socket, pages: Pages
    ) -> None:
        self._place = place
        self._life = life
        self._program = program
        self._listener = listener
        self._pages = pages
        self._inode = os.stat(place.socket).st_ino  # noqa: PTH116
        self._own = inherited("self")
        self._runs: dict[int, Run] = {}
        self._abandoned: set[int] = set()
        self._spare: Spare | None = None
        self._told_to_stop = False
        self._last = time.monotonic()
        self._woken, self._waker = socket.socketpair()
        self._poller = select.poll()

    def serve(self) -> None:
        """Run until it is time to go, and fork ahead whenever there is nothing else to do."""
        self._listen_to_signals()
        self._poller.register(self._program.descriptor, select.POLLIN)
        while not self._must_leave():
            full = len(self._runs) >= MOST_RUNS
            self._poller.register(self._listener, 0 if full else select.POLLIN)
            ahead = self._spare is None and not full
            events = self._wait(0.0 if ahead else self._last + IDLE_SECONDS - time.monotonic())
            # A change of the program came before the client that is served after it.
            if self._listener.fileno() in events and not self._must_leave():
                self._accept()
            elif ahead and not events:
                self._spare = self._fork()
        self._leave()

    def _wait(self, seconds: float | None) -> set[int]:
        events = {
            number for number, _ in self._poller.poll(None if seconds is None else max(0.0, 1000 * seconds))
        }
        if self._woken.fileno() in events:
            self._collect()
        for number in events & self._runs.keys():
            self._client_left(number)
        return events

    def _listen_to_signals(self) -> None:
        self._waker.setblocking(False)
        self._woken.setblocking(False)
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: setattr(self, "_told_to_stop", True))
        self._poller.register(self._woken, select.POLLIN)

    def _must_leave(self) -> bool:
        idle = not self._runs and time.monotonic() - self._last >= IDLE_SECONDS
        return idle or self._told_to_stop or self._program.has_changed() or not self._is_reachable()

    def _is_reachable(self) -> bool:
        try:
            return os.stat(self._place.socket).st_ino == self._inode  # noqa: PTH116
        except OSError:
            return False

    def _leave(self) -> None:
        """Take no more commands, and see those to their end that were taken."""
        for descriptor in (self._listener, self._program.descriptor):
            self._poller.unregister(descriptor)
        self._program.forget()
        self._life.end()
        self._listener.close()
        if self._spare is not None:
            self._spare.channel.close()
        while self._runs:
            self._wait(None)

    def _accept(self) -> None:
        try:
            client, _ = self._listener.accept()
        except OSError:
            return  # it went away meanwhile
        if not self._may_come(client):
            client.close()
            return
        self._last = time.monotonic()
        self._life.touch()
        spare = self._spare or self._fork()
        self._spare = None
        passed = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [client.fileno()]))]
        try:
            spare.channel.sendmsg([b"."], passed)
        except BrokenPipeError:
            client.close()  # somebody ended the child
            self._abandoned.add(spare.process)
            return
        finally:
            spare.channel.close()
        self._runs[client.fileno()] = Run(spare.process, client)
        self._poller.register(client, 0)

    def _may_come(self, client: socket.socket) -> bool:
        told = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        process, user, _ = _CREDENTIALS.unpack(told)
        try:
            return user == os.getuid() and process > 0 and inherited(process) == self._own
        except OSError:
            return False  # it ended already

    def _fork(self) -> Spare:
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        process = os.fork()
        if process == 0:
            self._be_spare(ours, its)
        its.close()
        return Spare(process, ours)

    def _be_spare(self, parents: socket.socket, channel: socket.socket) -> NoReturn:
        try:
            child.forget_signals()
            self._program.forget()
            self._life.leave_to_parent()
            for opened in (parents, self._listener, self._woken, self._waker):
                opened.close()
            for run in self._runs.values():
                run.client.close()
            child.wait_for_command(channel, self._pages)
        finally:
            os._exit(1)

    def _collect(self) -> None:
        """Tell the clients of children that have ended. Each stays a zombie until its client has left."""
        self._woken.recv(4096)
        for run in self._runs.values():
            found = os.waitid(os.P_PID, run.process, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if found is not None and not run.ended:
                run.ended = True
                said = EXIT if found.si_code == os.CLD_EXITED else SIGNAL
                _send(run.client, said + str(found.si_status).encode())
        self._abandoned = {process for process in self._abandoned if not _reaped(process)}
        if self._spare is not None and _reaped(self._spare.process):
            self._spare.channel.close()
            self._spare = None

    def _client_left(self, number: int) -> None:
        run = self._runs.pop(number)
        self._poller.unregister(run.client)
        run.client.close()
        if not run.ended:
            os.kill(run.process, signal.SIGKILL)
        if not _reaped(run.process):
            self._abandoned.add(run.process)


def _reaped(process: int) -> bool:
    return os.waitpid(process, os.WNOHANG)[0] == process


def _send(client: socket.socket, message: bytes) -> None:
    try:
        client.send(message)
    except (BrokenPipeError, ConnectionResetError):
        return  # it has heard enough from the child, and left
