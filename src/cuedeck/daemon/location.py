"""Which workspace a command means; only ``os``, because the stdio shim must start as fast as Python."""

# ruff: noqa: PTH109, PTH111, PTH118, PTH120
from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def workspace_root(named: str | None = None) -> str:
    """The real path of the folder that was named; else what ``discovery.find_root`` finds from here."""
    here = os.path.realpath(os.getcwd())
    if named is not None:
        return os.path.realpath(os.path.join(here, os.path.expanduser(named)))
    return _nearest(here, ".cuedeck", os.path.isdir) or _nearest(here, ".git", os.path.exists) or here


def _nearest(folder: str, name: str, is_there: Callable[[str], bool]) -> str | None:
    while not is_there(os.path.join(folder, name)):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder
