"""A process that serves the sample registry on its standard input and output."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import anyio
from mcp_client import open_workspace
from mcp_sample import REGISTRY

from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.stdio import serve_stdio

if __name__ == "__main__":
    with open_workspace(Path(sys.argv[1])) as workspace:
        serve = partial(
            serve_stdio, lambda _: workspace, ConnectionOptions(decks=("all",)), registry=REGISTRY
        )
        anyio.run(serve)
