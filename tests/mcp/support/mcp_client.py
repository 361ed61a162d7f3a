"""A client that speaks raw lines, and workspaces to serve."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio

from cuedeck.workspace import Workspace


def open_workspace(root: Path, **environ: str) -> Workspace:
    (root / ".cuedeck").mkdir(exist_ok=True)
    return Workspace.open(root, environ={"HOME": str(root), **environ})


class Lines:
    """The client's end of a stream: send messages, read answers one by one."""

    def __init__(self) -> None:
        self._to_server, self._from_client = anyio.create_memory_object_stream[bytes](1000)
        self._to_client, self._from_server = anyio.create_memory_object_stream[bytes](1000)
        self._rest = b""

    async def receive(self, max_bytes: int = 65536) -> bytes:
        if not self._rest:
            self._rest = await self._from_client.receive()
        chunk, self._rest = self._rest[:max_bytes], self._rest[max_bytes:]
        return chunk

    async def send(self, item: bytes, /) -> None:
        await self._to_client.send(item)

    async def write(self, *messages: Any) -> None:
        for message in messages:
            raw = message if isinstance(message, bytes) else json.dumps(message).encode()
            await self._to_server.send(raw + b"\n")

    async def read(self) -> Any:
        with anyio.fail_after(10):
            return json.loads(await self._from_server.receive())

    async def ask(self, method: str, params: Any = None, request_id: Any = 1) -> Any:
        await self.write(request(method, params, request_id))
        return await self.read()

    async def initialize(self, version: str = "2025-11-25") -> Any:
        client = {"name": "test", "version": "1"}
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        answer = await self.ask("initialize", params, "init")
        await self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    async def call(self, tool: str, arguments: Any = None, request_id: Any = 1) -> Any:
        return await self.ask("tools/call", {"name": tool, "arguments": arguments or {}}, request_id)

    def close(self) -> None:
        self._to_server.close()

    async def everything(self) -> list[Any]:
        """Close our side and read what still comes."""
        self.close()
        answers = []
        with anyio.fail_after(10):
            try:
                while True:
                    answers.append(json.loads(await self._from_server.receive()))
            except anyio.EndOfStream:
                return answers

    def served(self) -> None:
        self._to_client.close()


def request(method: str, params: Any = None, request_id: Any = 1) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return message if params is None else message | {"params": params}
