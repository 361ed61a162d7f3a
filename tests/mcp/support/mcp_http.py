"""The real app on a real socket, in a thread."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn

# One client for all: making one loads every certificate of the machine.
CLIENT = httpx.Client(timeout=10, trust_env=False)
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@contextmanager
def running(app: Any, *, grace: int = 1) -> Iterator[str]:
    """The app's address while the block lasts."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=grace)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 10
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()


def post(url: str, message: Any, **headers: str) -> httpx.Response:
    content = message if isinstance(message, bytes) else None
    json = None if content is not None else message
    return CLIENT.post(url, content=content, json=json, headers={**JSON, **headers})


def get(url: str, **headers: str) -> httpx.Response:
    return CLIENT.get(url, headers=headers)


def modern(
    name: str, arguments: Any = None, token: str | None = None
) -> tuple[dict[str, Any], dict[str, str]]:
    """A tools/call of 2026-07-28 and its headers."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": name, "arguments": arguments or {}, "_meta": meta}
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name}
    if token is not None:
        headers["authorization"] = f"Bearer {token}"
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, headers
