"""Processes that work for this one: begun from nothing, and spoken to in values over their pipes."""

from __future__ import annotations

import gc
import marshal
import os
import struct
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, Any

_LENGTH = struct.Struct("<Q")


class Worker:
    """A process whose life is ``serve()`` of a module.

    Forking one with threads is unsafe, and running its main module again would run whatever imported us.
    """

    def __init__(self, module: str, *arguments: str, environ: Mapping[str, str] | None = None) -> None:
        import subprocess

        self.process = subprocess.Popen(
            # -P: a file of the current folder must never be imported as a module.
            [sys.executable, "-P", "-c", f"from {module} import serve; serve()", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **(environ or {}), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            # Ctrl-C is for us; the process ends when its pipe does.
            process_group=0,
        )

    def send(self, value: Any) -> None:
        """Ask for something, in plain tuples, lists, texts, bytes and numbers."""
        assert self.process.stdin is not None
        send(self.process.stdin, value)

    def receive(self) -> bytes | None:
        """The next answer as it came, or nothing when the process is gone."""
        assert self.process.stdout is not None
        return receive(self.process.stdout)

    def end(self) -> None:
        """Let it go at once; it holds nothing that could be lost."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                # What a process that died has not read is still to be written.
                with suppress(OSError):
                    stream.close()


def answer_all(answer: Callable[[Any], Any]) -> None:
    """A worker's life: answer each request until whoever asks is gone."""
    # What the work leaves behind has no cycles; looking for them is a tenth of it.
    gc.disable()
    while (asked := receive(sys.stdin.buffer)) is not None:
        found = answer(marshal.loads(asked))
        try:
            send(sys.stdout.buffer, found)
        except BrokenPipeError:
            os._exit(0)  # whoever asked was killed, and the pipe would complain again at the end


def send(stream: IO[bytes], value: Any) -> None:
    """Write a value of plain tuples, lists, texts, bytes and numbers."""
    data = marshal.dumps(value)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """The next value as it came, or nothing when the other end is gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(head)
    data = stream.read(size)
    return data if len(data) == size else None
