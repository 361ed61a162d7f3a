"""The SDK's low-level server over one connection: routing, threads, progress, cancellation."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import x_mcp_header_map
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from cuedeck import __version__
from cuedeck.mcp.connection import Cancelled, Connection, Progress
from cuedeck.mcp.explaining import explain_mistakes
from cuedeck.mcp.instructions import instructions
from cuedeck.mcp.registry import Selection, UnknownTool
from cuedeck.mcp.rendering import RpcError
from cuedeck.mcp.resources import ResourceDesk
from cuedeck.mcp.tool import no_progress
from cuedeck.model.principal import Principal

T = TypeVar("T")
Context = ServerRequestContext[Any, Any]
# How the conformance run adds the tools its suites ask for to the server it tests.
Extension = Callable[[Server[Any]], None]

PRINCIPAL_SCOPE_KEY = "cuedeck.principal"
PROGRESS_INTERVAL = 0.1

_CACHE_HINTS: Mapping[Any, CacheHint] = {
    "tools/list": CacheHint(ttl_ms=300_000, scope="private"),
    "resources/list": CacheHint(ttl_ms=60_000, scope="private"),
    "resources/templates/list": CacheHint(ttl_ms=300_000, scope="private"),
}


def create_server(
    connection: Connection, *, call_seconds: float | None = None, extend: Extension | None = None
) -> Server[Any]:
    """A server for one connection, in every protocol era the SDK speaks."""
    selection = connection.selection

    async def list_tools(ctx: Context, params: Any) -> Any:
        return _only_page(ctx, params, {"tools": selection.listing})

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> Any:
        try:
            entry = selection.find(params.name)
        except UnknownTool as unknown:
            data = {"tool": params.name[:200], "nearest": unknown.names}
            raise MCPError(types.INVALID_PARAMS, unknown.message, data) from None
        who = principal_of(ctx)
        work = partial(connection.perform, entry, params.arguments, who)
        try:
            with anyio.move_on_after(call_seconds):
                return _result(ctx, (await _in_thread(ctx, work)).to_json())
            return _result(ctx, connection.gave_up(entry, call_seconds or 0).to_json())
        except RpcError as error:
            raise MCPError(error.code, error.message, error.data) from None

    server: Server[Any] = Server(
        "cuedeck",
        version=__version__,
        title="CueDeck",
        instructions=instructions(selection),
        cache_hints=_CACHE_HINTS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=_schemas_to_check(selection),
    )
    # Tracing costs a fifth of a small call and nothing here exports it.
    server.middleware[:] = [explain_mistakes]
    if selection.resources:
        _serve_resources(server, connection)
    if extend is not None:
        extend(server)
    return server


def _schemas_to_check(selection: Selection) -> Callable[[str], Mapping[str, Any] | None]:
    """Schemas of tools whose arguments are repeated in headers; walking the others would check nothing."""

    @cache
    def repeated(listed: str) -> bool:
        return bool(x_mcp_header_map(selection.by_name[listed].input_schema))

    def schema_of(name: str) -> Mapping[str, Any] | None:
        try:
            entry = selection.find(name)
        except UnknownTool:
            return None
        return entry.input_schema if repeated(entry.name) else None

    return schema_of


def principal_of(ctx: Context) -> Principal | None:
    """The verified caller of an HTTP request; None on a stream, where the connection knows its user."""
    if ctx.request is None:
        return None
    found = ctx.request.scope.get(PRINCIPAL_SCOPE_KEY)
    return found if isinstance(found, Principal) else None


def _serve_resources(server: Server[Any], connection: Connection) -> None:
    desk = ResourceDesk(connection)

    async def listed(ctx: Context, params: Any) -> Any:
        return _only_page(ctx, params, {"resources": desk.listing()})

    async def templates(ctx: Context, params: Any) -> Any:
        return _only_page(ctx, params, {"resourceTemplates": desk.templates()})

    async def read(ctx: Context, params: types.ReadResourceRequestParams) -> Any:
        who = principal_of(ctx)
        modern = _is_modern(ctx)
        try:
            found = await _in_thread(ctx, lambda _p, _c: desk.read(str(params.uri), who, modern=modern))
            return _result(ctx, found)
        except RpcError as error:
            raise MCPError(error.code, error.message, error.data) from None

    server.add_request_handler("resources/list", types.PaginatedRequestParams, listed)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, read)


def _only_page(ctx: Context, params: Any, body: dict[str, Any]) -> dict[str, Any]:
    """All there is to list, so that no cursor is one of ours."""
    if params is not None and params.cursor:
        raise MCPError(types.INVALID_PARAMS, "Invalid params: unknown cursor; there is one page only")
    return _result(ctx, body)


def _result(ctx: Context, body: dict[str, Any]) -> dict[str, Any]:
    return body | {"resultType": "complete"} if _is_modern(ctx) else body


def _is_modern(ctx: Context) -> bool:
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


async def _in_thread(ctx: Context, work: Callable[[Progress, Cancelled], T]) -> T:
    """Do the work in a thread, relaying its progress, and tell it when the client gave up."""
    gone = threading.Event()
    try:
        if _wants_progress(ctx):
            return await _relayed(ctx, work, gone.is_set)
        return await run_in_thread(work, no_progress, gone.is_set)
    finally:
        gone.set()


async def _relayed(ctx: Context, work: Callable[[Progress, Cancelled], T], cancelled: Cancelled) -> T:
    result: list[T] = []
    failure: Exception | None = None
    async with anyio.create_task_group() as tasks:
        relay = _ProgressRelay(ctx)
        tasks.start_soon(relay.forward)
        try:
            result.append(await run_in_thread(work, relay.report, cancelled))
        except Exception as error:  # noqa: BLE001 - raised below; out of the group it would come wrapped
            failure = error
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return result[0]


async def run_in_thread(work: Callable[..., T], *arguments: Any) -> T:
    """One hop into a worker thread; a cancelled caller leaves at once and the thread ends by itself."""
    return await anyio.to_thread.run_sync(
        partial(work, *arguments), abandon_on_cancel=True, limiter=_threads()
    )


class _ProgressRelay:
    """Carries the newest progress of a worker thread to the client, ten times a second at most."""

    def __init__(self, ctx: Context) -> None:
        self._session = ctx.session
        self._newest: tuple[float, str] | None = None
        self._news = anyio.Event()
        self._token = anyio.lowlevel.current_token()

    def report(self, done: float, message: str) -> None:
        self._newest = (done, message)
        anyio.from_thread.run_sync(self._wake, token=self._token)

    def _wake(self) -> None:
        self._news.set()

    async def forward(self) -> None:
        last = -1.0
        while True:
            await self._news.wait()
            self._news = anyio.Event()
            done, message = self._newest or (0.0, "")
            if done > last:
                last = done
                await self._session.report_progress(done, 1.0, message or None)
            await anyio.sleep(PROGRESS_INTERVAL)


def _wants_progress(ctx: Context) -> bool:
    meta = (ctx.params or {}).get("_meta")
    return isinstance(meta, Mapping) and meta.get("progressToken") is not None


_limiters: anyio.lowlevel.RunVar[anyio.CapacityLimiter] = anyio.lowlevel.RunVar("cuedeck_threads")


def _threads() -> anyio.CapacityLimiter:
    # Waiting calls (a synchronous workflow, a large index) hold a thread, so there are plenty.
    try:
        return _limiters.get()
    except LookupError:
        limiter = anyio.CapacityLimiter(64)
        _limiters.set(limiter)
        return limiter
