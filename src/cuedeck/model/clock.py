"""The clock: milliseconds since the epoch, as every table keeps them, and how they are written out."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Final

DAY_MS: Final = 86_400_000


def now_ms() -> int:
    """The time now."""
    return time.time_ns() // 1_000_000


def iso(at: int) -> str:
    """ISO 8601 in UTC, to the millisecond."""
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def iso_seconds(at: int) -> str:
    """ISO 8601 in UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at / 1000))
