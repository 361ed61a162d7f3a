"""The background process of this workspace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cuedeck.cli.frame import Here, group, subcommand
from cuedeck.model.errors import CueError, ErrorCode

command = group("daemon", "The background process of this workspace: it starts by itself and ends when idle.")


@subcommand(command, "status", json=True)
def status(here: Here) -> int:
    """Show whether a daemon runs, its version, clients and memory; exit code 1 when none runs."""
    from cuedeck.daemon.control import status as ask

    found = ask(str(here.root))
    if found is None:
        here.output.show(
            {"running": False, "workspace": str(here.root)}, "No daemon runs for this workspace."
        )
        return 1
    here.output.show({"running": True, **found}, lambda: _lines(found))
    return 0


@subcommand(command, "stop", json=True)
def stop(here: Here) -> None:
    """Stop the daemon once it has answered what it was asked; agents reconnect when they need it."""
    from cuedeck.daemon.control import stop as ask

    with _reachable():
        pid = ask(str(here.root))
    human = "No daemon was running." if pid is None else f"Stopped the daemon (pid {pid})."
    here.output.show({"stopped": pid is not None, "pid": pid}, human)


@contextmanager
def _reachable() -> Iterator[None]:
    """A daemon that cannot be spoken to is said in a sentence."""
    from cuedeck.daemon.location import NoDaemon

    try:
        yield
    except NoDaemon as problem:
        raise CueError(
            ErrorCode.UNAVAILABLE,
            f"The daemon cannot be asked: {problem}",
            hint="Agents can be served without it: cue mcp --no-daemon. One that hangs may be killed safely.",
        ) from problem


def _lines(found: dict[str, Any]) -> str:
    memory = found["memory_bytes"]
    rows = {
        "workspace": found["workspace"],
        "pid": found["pid"],
        "version": f"{found['version']}, {found['executable']}",
        "since": f"{found['started']} ({found['uptime_seconds']} s)",
        "clients": f"{found['sessions']} now, {found['sessions_served']} in all",
        "memory": f"{memory / 1_000_000:.0f} MB" if memory else "unknown",
        "idle exit": f"after {found['idle_seconds']} s without a client",
        "log": found["log"],
    }
    return "\n".join(f"{name:<10} {value}" for name, value in rows.items())
