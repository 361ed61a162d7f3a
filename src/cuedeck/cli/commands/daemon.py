"""The background process of this workspace."""

from __future__ import annotations

from cuedeck.cli.frame import Here, group, subcommand

command = group("daemon", "The background process of this workspace: it starts by itself and ends when idle.")


@subcommand(command, "status", json=True)
def status(here: Here) -> int:
    """Show whether a daemon runs, its version, clients and memory; exit code 1 when none runs."""
    from cuedeck.daemon.answers import daemon_status

    return here.answer(daemon_status)


@subcommand(command, "stop", json=True)
def stop(here: Here) -> int:
    """Stop the daemon once it has answered what it was asked, and what keeps commands ready."""
    from cuedeck.daemon.answers import daemon_stopped

    return here.answer(daemon_stopped)
