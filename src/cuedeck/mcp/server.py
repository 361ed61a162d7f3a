"""MCP over one stream of JSON lines: the SDK's loop, bare methods, batches, and a calm way out."""

from __future__ import annotations

import logging
import re
import threading
from functools import partial
from typing import Any, Protocol

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
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
# Beyond this many unanswered requests a client has to wait before more of it is read.
MAX_IN_FLIGHT = 1000
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

    def __init__(self) -> None:
        self.waiting: set[Id] = set()
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
        self._pending: set[object] = set()
        self._settled = anyio.Event()
        self._bare: dict[Id, anyio.CancelScope] = {}
        self._batches: list[_Batch] = []
        self._initialize: Id | None = None
        self._greeted = anyio.Event()
        self._version: str | None = None
        self._to_server, self._inbound = anyio.create_memory_object_stream[SessionMessage | Exception](0)

    async def serve(self) -> None:
        server = create_server(self._connection)
        outbound, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as self._tasks:
            self._tasks.start_soon(self._write_answers, from_server)
            self._tasks.start_soon(self._read_lines)
            await server.run(self._inbound, outbound, server.create_initialization_options())

    async def _read_lines(self) -> None:
        async with self._to_server:
            async for line in bounded_lines(self._reader, self._message_bytes):
                try:
                    await self._take(line)
                except Malformed as problem:
                    await self._send(problem.to_json())
                await self._settle_below(MAX_IN_FLIGHT)
            with anyio.move_on_after(DRAIN_SECONDS) as patience:
                await self._settle_below(1)
            if patience.cancelled_caught:
                logger.warning("the client left while %d calls were running", len(self._pending))

    async def _take(self, line: bytes | Oversized) -> None:
        if isinstance(line, Oversized):
            limit = f"Invalid request: longer than {self._message_bytes} bytes (limits.message_bytes)"
            raise Malformed(INVALID_REQUEST, limit, line.request_id())
        if not line.strip():
            return
        message = parse(line)
        if isinstance(message, list):
            await self._take_batch(message)
        else:
            await self._route(check_request(message))

    async def _take_batch(self, messages: list[Any]) -> None:
        if self._initialize is not None:
            await self._greeted.wait()
        self._check_batch(messages)
        batch, good = _Batch(), []
        for message in messages:
            try:
                good.append(check_request(message))
            except Malformed as problem:
                batch.answers.append(problem.to_json())
        batch.waiting = {found for message in good if (found := _asks(message)) is not None}
        self._batches.append(batch)
        await self._finish(batch)
        for message in good:
            await self._route(message)

    def _check_batch(self, messages: list[Any]) -> None:
        if not messages:
            raise Malformed(INVALID_REQUEST, "Invalid request: an empty batch")
        if self._version != BATCH_VERSION and not all(map(self._connection.selection.bare_tool, messages)):
            version = self._version or "this connection"
            raise Malformed(INVALID_REQUEST, f"Invalid request: batches are not part of {version}")

    async def _route(self, message: dict[str, Any]) -> None:
        request_id = _asks(message)
        if request_id is not None:
            self._pending.add(request_id)
        if tool := self._connection.selection.bare_tool(message):
            self._tasks.start_soon(self._answer_bare, tool, message, request_id)
            return
        if message.get("method") == "initialize":
            self._initialize = request_id
            self._greeted = anyio.Event()
        elif message.get("method") == "notifications/cancelled":
            await self._cancelled((message.get("params") or {}).get("requestId"))
        try:
            parsed = jsonrpc_message_adapter.validate_python(message, by_name=False)
        except ValidationError:
            await self._send(error_response(request_id, INVALID_REQUEST, "Invalid request"))
            return
        await self._to_server.send(SessionMessage(parsed))

    async def _answer_bare(self, tool: Tool, message: dict[str, Any], request_id: Id | None) -> None:
        """A contract method called directly: its result is the contract's JSON, with no handshake."""
        gone, running = threading.Event(), object()
        self._pending.add(running)
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
                self._settle(running)
            if request_id is not None:
                self._bare.pop(request_id, None)
                await self._send(answer)

    async def _cancelled(self, given: Any) -> None:
        """Nothing will be answered under this id, which a client may send back as text."""
        for request_id in _spellings(given):
            if scope := self._bare.pop(request_id, None):
                scope.cancel()
            self._settle(request_id)
            if request_id == self._initialize:
                self._greet(None)
            for batch in [batch for batch in self._batches if request_id in batch.waiting]:
                batch.waiting.discard(request_id)
                await self._finish(batch)

    async def _write_answers(self, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with from_server:
            async for item in from_server:
                message = _plain(item.message)
                if self._initialize is not None and message.get("id") == self._initialize:
                    self._greet(message.get("result", {}).get("protocolVersion"))
                await self._send(message)
        # The server closed its side: nothing more can be answered.
        self._tasks.cancel_scope.cancel()

    def _greet(self, version: str | None) -> None:
        self._version = version
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
        try:
            async with self._writing:
                await self._writer.send(encode_line(message))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            logger.info("the client is gone; its connection ends")
            self._tasks.cancel_scope.cancel()

    def _settle(self, request: object) -> None:
        self._pending.discard(request)
        self._settled.set()

    async def _settle_below(self, number: int) -> None:
        while len(self._pending) >= number:
            self._settled = anyio.Event()
            await self._settled.wait()


def _asks(message: dict[str, Any]) -> Id | None:
    """The id under which a message wants an answer."""
    return request_id_of(message) if "method" in message else None


def _spellings(request_id: Any) -> set[Id]:
    if isinstance(request_id, bool) or not isinstance(request_id, (int, str)):
        return set()
    spelled: set[Id] = {request_id, str(request_id)}
    # No request has a number that is longer: it would not have been parsed.
    if isinstance(request_id, str) and re.fullmatch(r"[0-9]{1,4000}", request_id):
        spelled.add(int(request_id))
    return spelled


def _plain(message: JSONRPCMessage) -> dict[str, Any]:
    # A result is plain JSON already; dumping the model again would cost as much as the call.
    if isinstance(message, JSONRPCResponse):
        return {"jsonrpc": "2.0", "id": message.id, "result": message.result}
    return message.model_dump(by_alias=True, mode="json", exclude_unset=True)
