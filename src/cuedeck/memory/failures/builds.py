"""make, CMake, ninja and Meson: what stops a build that no compiler complained about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from . import native
from .model import Failure, FailureKind, Location

_CMAKE = re.compile(r"^CMake Error at (\S+?):(\d+) \((\w+)\):$")
_CMAKE_BARE = re.compile(r"^CMake Error: (.+)$")
_NINJA = re.compile(r"^ninja: (?:fatal|error): (.+)$")
_MESON = re.compile(r"^(\S*meson\S*):(\d+):(\d+): ERROR: (.+)$")
_CTEST_FAILED = re.compile(r"^\s+\d+ - (.+) \((.+)\)$")
_CTEST_START = re.compile(r"^\s+Start\s+\d+: (.+)$")
_MESON_FAILED = re.compile(r"^\s*\d+/\d+ (?:[\w-]+:)?(\S+(?: \S+)*)\s+(?:FAIL|ERROR|TIMEOUT)\s+[\d.]+s\b")
_RECIPE = re.compile(r"^\S*make(?:\[\d+\])?: \*\*\* \[(\S+?):(\d+): (.+?)\] (.+)$")
_MAKEFILE = re.compile(r"^(\S+?):(\d+): \*\*\* (.+?)\.?(?:\s+Stop\.)?$")
_MISSING = re.compile(
    r"^\S*make(?:\[\d+\])?: (.+: (?:No such file or directory|Permission denied|Command not found))$"
)
_RULE = re.compile(r"^\S*make(?:\[\d+\])?: \*\*\* (.+?)\.?(?:\s+Stop\.)?$")


def cmake(lines: Sequence[str]) -> list[Failure]:
    """Errors of CMake with all their paragraphs, for the last one may be the telling one."""
    found: list[Failure] = []
    for at, line in enumerate(lines):
        if match := _CMAKE.match(line):
            place = Location(match[1], int(match[2]))
            found.append(Failure("cmake", FailureKind.BUILD, match[3], _paragraphs(lines[at + 1 :]), place))
        elif match := _CMAKE_BARE.match(line):
            found.append(Failure("cmake", FailureKind.BUILD, "error", match[1]))
    return found


def _paragraphs(lines: Sequence[str]) -> str:
    words: list[str] = []
    for line in lines[:40]:
        if line and not line.startswith("  "):
            break
        words += line.split()
    return " ".join(words)


def ctest(lines: Sequence[str]) -> list[Failure]:
    """The tests that CTest lists as failed, with what each of them said where that was shown."""
    if "The following tests FAILED:" not in lines:
        return []
    start = lines.index("The following tests FAILED:")
    failed = [match for line in lines[start + 1 :] if (match := _CTEST_FAILED.match(line))]
    return [_ctest(match, _ctest_said(match[1], lines[:start])) for match in failed]


def _ctest(match: re.Match[str], said: Sequence[str]) -> Failure:
    for inner in native.aborts(said) or native.signals(said):
        return replace(inner, tool="ctest", kind=FailureKind.TEST, test=match[1])
    text = next((line.strip() for line in said if line.strip()), match[2])
    return Failure("ctest", FailureKind.TEST, match[2], text, test=match[1])


def _ctest_said(test: str, lines: Sequence[str]) -> Sequence[str]:
    """What stands between a test's verdict and the next test or the sums."""
    verdict = re.compile(rf"^\s*\d+/\d+ Test\s+#\d+: {re.escape(test)} \.*")
    at = next((at + 1 for at, line in enumerate(lines) if verdict.match(line)), len(lines))
    ends = (
        end
        for end in range(at, len(lines))
        if _CTEST_START.match(lines[end]) or "% tests passed" in lines[end]
    )
    return lines[at : next(ends, len(lines))]


def meson(lines: Sequence[str]) -> list[Failure]:
    """The tests that Meson lists as failed, with an assertion it shows."""
    failed = dict.fromkeys(match[1] for line in lines if (match := _MESON_FAILED.match(line)))
    said = native.aborts(lines)
    return [
        replace(said[at], tool="meson", kind=FailureKind.TEST, test=test)
        if at < len(said)
        else Failure("meson", FailureKind.TEST, "Failed", f"{test} failed", test=test)
        for at, test in enumerate(failed)
    ]


def make(lines: Sequence[str]) -> list[Failure]:
    """Missing rules, unreadable makefiles, failed recipes; what ninja and Meson say themselves."""
    said = ""
    for line in lines:
        if match := _NINJA.match(line):
            return [Failure("ninja", FailureKind.BUILD, "ninja", match[1])]
        if match := _MESON.match(line):
            place = Location(match[1], int(match[2]), int(match[3]))
            return [Failure("meson", FailureKind.BUILD, "meson", match[4], place)]
        if match := _MISSING.match(line):
            said = match[1]
        if match := _RECIPE.match(line):
            place = Location(match[1], int(match[2]))
            return [Failure("make", FailureKind.BUILD, "recipe", said or f"[{match[3]}] {match[4]}", place)]
        if match := _MAKEFILE.match(line):
            return [
                Failure("make", FailureKind.BUILD, "makefile", match[3], Location(match[1], int(match[2])))
            ]
        if match := _RULE.match(line):
            return [Failure("make", FailureKind.BUILD, "rule", match[1])]
    return []
