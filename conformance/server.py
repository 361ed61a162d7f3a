"""Serves the product over HTTP, with the suites' fixtures beside its own tools, for the conformance run."""

from __future__ import annotations

import os
import sys
import tempfile

import uvicorn
from fixture import Events, extend

from cuedeck.mcp.http import HttpSettings, create_http_app
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.workspace import Workspace


def main(port: int, streaming: bool) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Workspace.open(folder, environ={"HOME": folder}) as workspace,
    ):
        settings = HttpSettings(
            options=ConnectionOptions(decks=("all",)),
            extend=extend,
            stream_responses=streaming,
            event_store=Events() if streaming else None,
        )
        app = create_http_app(workspace, settings)
        uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", timeout_graceful_shutdown=1)


if __name__ == "__main__":
    main(int(sys.argv[1]), os.environ.get("CONFORMANCE_RESPONSES", "stream") == "stream")
