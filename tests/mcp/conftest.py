"""A real workspace, and a server on the sample registry."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

sys.path.append(str(Path(__file__).parent / "support"))

from mcp_client import Lines, open_workspace
from mcp_sample import REGISTRY

from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.runtime import Runtime
from cuedeck.mcp.server import MESSAGE_BYTES, serve_streams
from cuedeck.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(tmp_path) as opened:
        yield opened


Scenario = Callable[[Lines], Awaitable[None]]


@pytest.fixture
def served(workspace: Workspace) -> Callable[..., None]:
    """Run a scenario against a server on the sample registry."""

    def run(
        scenario: Scenario,
        options: ConnectionOptions | None = None,
        *,
        runtime: Runtime | None = None,
        message_bytes: int = MESSAGE_BYTES,
        provider: Any = None,
    ) -> None:
        async def main() -> None:
            lines = Lines()

            async def serve() -> None:
                await serve_streams(
                    provider or (lambda _: workspace),
                    options or ConnectionOptions(decks=("all",)),
                    lines,
                    lines,
                    runtime=runtime,
                    registry=REGISTRY,
                    message_bytes=message_bytes,
                )
                lines.served()

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(serve)
                await scenario(lines)
                lines.close()

        anyio.run(main)

    return run
