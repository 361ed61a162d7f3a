"""PHP: PHPUnit reports, uncaught exceptions, errors of the engine."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .model import Compared, Failure, FailureKind, Frame, Location
from .text import blame, spans

_REPORT = re.compile(r"^There (?:was|were) \d+ (?:failures?|errors?|risky tests?|warnings?):$")
_TEST = re.compile(r"^\d+\) (\S+::.+)$")
_PLACE = re.compile(r"^(\S+\.(?:php|phpt|inc)):(\d+)$")
_TYPE = re.compile(r"^([A-Z][\w\\]*(?:Exception|Error|\\\w+)): (.*)$")
_VALUES = re.compile(
    r"^Failed asserting that (.{1,200}?) (?:is identical to|matches expected|is equal to) (.+)\.$"
)
_UNCAUGHT = re.compile(
    r"^(?:PHP )?(?:Fatal|Recoverable fatal) error:\s+Uncaught (?:exception ')?([\w\\]+)'?"
    r"(?:: (.*?)| with message '(.*)')?(?: in (\S+):(\d+))?$"
)
_CALL = re.compile(r"^#\d+ (\S+?)\((\d+)\): (.+?)\(")
_THROWN = re.compile(r"^\s+thrown in (\S+) on line (\d+)$")
_ENGINE = re.compile(
    r"^(?:PHP )?(Parse|Compile|Core|Fatal|Recoverable fatal) error:\s+(.+) in (\S+) on line (\d+)$"
)


def unit(lines: Sequence[str]) -> list[Failure]:
    """PHPUnit's numbered failures and errors."""
    if not any(_REPORT.match(line) for line in lines):
        return []
    heads = [at for at, line in enumerate(lines) if _TEST.match(line)]
    return [_case(lines[at], lines[at + 1 : end]) for at, end in spans(heads, len(lines))]


def _case(head: str, lines: Sequence[str]) -> Failure:
    test = _TEST.match(head)
    assert test
    text = next((line.strip() for line in lines if line.strip()), "")
    frames = tuple(Frame(m[1], int(m[2])) for line in reversed(lines) if (m := _PLACE.match(line)))
    raised = _TYPE.match(text)
    values = _VALUES.match(text)
    kind, message = (raised[1], raised[2]) if raised else ("Assertion", text)
    compared = Compared(values[2], values[1]) if values else _difference(lines)
    return Failure("phpunit", FailureKind.TEST, kind, message, blame(frames), frames, test[1], compared)


def _difference(lines: Sequence[str]) -> Compared | None:
    """The two lines of a difference that has no more than one of each."""
    wanted = [line[1:] for line in lines if line.startswith("-") and not line.startswith("---")]
    got = [line[1:] for line in lines if line.startswith("+") and not line.startswith("+++")]
    return Compared(wanted[0], got[0]) if len(wanted) == len(got) == 1 else None


def errors(lines: Sequence[str]) -> list[Failure]:
    """What nobody caught, and what the engine itself refuses."""
    for at, line in enumerate(lines):
        if match := _UNCAUGHT.match(line):
            return [_uncaught(match, lines[at + 1 :])]
        if match := _ENGINE.match(line):
            kind = FailureKind.BUILD if match[1] in ("Parse", "Compile") else FailureKind.RUNTIME
            return [Failure("php", kind, f"{match[1]} error", match[2], Location(match[3], int(match[4])))]
    return []


def _uncaught(match: re.Match[str], lines: Sequence[str]) -> Failure:
    calls = [found for line in lines if (found := _CALL.match(line))]
    thrown = next((found for line in lines if (found := _THROWN.match(line))), None)
    frames = [Frame(found[1], int(found[2])) for found in reversed(calls)]
    if place := ((match[4], match[5]) if match[4] else thrown and (thrown[1], thrown[2])):
        frames.append(Frame(place[0], int(place[1]), calls[0][3] if calls else None))
    message = re.sub(r", called in \S+ on line \d+ and defined$", "", match[2] or match[3] or "")
    return Failure("php", FailureKind.RUNTIME, match[1], message, blame(frames), tuple(frames))
