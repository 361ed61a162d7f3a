"""Indexing that goes on while questions are answered."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from cuedeck.code.indexing import Indexed


@dataclass(slots=True)
class Job:
    """Indexing that runs in the background."""

    ref: str
    thread: threading.Thread
    progress: float = 0.0
    done: Indexed | None = None
    error: BaseException | None = None
