"""Rate limits of the context deck: one token bucket for each principal and tool."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cuedeck.config.sections import LimitsSection
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.model.principal import Principal

WINDOW_SECONDS = 60
# Enough for every principal of a large team; beyond it the longest idle bucket, which is the fullest, goes.
MAX_BUCKETS = 10_000


@dataclass(frozen=True, slots=True)
class Rate:
    """Sustained calls per window, and how many may come at once."""

    limit: int
    burst: int

    @property
    def per_second(self) -> float:
        """How fast the bucket fills."""
        return self.limit / WINDOW_SECONDS


CONTRACT_RATES: Mapping[str, Rate] = {
    "read_context": Rate(10, 15),
    "read_doc": Rate(30, 50),
    "list_tasks": Rate(20, 30),
    "update_task": Rate(10, 15),
}


def rate_of(tool: str, settings: LimitsSection) -> Rate | None:
    """The limit in force for a tool of the context deck, or None when there is none."""
    if not settings.enabled:
        return None
    contract = CONTRACT_RATES.get(tool)
    chosen = settings.tools.get(tool)
    if chosen is None:
        return contract
    if chosen.rate:
        return Rate(chosen.rate, chosen.burst or chosen.rate)
    if chosen.burst and contract:
        return Rate(contract.limit, chosen.burst)
    return None


@dataclass(slots=True)
class _Bucket:
    tokens: float
    filled_at: float


class RateLimits:
    """The buckets of one process, safe to use from any thread and bounded in number."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, max_buckets: int = MAX_BUCKETS) -> None:
        self._clock = clock
        self._max_buckets = max_buckets
        self._buckets: OrderedDict[tuple[str, str], _Bucket] = OrderedDict()
        self._guard = threading.Lock()

    def take(self, principal: Principal, tool: str, settings: LimitsSection) -> None:
        """Let one call pass, or refuse it with the contract's 429 data; a refusal costs nothing."""
        rate = rate_of(tool, settings)
        if rate is None:
            return
        with self._guard:
            bucket = self._filled(principal.key, tool, rate)
            if bucket.tokens < 1:
                raise _refusal(rate, bucket.tokens)
            bucket.tokens -= 1

    def _filled(self, principal: str, tool: str, rate: Rate) -> _Bucket:
        now = self._clock()
        bucket = self._buckets.get((principal, tool))
        if bucket is None:
            bucket = self._buckets[principal, tool] = _Bucket(float(rate.burst), now)
            if len(self._buckets) > self._max_buckets:
                self._buckets.popitem(last=False)
        bucket.tokens = min(float(rate.burst), bucket.tokens + (now - bucket.filled_at) * rate.per_second)
        bucket.filled_at = now
        self._buckets.move_to_end((principal, tool))
        return bucket


def _refusal(rate: Rate, tokens: float) -> CueError:
    wait = max(1, math.ceil((1 - tokens) / rate.per_second))
    return CueError(
        ErrorCode.RATE_LIMITED,
        "Rate Limit Exceeded",
        data={
            "retry_after_seconds": wait,
            "limit": rate.limit,
            "window_seconds": WINDOW_SECONDS,
            "current_count": rate.burst,
        },
    )
