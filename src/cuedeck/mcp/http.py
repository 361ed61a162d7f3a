"""MCP over HTTP: one ASGI app with all selected decks at /mcp and each deck alone at /mcp/<deck>."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp.server.streamable_http import EventStore
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from cuedeck.config.sections import Config
from cuedeck.mcp.auth import token_verifier
from cuedeck.mcp.connection import Connection
from cuedeck.mcp.decks.vault_health import probe_store
from cuedeck.mcp.gates import METADATA_PATH, AccessLog, BodyGate, HostGate, TokenGate, base_url
from cuedeck.mcp.incident import unexpected
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.protocol import PRINCIPAL_SCOPE_KEY, create_server, run_in_thread
from cuedeck.mcp.registry import ALL, DEFAULT, Registry
from cuedeck.mcp.rendering import RpcError
from cuedeck.mcp.runtime import Runtime
from cuedeck.mcp.tool import Tool
from cuedeck.mcp.wire import INVALID_REQUEST, Malformed, check_request, error_response, parse, request_id_of
from cuedeck.model.deck import Deck
from cuedeck.model.errors import CueError, ErrorCode

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace

LOOPBACK_BINDS = ("127.0.0.1", "localhost", "::1")
BODY_SECONDS = 30.0
READY_SECONDS = 2.0


@dataclass(frozen=True)
class HttpSettings:
    """What `cue serve` chose, beyond the workspace's configuration."""

    options: ConnectionOptions = field(default_factory=ConnectionOptions)
    routes: Sequence[BaseRoute] = ()
    runtime: Runtime = field(default_factory=Runtime)
    registry: Registry | None = None
    stream_responses: bool = False
    event_store: EventStore | None = None


def check_bind(host: str, config: Config) -> None:
    """Refuse to listen beyond this machine while anybody could call without a token."""
    if host in LOOPBACK_BINDS or config.auth.jwt_secret or config.auth.jwks:
        return
    raise CueError(
        ErrorCode.CONFIGURATION,
        f"Refusing to listen on {host} without authentication",
        data={"host": host},
        hint="Set auth.jwt_secret or auth.jwks, or listen on 127.0.0.1.",
    )


def create_http_app(workspace: Workspace, settings: HttpSettings | None = None) -> Starlette:
    """The ASGI app: MCP endpoints, health, token metadata, and whatever routes the caller adds."""
    settings = settings or HttpSettings()
    config = workspace.config
    endpoints = {
        path: _Endpoint(workspace, settings, options) for path, options in _paths(settings.options).items()
    }
    routes: list[BaseRoute] = [Route(path, endpoint=endpoint) for path, endpoint in endpoints.items()]
    routes += [
        Route("/mcp/{deck}", endpoint=_not_served),
        Route("/healthz", endpoint=_alive),
        Route("/readyz", endpoint=_Readiness(workspace)),
    ]
    middleware = [Middleware(AccessLog), Middleware(HostGate, settings=config.http)]
    verifier = token_verifier(config.auth, workspace.root)
    if verifier is not None:
        routes += _metadata_routes(config)
        middleware.append(Middleware(TokenGate, verifier=verifier, settings=config.http))
    middleware.append(Middleware(BodyGate, max_bytes=config.limits.message_bytes, seconds=BODY_SECONDS))

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as running:
            for endpoint in endpoints.values():
                await running.enter_async_context(endpoint.manager.run())
            yield

    return Starlette(routes=[*routes, *settings.routes], middleware=middleware, lifespan=lifespan)


def _paths(options: ConnectionOptions) -> Mapping[str, ConnectionOptions]:
    """Every endpoint and what a client sees there; a deck on its own has bare names."""
    every = DEFAULT in options.decks or ALL in options.decks
    decks = [deck for deck in Deck if every or deck in options.decks]
    single = {f"/mcp/{deck}": replace(options, decks=(deck.value,), tools=()) for deck in decks}
    return {"/mcp": options, **single}


class _Endpoint:
    """One MCP endpoint: bare methods here, everything else in the SDK's transport."""

    def __init__(self, workspace: Workspace, settings: HttpSettings, options: ConnectionOptions) -> None:
        config = workspace.config
        self._connection = Connection(lambda _: workspace, options, settings.runtime, settings.registry)
        # Many nodes share one PostgreSQL, and any of them may get the next request of a client.
        self._stateless = config.store.url is not None and not settings.stream_responses
        self.manager = StreamableHTTPSessionManager(
            create_server(self._connection, call_seconds=config.limits.call_seconds),
            json_response=not settings.stream_responses,
            stateless=self._stateless,
            event_store=settings.event_store,
            retry_interval=500 if settings.event_store else None,
            max_request_body_size=config.limits.message_bytes,
            # The gates have checked Host and Origin of every route already, MCP or not.
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._stateless and scope["method"] != "POST":
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        if scope["method"] != "POST" or not _is_json(scope):
            await self.manager.handle_request(scope, receive, send)
            return
        first = await receive()
        try:
            message = parse(first.get("body", b""))
            if isinstance(message, list):
                raise Malformed(INVALID_REQUEST, "Invalid request: batches are not served over HTTP")
            if tool := self._connection.selection.bare_tool(message):
                await self._answer_bare(tool, check_request(message), scope, receive, send)
                return
        except Malformed as problem:
            await JSONResponse(problem.to_json(), status_code=400)(scope, receive, send)
            return
        await self.manager.handle_request(scope, _again(first, receive), send)

    async def _answer_bare(
        self, tool: Tool, message: dict[str, Any], scope: Scope, receive: Receive, send: Send
    ) -> None:
        request_id = request_id_of(message)
        arguments = {key: value for key, value in (message.get("params") or {}).items() if key != "_meta"}
        gone = threading.Event()
        perform = partial(
            self._connection.perform_bare, tool, arguments, scope.get(PRINCIPAL_SCOPE_KEY), gone.is_set
        )
        try:
            body = {"jsonrpc": "2.0", "id": request_id, "result": await run_in_thread(perform)}
        except RpcError as error:
            body = error_response(request_id, error.code, error.message, error.data)
        finally:
            gone.set()
        response = Response(status_code=202) if request_id is None else JSONResponse(body)
        await response(scope, receive, send)


class _Readiness:
    """Whether the store answers, asked at most every two seconds however often it is polled."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._problem: str | None = None
        self._asked_at = float("-inf")
        self._guard = threading.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = await run_in_thread(self._ask)
        body = {"status": "ready"} if problem is None else {"status": "unavailable", "problem": problem}
        await JSONResponse(body, status_code=200 if problem is None else 503)(scope, receive, send)

    def _ask(self) -> str | None:
        with self._guard:
            if time.monotonic() - self._asked_at > READY_SECONDS:
                self._problem = self._probe()
                self._asked_at = time.monotonic()
            return self._problem

    def _probe(self) -> str | None:
        try:
            probe_store(self._workspace)
        except Exception as error:  # noqa: BLE001 - a store that fails in any way is not ready
            return unexpected("readiness probe", error).message
        return None


async def _alive(_request: Request) -> Response:
    return JSONResponse({"status": "ok"})


async def _not_served(request: Request) -> Response:
    deck = request.path_params["deck"]
    return JSONResponse({"error": f"The deck {deck!r} is not served here"}, status_code=404)


def _metadata_routes(config: Config) -> list[BaseRoute]:
    """RFC 9728: which resource this is and who issues its tokens."""

    async def metadata(request: Request) -> Response:
        resource = base_url(request.scope, config.http) + request.scope["path"].removeprefix(METADATA_PATH)
        issuers = [config.auth.issuer] if config.auth.issuer else []
        body = {"resource": resource, "bearer_methods_supported": ["header"], "resource_name": "CueDeck"}
        return JSONResponse(body | ({"authorization_servers": issuers} if issuers else {}))

    return [Route(METADATA_PATH, endpoint=metadata), Route(METADATA_PATH + "/{path:path}", endpoint=metadata)]


def _is_json(scope: Scope) -> bool:
    return Headers(scope=scope).get("content-type", "").lower().startswith("application/json")


def _again(first: Any, receive: Receive) -> Receive:
    waiting = [first]

    async def replayed() -> Any:
        return waiting.pop() if waiting else await receive()

    return replayed
