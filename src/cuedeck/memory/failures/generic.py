"""The last resort: any line that names an error, and any place that looks like one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .model import NO_TOOL, Failure, FailureKind, Location
from .text import plain_path

_NAMED = re.compile(
    r"\b((?:[A-Za-z_]\w{0,60}(?:\.|::)){0,8}[A-Z]\w{0,60}?(?:Error|Exception|Failure))\b(?::\s*(.+))?"
)
_DIAGNOSTIC = re.compile(r"^((?:[A-Za-z]:)?[^\s:]+\.\w+):(\d+):(\d+): (?:(?:fatal )?error: )?(.+)$", re.I)
_BARE = re.compile(
    r"^\W{0,8}(?:Uncaught |error: |Error: )?"
    r"((?:[A-Za-z_]\w{0,60}(?:\.|::)){0,8}[A-Z]\w{0,60}?(?:Error|Exception))(?:: (.+))?$"
)
_ERROR = re.compile(r"^\W*(?:fatal|error|err|failed|failure|fail|panic|critical)\b[\s:\]!-]*(.*)$", re.I)
_PLACE = re.compile(
    r"(?<![\w./\\@+-])((?:[A-Za-z]:)?[\w./\\@+-]{1,250}?\.[A-Za-z]\w{0,5})[:(](\d+)(?:[:,](\d+))?"
)


def guess(lines: Sequence[str]) -> list[Failure]:
    """One failure from the most telling line, or nothing when no line tells of one."""
    place = next((match for line in lines if (match := _PLACE.search(line))), None)
    location = Location(plain_path(place[1]), int(place[2])) if place else None
    for line in lines:
        if match := _BARE.match(line):
            return [Failure(NO_TOOL, FailureKind.RUNTIME, match[1], (match[2] or "").strip(), location)]
    for line in lines:
        if (match := _DIAGNOSTIC.match(line)) and "warning" not in match[4].lower():
            where = Location(plain_path(match[1]), int(match[2]), int(match[3]))
            return [Failure(NO_TOOL, FailureKind.BUILD, "error", match[4], where)]
    for line in lines:
        if match := _NAMED.search(line):
            return [Failure(NO_TOOL, FailureKind.UNKNOWN, match[1], (match[2] or line).strip(), location)]
    for line in lines:
        if (match := _ERROR.match(line)) and match[1]:
            return [Failure(NO_TOOL, FailureKind.UNKNOWN, "error", match[1].strip(), location)]
    text = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return [Failure(NO_TOOL, FailureKind.UNKNOWN, "error", text[:500], location)] if text else []
