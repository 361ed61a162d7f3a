"""From ``cue mcp`` to a running shim: the options read without a parser, the daemon found or started."""

from __future__ import annotations

import os
import sys

from cuedeck.daemon.location import Address, NoDaemon, workspace_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket as Socket

_VALUED = ("--decks", "--tools", "--errors", "--user", "--workspace")
_FLAGS = ("--read-only",)


def try_shim(arguments: list[str]) -> int | None:
    """Serve stdio through the daemon; None hands the command line to click, which knows every case."""
    chosen = _chosen(arguments)
    if chosen is None:
        return None
    root = workspace_root(chosen.pop("workspace", None))
    if not os.path.isdir(root):  # noqa: PTH112
        return None
    return serve_stdio(root, chosen, no_daemon=False)


def serve_stdio(root: str, chosen: dict[str, str], *, no_daemon: bool) -> int:
    """Serve stdio in this process, or through the daemon where there can be one."""
    if os.path.dirname(root) == root:  # noqa: PTH120
        from pathlib import Path

        from cuedeck.discovery import check_project

        check_project(Path(root))
    if not no_daemon:
        try:
            return run_shim(root, chosen)
        except NoDaemon as problem:
            _say_in_process(problem)
    from cuedeck.daemon.in_process import serve

    return serve(root, chosen)


def run_shim(root: str, chosen: dict[str, str]) -> int:
    """Serve stdio through the workspace's daemon until the client leaves."""
    from cuedeck.daemon import protocol
    from cuedeck.daemon.dial import Refused, dial

    address = Address(root)
    fields = {**protocol.identity(), "root": root, **chosen}
    hello = protocol.encode_hello(protocol.SESSION, fields, protocol.travelling_environment())

    def reach() -> tuple[Socket, bytes]:
        return dial(address, hello)

    try:
        first = reach()
    except Refused as refused:
        return _explain(refused.answer)
    from cuedeck.daemon.shim import Shim

    return Shim(reach, first).run()


def _chosen(arguments: list[str]) -> dict[str, str] | None:
    """The options as the hello carries them; None for anything but the plain, valid ones."""
    chosen: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if name in _FLAGS and not equals:
            value = "1"
        elif name not in _VALUED:
            return None
        elif not equals:
            if not rest or rest[0].startswith("-"):
                return None
            value = rest.pop(0)
        chosen[name.removeprefix("--").replace("-", "_")] = value
    return chosen if chosen.get("errors", "rpc") in ("rpc", "result") else None


def _say_in_process(problem: NoDaemon) -> None:
    sys.stderr.write(f"cue mcp: no daemon ({problem}); serving in this process instead.\n")


def _explain(answer: bytes) -> int:
    import json

    refusal = json.loads(answer)
    sys.stderr.write(f"error: {refusal['message']}\n")
    if refusal.get("hint"):
        sys.stderr.write(f" hint: {refusal['hint']}\n")
    return int(refusal.get("exit", 1))
