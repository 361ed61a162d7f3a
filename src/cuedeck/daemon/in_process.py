"""``cue mcp`` without a daemon: the whole server in this process, for as long as the client stays."""

from __future__ import annotations

import anyio

from cuedeck.daemon import protocol
from cuedeck.daemon.session import options_from
from cuedeck.daemon.workspaces import Workspaces
from cuedeck.mcp.registry import product
from cuedeck.mcp.stdio import serve_stdio


def serve(root: str, chosen: dict[str, str]) -> int:
    """Serve stdio until the client leaves."""
    from pathlib import Path

    options = options_from({**chosen, "root": root}, protocol.travelling_environment())
    product().select(options)  # refuse a wrong choice before the client hears anything
    workspaces = Workspaces(Path(root))
    config = workspaces.get(options.environment).config

    async def run() -> None:
        await serve_stdio(
            lambda asked: workspaces.get(asked.environment),
            options,
            message_bytes=config.limits.message_bytes,
        )

    try:
        anyio.run(run)
    finally:
        workspaces.close()
    return 0
