"""Serve MCP over stdio."""

from __future__ import annotations

import click

from cuedeck.cli.frame import Here
from cuedeck.cli.frame import command as define


@define("mcp", config=False)
@click.option(
    "--decks", default="default", show_default=True, metavar="NAMES", help="default, all, or decks."
)
@click.option("--tools", default="", metavar="NAMES", help="Only these tools, separated by commas.")
@click.option("--read-only", is_flag=True, help="Only tools that change nothing.")
@click.option("--errors", type=click.Choice(["rpc", "result"]), default="rpc", show_default=True)
@click.option("--user", metavar="UUID", help="The local user of the todo deck.")
@click.option("--no-daemon", is_flag=True, help="Serve in this process.")
def command(
    here: Here, decks: str, tools: str, read_only: bool, errors: str, user: str | None, no_daemon: bool
) -> int:
    """Serve MCP over stdio, through the workspace's daemon; decks: context, code, todo, memory, vault."""
    chosen = {"decks": decks, "tools": tools, "read_only": "1" if read_only else "", "errors": errors}
    if user is not None:
        chosen["user"] = user
    from cuedeck.daemon.entry import serve_stdio

    return serve_stdio(str(here.root), chosen, no_daemon=no_daemon)
