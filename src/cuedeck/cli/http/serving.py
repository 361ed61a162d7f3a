"""``cue serve``: one listening socket, one or several server processes, a calm end."""

from __future__ import annotations

import json
import logging
import os
import secrets
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuedeck import __version__
from cuedeck.daemon.background import Background
from cuedeck.daemon.handles import allow_many_clients
from cuedeck.mcp.http import HttpSettings, check_bind, create_http_app
from cuedeck.mcp.options import ConnectionOptions, names
from cuedeck.mcp.registry import product
from cuedeck.model.deck import Deck
from cuedeck.model.errors import CueError, ErrorCode

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from cuedeck.cli.frame import Here
    from cuedeck.config import Config
    from cuedeck.workspace import Workspace

GRACE_SECONDS = 10
# How a worker process learns what the command line said; it has no double underscore, so it is no setting.
WORKER_VARIABLE = "CUEDECK_SERVE"


@dataclass(frozen=True, slots=True)
class Serving:
    """What the command line chose."""

    host: str
    port: int
    workers: int
    options: ConnectionOptions


def serve(here: Here, serving: Serving) -> int:
    """Listen and serve until told to stop."""
    import uvicorn

    from cuedeck.cli.http.patient_server import PatientServer

    config = here.config
    check_bind(serving.host, config)
    _check_workers(serving.workers, config)
    product().select(serving.options)
    allow_many_clients()
    listening = _listen(serving.host, serving.port)
    _log_to_stderr(here.verbose)
    token = secrets.token_urlsafe(24)
    here.output.line(_greeting(here.root, serving.host, listening.getsockname()[1], serving, config, token))
    settings: dict[str, Any] = {
        "http": "cuedeck.cli.http.guarded_http:GuardedHttp",
        "access_log": False,
        "log_config": None,
        "server_header": False,
        "timeout_graceful_shutdown": GRACE_SECONDS,
        "workers": serving.workers,
    }
    # uvicorn ends a graceful shutdown by raising the signal again; being told to stop is no failure.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    if serving.workers > 1:
        _serve_with_workers(here.root, serving, listening, settings, token)
        return 0
    with here.open() as workspace:
        background = Background(workspace)
        background.start()
        app = _app(workspace, serving.options, token, lambda: server.should_exit)
        server = PatientServer(uvicorn.Config(app, **settings))
        try:
            server.run(sockets=[listening])
        finally:
            background.stop()
    return 0


def _serve_with_workers(
    root: Path, serving: Serving, listening: socket.socket, settings: dict[str, Any], token: str
) -> None:
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    chosen = {"root": str(root), "options": serving.options.to_json(), "token": token}
    os.environ[WORKER_VARIABLE] = json.dumps(chosen)
    os.environ["PYTHONSAFEPATH"] = "1"  # a file of the current folder must never be imported as a module
    if sys.platform != "win32":
        settings["loop"] = "cuedeck.cli.http.sharing_loop:SharingLoop"
    config = uvicorn.Config("cuedeck.cli.http.serving:worker_app", factory=True, **settings)
    Multiprocess(config, sockets=[listening]).run()


def worker_app() -> Starlette:
    """The app of one worker process."""
    from cuedeck.config import load_config
    from cuedeck.workspace import Workspace

    _log_to_stderr(verbose=False)
    chosen = json.loads(os.environ[WORKER_VARIABLE])
    root = Path(chosen["root"])
    workspace = Workspace(root, load_config(root))
    Background(workspace).start()
    return _app(workspace, ConnectionOptions.from_json(chosen["options"]), chosen["token"], lambda: False)


def _app(
    workspace: Workspace, options: ConnectionOptions, token: str, stopping: Callable[[], bool]
) -> Starlette:
    from cuedeck.mcp.auth import token_verifier
    from cuedeck.web.access import PrintedToken, VerifiedTokens
    from cuedeck.web.app import Dashboard

    verifier = token_verifier(workspace.config.auth, workspace.root)
    access = PrintedToken(token) if verifier is None else VerifiedTokens(verifier)
    dashboard = Dashboard(workspace, access, writable=not options.read_only, stopping=stopping)
    return create_http_app(workspace, HttpSettings(options, dashboard=dashboard))


def options_from(here: Here, decks: str, tools: str, read_only: bool, errors: str) -> ConnectionOptions:
    """The choices of everybody who connects over HTTP."""
    return ConnectionOptions(
        decks=names(decks),
        tools=names(tools),
        read_only=read_only,
        errors=errors,
        workspace=str(here.root),
    )


def _check_workers(workers: int, config: Config) -> None:
    if workers > 1 and not config.store.url:
        raise CueError(
            ErrorCode.CONFIGURATION,
            f"{workers} workers need PostgreSQL, and this workspace keeps its state in SQLite",
            hint="Set store.url to a PostgreSQL URL, or serve with one worker: it uses many threads.",
        )


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(1024)
    except OSError as error:
        listening.close()
        raise CueError(
            ErrorCode.UNAVAILABLE,
            f"Cannot listen on {host}, port {port}: {(error.strerror or str(error)).lower()}",
            data={"host": host, "port": port},
            hint="Stop the program that uses the port, or choose another: --port N or PORT=N.",
        ) from error
    listening.set_inheritable(True)
    return listening


def _greeting(root: Path, host: str, port: int, serving: Serving, config: Config, token: str) -> str:
    shown = f"[{host}]" if ":" in host else host
    base = config.http.public_url or f"http://{shown}:{port}"
    url = f"{base.rstrip('/')}/mcp"
    lines = [
        f"CueDeck {__version__} serves {root}",
        f"  all selected decks   {url}",
        f"  one deck             {url}/DECK   ({', '.join(Deck)})",
        f"  Claude Code          claude mcp add --transport http cuedeck {url}",
        f'  other clients        {{"mcpServers": {{"cuedeck": {{"url": "{url}"}}}}}}',
    ]
    secured = bool(config.auth.jwt_secret or config.auth.jwks)
    entrance = base.rstrip("/") + ("/" if secured else f"/?token={token}")
    lines.insert(1, f"  dashboard            {entrance}")
    if secured:
        lines.append("  every request needs  Authorization: Bearer TOKEN")
    if serving.workers > 1:
        lines.append(f"  workers              {serving.workers}")
    return "\n".join([*lines, "Stop with Ctrl-C."])


def _log_to_stderr(verbose: bool) -> None:
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING, format="%(message)s")
    logging.getLogger("cuedeck").setLevel(logging.INFO)
