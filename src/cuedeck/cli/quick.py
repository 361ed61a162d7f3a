"""The few invocations that must start as fast as Python itself, answered without click."""

from __future__ import annotations

import os
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
    from cuedeck.daemon.cleaning import CLEANED, NOTHING, clean
    from cuedeck.daemon.location import workspace_root

    root = workspace_root(start)
    if not os.path.isdir(root) or _has_settings(root):  # noqa: PTH112
        return None
    cleaned = clean(root)
    sys.stdout.write((CLEANED if cleaned else NOTHING) + "\n")
    return 0


def _has_settings(root: str) -> bool:
    """Whether there is configuration to validate; reading it properly costs more than all of this."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111
    files = f"{root}/.cuedeck/config.toml", f"{home}/cuedeck/config.toml"
    return any(map(_says_something, files)) or any(
        name.startswith("CUEDECK_") and "__" in name for name in os.environ
    )


def _says_something(path: str) -> bool:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return any(line.strip() and not line.lstrip().startswith(b"#") for line in file)
    except FileNotFoundError:
        return False
    except OSError:
        return True
