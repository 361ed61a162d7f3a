"""Serve MCP and the dashboard over HTTP."""

from __future__ import annotations

import click

from cuedeck.cli.frame import Here
from cuedeck.cli.frame import command as define


@define("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8787, envvar="PORT", show_default=True, show_envvar=True
)
@click.option(
    "--decks", default="default", show_default=True, metavar="NAMES", help="default, all, or decks."
)
@click.option("--tools", default="", metavar="NAMES", help="Only these tools, separated by commas.")
@click.option("--read-only", is_flag=True, help="Only tools that change nothing.")
@click.option("--errors", type=click.Choice(["rpc", "result"]), default="rpc", show_default=True)
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="With PostgreSQL.")
def command(
    here: Here, host: str, port: int, decks: str, tools: str, read_only: bool, errors: str, workers: int
) -> int:
    """Serve MCP at /mcp and /mcp/DECK over HTTP; beyond this machine only with authentication."""
    from cuedeck.cli.http.serving import Serving, options_from, serve

    options = options_from(here, decks, tools, read_only, errors)
    return serve(here, Serving(host, port, workers, options))
