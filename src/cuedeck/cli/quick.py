"""The few invocations that must start as fast as Python itself, answered without click."""

from __future__ import annotations

import sys


def try_quick(arguments: list[str]) -> int | None:
    """Answer an invocation that needs no parser; None hands it to click."""
    match arguments:
        case [] | ["--help"] | ["-h"] | ["help"]:
            from cuedeck.cli import help_text

            sys.stdout.write(help_text())
            return 0
        case ["--version"] | ["-V"]:
            from cuedeck import __version__
            from cuedeck.cli import program_name

            sys.stdout.write(f"{program_name()} {__version__}\n")
            return 0
        case ["clean", *rest]:
            return _try_clean(rest)
    return None


def _try_clean(rest: list[str]) -> int | None:
    match rest:
        case []:
            start = None
        case ["--workspace", folder]:
            start = folder
        case _:
            return None
    import os

    from cuedeck.daemon.location import workspace_root

    cache = os.path.join(workspace_root(start), ".cuedeck", ".cache")  # noqa: PTH118
    if os.path.lexists(cache):
        return None
    sys.stdout.write("Nothing to clean.\n")
    return 0
