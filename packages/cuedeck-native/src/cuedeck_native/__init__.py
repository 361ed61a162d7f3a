"""Compiled parts of CueDeck: syntax trees, the walks over them, words and columns.

CueDeck runs without this package, with the same results, more slowly.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from cuedeck_native.sources import FILES, SOURCES

FOLDER = Path(__file__).parent


def is_made_from(package: Path) -> bool:
    """Whether this was compiled from the modules of that very ``cuedeck``, and is whole."""
    try:
        return all((FOLDER / name).is_file() for name in FILES) and all(
            digest(package / path) == found for path, found in SOURCES.items()
        )
    except OSError:
        return False


def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
