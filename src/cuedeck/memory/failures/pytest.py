"""pytest reports, in every ``--tb`` style."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from . import python
from .model import Compared, Failure, FailureKind, Frame, Location
from .text import MOST, blame, is_library

_SECTION = re.compile(r"^=+ (FAILURES|ERRORS|short test summary info|.*) =+$")
_HEAD = re.compile(r"^_{2,} (.+?) _{2,}$")
_SUMMARY = re.compile(r"^(FAILED|ERROR) (\S+?\.\w+(?:::.*?)?)(?: - (.*))?$")
_PROGRESS = re.compile(r"^(\S+\.py) [.sxXFE]*[FE][.sxXFE]*(?:\s+\[\s*\d+%\])?$")
_VERBOSE = re.compile(r"^(\S+?\.py::.+?) (?:FAILED|ERROR)(?:\s+\[\s*\d+%\])?$")
_PLACE = re.compile(r"^((?:[A-Za-z]:)?[^\s:][^:]*\.\w+):(\d+): ?(in (.+)|[\w.]*)$")
_LINE_STYLE = re.compile(r"^((?:[A-Za-z]:)?[^\s:][^:]*\.py):(\d+): (\S.*)$")
_NAMED = re.compile(r"^((?:\w+\.)*[A-Z]\w*)(?:: (.*))?$")
_ERROR = re.compile(r"^E +((?:[A-Za-z_]\w*\.)*[A-Z]\w*)(?::(?: (.*))?)?$")
_HUNG = re.compile(r"^(?:(\S+\.py) .*?)?\+{5,} Timeout \+{5,}$")
_ASSERT = re.compile(r"^E +(assert .+)$")
_NO_FIXTURE = re.compile(r"^E +(fixture '.*' not found)$")
_DEFINED = re.compile(r"^file (.+), line (\d+)$")
_BROKEN_FILE = re.compile(r'^E +File "([^"]+)", line (\d+)')
_EQUAL = re.compile(r"^assert (.{1,300}?) == (.{1,300})$")
_INTERNAL = re.compile(r"^INTERNALERROR> ?(.*)$")
_CAPTURED = re.compile(r"^-+ Captured .+ -+$")
_PREFIX = re.compile(r"^(?:ERROR at (?:setup|teardown) of |ERROR collecting |\[doctest\] )")


def reports(lines: Sequence[str]) -> list[Failure]:
    """One failure for each failing test, setup or collection."""
    summary = _summary(lines)
    failing = {match[1] for line in lines if (match := _PROGRESS.match(line))}
    file = failing.pop() if len(failing) == 1 else None
    blocks, loose = _told(lines)
    read = [_block(name, _own(block), summary, file) for name, block in blocks[:MOST]]
    found = [failure for failure in read if failure]
    if found and any(_LINE_STYLE.match(line) for line in loose):
        # Errors have a block each in the style that has but a line for a failure.
        tests = {failure.test for failure in found}
        summary = [(node, reason) for node, reason in summary if node not in tests]
        return found + _without_blocks(lines, loose, summary)
    return (
        found
        or _without_blocks(lines, loose or (lines if len(summary) == 1 else ()), summary)
        or _conftest(lines)
        or _hung(lines)
        or _internal(lines)
    )


def _summary(lines: Sequence[str]) -> list[tuple[str, str]]:
    found = [(match[2], match[3] or "") for line in lines if (match := _SUMMARY.match(line))]
    # Output that was cut before its end still has the line on which each verdict was given.
    return found or [(match[1], "") for line in lines if (match := _VERBOSE.match(line))]


def _told(lines: Sequence[str]) -> tuple[list[tuple[str, list[str]]], list[str]]:
    """Of FAILURES and ERRORS the text below each ``____ name ____``, and what stands below none."""
    blocks: list[tuple[str, list[str]]] = []
    loose: list[str] = []
    below: list[str] | None = None
    for line in lines:
        if section := _SECTION.match(line):
            below = loose if section[1] in ("FAILURES", "ERRORS") else None
        elif below is not None and (head := _HEAD.match(line)):
            below = []
            blocks.append((head[1], below))
        elif below is not None:
            below.append(line)
    return blocks, loose


def _own(block: Sequence[str]) -> Sequence[str]:
    """A block without what the test printed and logged."""
    return block[: next((at for at, line in enumerate(block) if _CAPTURED.match(line)), len(block))]


def _block(
    head: str, lines: Sequence[str], summary: Sequence[tuple[str, str]], file: str | None
) -> Failure | None:
    name = _PREFIX.sub("", head)
    failure = (
        _doctest(lines)
        if head.startswith("[doctest]")
        else _fixture(lines) or _native(lines) or _sections(lines)
    )
    if failure is None:
        return None
    if failure.location is None and file:
        failure = replace(failure, location=Location(file))
    return replace(failure, tool="pytest", kind=FailureKind.TEST, test=_node(name, summary, file))


def _node(name: str, summary: Sequence[tuple[str, str]], file: str | None) -> str:
    """The node id that ends with the block's dotted name; without a summary, in the one file that failed."""
    plain, bracket, parameters = name.partition("[")
    tail = plain.replace(".", "::") + bracket + parameters
    for node, _ in summary:
        if node == name or node.endswith(("::" + tail, "::" + name)):
            return node
    return f"{file}::{tail}" if file and not summary else name


def _native(lines: Sequence[str]) -> Failure | None:
    found = python.tracebacks(lines)
    return found[-1] if found else None


def _fixture(lines: Sequence[str]) -> Failure | None:
    """A test that asks for a fixture nobody defines; the place is the test's own."""
    missing = next((match for line in lines if (match := _NO_FIXTURE.match(line))), None)
    places = [match for line in lines if (match := _DEFINED.match(line))]
    if missing is None:
        return None
    place = Location(places[0][1], int(places[0][2])) if places else None
    return Failure("pytest", FailureKind.TEST, "FixtureLookupError", missing[1], place)


def _sections(lines: Sequence[str]) -> Failure | None:
    """The long and short styles; of a chain of exceptions the last part, which is what escaped."""
    part = list(lines)
    for at, line in enumerate(lines):
        if line.startswith(python.CHAIN):
            part = list(lines[at + 1 :])
    frames = _frames(part)
    if all(is_library(frame.path) for frame in frames):
        # What escaped was raised by pytest or a library on account of what came before it.
        frames = _frames(lines)
    kind, message = _raised(part)
    if not kind:
        return None
    return Failure(
        tool="pytest",
        kind=FailureKind.TEST,
        type=kind,
        message=message,
        location=_syntax_place(kind, part) or blame(frames),
        frames=tuple(frames),
        compared=_compared(message) or _compared_below(kind, part),
    )


def _frames(lines: Sequence[str]) -> list[Frame]:
    return [Frame(m[1], int(m[2]), m[4]) for line in lines if (m := _PLACE.match(line))]


def _compared_below(kind: str, lines: Sequence[str]) -> Compared | None:
    """The values of an assertion that has a message of its own: they stand on the next marked line."""
    asserted = (match[1] for line in lines if (match := _ASSERT.match(line)))
    return _compared(next(asserted, "")) if kind == "AssertionError" else None


def _raised(lines: Sequence[str]) -> tuple[str, str]:
    """The first marked line that names an exception or an assertion; else the type after the place."""
    for at, line in enumerate(lines):
        if match := _ERROR.match(line):
            return match[1], match[2] or _marked(lines[at + 1 :] if line.endswith(":") else ())
        if match := _ASSERT.match(line):
            return "AssertionError", match[1]
    named = (m[3] for line in lines if (m := _PLACE.match(line)) and m[3] and not m[4])
    return next(named, ""), _marked(lines)


def _marked(lines: Sequence[str]) -> str:
    """The first marked line that says something."""
    return next((line[1:].strip() for line in lines if line.startswith("E ") and line[1:].strip()), "")


def _syntax_place(kind: str, lines: Sequence[str]) -> Location | None:
    """A file that cannot be parsed is named in the message, not by a frame."""
    if kind not in python.SYNTAX:
        return None
    places = [match for line in lines if (match := _BROKEN_FILE.match(line))]
    return Location(places[-1][1], int(places[-1][2])) if places else None


def _compared(message: str) -> Compared | None:
    match = _EQUAL.match(message)
    return Compared(expected=match[2], actual=match[1]) if match else None


def _doctest(lines: Sequence[str]) -> Failure | None:
    place = next((match for line in lines if (match := _PLACE.match(line))), None)
    if place is None:
        return None
    expected, actual = python.block_after("Expected:", lines), python.block_after("Got:", lines)
    return Failure(
        tool="pytest",
        kind=FailureKind.TEST,
        type=place[3] or "DocTestFailure",
        message=f"Expected: {expected} Got: {actual}"
        if expected or actual
        else " ".join(lines).strip()[:500],
        location=Location(place[1], int(place[2])),
        compared=Compared(expected, actual) if expected and actual else None,
    )


def _without_blocks(
    lines: Sequence[str], told: Sequence[str], summary: Sequence[tuple[str, str]]
) -> list[Failure]:
    """``--tb=line`` has one line per failure, ``--tb=no`` nothing but the summary.

    Somebody may also have put the traceback of the only test that failed before its name.
    """
    before = list(takewhile(lambda line: not _SUMMARY.match(line), lines))
    if [reason for _, reason in summary] == [""] and (raised := _native(before)):
        return [replace(raised, tool="pytest", kind=FailureKind.TEST, test=summary[0][0])]
    places = [match for line in told if (match := _LINE_STYLE.match(line))]
    found: list[Failure] = []
    for node, reason in summary:
        # Not every failure has a place, such as a test that passed against expectation.
        at = next((n for n, match in enumerate(places) if _repeats(reason, match[3])), None)
        place = None if at is None else places[at]
        places = places if at is None else places[at + 1 :]
        kind, message = _reason(place[3] if place and len(place[3]) > len(reason) else reason)
        message = _whole(lines, kind, message)
        location = Location(place[1], int(place[2])) if place else Location(node.split("::")[0])
        found.append(
            Failure(
                "pytest", FailureKind.TEST, kind, message, location, test=node, compared=_compared(message)
            )
        )
    return found


def _repeats(reason: str, told: str) -> bool:
    """Whether the summary's reason, cut to the width of the terminal, is what was told at a place."""
    return told.startswith(reason.removesuffix("...").rstrip()) or told == _reason(reason)[0]


def _whole(lines: Sequence[str], kind: str, message: str) -> str:
    """The marked line that the summary repeats: that one is cut to the width of the terminal."""
    cut = message.removesuffix("...").rstrip()
    for line in lines:
        match = _ERROR.match(line)
        text = (match[2] or "") if match and match[1].endswith(kind) else ""
        if match is None and kind == "AssertionError" and (compared := _ASSERT.match(line)):
            text = compared[1]
        if text and text.startswith(cut):
            return text
    return message


def _conftest(lines: Sequence[str]) -> list[Failure]:
    """A conftest that cannot be imported stops everything before there is a test."""
    for at, line in enumerate(lines):
        if line.startswith("ImportError while loading conftest") and (found := _sections(lines[at + 1 :])):
            return [found]
    return []


def _internal(lines: Sequence[str]) -> list[Failure]:
    """pytest itself or one of its plugins failed."""
    said = [match[1] for line in lines if (match := _INTERNAL.match(line))]
    found = python.tracebacks(said)
    return [replace(one, tool="pytest", kind=FailureKind.TEST) for one in found]


def _hung(lines: Sequence[str]) -> list[Failure]:
    """pytest-timeout's thread method: no verdict, but the stack of where the test hung."""
    head = next((match for line in lines if (match := _HUNG.match(line))), None)
    if head is None:
        return []
    frames = python.frames(lines)
    place = blame(frames)
    test = next(
        (f"{head[1]}::{one.function}" for one in frames if head[1] and one.path.endswith(head[1])), None
    )
    return [Failure("pytest", FailureKind.TEST, "Timeout", "Timeout", place, tuple(frames), test)]


def _reason(reason: str) -> tuple[str, str]:
    match = _NAMED.match(reason)
    return (match[1], match[2] or "") if match else ("AssertionError", reason)
