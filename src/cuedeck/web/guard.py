"""What every dashboard request passes: a session, for changes this very origin, and strict headers."""

from __future__ import annotations

import re
from functools import partial
from http import HTTPStatus
from urllib.parse import parse_qsl, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cuedeck.config.sections import HttpSection
from cuedeck.mcp.gates import DENIED_KEY, base_url
from cuedeck.mcp.protocol import PRINCIPAL_SCOPE_KEY
from cuedeck.model.principal import Principal
from cuedeck.web.access import Access
from cuedeck.web.layout import door

SAFE = frozenset({"GET", "HEAD"})
_COOKIE_VALUE = re.compile(r"[A-Za-z0-9._~+/=-]+")
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    # Not no-referrer: that would make browsers send "Origin: null" with our own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Lets in who has a session; cookies ignore ports, so changes need our own origin as well."""

    def __init__(self, app: ASGIApp, access: Access, settings: HttpSection) -> None:
        self.app = app
        self._access = access
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        request = Request(scope, receive)
        refusal = await self._refusal(request)
        await (refusal or self.app)(scope, receive, _strict(send))

    async def _refusal(self, request: Request) -> Response | None:
        """The answer instead of the page, or nothing when the request may pass."""
        if request.method not in SAFE and not self._is_own_origin(request):
            return self._denied(request, 403, "A change has to come from the dashboard itself", "origin")
        if request.url.path.startswith("/static/"):
            return None
        if request.url.path == "/login" and self._access.pasted:
            return await self._login(request)
        if "token" in request.query_params:
            return await self._enter(request)
        principal = await run_in_threadpool(self._principal, request)
        if principal is None:
            return self._denied(request, 401, None, "session")
        request.scope[PRINCIPAL_SCOPE_KEY] = principal
        return None

    def _principal(self, request: Request) -> Principal | None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self._access.bearer(token.strip())
        session = request.cookies.get(_cookie_name(request))
        return self._access.holder_of(session) if session else None

    async def _enter(self, request: Request) -> Response:
        """Trade the token in the address for a cookie, and the address for a clean one."""
        session = await run_in_threadpool(self._access.session_for, request.query_params["token"].strip())
        if session is None:
            return self._denied(request, 401, "That token is not valid (any more).", "token")
        rest = [(name, value) for name, value in parse_qsl(request.url.query) if name != "token"]
        clean = request.url.path if not request.url.path.startswith("//") else "/"
        return self._with_session(request, clean + (f"?{urlencode(rest)}" if rest else ""), session)

    async def _login(self, request: Request) -> Response:
        if request.method in SAFE:
            return HTMLResponse(door(pasted=True, problem=None))
        body = (await request.body()).decode("utf-8", "replace")
        token = dict(parse_qsl(body, max_num_fields=5)).get("token", "").strip()
        session = await run_in_threadpool(self._access.session_for, token)
        if session is None:
            return self._denied(request, 401, "That token is not valid (any more).", "token")
        return self._with_session(request, "/", session)

    def _with_session(self, request: Request, location: str, session: str) -> Response:
        if not _COOKIE_VALUE.fullmatch(session):
            return self._denied(request, 401, "That token is not valid (any more).", "token")
        response = RedirectResponse(location, 303, {"Cache-Control": "no-store"})
        secure = base_url(request.scope, self._settings).startswith("https:")
        response.set_cookie(
            _cookie_name(request), session, httponly=True, samesite="strict", secure=secure, path="/"
        )
        return response

    def _is_own_origin(self, request: Request) -> bool:
        """The page that sent this is ours; a page of another local port is not."""
        expected = base_url(request.scope, self._settings).lower()
        local = f"{request.url.scheme}://{request.headers.get('host', '')}".lower()
        origins = request.headers.getlist("origin")
        site = request.headers.get("sec-fetch-site", "same-origin")
        return len(origins) == 1 and origins[0].lower() in (expected, local) and site == "same-origin"

    def _denied(self, request: Request, status: int, problem: str | None, reason: str) -> Response:
        request.scope[DENIED_KEY] = reason
        words = problem if status != HTTPStatus.FORBIDDEN else f"Refused: {problem}"
        return HTMLResponse(
            door(pasted=self._access.pasted, problem=words), status, {"Cache-Control": "no-store"}
        )


def _cookie_name(request: Request) -> str:
    """One name per port, because a browser sends a host's cookies to all of its ports."""
    return f"cuedeck_{request.url.port or request.url.scheme}"


def _strict(send: Send) -> Send:
    return partial(_send_strictly, send)


async def _send_strictly(send: Send, message: Message) -> None:
    if message["type"] == "http.response.start":
        headers = MutableHeaders(scope=message)
        for name, value in HEADERS.items():
            headers[name] = value
        headers.setdefault("Cache-Control", "no-store")
    await send(message)
