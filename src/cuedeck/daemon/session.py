"""One client of the daemon: what it chose, and its stream of MCP lines."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio
from anyio.streams.buffered import BufferedByteReceiveStream

from cuedeck.daemon.client import Client
from cuedeck.daemon.workspaces import Workspaces
from cuedeck.mcp.options import ConnectionOptions, names
from cuedeck.mcp.registry import product
from cuedeck.mcp.runtime import Runtime
from cuedeck.mcp.server import serve_streams
from cuedeck.workspace import Workspace

logger = logging.getLogger("cuedeck.daemon")


def options_from(fields: dict[str, str], environment: dict[str, str]) -> ConnectionOptions:
    """A client's choices as they came in its hello."""
    chosen = ConnectionOptions()
    return ConnectionOptions(
        decks=names(fields["decks"]) if "decks" in fields else chosen.decks,
        tools=names(fields.get("tools", "")),
        read_only=fields.get("read_only") == "1",
        errors=fields.get("errors", chosen.errors),
        user=fields.get("user"),
        workspace=fields.get("root"),
        environment=tuple(sorted(environment.items())),
    )


class Sessions:
    """All clients of this daemon and what they share."""

    def __init__(self, root: Path) -> None:
        self._workspaces = Workspaces(root)
        self._runtime = Runtime()
        product()
        self._open: set[Session] = set()
        self.served = 0

    def __len__(self) -> int:
        return len(self._open)

    def prepare(self, client: Client, options: ConnectionOptions) -> Session:
        """A session for a client, or a refusal of its choices; reads its configuration."""
        session = Session(client, options, partial(self._workspaces.get, options.environment), self._runtime)
        session.workspace()
        return session

    def begin(self, session: Session) -> None:
        """A client has come."""
        self._open.add(session)
        self._workspaces.joined(session.options.environment)
        self.served += 1

    def end(self, session: Session) -> None:
        """A client has left."""
        self._open.discard(session)
        self._workspaces.left(session.options.environment)

    def end_input(self) -> None:
        """Take no more requests from anyone; those taken are still answered."""
        for session in self._open:
            session.input.end()

    def close(self) -> None:
        """Release the workspaces."""
        self._workspaces.close()


class Session:
    """Serves one client until it leaves or the daemon asks it to."""

    def __init__(
        self,
        client: Client,
        options: ConnectionOptions,
        workspace: Callable[[], Workspace],
        runtime: Runtime,
    ) -> None:
        self.workspace = workspace
        self.input = _Input(client.reader)
        self._output = client.stream
        self.options = options
        self._runtime = runtime
        self._selection = product().select(options)

    @property
    def harmless(self) -> list[str]:
        """Names of this client's tools that change nothing, so that a lost call may be repeated."""
        entries = [entry for entry in self._selection.entries if entry.tool.effects.read_only]
        bare = {name for name, tool in self._selection.bare.items() if tool.effects.read_only}
        return sorted(bare.union(*((entry.name, entry.tool.name) for entry in entries)))

    async def serve(self) -> None:
        """Speak MCP until the input ends and everything asked was answered."""
        try:
            await serve_streams(
                lambda _options: self.workspace(),
                self.options,
                self.input,
                self._output,
                runtime=self._runtime,
                message_bytes=self.workspace().config.limits.message_bytes,
            )
        except* (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            logger.debug("a client left without waiting for its answers")


class _Input:
    """The client's bytes, which the daemon can end from its side."""

    def __init__(self, reader: BufferedByteReceiveStream) -> None:
        self._reader = reader
        self._waiting: anyio.CancelScope | None = None
        self._ended = False

    async def receive(self, max_bytes: int = 65536) -> bytes:
        if self._ended:
            return b""
        with anyio.CancelScope() as self._waiting:
            return await self._reader.receive(max_bytes)
        return b""

    def end(self) -> None:
        self._ended = True
        if self._waiting is not None:
            self._waiting.cancel()
