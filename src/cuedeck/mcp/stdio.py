"""The process's own standard input and output as the stream of one client."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import anyio
import anyio.to_thread

from cuedeck.mcp.connection import WorkspaceProvider
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.registry import Registry
from cuedeck.mcp.server import MESSAGE_BYTES, serve_streams
from cuedeck.mcp.wire import CHUNK


async def serve_stdio(
    provider: WorkspaceProvider,
    options: ConnectionOptions,
    *,
    registry: Registry | None = None,
    message_bytes: int = MESSAGE_BYTES,
) -> None:
    """Serve MCP on standard input and output; anything else that prints goes to standard error."""
    with _claimed() as (source, sink):
        reader, writer = _Source(source), _Sink(sink)
        await serve_streams(provider, options, reader, writer, registry=registry, message_bytes=message_bytes)


@contextmanager
def _claimed() -> Iterator[tuple[int, int]]:
    """Private copies of descriptors 0 and 1, which meanwhile point at nothing and at standard error."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    # What was or will be printed into a buffer must not reach the client when the buffer is written.
    sys.stdout.flush()
    try:
        yield source, sink
    finally:
        sys.stdout.flush()
        os.dup2(source, 0)
        os.dup2(sink, 1)


class _Source:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._thread = anyio.CapacityLimiter(1)

    async def receive(self, max_bytes: int = CHUNK) -> bytes:
        # Abandoned on cancellation: a blocked read cannot be interrupted, and the process is leaving.
        return await anyio.to_thread.run_sync(
            os.read, self._descriptor, max_bytes, abandon_on_cancel=True, limiter=self._thread
        )


class _Sink:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._thread = anyio.CapacityLimiter(1)

    async def send(self, item: bytes, /) -> None:
        await anyio.to_thread.run_sync(self._write_all, item, limiter=self._thread)

    def _write_all(self, item: bytes) -> None:
        view = memoryview(item)
        while view:
            view = view[os.write(self._descriptor, view) :]
