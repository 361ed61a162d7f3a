"""What a check of a workspace found: a data record that ``cue doctor`` shows and may repair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How a check went; only ``FAIL`` is a problem."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """One result. ``file`` is relative to the workspace; ``repair`` does the fix and says what it did."""

    check: str
    status: Status
    message: str
    file: str | None = None
    line: int | None = None
    excerpt: str | None = None
    fix: str | None = None
    repair: Callable[[], str] | None = None


def passed(check: str, message: str) -> Finding:
    """Nothing to complain about."""
    return Finding(check, Status.PASS, message)
