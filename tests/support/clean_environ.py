"""The environment of this process without settings of ours, save the one that keeps commands apart.

With ``CUEDECK_TEST_STANDBY`` set, the commands of tests go through a standby, as users' commands do.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

SWITCH = "CUEDECK_DAEMON__STANDBY"


def clean_environ() -> dict[str, str]:
    return {
        name: value for name, value in os.environ.items() if not name.startswith("CUEDECK_") or name == SWITCH
    }


def listened_to(environ: dict[str, str]) -> bool:
    """Whether a daemon or a standby was started in an environment, and may still be there."""
    files = Path(environ["XDG_RUNTIME_DIR"]).glob("cuedeck/*")
    return any(file.suffix in (".sock", ".cmd") for file in files)


def stand_by(environ: dict[str, str]) -> None:
    """Have a standby ready for an environment, when this run of the tests is about that."""
    if "CUEDECK_TEST_STANDBY" not in os.environ:
        return
    for _ in range(2):  # the second one starts it
        subprocess.run(
            [Path(sys.executable).with_name("cue"), "todo", "--help"], env=environ, capture_output=True
        )
    deadline = time.monotonic() + 60
    while not list(Path(environ["XDG_RUNTIME_DIR"]).glob("cuedeck/*.cmd")):
        assert time.monotonic() < deadline, "no standby came"
        time.sleep(0.01)
