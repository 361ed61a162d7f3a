"""pytest reports, in every ``--tb`` style."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from . import python
from .model import Compared, Failure, FailureKind, Frame, Location
from .text import MOST, blame

_SECTION = re.compile(r"^=+ (FAILURES|ERRORS|short test summary info|.*) =+$")
_HEAD = re.compile(r"^_{2,} (.+?) _{2,}$")
_SUMMARY = re.compile(r"^(FAILED|ERROR) (\S+?\.\w+(?:::.*?)?)(?: - (.*))?$")
_PLACE = re.compile(r"^((?:[A-Za-z]:)?[^\s:][^:]*\.\w+):(\d+): ?(in (.+)|[\w.]*)$")
_LINE_STYLE = re.compile(r"^((?:[A-Za-z]:)?[^\s:][^:]*\.py):(\d+): ((?:\w+\.)*\w+)(?:: (.*))?$")
_ERROR = re.compile(r"^E {1,7}((?:[A-Za-z_]\w*\.)*[A-Z]\w*)(?:: (.*))?$")
_ASSERT = re.compile(r"^E {1,7}(assert .+)$")
_EQUAL = re.compile(r"^assert (.{1,300}?) == (.{1,300})$")
_PREFIX = re.compile(r"^(?:ERROR at (?:setup|teardown) of |ERROR collecting |\[doctest\] )")


def reports(lines: Sequence[str]) -> list[Failure]:
    """One failure for each failing test, setup or collection."""
    summary = _summary(lines)
    found = [_block(name, block, summary) for name, block in _blocks(lines)[:MOST]]
    return [failure for failure in found if failure] or _without_blocks(lines, summary)


def _summary(lines: Sequence[str]) -> list[tuple[str, str]]:
    return [(match[2], match[3] or "") for line in lines if (match := _SUMMARY.match(line))]


def _blocks(lines: Sequence[str]) -> list[tuple[str, Sequence[str]]]:
    """The text below each ``____ name ____`` line of the FAILURES and ERRORS sections."""
    blocks: list[tuple[str, list[str]]] = []
    inside = False
    for line in lines:
        if section := _SECTION.match(line):
            inside = section[1] in ("FAILURES", "ERRORS")
        elif inside and (head := _HEAD.match(line)):
            blocks.append((head[1], []))
        elif inside and blocks:
            blocks[-1][1].append(line)
    return [(name, block) for name, block in blocks]


def _block(head: str, lines: Sequence[str], summary: Sequence[tuple[str, str]]) -> Failure | None:
    name = _PREFIX.sub("", head)
    failure = _doctest(lines) if head.startswith("[doctest]") else _native(lines) or _sections(lines)
    if failure is None:
        return None
    return replace(failure, tool="pytest", kind=FailureKind.TEST, test=_node(name, summary))


def _node(name: str, summary: Sequence[tuple[str, str]]) -> str:
    """The node id of the summary that ends with the block's dotted name."""
    plain, bracket, parameters = name.partition("[")
    tail = plain.replace(".", "::") + bracket + parameters
    for node, _ in summary:
        if node == name or node.endswith(("::" + tail, "::" + name)):
            return node
    return name


def _native(lines: Sequence[str]) -> Failure | None:
    found = python.tracebacks(lines)
    return found[-1] if found else None


def _sections(lines: Sequence[str]) -> Failure | None:
    frames: list[Frame] = []
    kind, message = "", ""
    for line in lines:
        if match := _PLACE.match(line):
            frames.append(Frame(match[1], int(match[2]), match[4]))
            if not match[4] and match[3] and not kind:
                kind = match[3]
        elif match := _ERROR.match(line):
            if not kind or not message:
                kind, message = match[1], match[2] or ""
        elif match := _ASSERT.match(line):
            kind, message = kind or "AssertionError", message or match[1]
    if not kind:
        return None
    first = message.partition("\n")[0]
    return Failure(
        tool="pytest",
        kind=FailureKind.TEST,
        type=kind,
        message=first,
        location=blame(frames),
        frames=tuple(frames),
        compared=_compared(first),
    )


def _compared(message: str) -> Compared | None:
    match = _EQUAL.match(message)
    return Compared(expected=match[2], actual=match[1]) if match else None


def _doctest(lines: Sequence[str]) -> Failure | None:
    place = next((match for line in lines if (match := _PLACE.match(line))), None)
    if place is None:
        return None
    expected, actual = _indented_after("Expected:", lines), _indented_after("Got:", lines)
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


def _indented_after(head: str, lines: Sequence[str]) -> str:
    taken: list[str] = []
    inside = False
    for line in lines:
        if line.startswith("    ") and inside:
            taken.append(line[4:])
        else:
            inside = line == head
    return "\n".join(taken)


def _without_blocks(lines: Sequence[str], summary: Sequence[tuple[str, str]]) -> list[Failure]:
    """``--tb=line`` has one line per failure, ``--tb=no`` nothing but the summary."""
    places = [match for line in lines if (match := _LINE_STYLE.match(line))]
    found: list[Failure] = []
    for at, (node, reason) in enumerate(summary):
        place = places[at] if at < len(places) else None
        kind, message = _reason(reason, place)
        location = Location(place[1], int(place[2])) if place else Location(node.split("::")[0])
        found.append(
            Failure(
                "pytest", FailureKind.TEST, kind, message, location, test=node, compared=_compared(message)
            )
        )
    return found


def _reason(reason: str, place: re.Match[str] | None) -> tuple[str, str]:
    if place and place[4]:
        return place[3], place[4]
    match = re.match(r"^((?:\w+\.)*[A-Z]\w*)(?:: (.*))?$", reason)
    if match:
        return match[1], match[2] or ""
    return "AssertionError", reason
