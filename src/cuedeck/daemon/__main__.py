"""The daemon's process: detached from whoever started it, private, and quiet."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cuedeck.daemon.life import Life
    from cuedeck.daemon.location import Address

ANOTHER_DAEMON_SECONDS = 15.0


def main() -> int:
    """``python -m cuedeck.daemon ROOT READY_FD``; the starter is told through the descriptor."""
    root, ready = sys.argv[1], int(sys.argv[2])
    if os.fork():  # the starter waits for this process only, and never gets a zombie
        os._exit(0)
    from cuedeck.daemon.life import Life
    from cuedeck.daemon.location import Address

    address = Address(root)
    life = Life(address)
    if not life.begin(ANOTHER_DAEMON_SECONDS):
        os.close(ready)
        return 0
    try:
        _serve(address, life, ready)
    finally:
        life.end()
    return 0


def _serve(address: Address, life: Life, ready: int) -> None:
    # Loading makes a great many objects that stay: collecting meanwhile costs a fifth of the start.
    gc.disable()
    import anyio

    from cuedeck.daemon.daemon import Daemon
    from cuedeck.daemon.handles import allow_many_clients
    from cuedeck.daemon.logs import start_log

    allow_many_clients()
    log = start_log(Path(address.root), Path(address.errors))

    def tell_starter() -> None:
        os.write(ready, b"ready\n")
        os.close(ready)

    async def run() -> None:
        await Daemon(address, life, log, tell_starter).serve()

    anyio.run(run)


if __name__ == "__main__":
    sys.exit(main())
