"""From ``cue mcp`` to a running shim: the options read without a parser, the daemon found or started."""

from __future__ import annotations


def try_shim(arguments: list[str]) -> int | None:
    """Serve stdio through the workspace's daemon; None hands the command line to click."""
    return None
