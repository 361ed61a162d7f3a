"""Ruby: reports of minitest, test-unit and RSpec, uncaught exceptions, files that do not parse."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .model import Compared, Failure, FailureKind, Frame, Location
from .text import blame, labelled, plain_path, spans

_MINITEST = re.compile(r"^\s*\d+\) (?:Failure|Error):$")
_MINITEST_TEST = re.compile(r"^(\S+#.+?)(?: \[(.+?):(\d+)\])?:$")
_SUMMARY = re.compile(r"^\d+ (?:runs|tests), \d+ assertions, ")
_UNIT = re.compile(r"^(?:Failure|Error): (\S+\(\S+\))(?:: ?(?:([A-Z]\w*(?:::\w+)*): )?(.*))?$")
_UNIT_WANTED = re.compile(r"^<(.+)> expected but was$")
_RSPEC = re.compile(r"^  \d+\) (.+)$")
_MINITEST_COMPARED = re.compile(r"^\s*(Expected|Actual): (.*\S)")
_RSPEC_COMPARED = re.compile(r"^\s*(expected|got): (.*\S)")
_FRAME = re.compile(r"^\s*(?:# |from )?(<internal:[^>]+>|[^\s:][^:]*):(\d+):in [`'](.+?)'$")
_RAISED = re.compile(r"^(<internal:[^>]+>|[^\s:][^:]*):(\d+):in [`'](.+?)': (.*) \(([A-Z]\w*(?:::\w+)*)\)$")
_SYNTAX = re.compile(r"^([^\s:][^:]*):(\d+): (syntax errors?\b.+?)(?: \(SyntaxError\))?$")
_TYPE = re.compile(r"^\s*([A-Z]\w*(?:::\w+)*): ?(.*)$")


def minitest(lines: Sequence[str]) -> list[Failure]:
    """Numbered failures and errors, each under the name of its test."""
    heads = [at for at, line in enumerate(lines) if _MINITEST.match(line)]
    found = [_minitest(lines[at + 1 : end]) for at, end in spans(heads, len(lines))]
    return [failure for failure in found if failure]


def _minitest(lines: Sequence[str]) -> Failure | None:
    head = _MINITEST_TEST.match(lines[0]) if lines else None
    if head is None:
        return None
    body = _until_blank(lines[1:])
    # Since 3.1 the line that failed stands between the message and the stack.
    frames = _frames(body) or _frames(_until_summary(lines[1:]))
    raised = _TYPE.match(body[0]) if body and not head[2] else None
    place = Location(plain_path(head[2]), int(head[3])) if head[2] else blame(frames)
    kind, message = (raised[1], raised[2]) if raised else ("Assertion", body[0].strip() if body else "")
    compared = labelled(body, _MINITEST_COMPARED, "Expected", "Actual")
    return Failure("minitest", FailureKind.TEST, kind, message, place, frames, head[1], compared)


def unit(lines: Sequence[str]) -> list[Failure]:
    """test-unit's blocks between double rules."""
    heads = [at for at, line in enumerate(lines) if _UNIT.match(line)]
    return [_unit(lines[at], lines[at + 1 : end]) for at, end in spans(heads, len(lines))]


def _unit(head: str, lines: Sequence[str]) -> Failure:
    named = _UNIT.match(head)
    assert named
    body = list(lines[: next((at for at, line in enumerate(lines) if line.startswith("====")), len(lines))])
    frames = _frames(body)
    wanted = next(((at, match) for at, line in enumerate(body) if (match := _UNIT_WANTED.match(line))), None)
    got = re.match(r"^<(.+)>\.?$", body[wanted[0] + 1]) if wanted and wanted[0] + 1 < len(body) else None
    compared = Compared(wanted[1][1], got[1]) if wanted and got else None
    message = named[3] or (f"{wanted[1][0]} {got[0]}" if wanted and got else "")
    kind = named[2] or "Assertion"
    return Failure("test-unit", FailureKind.TEST, kind, message, blame(frames), frames, named[1], compared)


def rspec(lines: Sequence[str]) -> list[Failure]:
    """Numbered failures between ``Failures:`` and the list of failed examples."""
    start = next((at for at, line in enumerate(lines) if line == "Failures:"), None)
    if start is None:
        return []
    end = next((at for at in range(start, len(lines)) if lines[at] == "Failed examples:"), len(lines))
    heads = [at for at in range(start, end) if _RSPEC.match(lines[at])]
    return [_example(lines[at], lines[at + 1 : until]) for at, until in spans(heads, end)]


def _example(head: str, lines: Sequence[str]) -> Failure:
    title = _RSPEC.match(head)
    assert title
    frames = _frames(lines)
    said = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("# ")]
    kind, message = "ExpectationNotMet", next(iter(said), "").removeprefix("Failure/Error: ")
    for at, line in enumerate(said[1:], 1):
        if (raised := _TYPE.match(line)) and not raised[2] and at + 1 < len(said):
            kind, message = raised[1], said[at + 1]
            break
    compared = labelled(lines, _RSPEC_COMPARED, "expected", "got")
    return Failure("rspec", FailureKind.TEST, kind, message, blame(frames), frames, title[1], compared)


def traces(lines: Sequence[str]) -> list[Failure]:
    """An exception that nobody rescued, with the frames it came through."""
    for at, line in enumerate(lines):
        if raised := _RAISED.match(line):
            outer = _frames([later for later in lines[at + 1 :] if later.lstrip().startswith("from ")])
            frames = (*outer, Frame(plain_path(raised[1]), int(raised[2]), raised[3]))
            return [Failure("ruby", FailureKind.RUNTIME, raised[5], raised[4], blame(frames), frames)]
    return []


def diagnostics(lines: Sequence[str]) -> list[Failure]:
    """What keeps a file from being parsed."""
    found = [match for line in lines if (match := _SYNTAX.match(line))]
    return [
        Failure("ruby", FailureKind.BUILD, "SyntaxError", m[3], Location(plain_path(m[1]), int(m[2])))
        for m in found
    ]


def _frames(lines: Sequence[str]) -> tuple[Frame, ...]:
    """Outermost first."""
    matches = [match for line in lines if (match := _FRAME.match(line))]
    return tuple(Frame(plain_path(m[1]), int(m[2]), m[3]) for m in reversed(matches))


def _until_summary(lines: Sequence[str]) -> list[str]:
    return list(lines[: next((at for at, line in enumerate(lines) if _SUMMARY.match(line)), len(lines))])


def _until_blank(lines: Sequence[str]) -> list[str]:
    return list(lines[: next((at for at, line in enumerate(lines) if not line.strip()), len(lines))])
