"""What an HTTP request passes before it reaches MCP: host, origin, token, size, and a line in the log."""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import unquote, urlsplit

import anyio.to_thread
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cuedeck.config.sections import HttpSection
from cuedeck.mcp.auth import TokenRefused, TokenVerifier, Verified
from cuedeck.mcp.protocol import PRINCIPAL_SCOPE_KEY
from cuedeck.model.clock import iso_seconds, now_ms

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]")
LINGER_BYTES = 64 * 1024 * 1024
LINGER_SECONDS = 3.0
METADATA_PATH = "/.well-known/oauth-protected-resource"
OPEN_PATHS = ("/healthz", "/readyz", METADATA_PATH)
DENIED_KEY = "cuedeck.denied"
UNKNOWN_HOST = "This host is not served here (http.allowed_hosts)"
FOREIGN_ORIGIN = "This origin may not call (http.allowed_origins)"
_ABSOLUTE = re.compile(rb"https?://(?P<host>[^/]+)(?P<path>/.*)?", re.IGNORECASE | re.DOTALL)

access_log = logging.getLogger("cuedeck.access")


class AccessLog:
    """One JSON line for each request: no headers, no query, no body."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, watched)
        finally:
            principal = scope.get(PRINCIPAL_SCOPE_KEY)
            record = {
                "time": iso_seconds(now_ms()),
                "method": scope["method"],
                "path": scope["path"][:200],
                "status": status,
                "ms": round((time.perf_counter() - started) * 1000, 1),
                "client": (scope.get("client") or ("",))[0],
                "subject": principal.subject if principal else None,
                "denied": scope.get(DENIED_KEY),
            }
            access_log.info(json.dumps({key: value for key, value in record.items() if value is not None}))


class OriginForm:
    """Takes a request for ``http://host/path`` as one for ``/path`` of that host, as HTTP asks."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["path"].startswith("/"):
            scope = _origin_form(scope)
        await self.app(scope, receive, send)


class HostGate:
    """Only known hosts and origins, on loopback too: a web page must not reach a local server."""

    def __init__(self, app: ASGIApp, settings: HttpSection) -> None:
        self.app = app
        self._hosts = _names(LOOPBACK_HOSTS, settings.allowed_hosts, _public_host(settings))
        self._origins = frozenset(origin.rstrip("/").lower() for origin in settings.allowed_origins)
        self._public = _origin_of(settings.public_url)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            headers = Headers(scope=scope)
            hosts = headers.getlist("host")
            if len(hosts) != 1 or not self._knows(hosts[0]):
                await deny(scope, receive, send, 421, UNKNOWN_HOST, "host")
                return
            if any(not self._may_call(origin) for origin in headers.getlist("origin")):
                await deny(scope, receive, send, 403, FOREIGN_ORIGIN, "origin")
                return
        await self.app(scope, receive, send)

    def _knows(self, host: str) -> bool:
        host = host.strip().lower()
        return host in self._hosts or _without_port(host) in self._hosts

    def _may_call(self, origin: str) -> bool:
        origin = origin.strip().rstrip("/").lower()
        if origin in self._origins or origin == self._public:
            return True
        scheme, _, host = origin.partition("://")
        return scheme in ("http", "https") and _without_port(host) in LOOPBACK_HOSTS


class DashboardDoor:
    """Sends what is not for programs to the dashboard, before anybody asks for a bearer token."""

    def __init__(self, app: ASGIApp, dashboard: ASGIApp) -> None:
        self.app = app
        self._dashboard = dashboard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        ours = scope["type"] == "lifespan" or _for_programs(scope["path"])
        await (self.app if ours else self._dashboard)(scope, receive, send)


class TokenGate:
    """A verified bearer token for everything but health and metadata; the principal goes into the scope."""

    def __init__(self, app: ASGIApp, verifier: TokenVerifier, settings: HttpSection) -> None:
        self.app = app
        self._verifier = verifier
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or _is_open(scope["path"]):
            await self.app(scope, receive, send)
            return
        token = _bearer(Headers(scope=scope))
        if token is None:
            await self._challenge(scope, receive, send, None)
            return
        try:
            verified = self._verifier.remembered(token)
            if verified is None:
                verified = await anyio.to_thread.run_sync(self._verifier.verify, token)
        except TokenRefused as refusal:
            await self._challenge(scope, receive, send, str(refusal))
            return
        scope[PRINCIPAL_SCOPE_KEY] = verified.principal
        # The SDK binds a session to this user, so that nobody else can continue it.
        scope["user"] = AuthenticatedUser(_access_token(token, verified))
        await self.app(scope, receive, send)

    async def _challenge(self, scope: Scope, receive: Receive, send: Send, reason: str | None) -> None:
        url = f"{base_url(scope, self._settings)}{METADATA_PATH}{scope['path']}"
        parts = [f'resource_metadata="{_quotable(url)}"']
        if reason is not None:
            parts = ['error="invalid_token"', f'error_description="{reason}"', *parts]
        header = {"WWW-Authenticate": "Bearer " + ", ".join(parts)}
        message = reason or "a bearer token is required"
        await deny(scope, receive, send, 401, f"Unauthorized: {message}", message, header)


class BodyGate:
    """Request bodies of a bounded size that arrive in bounded time, read before anything else happens."""

    def __init__(self, app: ASGIApp, max_bytes: int, seconds: float) -> None:
        self.app = app
        self._max_bytes = max_bytes
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _announces_body(scope):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if headers.get("content-encoding", "identity").lower() != "identity":
            plain = {"Accept-Encoding": "identity"}
            await deny(scope, receive, send, 415, "Compressed requests are not read", "encoding", plain)
            return
        declared = headers.get("content-length", "0")
        if declared.isdecimal() and int(declared) > self._max_bytes:
            await self._refuse_size(scope, receive, send)
            return
        body = bytearray()
        try:
            with anyio.move_on_after(self._seconds) as patience:
                async for part in _body_parts(receive):
                    body += part
                    if len(body) > self._max_bytes:
                        await self._refuse_size(scope, receive, send)
                        return
        except ClientDisconnect:
            # What did arrive may read as a whole request, and is not what the client meant to send.
            await deny(scope, receive, send, 400, "The request broke off", "broken off")
            return
        if patience.cancelled_caught:
            late = "The request took too long to arrive"
            await deny(scope, receive, send, 408, late, "slow body", {"Connection": "close"})
            return
        await self.app(scope, _replay(bytes(body), receive), send)

    async def _refuse_size(self, scope: Scope, receive: Receive, send: Send) -> None:
        message = f"The request is larger than {self._max_bytes} bytes (limits.message_bytes)"
        await _read_on(receive)
        await deny(scope, receive, send, 413, message, "size", {"Connection": "close"})


async def _read_on(receive: Receive) -> None:
    """Take in a little more, so that the refusal reaches a client that is still sending."""
    spare = LINGER_BYTES
    with anyio.move_on_after(LINGER_SECONDS), suppress(ClientDisconnect):
        async for part in _body_parts(receive):
            spare -= len(part)
            if spare < 0:
                return


async def deny(
    scope: Scope,
    receive: Receive,
    send: Send,
    status: int,
    message: str,
    reason: str,
    headers: dict[str, str] | None = None,
) -> None:
    """Refuse a request with a JSON body, or a WebSocket by closing it, and leave the reason for the log."""
    scope[DENIED_KEY] = reason
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": message})
        return
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": message}}
    await JSONResponse(body, status_code=status, headers=headers)(scope, receive, send)


def base_url(scope: Scope, settings: HttpSection) -> str:
    """Where clients reach this server; the Host header has passed the gate before it is used."""
    if settings.public_url:
        return settings.public_url.rstrip("/")
    scheme = "https" if scope["scheme"] in ("https", "wss") else "http"
    return f"{scheme}://{Headers(scope=scope).get('host', '')}"


def _is_open(path: str) -> bool:
    return path in OPEN_PATHS or path.startswith(METADATA_PATH + "/")


def _for_programs(path: str) -> bool:
    return path == "/mcp" or path.startswith("/mcp/") or _is_open(path)


def _announces_body(scope: Scope) -> bool:
    """Whatever the method: a GET may have a body too, and be as slow with it."""
    headers = Headers(scope=scope)
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def _bearer(headers: Headers) -> str | None:
    found = headers.getlist("authorization")
    scheme, _, token = found[0].partition(" ") if len(found) == 1 else ("", "", "")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


def _access_token(token: str, verified: Verified) -> AccessToken:
    subject = verified.principal.subject or ""
    return AccessToken(
        token=token,
        client_id=str(verified.claims.get("client_id") or subject),
        scopes=[],
        expires_at=verified.expires_at,
        subject=subject,
        claims={"iss": verified.principal.issuer},
    )


async def _body_parts(receive: Receive) -> Any:
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientDisconnect
        yield message.get("body", b"")
        if not message.get("more_body", False):
            return


def _replay(body: bytes, receive: Receive) -> Receive:
    waiting = [body]

    async def replayed() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return replayed


def _names(*groups: Iterable[str]) -> frozenset[str]:
    return frozenset(name.strip().lower() for group in groups for name in group if name.strip())


def _public_host(settings: HttpSection) -> Sequence[str]:
    return [urlsplit(settings.public_url).netloc] if settings.public_url else []


def _origin_form(scope: Scope) -> Scope:
    found = _ABSOLUTE.fullmatch(scope["raw_path"])
    if found is None:
        return scope
    # The target's host wins over the header's.
    headers = [header for header in scope["headers"] if header[0] != b"host"]
    path = found["path"] or b"/"
    return {
        **scope,
        "path": unquote(path.decode("ascii")),
        "raw_path": path,
        "headers": [*headers, (b"host", found["host"])],
    }


def _origin_of(url: str | None) -> str | None:
    parts = urlsplit(url or "")
    return f"{parts.scheme}://{parts.netloc}".lower() if parts.netloc else None


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host


def _quotable(url: str) -> str:
    return "".join(character for character in url if character.isprintable() and character not in '"\\')
