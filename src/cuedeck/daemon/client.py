"""A connection to the daemon before MCP begins: who it is, what it wants, and how it is answered."""

from __future__ import annotations

import json
import os
import socket
import struct
from dataclasses import dataclass
from typing import Any

import anyio
import anyio.abc
from anyio.streams.buffered import BufferedByteReceiveStream

from cuedeck.daemon import protocol
from cuedeck.model.errors import CueError, exit_code

HELLO_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Hello:
    """What a client said first."""

    verb: str
    fields: dict[str, str]
    environment: dict[str, str]


@dataclass(frozen=True, slots=True)
class Client:
    """The stream of one client, and what was already received of it."""

    stream: anyio.abc.SocketStream
    reader: BufferedByteReceiveStream

    def is_ours(self) -> bool:
        """Whether the same user is at the other end."""
        if not hasattr(socket, "SO_PEERCRED"):
            return True  # the socket's folder is private already
        raw = self.stream.extra(anyio.abc.SocketAttribute.raw_socket)
        credentials = raw.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return bool(struct.unpack("3i", credentials)[1] == os.getuid())

    async def hello(self) -> Hello:
        """Read what the client says first."""
        with anyio.fail_after(HELLO_SECONDS):
            verb, length = protocol.decode_head(await self.reader.receive_until(b"\n", 128))
            body = await self.reader.receive_exactly(length) if length else b""
        return Hello(verb, *protocol.decode_body(body))

    async def accept(self, value: dict[str, Any]) -> None:
        """Say yes."""
        await self.stream.send(b"ok " + json.dumps(value).encode() + b"\n")

    async def send_away(self) -> None:
        """Say that another daemon should be started."""
        await self.stream.send(b"drain\n")

    async def refuse(self, error: CueError) -> None:
        """Say no, and why."""
        value = {"message": error.message, "hint": error.hint, "exit": exit_code(error)}
        await self.stream.send(b"error " + json.dumps(value).encode() + b"\n")
