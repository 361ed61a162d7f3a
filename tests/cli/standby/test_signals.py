"""Who is interrupted, ended or killed, and what the others make of it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Ready

from tests.cli.standby.conftest import lives, until

from cuedeck.cli.standby.client import READY


def waiting(ready: Ready) -> tuple[subprocess.Popen[bytes], int]:
    """A command that waits for its input, and the child that runs it."""
    child = until(ready.spare)
    client = ready.begin("memory", "add", "-")
    # It reads only once it has begun; another spare stands by from then on.
    until(lambda: ready.spare() != child)
    until(lambda: b"memory" in Path(f"/proc/{client.pid}/cmdline").read_bytes())
    until(lambda: "pipe:" in str(Path(f"/proc/{child}/fd/0").readlink()))
    time.sleep(0.2)
    return client, child


def end(client: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    _, said = client.communicate(timeout=60)
    return client.returncode, said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_ends_the_command_and_the_caller_alike(common: Ready, number: signal.Signals) -> None:
    client, child = waiting(common)
    client.send_signal(number)
    client.wait(timeout=60)  # of the signal alone: its input is still open
    assert end(client) == (-number, b"")
    until(lambda: not lives(child))


def test_an_interrupt_is_one_line(common: Ready) -> None:
    client, child = waiting(common)
    client.send_signal(signal.SIGINT)
    client.wait(timeout=60)  # of the signal alone: its input is still open
    assert end(client) == (130, b"\nInterrupted.\n")
    until(lambda: not lives(child))


def test_a_caller_that_is_killed_takes_the_command_along(common: Ready) -> None:
    client, child = waiting(common)
    client.kill()
    assert end(client)[0] == -signal.SIGKILL
    until(lambda: not lives(child))


def test_a_command_that_is_killed_takes_the_caller_along(common: Ready) -> None:
    client, child = waiting(common)
    os.kill(child, signal.SIGKILL)
    assert end(client) == (-signal.SIGKILL, b"")


def test_a_command_can_be_stopped_and_goes_on(common: Ready) -> None:
    client, child = waiting(common)
    client.send_signal(signal.SIGTSTP)
    for process in (client.pid, child):
        until(lambda process=process: "State:\tT" in Path(f"/proc/{process}/status").read_text())
    client.send_signal(signal.SIGCONT)
    until(lambda: "State:\tT" not in Path(f"/proc/{child}/status").read_text())
    out, said = client.communicate(b"It went on", timeout=60)
    assert (client.returncode, said) == (0, b"") and out


def test_a_command_outlives_its_standby(ready: Ready) -> None:
    client, _ = waiting(ready)
    os.kill(ready.process, signal.SIGKILL)
    client.communicate(b"Still here", timeout=60)
    assert client.returncode == 0
    assert b"Still here" in ready.cue("memory", "list").stdout


def test_a_caller_whose_command_and_standby_vanish_says_so(ready: Ready) -> None:
    client, child = waiting(ready)
    os.kill(ready.process, signal.SIGKILL)
    os.kill(child, signal.SIGKILL)
    code, said = end(client)
    assert code == 1 and said.startswith(b"error: The process that ran this command is gone")


def test_a_spare_that_is_killed_is_replaced(common: Ready) -> None:
    spare = until(common.spare)
    os.kill(spare, signal.SIGKILL)
    until(lambda: common.spare() not in (None, spare))
    served, done = common.served(lambda: common.cue("card", "list"))
    assert served and done.returncode == 0


def test_a_standby_that_hangs_is_passed_by(ready: Ready) -> None:
    os.kill(ready.process, signal.SIGSTOP)
    try:
        done = ready.cue("memory", "add", "Once only")
        assert done.returncode == 0, done.stderr
    finally:
        os.kill(ready.process, signal.SIGCONT)
    until(lambda: len(ready.children()) == 1)
    assert ready.cue("memory", "list", alone=True).stdout.count(b"Once only") == 1


def test_a_caller_whose_child_goes_before_it_begins_keeps_its_signals(ready: Ready) -> None:
    os.kill(ready.process, signal.SIGTERM)
    until(lambda: not ready.sockets())
    other = subprocess.Popen(["sleep", "100"])
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(ready.socket))
        listener.listen()
        client = ready.begin("memory", "add", "-")
        connection, _ = listener.accept()
        connection.send(READY + str(other.pid).encode())
        connection.close()
    time.sleep(0.5)
    client.send_signal(signal.SIGINT)
    try:
        client.wait(timeout=60)
        assert end(client) == (130, b"\nInterrupted.\n")
        assert lives(other.pid)
    finally:
        other.kill()
        other.wait()


def test_a_standby_that_is_told_to_stop_lets_commands_end(ready: Ready) -> None:
    client, _ = waiting(ready)
    process = ready.process
    os.kill(process, signal.SIGTERM)
    until(lambda: not ready.sockets())
    assert lives(process)
    client.communicate(b"The last one", timeout=60)
    assert client.returncode == 0
    until(lambda: not lives(process))
