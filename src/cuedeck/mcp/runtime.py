"""What all connections of one process share: its age, its request count, its rate limits."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from cuedeck.mcp.limits import RateLimits


class Activity:
    """How long this process has served, and how many tool calls it has handled."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._requests = 0
        self._guard = threading.Lock()

    @property
    def uptime_ms(self) -> int:
        """Milliseconds since the process began to serve."""
        return int((time.monotonic() - self._started) * 1000)

    @property
    def requests(self) -> int:
        """Tool calls handled so far, the current one included."""
        return self._requests

    def count(self) -> None:
        """One more call has come in."""
        with self._guard:
            self._requests += 1


@dataclass(frozen=True, slots=True)
class Runtime:
    """The shared state of a serving process."""

    activity: Activity = field(default_factory=Activity)
    limits: RateLimits = field(default_factory=RateLimits)
