"""MCP over one stream of JSON lines: the SDK's loop, bare methods, batches, and a calm way out."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from functools import partial
from typing import Any, Protocol

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, JSONRPCResponse, jsonrpc_message_adapter
from pydantic import ValidationError

from cuedeck.mcp.connection import Connection, WorkspaceProvider
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.protocol import create_server, run_in_thread
from cuedeck.mcp.registry import Registry
from cuedeck.mcp.rendering import RpcError
from cuedeck.mcp.runtime import Runtime
from cuedeck.mcp.tool import Tool
from cuedeck.mcp.wire import (
    INVALID_REQUEST,
    ByteReader,
    Id,
    Malformed,
    Oversized,
    bounded_lines,
    check_request,
    encode_line,
    error_response,
    parse,
    request_id_of,
)

MESSAGE_BYTES = 4 * 1024 * 1024
# A client that closes its side still gets the answers to what it asked, within reason.
DRAIN_SECONDS = 60.0
BATCH_VERSION = "2025-03-26"

logger = logging.getLogger("cuedeck.mcp")


class ByteWriter(Protocol):
    """Where bytes go."""

    async def send(self, item: bytes, /) -> None:
        """Write all of them."""
        ...


async def serve_streams(
    provider: WorkspaceProvider,
    options: ConnectionOptions,
    reader: ByteReader,
    writer: ByteWriter,
    *,
    runtime: Runtime | None = None,
    registry: Registry | None = None,
    message_bytes: int = MESSAGE_BYTES,
) -> None:
    """Serve one client over newline-delimited JSON until its side of the stream ends."""
    connection = Connection(provider, options, runtime or Runtime(), registry)
    await _Line(connection, reader, writer, message_bytes).serve()


class _Batch:
    """The requests of one JSON-RPC batch and the answers gathered so far."""

    def __init__(self, ids: Iterable[Id]) -> None:
        self.waiting = set(ids)
        self.answers: list[dict[str, Any]] = []


class _Line:
    """One client on one stream."""

    def __init__(
        self, connection: Connection, reader: ByteReader, writer: ByteWriter, message_bytes: int
    ) -> None:
        self._connection = connection
        self._reader = reader
        self._writer = writer
        self._message_bytes = message_bytes
        self._writing = anyio.Lock()
        self._pending: set[Id] = set()
        self._settled = anyio.Event()
        self._bare: dict[Id, anyio.CancelScope] = {}
        self._batches: list[_Batch] = []
        self._initialize: Id | None = None
        self._greeted = anyio.Event()
        self._version: str | None = None

    async def serve(self) -> None:
        server = create_server(self._connection)
        to_server, inbound = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outbound, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._write_answers, from_server, tasks.cancel_scope)
            tasks.start_soon(self._read_lines, to_server, tasks)
            await server.run(inbound, outbound, server.create_initialization_options())

    async def _read_lines(
        self, to_server: MemoryObjectSendStream[SessionMessage | Exception], tasks: anyio.abc.TaskGroup
    ) -> None:
        async with to_server:
            async for line in bounded_lines(self._reader, self._message_bytes):
                try:
                    await self._take(line, to_server, tasks)
                except Malformed as problem:
                    await self._send(problem.to_json())
            await self._drain()

    async def _take(
        self,
        line: bytes | Oversized,
        to_server: MemoryObjectSendStream[SessionMessage | Exception],
        tasks: anyio.abc.TaskGroup,
    ) -> None:
        if isinstance(line, Oversized):
            limit = f"Invalid request: longer than {self._message_bytes} bytes (limits.message_bytes)"
            raise Malformed(INVALID_REQUEST, limit, line.request_id())
        if not line.strip():
            return
        message = parse(line)
        if isinstance(message, list):
            await self._take_batch(message, to_server, tasks)
        else:
            await self._route(check_request(message), to_server, tasks)

    async def _take_batch(
        self,
        messages: list[Any],
        to_server: MemoryObjectSendStream[SessionMessage | Exception],
        tasks: anyio.abc.TaskGroup,
    ) -> None:
        if not messages:
            raise Malformed(INVALID_REQUEST, "Invalid request: an empty batch")
        if self._initialize is not None:
            await self._greeted.wait()
        if self._version != BATCH_VERSION and not all(map(self._connection.selection.bare_tool, messages)):
            version = self._version or "this connection"
            raise Malformed(INVALID_REQUEST, f"Invalid request: batches are not part of {version}")
        good: list[dict[str, Any]] = []
        batch = _Batch(())
        for message in messages:
            try:
                good.append(check_request(message))
            except Malformed as problem:
                batch.answers.append(problem.to_json())
        batch.waiting = {request_id_of(m) for m in good if "method" in m and "id" in m} - {None}  # type: ignore[assignment]
        if not batch.waiting:
            if batch.answers:
                await self._write(batch.answers)
        else:
            self._batches.append(batch)
        for message in good:
            await self._route(message, to_server, tasks)

    async def _route(
        self,
        message: dict[str, Any],
        to_server: MemoryObjectSendStream[SessionMessage | Exception],
        tasks: anyio.abc.TaskGroup,
    ) -> None:
        request_id = request_id_of(message)
        if "method" in message and request_id is not None:
            self._pending.add(request_id)
        if tool := self._connection.selection.bare_tool(message):
            tasks.start_soon(self._answer_bare, tool, message, request_id)
            return
        if message.get("method") == "initialize":
            self._initialize = request_id
            self._greeted = anyio.Event()
        if message.get("method") == "notifications/cancelled":
            await self._cancelled((message.get("params") or {}).get("requestId"))
        try:
            parsed = jsonrpc_message_adapter.validate_python(message, by_name=False)
        except ValidationError:
            await self._send(error_response(request_id, INVALID_REQUEST, "Invalid request"))
            return
        await to_server.send(SessionMessage(parsed))

    async def _answer_bare(self, tool: Tool, message: dict[str, Any], request_id: Id | None) -> None:
        """A contract method called directly: its result is the contract's JSON, with no handshake."""
        gone = threading.Event()
        arguments = {key: value for key, value in (message.get("params") or {}).items() if key != "_meta"}
        with anyio.CancelScope() as scope:
            if request_id is not None:
                self._bare[request_id] = scope
            try:
                perform = partial(self._connection.perform_bare, tool, arguments, None, gone.is_set)
                answer = {"jsonrpc": "2.0", "id": request_id, "result": await run_in_thread(perform)}
            except RpcError as error:
                answer = error_response(request_id, error.code, error.message, error.data)
            finally:
                gone.set()
            if request_id is not None:
                self._bare.pop(request_id, None)
                await self._send(answer)

    async def _cancelled(self, request_id: Any) -> None:
        if not isinstance(request_id, (int, str)):
            return
        if scope := self._bare.pop(request_id, None):
            scope.cancel()
        self._settle(request_id)
        for batch in [batch for batch in self._batches if request_id in batch.waiting]:
            batch.waiting.discard(request_id)
            await self._finish(batch)

    async def _write_answers(
        self, from_server: MemoryObjectReceiveStream[SessionMessage], scope: anyio.CancelScope
    ) -> None:
        async with from_server:
            async for item in from_server:
                message = _plain(item.message)
                self._note_version(message)
                await self._send(message)
        # The server closed its side: nothing more can be answered.
        scope.cancel()

    def _note_version(self, message: dict[str, Any]) -> None:
        if self._initialize is not None and message.get("id") == self._initialize:
            self._version = message.get("result", {}).get("protocolVersion")
            self._initialize = None
            self._greeted.set()

    async def _send(self, message: dict[str, Any]) -> None:
        """Write one message, or keep it for the batch that waits for it."""
        request_id = request_id_of(message)
        if "method" in message or request_id is None:
            await self._write(message)
            return
        for batch in self._batches:
            if request_id in batch.waiting:
                batch.waiting.discard(request_id)
                batch.answers.append(message)
                await self._finish(batch)
                break
        else:
            await self._write(message)
        self._settle(request_id)

    async def _finish(self, batch: _Batch) -> None:
        if batch.waiting:
            return
        self._batches.remove(batch)
        if batch.answers:
            await self._write(batch.answers)

    async def _write(self, message: Any) -> None:
        async with self._writing:
            await self._writer.send(encode_line(message))

    def _settle(self, request_id: Id) -> None:
        self._pending.discard(request_id)
        if not self._pending:
            self._settled.set()

    async def _drain(self) -> None:
        with anyio.move_on_after(DRAIN_SECONDS) as patience:
            while self._pending:
                self._settled = anyio.Event()
                await self._settled.wait()
        if patience.cancelled_caught:
            logger.warning("the client left while %d calls were running", len(self._pending))


def _plain(message: JSONRPCMessage) -> dict[str, Any]:
    # A result is plain JSON already; dumping the model again would cost as much as the call.
    if isinstance(message, JSONRPCResponse):
        return {"jsonrpc": "2.0", "id": message.id, "result": message.result}
    return message.model_dump(by_alias=True, mode="json", exclude_unset=True)
