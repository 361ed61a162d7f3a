"""Lines on their way to the daemon, and which of them are there."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket as Socket
    from collections.abc import Iterable


class Outbox:
    """Sends what fits without waiting; a line counts as sent when its last byte is."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._batch: list[bytes] = []
        self._data = b""
        self._position = 0
        self._counted = 0  # lines of the batch that are wholly sent
        self._counted_bytes = 0

    def __bool__(self) -> bool:
        return bool(self._batch or self._waiting)

    @property
    def size(self) -> int:
        """Bytes that have not been sent."""
        return len(self._data) - self._position + sum(map(len, self._waiting))

    def add(self, lines: Iterable[bytes]) -> None:
        """Send these after all others."""
        self._waiting.extend(lines)

    def add_first(self, lines: list[bytes]) -> None:
        """Send these before all that were not begun."""
        self._waiting[:0] = lines

    def send(self, socket: Socket, flags: int) -> list[bytes]:
        """Send as much as the socket takes now; the lines that this completed."""
        if not self._batch:
            self._start(self._waiting)
            self._waiting = []
        try:
            self._position += socket.send(memoryview(self._data)[self._position :], flags)
        except BlockingIOError:
            return []
        first = self._counted
        while self._counted < len(self._batch):
            end = self._counted_bytes + len(self._batch[self._counted])
            if end > self._position:
                break
            self._counted, self._counted_bytes = self._counted + 1, end
        sent = self._batch[first : self._counted]
        if self._counted == len(self._batch):
            self._start([])
        return sent

    def recall(self) -> None:
        """After a lost connection: what was not wholly sent waits for the next one."""
        self._waiting[:0] = self._batch[self._counted :]
        self._start([])

    def clear(self) -> list[bytes]:
        """Give up on everything that was not begun; those lines."""
        waiting, self._waiting = self._waiting, []
        return waiting

    def _start(self, lines: list[bytes]) -> None:
        self._batch, self._data = lines, b"".join(lines)
        self._position = self._counted = self._counted_bytes = 0
