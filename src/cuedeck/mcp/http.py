"""MCP over HTTP: one ASGI app with all selected decks at /mcp and each deck alone at /mcp/<deck>."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from ipaddress import ip_address
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from cuedeck.config.sections import Config
from cuedeck.mcp.auth import token_verifier
from cuedeck.mcp.decks.vault_health import probe_store
from cuedeck.mcp.endpoint import Endpoint, HttpSettings
from cuedeck.mcp.gates import (
    METADATA_PATH,
    AccessLog,
    BodyGate,
    DashboardDoor,
    HostGate,
    OriginForm,
    TokenGate,
    base_url,
)
from cuedeck.mcp.incident import unexpected
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.protocol import run_in_thread
from cuedeck.mcp.registry import ALL, DEFAULT, product
from cuedeck.model.deck import Deck
from cuedeck.model.errors import CueError, ErrorCode

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace

__all__ = ["HttpSettings", "check_bind", "create_http_app"]

BODY_SECONDS = 30.0
READY_SECONDS = 2.0
FORM_BYTES = 256 * 1024


def check_bind(host: str, config: Config) -> None:
    """Refuse to listen beyond this machine while anybody could call without a token."""
    if _is_loopback(host) or config.auth.jwt_secret or config.auth.jwks:
        return
    raise CueError(
        ErrorCode.CONFIGURATION,
        f"Refusing to listen on {host} without authentication",
        data={"host": host},
        hint="Set auth.jwt_secret or auth.jwks, or listen on 127.0.0.1.",
    )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def create_http_app(workspace: Workspace, settings: HttpSettings | None = None) -> Starlette:
    """The ASGI app: MCP endpoints, health, token metadata, and whatever routes the caller adds."""
    settings = settings or HttpSettings()
    config = workspace.config
    endpoints = {path: Endpoint(workspace, settings, chosen) for path, chosen in _paths(settings).items()}
    routes: list[BaseRoute] = [Route(path, endpoint=endpoint) for path, endpoint in endpoints.items()]
    routes += [
        Route("/mcp/{deck}", endpoint=_not_served, methods=["GET", "POST", "DELETE"]),
        Route("/healthz", endpoint=_alive),
        Route("/readyz", endpoint=_Readiness(workspace), methods=["GET"]),
    ]
    middleware = [Middleware(OriginForm), Middleware(AccessLog), Middleware(HostGate, settings=config.http)]
    if settings.dashboard is not None:
        people = BodyGate(settings.dashboard, max_bytes=FORM_BYTES, seconds=BODY_SECONDS)
        middleware.append(Middleware(DashboardDoor, dashboard=people))
    if config.http.allowed_origins:
        middleware.append(_sharing(config))
    verifier = token_verifier(config.auth, workspace.root)
    if verifier is not None:
        routes += _metadata_routes(config)
        middleware.append(Middleware(TokenGate, verifier=verifier, settings=config.http))
    middleware.append(Middleware(BodyGate, max_bytes=config.limits.message_bytes, seconds=BODY_SECONDS))

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as running:
            for endpoint in endpoints.values():
                await running.enter_async_context(endpoint.running())
            yield

    return Starlette(routes=[*routes, *settings.routes], middleware=middleware, lifespan=lifespan)


def _sharing(config: Config) -> Middleware:
    """Lets pages of the configured origins, and of no others, read the answers they may ask for."""
    return Middleware(
        CORSMiddleware,
        allow_origins=[origin.rstrip("/") for origin in config.http.allowed_origins],
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["*"],
        expose_headers=["Mcp-Session-Id", "WWW-Authenticate"],
    )


def _paths(settings: HttpSettings) -> Mapping[str, ConnectionOptions]:
    """Every endpoint and what a client sees there; a deck on its own has bare names."""
    options = settings.options
    selection = (settings.registry or product()).select(options)
    every = DEFAULT in options.decks or ALL in options.decks
    paths = {"/mcp": options}
    for deck in (deck for deck in Deck if every or deck in options.decks):
        chosen = tuple(entry.tool.name for entry in selection.entries if entry.tool.deck is deck)
        if not options.tools:
            paths[f"/mcp/{deck}"] = replace(options, decks=(deck.value,))
        elif chosen:
            paths[f"/mcp/{deck}"] = replace(options, decks=(deck.value,), tools=chosen)
    return paths


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
        except CueError as error:
            return error.message
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
