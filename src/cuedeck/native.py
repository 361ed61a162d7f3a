"""The compiled accelerator, where it is installed and made from this very source."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

# What the variable CUEDECK_NATIVE may say to keep to Python: to compare the two, or to look for a mistake.
_OFF = ("0", "off", "no", "false")


@cache
def native() -> Any | None:
    """The package ``cuedeck_native``, or nothing: everything it does is done without it too."""
    found = None if native_is_off() else installed()
    return found if found is not None and found.is_made_from(Path(__file__).parent) else None


def native_is_off() -> bool:
    """Whether the user wants none of it."""
    return os.environ.get("CUEDECK_NATIVE", "").lower() in _OFF


def installed() -> Any | None:
    """The package, for whatever version of this one it was made."""
    try:
        import cuedeck_native
    except ImportError:
        return None
    return cuedeck_native


def compiled(part: str) -> list[str]:
    """Where the compiled modules of a part of the code engine are: before those in Python."""
    found = native()
    return [str(found.FOLDER / part)] if found is not None else []
