"""What ``cue clean`` and ``cue daemon`` answer: a value for programs, a text for people, an exit code."""

from __future__ import annotations

from cuedeck.daemon.location import NoDaemon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cuedeck.model.errors import CueError

    Answer = tuple[dict[str, Any], str, int]


def cleaned(root: str) -> Answer:
    """Remove the cache and say whether there was one."""
    from cuedeck.daemon.cleaning import clean

    removed = clean(root)
    text = f"Removed {removed}; it is made again when needed." if removed else "Nothing to clean."
    return {"cleaned": removed is not None}, text, 0


def daemon_status(root: str) -> Answer:
    """How the daemon is; the exit code is 1 when none runs."""
    from cuedeck.daemon.control import status

    try:
        found = status(root)
    except NoDaemon as problem:
        raise _unreachable(problem) from problem
    standby = _standby_status()
    if found is None:
        text = "\n".join(["No daemon runs for this workspace.", *map(_standing_by, standby)])
        return {"running": False, "workspace": root, "standby": standby}, text, 1
    return {"running": True, **found, "standby": standby}, _lines(found, standby), 0


def daemon_stopped(root: str) -> Answer:
    """Stop the daemon and what keeps commands ready, and say which processes that were."""
    from cuedeck.daemon.control import stop
    from cuedeck.daemon.standing_by import stop_standbys

    try:
        pid = stop(root)
    except NoDaemon as problem:
        raise _unreachable(problem) from problem
    standby = stop_standbys()
    lines = ["No daemon was running." if pid is None else f"Stopped the daemon (pid {pid})."]
    lines += [f"Stopped the standby of commands (pid {each})." for each in standby]
    return {"stopped": pid is not None, "pid": pid, "standby": standby}, "\n".join(lines), 0


def _unreachable(problem: NoDaemon) -> CueError:
    from cuedeck.model.errors import CueError, ErrorCode

    return CueError(
        ErrorCode.UNAVAILABLE,
        f"The daemon cannot be asked: {problem}",
        hint="Agents can be served without it: cue mcp --no-daemon. One that hangs may be killed safely.",
    )


def _standby_status() -> list[dict[str, int]]:
    from cuedeck.daemon.standing_by import standbys

    return [{"pid": process, "memory_bytes": memory} for process, memory in standbys().items()]


def _standing_by(standby: dict[str, int]) -> str:
    return f"Commands are kept ready by pid {standby['pid']} ({standby['memory_bytes'] / 1_000_000:.0f} MB)."


def _lines(found: dict[str, Any], standby: list[dict[str, int]]) -> str:
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
    return "\n".join([*(f"{name:<10} {value}" for name, value in rows.items()), *map(_standing_by, standby)])
