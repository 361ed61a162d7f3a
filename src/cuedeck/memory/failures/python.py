"""Python tracebacks and unittest reports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from .model import Compared, Failure, FailureKind, Frame, Location
from .text import blame, spans

_START = re.compile(r"^[\s|+]*(?:Exception Group )?Traceback \(most recent call last\):$")
_FRAME = re.compile(r'^[\s|]*File "([^"]+)", line (\d+)(?:, in (.+))?$')
_BOXED = re.compile(r"^[╭+][─-]+ Traceback \(most recent call last\) [─-]+[╮+]$")
_BOX_FRAME = re.compile(r"^[│|] (\S.*?):(\d+) in (.+?)\s*[│|]$")
_FATAL = re.compile(r"^Fatal Python error: (.+)$")
_LAST_FIRST = re.compile(r'^  File "([^"]+)", line (\d+) in (.+)$')
_CHECK = re.compile(r"^(\S+): \((\w+\.[ECW]\d+)\) (.+)$")
_RAISED = re.compile(r"^[\s|]*((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?:: ?(.*))?$")
_UNITTEST = re.compile(r"^(FAIL|ERROR): (\S+) \(([^)]+)\)")
_UNITTEST_OLD = re.compile(r"^(FAIL|ERROR): (\S+)$")
_UNEQUAL = re.compile(r"^(.{1,300}?) != (.{1,300}?)(?: : .*)?$")
SYNTAX = {"SyntaxError", "IndentationError", "TabError"}
CHAIN = (
    "The above exception was the direct cause",
    "During handling of the above exception",
)


def tracebacks(lines: Sequence[str]) -> list[Failure]:
    """Every uncaught exception; of a chain only the last, which is the one that escaped."""
    found: list[Failure] = []
    chained = False
    at = 0
    while at < len(lines):
        if _START.match(lines[at]):
            failure, at = _one(lines, at + 1, _indent(lines[at]))
            if failure:
                found[len(found) - chained :] = [failure]
                chained = False
            continue
        if lines[at].strip(" |").startswith(CHAIN):
            chained = bool(found)
        at += 1
    return found or _beheaded(lines) or _bare_syntax_error(lines)


def boxed(lines: Sequence[str]) -> list[Failure]:
    """A traceback that rich drew a box around; what was raised stands below it."""
    found: list[Failure] = []
    frames: list[Frame] = []
    for line in lines:
        if _BOXED.match(line):
            frames = []
        elif match := _BOX_FRAME.match(line):
            frames.append(Frame(match[1], int(match[2]), match[3]))
        elif frames and line[:1] not in "│|╰+ " and (match := _RAISED.match(line)):
            found, frames = [_failure(match[1], match[2] or "", frames)], []
    return found


def crashes(lines: Sequence[str]) -> list[Failure]:
    """What faulthandler tells of an interpreter that a signal ended; its frames are last call first."""
    fatal = next((match for line in lines if (match := _FATAL.match(line))), None)
    if fatal is None:
        return []
    calls = [match for line in lines if (match := _LAST_FIRST.match(line))]
    frames = tuple(Frame(match[1], int(match[2]), match[3]) for match in reversed(calls))
    return [Failure("python", FailureKind.RUNTIME, "Fatal Python error", fatal[1], blame(frames), frames)]


def django_checks(lines: Sequence[str]) -> list[Failure]:
    """Django's system checks: the object, the rule and the sentence."""
    if not any(line.startswith("SystemCheckError: ") for line in lines):
        return []
    found = [match for line in lines if (match := _CHECK.match(line))]
    return [Failure("django", FailureKind.BUILD, m[2], f"{m[1]}: {m[3]}") for m in found]


def _beheaded(lines: Sequence[str]) -> list[Failure]:
    """A traceback of which only the end was kept."""
    at = next((at for at, line in enumerate(lines) if (m := _FRAME.match(line)) and m[3]), None)
    if at is None:
        return []
    failure, _ = _one(lines, at, max(0, _indent(lines[at]) - 2))
    return [failure] if failure else []


def _one(lines: Sequence[str], at: int, depth: int) -> tuple[Failure | None, int]:
    frames: list[Frame] = []
    while at < len(lines):
        line = lines[at]
        if match := _FRAME.match(line):
            frames.append(Frame(match[1], int(match[2]), match[3]))
        elif frames and line.strip(" |") and _indent(line) <= depth and (match := _RAISED.match(line)):
            message, after = _message(match[2] or "", lines, at + 1)
            return _failure(match[1], message, frames), after
        elif line and _indent(line) < depth and not line.lstrip().startswith("|"):
            break
        at += 1
    return None, at


def frames(lines: Sequence[str]) -> list[Frame]:
    """Every frame of the standard form, wherever it stands."""
    return [Frame(match[1], int(match[2]), match[3]) for line in lines if (match := _FRAME.match(line))]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" |+"))


def _message(first: str, lines: Sequence[str], at: int) -> tuple[str, int]:
    """An exception's text may span lines; it ends at a blank line or at the next report."""
    parts = [first]
    while at < len(lines) and len(parts) < 20:
        line = lines[at]
        if (
            not line.strip()
            or line.lstrip().startswith("+-")
            or _START.match(line)
            or line[:4] in ("====", "----")
        ):
            break
        parts.append(line)
        at += 1
    return "\n".join(parts), at


def _failure(kind: str, message: str, frames: Sequence[Frame]) -> Failure:
    syntax = kind in SYNTAX
    location = Location(frames[-1].path, frames[-1].line) if syntax else blame(frames)
    return Failure(
        tool="python",
        kind=FailureKind.BUILD if syntax else FailureKind.RUNTIME,
        type=kind,
        message=message,
        location=location,
        frames=tuple(frames),
        compared=_unequal(message) if kind.endswith("AssertionError") else None,
    )


def _unequal(message: str) -> Compared | None:
    match = _UNEQUAL.match(message.partition("\n")[0])
    return Compared(expected=match[2], actual=match[1]) if match else None


def _bare_syntax_error(lines: Sequence[str]) -> list[Failure]:
    """``python file.py`` prints a syntax error of the file itself without the traceback line."""
    for at, line in enumerate(lines):
        match = _FRAME.match(line)
        if not match or match[3]:
            continue
        for later in lines[at + 1 : at + 5]:
            raised = _RAISED.match(later)
            if raised and raised[1] in SYNTAX:
                return [_failure(raised[1], raised[2] or "", [Frame(match[1], int(match[2]))])]
    return []


def unittest(lines: Sequence[str]) -> list[Failure]:
    """The reports of a unittest run, each with its test."""
    heads = [at for at, line in enumerate(lines) if _UNITTEST.match(line) or _UNITTEST_OLD.match(line)]
    found: list[Failure] = []
    for at, following in spans(heads, len(lines)):
        for failure in tracebacks(lines[at:following])[-1:]:
            found.append(replace(failure, tool="unittest", kind=FailureKind.TEST, test=_test_name(lines[at])))
    return found


def _test_name(line: str) -> str:
    match = _UNITTEST.match(line)
    if not match:
        return line.split(": ", 1)[1]
    name, owner = match[2], match[3]
    return owner if owner.endswith("." + name) else f"{owner}.{name}"


def doctest(lines: Sequence[str]) -> list[Failure]:
    """Failed examples as the doctest module itself prints them."""
    found: list[Failure] = []
    for at, line in enumerate(lines):
        match = _FRAME.match(line)
        if match and lines[at + 1 : at + 2] == ["Failed example:"]:
            expected, actual = block_after("Expected:", lines[at:]), block_after("Got:", lines[at:])
            found.append(
                Failure(
                    tool="doctest",
                    kind=FailureKind.TEST,
                    type="DocTestFailure",
                    message=f"Expected: {expected} Got: {actual}",
                    location=Location(match[1], int(match[2])),
                    test=match[3],
                    compared=Compared(expected, actual) if expected and actual else None,
                )
            )
    return found


def block_after(head: str, lines: Sequence[str]) -> str:
    """The indented lines below the first line that reads like this."""
    taken: list[str] = []
    inside = False
    for line in lines:
        if inside and line.startswith("    "):
            taken.append(line[4:])
        elif taken:
            break
        else:
            inside = line == head
    return "\n".join(taken)
