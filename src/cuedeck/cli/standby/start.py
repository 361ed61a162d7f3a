"""Starting a standby for the commands to come, after a command that had to do without."""

from __future__ import annotations

import os
import sys

from cuedeck.cli.standby.surroundings import variables_read_once
from cuedeck.cli.standby.switch import is_wanted
from cuedeck.daemon.standing_by import Place, make_room


def start_standby(place: Place, arguments: list[str]) -> None:
    """Start one, unless somebody does or the settings say no; nobody waits for it or hears of a failure."""
    try:
        if is_wanted(arguments) and place.is_due() and make_room():
            _spawn(place)
    except OSError:
        return  # the command has done its work, and the next one tries again


def _spawn(place: Place) -> None:
    nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    # -P: a file of the current folder must never be imported as a module.
    command = [sys.executable, "-P", "-m", "cuedeck.cli.standby", place.socket]
    os.posix_spawn(sys.executable, command, variables_read_once(), file_actions=nowhere)
