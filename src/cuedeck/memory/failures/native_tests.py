"""Test frameworks of C and C++: GoogleTest, Catch2, doctest and cmocka."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .model import Failure, FailureKind, Location

_RUN = re.compile(r"^\[ RUN\s+\] (\S+)$")
_END = re.compile(r"^\[\s+(?:FAILED|OK|SKIPPED)\s+\] ")
_GTEST = re.compile(r"^(?:unknown file|(\S+?):(\d+)): Failure$")
_CASE = re.compile(r"^TEST CASE:\s+(.+)$")
_DOCTEST = re.compile(r"^(\S+?):(\d+): (?:FATAL )?ERROR: (.+)$")
_CATCH = re.compile(r"^(\S+?):(\d+): FAILED:$")
_CMOCKA = re.compile(r"^\[\s+ERROR\s+\] --- (.+)$")
_CMOCKA_PLACE = re.compile(r"^\[\s+LINE\s+\] --- (\S+?):(\d+): error: Failure!$")


def gtest(lines: Sequence[str]) -> list[Failure]:
    """Each failed expectation with the test that was running."""
    found: list[Failure] = []
    test: str | None = None
    for at, line in enumerate(lines):
        if match := _RUN.match(line):
            test = match[1]
        elif test and (match := _GTEST.match(line)):
            place = Location(match[1], int(match[2])) if match[1] else None
            found.append(_failure("gtest", _until(lines[at + 1 :]), place, test))
    return found


def _until(lines: Sequence[str]) -> str:
    """The words up to the end of the test or its next failure."""
    said: list[str] = []
    for line in lines[:20]:
        if _END.match(line) or _GTEST.match(line):
            break
        said += line.split()
    return " ".join(said)


def doctest(lines: Sequence[str]) -> list[Failure]:
    """doctest for C++: the case's name above its errors."""
    found: list[Failure] = []
    test: str | None = None
    for line in lines:
        if match := _CASE.match(line):
            test = match[1]
        elif test and (match := _DOCTEST.match(line)):
            found.append(_failure("doctest", match[3], Location(match[1], int(match[2])), test))
    return found


def catch(lines: Sequence[str]) -> list[Failure]:
    """Catch2: the case and its sections between two rules, then what failed and its expansion."""
    found: list[Failure] = []
    test: str | None = None
    for at, line in enumerate(lines):
        if line.startswith("-----") and lines[at + 1 : at + 2] and not lines[at + 1].startswith(" "):
            end = next((n for n in range(at + 1, len(lines)) if lines[n].startswith("-----")), at + 1)
            test = " ".join(word.strip() for word in lines[at + 1 : end]) if end < at + 12 else None
        elif test and (match := _CATCH.match(line)):
            said = " ".join(word.strip() for word in _paragraph(lines[at + 1 :]))
            found.append(_failure("catch2", said, Location(match[1], int(match[2])), test))
    return found


def _paragraph(lines: Sequence[str]) -> Sequence[str]:
    return lines[: next((at for at, line in enumerate(lines) if not line), len(lines))]


def cmocka(lines: Sequence[str]) -> list[Failure]:
    """The comparison and its place stand below the list of what ran."""
    tests = [match[1] for line in lines if (match := _RUN.match(line))]
    failed = [name for name in tests if f"[  FAILED  ] {name}" in lines]
    said = [match[1] for line in lines if (match := _CMOCKA.match(line))]
    places = [match for line in lines if (match := _CMOCKA_PLACE.match(line))]
    return [
        _failure("cmocka", text, Location(place[1], int(place[2])), test)
        for text, place, test in zip(said, places, failed, strict=False)
    ]


def _failure(tool: str, message: str, place: Location | None, test: str | None) -> Failure:
    return Failure(tool, FailureKind.TEST, "Assertion", message, place, test=test)
