"""The dashboard as an ASGI app: routes to pages, actions, live updates and two static files."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from functools import cache, partial
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import anyio
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from cuedeck.mcp.incident import unexpected
from cuedeck.model.errors import CueError, ErrorCode, not_found
from cuedeck.web.access import Access
from cuedeck.web.asked import Asked, Page
from cuedeck.web.guard import Guard
from cuedeck.web.html import el, join
from cuedeck.web.layout import framed

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from cuedeck.workspace import Workspace

# Each page and action is a function of its module in web/pages, imported when first asked for.
PAGES = {
    "/": "overview:overview",
    "/search": "search:search",
    "/cards": "cards:board",
    "/cards/{id}": "cards:card",
    "/tasks": "tasks:tasks",
    "/tasks/{id}": "tasks:task",
    "/memory": "memory:memories",
    "/memory/changes": "memory:changes",
    "/memory/{id}": "memory:memory",
    "/workflows": "workflows:workflows",
    "/workflows/runs/{id}": "workflows:run",
    "/workflows/{id}": "workflows:workflow",
    "/code": "code:refs",
    "/code/file": "code:file",
    "/code/symbol": "code:symbol",
    "/code/diff": "code:difference",
    "/documents": "documents:documents",
    "/document": "documents:document",
}
ACTIONS = {
    "/cards/{id}/move": "cards:move",
    "/tasks/{id}/complete": "tasks:complete",
    "/tasks/{id}/release": "tasks:release",
    "/workflows/runs/{id}/cancel": "workflows:cancel",
    "/workflows/{id}/run": "workflows:start",
}
STATIC = {"style.css": "text/css", "live.js": "text/javascript", "icon.svg": "image/svg+xml"}
STATUS = {
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.SYMBOL_NOT_FOUND: 404,
    ErrorCode.WORKFLOW_NOT_FOUND: 404,
    ErrorCode.EXECUTION_NOT_FOUND: 404,
    ErrorCode.REF_NOT_INDEXED: 404,
    ErrorCode.UNAUTHORIZED: 403,
    ErrorCode.STALE_CACHE: 409,
    ErrorCode.LOCKED: 503,
    ErrorCode.UNAVAILABLE: 503,
    ErrorCode.SCHEMA_TOO_NEW: 503,
    ErrorCode.CONFIGURATION: 500,
    ErrorCode.DATABASE: 500,
    ErrorCode.INTERNAL: 500,
}
MAX_QUERY = 8_000
LOOK_SECONDS = 0.7
KEEP_ALIVE_LOOKS = 20


class Dashboard:
    """The pages of one workspace; ``stopping`` lets live connections end when the server wants to."""

    def __init__(
        self,
        workspace: Workspace,
        access: Access,
        *,
        writable: bool = True,
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        self._workspace = workspace
        self._writable = writable
        self._stopping = stopping
        routes = [Route(path, partial(self._page, name)) for path, name in PAGES.items()]
        routes += [Route(p, partial(self._action, name), methods=["POST"]) for p, name in ACTIONS.items()]
        routes += [Route("/events", self._events), Route("/static/{name}", _static)]
        missing = {404: self._missing}
        self._app = Guard(Starlette(routes=routes, exception_handlers=missing), access, workspace.config.http)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    async def _page(self, name: str, request: Request) -> Response:
        asked = self._asked(request)
        return await run_in_threadpool(self._shown, name, asked)

    async def _action(self, name: str, request: Request) -> Response:
        body = (await request.body()).decode("utf-8", "replace")
        asked = self._asked(request, dict(parse_qsl(body, keep_blank_values=True, max_num_fields=50)))
        return await run_in_threadpool(self._done, name, asked)

    def _shown(self, name: str, asked: Asked) -> Response:
        try:
            version = self._version()
            page: Page = _function(name)(asked)
        except Exception as error:  # noqa: BLE001 - a person gets a page whatever happens
            return self._failed(name, error)
        shown = framed(page, self._workspace.root.name, query=asked.query.get("q", ""), version=version)
        return HTMLResponse(shown)

    def _done(self, name: str, asked: Asked) -> Response:
        try:
            if not asked.writable:
                raise CueError(ErrorCode.UNAUTHORIZED, "This server was started read-only")
            location: str = _function(name)(asked)
        except Exception as error:  # noqa: BLE001 - as above
            return self._failed(name, error)
        return RedirectResponse(location, 303)

    def _failed(self, name: str, error: Exception) -> Response:
        known = error if isinstance(error, CueError) else unexpected(f"dashboard page {name}", error)
        asked = Asked(self._workspace)
        body = join(
            [
                el("p", asked.masked(known.message), class_="problem", role="alert"),
                el("p", asked.masked(known.hint)) if known.hint else None,
            ]
        )
        page = Page("That did not work", name.partition(":")[0], body, live=False)
        return HTMLResponse(framed(page, self._workspace.root.name), STATUS.get(known.code, 400))

    async def _missing(self, _request: Request, _error: Exception) -> Response:
        return self._failed("", not_found("There is no such page"))

    def _asked(self, request: Request, form: dict[str, str] | None = None) -> Asked:
        query = {name: value[:MAX_QUERY].replace("\0", "") for name, value in request.query_params.items()}
        return Asked(self._workspace, self._writable, request.path_params, query, form or {})

    async def _events(self, _request: Request) -> Response:
        headers = {"X-Accel-Buffering": "no"}
        return StreamingResponse(self._versions(), media_type="text/event-stream", headers=headers)

    async def _versions(self) -> AsyncIterator[str]:
        """One line whenever something was committed, and a sign of life now and then."""
        told, quiet = "", 0
        while not self._stopping():
            now = await run_in_threadpool(self._version)
            quiet += 1
            if now != told:
                yield f"data: {now}\n\n"
                told, quiet = now, 0
            elif quiet >= KEEP_ALIVE_LOOKS:
                yield ": still here\n\n"
                quiet = 0
            await anyio.sleep(LOOK_SECONDS)

    def _version(self) -> str:
        store = self._workspace.store
        return f"{store.state.version()}-{store.index.version()}"


@cache
def _function(name: str) -> Callable[[Asked], Any]:
    module, _, function = name.partition(":")
    found: Callable[[Asked], Any] = getattr(import_module(f"cuedeck.web.pages.{module}"), function)
    return found


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        return Response(status_code=404)
    return Response(_content(name), media_type=STATIC[name], headers={"Cache-Control": "max-age=86400"})


@cache
def _content(name: str) -> bytes:
    return files("cuedeck.web").joinpath("static", name).read_bytes()
