"""How quick the machine is at this moment: its speed varies, and figures are read beside this one."""

from __future__ import annotations

import random
import time

ENTRIES = 300_000
LOOKS = 100_000
TURNS = 5


def lookup_nanoseconds() -> float:
    """Processor time of one look into a dictionary too large for the processor's own caches."""
    entries = {number: str(number) for number in range(ENTRIES)}
    keys = random.Random(1).sample(range(ENTRIES), LOOKS)
    return min(_turn(entries, keys) for _ in range(TURNS)) / LOOKS * 1e9


def _turn(entries: dict[int, str], keys: list[int]) -> float:
    started = time.process_time()
    for key in keys:
        entries[key]
    return time.process_time() - started


if __name__ == "__main__":
    print(f"{lookup_nanoseconds():.0f} ns a look-up")
