"""The standby's process: detached, and with nothing of its starter that a command could notice."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cuedeck.daemon.life import Life
    from cuedeck.daemon.standing_by import Place

BACKLOG = 128
# A command that ends holds the lock a moment, to see whether a standby is due; on a busy machine longer.
LOCK_SECONDS = 5.0


def main() -> int:
    """``python -m cuedeck.cli.standby SOCKET``."""
    os.setsid()
    os.chdir("/")
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    from cuedeck.daemon.life import Life
    from cuedeck.daemon.standing_by import Place

    place = Place(sys.argv[1])
    life = Life(place)
    if not _is_named_after_us(place) or not life.begin(LOCK_SECONDS):
        return 0
    try:
        _serve(place, life)
    finally:
        life.end()
    return 0


def _is_named_after_us(place: Place) -> bool:
    from cuedeck.cli.standby.surroundings import fingerprint, inherited, variables_read_once
    from cuedeck.daemon.standing_by import SUFFIX

    own = inherited("self")
    return own is not None and Path(place.socket).name == fingerprint(own, variables_read_once()) + SUFFIX


def _serve(place: Place, life: Life) -> None:
    gc.disable()
    # Threads that it would start when it is loaded would be lost in every child.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    import socket

    from cuedeck.cli.standby.pages import pages_of_commands
    from cuedeck.cli.standby.process import Standby
    from cuedeck.cli.standby.program import Program, is_single_threaded, load, rehearse

    program = Program()
    program.wake_for(str(Path(place.socket).parent))
    load()
    rehearse()
    if not is_single_threaded():
        return
    # What is loaded stays: no collection in a child shall touch, and so copy, its pages.
    gc.freeze()
    pages = pages_of_commands()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(place.socket)
    Path(place.socket).chmod(0o600)
    listener.listen(BACKLOG)
    Standby(place, life, program, listener, pages).serve()


if __name__ == "__main__":
    sys.exit(main())
