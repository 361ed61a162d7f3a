"""Whether the background process is well."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from cuedeck.daemon.control import status, stop
from cuedeck.daemon.location import Address, NoDaemon
from cuedeck.daemon.protocol import identity
from cuedeck.model.finding import Finding, Status, passed

SLOW_SECONDS = 1.0


def check(root: Path) -> Iterator[Finding]:
    """Ask the daemon, if one runs, how it is."""
    try:
        Address(str(root))
        began = time.monotonic()
        found = status(str(root))
    except NoDaemon as problem:
        yield Finding(
            "daemon",
            Status.WARN,
            f"There can be no daemon: {problem}.",
            fix="Agents are served in-process instead, which starts more slowly.",
        )
        return
    if found is None:
        yield passed("daemon", "No daemon runs; it starts with the first agent.")
        return
    elapsed = time.monotonic() - began
    if any(found.get(name) != value for name, value in identity().items()):
        yield Finding(
            "daemon",
            Status.WARN,
            f"The running daemon is version {found.get('version')} of {found.get('executable')}.",
            fix="cue daemon stop; the next agent starts this version.",
            repair=lambda: f"stopped the daemon (pid {stop(str(root))})",
        )
    elif elapsed > SLOW_SECONDS:
        yield Finding(
            "daemon", Status.WARN, f"The daemon took {elapsed:.1f} s to answer.", fix="cue daemon stop"
        )
    else:
        memory = (found.get("memory_bytes") or 0) / 1e6
        yield passed(
            "daemon", f"pid {found['pid']}, {found['sessions']} clients, {memory:.0f} MB, answers at once."
        )
