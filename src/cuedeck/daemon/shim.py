"""``cue mcp``: copies lines between an agent's stdio and the daemon, and outlives the daemon."""

from __future__ import annotations

import os
import select

from cuedeck.daemon.conversation import Conversation, refusal
from cuedeck.daemon.dial import DONT_WAIT, Refused
from cuedeck.daemon.location import NoDaemon
from cuedeck.daemon.outbox import Outbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket as Socket
    from collections.abc import Callable

    Dial = Callable[[], tuple[Socket, bytes]]

STDIN, STDOUT = 0, 1
# What a pipe that polls writable takes without blocking.
PIPE_CHUNK = 4096
READ_CHUNK = 262144
# Beyond this much undelivered text the side that produces it is not read until the other catches up.
HIGH_WATER = 8 * 1024 * 1024
# A line this long is no longer held back until it is whole; the server refuses it, and lives on.
LONGEST_LINE = 64 * 1024 * 1024
LAST_ANSWERS_SECONDS = 120.0


class ClientGone(Exception):
    """Nobody reads our output any more."""


class Lines:
    """Bytes in, whole lines out."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that these bytes complete."""
        end = data.rfind(b"\n") + 1
        end += len(self._rest) if end else 0
        self._rest += data
        if not end and len(self._rest) > LONGEST_LINE:
            end = len(self._rest)
        whole = bytes(self._rest[:end])
        del self._rest[:end]
        return whole.splitlines(keepends=True) if b"\r" not in whole else _split(whole)

    def rest(self) -> bytes:
        """What came after the last line; forgotten here."""
        rest = bytes(self._rest)
        self._rest.clear()
        return rest


def _split(whole: bytes) -> list[bytes]:
    return [line + b"\n" for line in whole.removesuffix(b"\n").split(b"\n")]


class Shim:
    """One agent's conversation with whichever daemon is alive."""

    def __init__(self, dial: Dial, first: tuple[Socket, bytes]) -> None:
        self._dial = dial
        self._socket: Socket | None
        self._socket, self._greeting = first
        self._conversation = Conversation()
        self._to_daemon = Outbox()
        self._to_client = bytearray()
        self._from_client, self._from_daemon = Lines(), Lines()
        self._client_done = False

    def run(self) -> int:
        """Copy until the client ends its input and has its answers; the exit code."""
        try:
            while not self._client_done:
                self._step(None)
            self._say_goodbye()
        except ClientGone:
            pass
        return 0

    def _step(self, timeout: float | None) -> bool:
        """Wait for whichever side is ready and move what can be moved; False when time ran out."""
        poller = select.poll()
        if not self._client_done and self._to_daemon.size < HIGH_WATER:
            poller.register(STDIN, select.POLLIN)
        poller.register(STDOUT, select.POLLOUT if self._to_client else 0)
        if self._socket is not None:
            wanted = select.POLLIN if len(self._to_client) < HIGH_WATER else 0
            poller.register(self._socket.fileno(), wanted | (select.POLLOUT if self._to_daemon else 0))
        ready = dict(poller.poll(None if timeout is None else timeout * 1000))
        if ready.get(STDIN):
            self._read_client()
        if ready.get(STDOUT):
            self._write_client(ready[STDOUT])
        if self._socket is not None and (events := ready.get(self._socket.fileno())):
            self._exchange(events)
        if self._to_daemon and self._socket is None:
            self._reconnect()
        return bool(ready)

    def _read_client(self) -> None:
        try:
            data = os.read(STDIN, READ_CHUNK)
        except OSError:  # closed before we began
            data = b""
        self._to_daemon.add(self._from_client.feed(data))
        if not data:
            self._client_done = True
            if rest := self._from_client.rest().strip():
                self._to_daemon.add([rest + b"\n"])
        if self._socket is not None and self._to_daemon:
            self._write_daemon()

    def _write_client(self, events: int) -> None:
        if not events & select.POLLOUT:
            raise ClientGone
        try:
            written = os.write(STDOUT, self._to_client[:PIPE_CHUNK])
        except BrokenPipeError as error:
            raise ClientGone from error
        del self._to_client[:written]

    def _exchange(self, events: int) -> None:
        if events & select.POLLOUT:
            self._write_daemon()
        if self._socket is not None and events & ~select.POLLOUT:
            self._read_daemon()

    def _write_daemon(self) -> None:
        assert self._socket is not None
        try:
            for line in self._to_daemon.send(self._socket, DONT_WAIT):
                self._conversation.sent(line)
        except OSError:
            self._lose_daemon()

    def _read_daemon(self) -> None:
        assert self._socket is not None
        try:
            data = self._socket.recv(READ_CHUNK)
        except OSError:
            data = b""
        for line in self._from_daemon.feed(data):
            if self._conversation.received(line):
                self._to_client += line
        if not data:
            self._lose_daemon()
            return
        self._deliver_at_once()
        self._conversation.read()

    def _deliver_at_once(self) -> None:
        """Spare the common short answer another round of polling."""
        poller = select.poll()
        poller.register(STDOUT, select.POLLOUT)
        while self._to_client and (ready := poller.poll(0)):
            self._write_client(ready[0][1])

    def _lose_daemon(self) -> None:
        assert self._socket is not None
        self._socket.close()
        self._socket = None
        self._from_daemon.rest()
        self._to_daemon.recall()
        errors, again = self._conversation.abandon(_harmless(self._greeting))
        self._to_client += b"".join(errors)
        self._to_daemon.add_first(again)

    def _reconnect(self) -> None:
        try:
            self._socket, self._greeting = self._dial()
        except (NoDaemon, Refused, OSError) as error:
            for line in self._to_daemon.clear():
                self._to_client += b"".join(refusal(line, _reason(error)))
            return
        self._to_daemon.add_first(self._conversation.opening())

    def _say_goodbye(self) -> None:
        """Let requests that were already sent be answered, then end both directions."""
        import time

        deadline = time.monotonic() + LAST_ANSWERS_SECONDS
        while self._to_daemon or self._to_client or self._conversation.waiting():
            if not self._step(max(0.0, deadline - time.monotonic())):
                return
        if self._socket is not None:
            self._socket.close()


def _harmless(greeting: bytes) -> frozenset[str]:
    import json

    return frozenset(json.loads(greeting).get("harmless", ()))


def _reason(error: Exception) -> str:
    if isinstance(error, Refused):
        import json

        return str(json.loads(error.answer).get("message", "it refused"))
    return str(error)
