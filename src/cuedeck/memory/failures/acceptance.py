"""Scenarios in people's words: behave and Robot Framework."""

from __future__ import annotations

import re
from collections.abc import Sequence

from . import python
from .model import Failure, FailureKind, Location

_SCENARIO = re.compile(r"^  (\S+\.feature):(\d+)\s+(.+)$")
_FAILED = re.compile(r"^\s+(?:ASSERT FAILED|Assertion Failed): (.+)$")
_ROBOT_FAILED = " | FAIL |"
_ROBOT_SUITE = re.compile(r"^\d+ tests?, \d+ passed")


def behave(lines: Sequence[str]) -> list[Failure]:
    """The scenarios listed as failing, with what the step said."""
    if not any(line in ("Failing scenarios:", "Errored scenarios:") for line in lines):
        return []
    raised = python.tracebacks(lines)
    said = [match[1] for line in lines if (match := _FAILED.match(line))] + [one.message for one in raised]
    failed = [match for line in lines if (match := _SCENARIO.match(line))]
    return [
        Failure(
            "behave",
            FailureKind.TEST,
            raised[0].type if raised else "Assertion",
            said[number] if number < len(said) else "",
            Location(match[1], int(match[2])),
            test=match[3],
        )
        for number, match in enumerate(failed)
    ]


def robot(lines: Sequence[str]) -> list[Failure]:
    """A name and a verdict, and the reason below; a suite's own verdict only counts its tests."""
    return [
        Failure("robot", FailureKind.TEST, "Assertion", lines[at + 1], test=_robot_test(line))
        for at, line in enumerate(lines[:-1])
        if line.endswith(_ROBOT_FAILED) and not _ROBOT_SUITE.match(lines[at + 1])
    ]


def _robot_test(line: str) -> str:
    """The name before its documentation and the verdict."""
    return line.removesuffix(_ROBOT_FAILED).partition(" :: ")[0].rstrip()
