"""Sums that are the same on every Python."""

from __future__ import annotations

from collections.abc import Iterable


def added(values: Iterable[float]) -> float:
    """The sum from left to right; from Python 3.12 on, the built-in one rounds differently."""
    total = 0.0
    for value in values:
        total += value
    return total
