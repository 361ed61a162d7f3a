"""The few invocations that must start as fast as Python itself, answered without click."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from cuedeck.daemon.answers import Answer


def try_quick(arguments: list[str]) -> int | None:
    """Answer an invocation that needs no parser; None hands it to click."""
    match arguments:
        case [] | ["--help"] | ["-h"]:
            from cuedeck.cli import help_text

            sys.stdout.write(help_text())
            return 0
        case ["--version"] | ["-V"]:
            from cuedeck import __version__
            from cuedeck.cli import program_name

            sys.stdout.write(f"{program_name()} {__version__}\n")
            return 0
        case ["clean", *options]:
            from cuedeck.daemon.answers import cleaned

            return _answer(cleaned, options)
        case ["daemon", "status", *options]:
            from cuedeck.daemon.answers import daemon_status

            return _answer(daemon_status, options)
        case ["daemon", "stop", *options]:
            from cuedeck.daemon.answers import daemon_stopped

            return _answer(daemon_stopped, options)
    return None


def _answer(ask: Callable[[str], Answer], options: list[str]) -> int | None:
    match options:
        case [] | ["--json"]:
            named = None
        case ["--workspace", folder] | ["--json", "--workspace", folder] | ["--workspace", folder, "--json"]:
            named = folder
        case _:
            return None
    from cuedeck.daemon.location import workspace_root

    root = workspace_root(named)
    if not os.path.isdir(root) or has_settings(root):  # noqa: PTH112
        return None
    value, text, code = ask(root)
    if "--json" in options:
        import json

        text = json.dumps(value, ensure_ascii=False, indent=2)
    if _plain(text):
        sys.stdout.write(text + "\n")
    else:
        from cuedeck.cli.output import Output

        Output().line(text)
    return code


def _plain(text: str) -> bool:
    return text.isascii() and text.replace("\n", "").isprintable()


def has_settings(root: str) -> bool:
    """Whether there is configuration to validate; reading it properly costs more than all of this."""
    home = os.environ.get("XDG_CONFIG_HOME", "")
    if not home.startswith("/"):
        home = os.path.expanduser("~/.config")  # noqa: PTH111
    files = f"{root}/.cuedeck/config.toml", f"{home}/cuedeck/config.toml"
    return any(map(_says_something, files)) or any(
        name.startswith("CUEDECK_") and "__" in name and not _is_plain_switch(name) for name in os.environ
    )


def _is_plain_switch(name: str) -> bool:
    return name == "CUEDECK_DAEMON__STANDBY" and os.environ[name] in ("true", "false")


def _says_something(path: str) -> bool:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return any(line.strip() and not line.lstrip().startswith(b"#") for line in file)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
