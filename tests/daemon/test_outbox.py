"""Which lines were sent is known exactly, wherever a connection breaks."""

from __future__ import annotations

import socket

import pytest

from cuedeck.daemon.outbox import Outbox

LINES = [b"first\n", b"x" * 500_000 + b"\n", b"last\n"]


@pytest.fixture
def pair() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair()


def test_all_lines_in_order(pair: tuple[socket.socket, socket.socket]) -> None:
    near, far = pair
    far.settimeout(5)
    box = Outbox()
    box.add(LINES[1:])
    box.add_first(LINES[:1])
    sent: list[bytes] = []
    received = b""
    while box:
        sent += box.send(near, socket.MSG_DONTWAIT)
        received += far.recv(1_000_000)
    near.close()
    while data := far.recv(1_000_000):
        received += data
    assert sent == LINES and received == b"".join(LINES) and box.size == 0


def test_a_break_in_the_middle(pair: tuple[socket.socket, socket.socket]) -> None:
    near, far = pair
    box = Outbox()
    box.add(LINES)
    assert box.send(near, socket.MSG_DONTWAIT) == LINES[:1]  # the long line does not fit
    box.add([b"later\n"])
    far.close()
    with pytest.raises(OSError):
        box.send(near, socket.MSG_DONTWAIT)
    box.recall()
    assert box.clear() == [*LINES[1:], b"later\n"]
