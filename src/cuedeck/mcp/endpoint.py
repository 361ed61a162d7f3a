"""One MCP endpoint over HTTP: bare methods answered here, everything else by the SDK's transport."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.streamable_http import EventStore
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from cuedeck.mcp.connection import Connection, too_slow
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.protocol import PRINCIPAL_SCOPE_KEY, Extension, create_server, run_in_thread
from cuedeck.mcp.registry import Registry
from cuedeck.mcp.rendering import RpcError, rpc_error
from cuedeck.mcp.runtime import Runtime
from cuedeck.mcp.tool import Tool
from cuedeck.mcp.wire import INVALID_REQUEST, Malformed, check_request, error_response, parse, request_id_of

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace


MAX_SESSIONS = 1000


@dataclass(frozen=True)
class HttpSettings:
    """What `cue serve` chose, beyond the workspace's configuration."""

    options: ConnectionOptions = field(default_factory=ConnectionOptions)
    routes: Sequence[BaseRoute] = ()
    # Answers every path that is not MCP's, health's or metadata's; it lets people in by its own rules.
    dashboard: ASGIApp | None = None
    runtime: Runtime = field(default_factory=Runtime)
    registry: Registry | None = None
    stream_responses: bool = False
    event_store: EventStore | None = None
    extend: Extension | None = None


class Endpoint:
    """The ASGI app of one path."""

    def __init__(self, workspace: Workspace, settings: HttpSettings, options: ConnectionOptions) -> None:
        self._connection = Connection(lambda _: workspace, options, settings.runtime, settings.registry)
        self._seconds = workspace.config.limits.call_seconds
        server = create_server(self._connection, call_seconds=self._seconds, extend=settings.extend)
        # Many nodes share one PostgreSQL, and any of them may get the next request of a client.
        self._stateless = workspace.config.store.url is not None and not settings.stream_responses
        self._resumable = settings.event_store is not None
        manager = partial(
            StreamableHTTPSessionManager,
            server,
            stateless=self._stateless,
            event_store=settings.event_store,
            retry_interval=500 if settings.event_store else None,
            max_sessions=MAX_SESSIONS,
            max_request_body_size=workspace.config.limits.message_bytes,
            # The gates have checked Host and Origin of every route already, MCP or not.
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        self._plain = manager(json_response=not settings.stream_responses)
        self._streaming = manager(json_response=False)
        self._turns = _Turns()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Ready to serve while the block lasts."""
        async with self._plain.run(), self._streaming.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if self._stateless and scope["method"] != "POST":
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        if not self._resumable:
            scope = _from_the_start(scope)
        if scope["method"] != "POST" or not _is_json(headers):
            await self._plain.handle_request(scope, receive, send)
            return
        first = await receive()
        try:
            message = parse(first.get("body", b""))
            if isinstance(message, list):
                raise Malformed(INVALID_REQUEST, "Invalid request: batches are not served over HTTP")
            check_request(message)
            if tool := self._connection.selection.bare_tool(message):
                await self._answer_bare(tool, message, scope, receive, send)
                return
        except Malformed as problem:
            await JSONResponse(problem.to_json(), status_code=400)(scope, receive, send)
            return
        manager = self._streaming if _wants_stream(headers, message) else self._plain
        asked = request_id_of(message) if "method" in message else None
        async with self._turns.of(headers.get("mcp-session-id"), asked):
            await manager.handle_request(scope, _again(first, receive), send)

    async def _answer_bare(
        self, tool: Tool, message: dict[str, Any], scope: Scope, receive: Receive, send: Send
    ) -> None:
        request_id = request_id_of(message)
        arguments = {key: value for key, value in (message.get("params") or {}).items() if key != "_meta"}
        gone = threading.Event()
        who = scope.get(PRINCIPAL_SCOPE_KEY)
        perform = partial(self._connection.perform_bare, tool, arguments, who, gone.is_set)
        try:
            with anyio.move_on_after(self._seconds) as patience:
                body = {"jsonrpc": "2.0", "id": request_id, "result": await run_in_thread(perform)}
            if patience.cancelled_caught:
                raise rpc_error(too_slow(self._seconds))
        except RpcError as error:
            body = error_response(request_id, error.code, error.message, error.data)
        finally:
            gone.set()
        response = Response(status_code=202) if request_id is None else JSONResponse(body)
        await response(scope, receive, send)


class _Turns:
    """One request at a time for each id of a session: the SDK leaves all but the last of them unanswered."""

    def __init__(self) -> None:
        self._taken: dict[tuple[str, Any], tuple[anyio.Lock, int]] = {}

    @asynccontextmanager
    async def of(self, session: str | None, request_id: Any) -> AsyncIterator[None]:
        """Holds the turn of this id while the block lasts."""
        if session is None or request_id is None:
            yield
            return
        # The SDK keeps a number and the string of its digits as one.
        key = (session, str(request_id))
        lock, users = self._taken.get(key, (anyio.Lock(), 0))
        self._taken[key] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._taken.pop(key)
            if users > 1:
                self._taken[key] = (lock, users - 1)


def _wants_stream(headers: Headers, message: Any) -> bool:
    """Whether a client of 2026-07-28 asked for progress; a stream costs twice what one JSON answer does."""
    version = headers.get("mcp-protocol-version")
    if version is None or version in HANDSHAKE_PROTOCOL_VERSIONS:
        return False
    if "text/event-stream" not in headers.get("accept", "") or not isinstance(message, dict):
        return False
    match message.get("params"):
        case {"_meta": {"progressToken": _}}:
            return True
    return False


def _from_the_start(scope: Scope) -> Scope:
    """The request without a place to go on from: the SDK leaves one unanswered when no events are kept."""
    if not any(name == b"last-event-id" for name, _ in scope["headers"]):
        return scope
    return {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != b"last-event-id"]}


def _is_json(headers: Headers) -> bool:
    return headers.get("content-type", "").lower().startswith("application/json")


def _again(first: Any, receive: Receive) -> Receive:
    waiting = [first]

    async def replayed() -> Any:
        return waiting.pop() if waiting else await receive()

    return replayed
