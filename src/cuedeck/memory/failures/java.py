"""javac, Maven, Java stack traces and JUnit reports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from .model import Compared, Failure, FailureKind, Frame, Location
from .text import MOST

_JAVAC = re.compile(r"^(\S.*?\.(?:java|kt)):(\d+): error: (.+)$")
_WARNING = re.compile(r"^(\S.*?\.java):(\d+): warning: (?:\[([\w-]+)\] )?(.+)$")
_MAVEN = re.compile(r"^\[ERROR\] (\S.*?\.(?:java|kt)):\[(\d+),(\d+)\] (?:error: )?(.+)$")
_KOTLIN = re.compile(r"^e: (?:file://)?(\S.*?\.kts?):(\d+):(\d+):? (.+)$")
_THROWN = re.compile(r'^(?:Exception in thread "[^"]*" )?((?:[a-z_][\w$]*\.)+[A-Z][\w$.]*)(?:: (.*))?$')
_FRAME = re.compile(r"^\s+at (?:[\w.@-]*/)*([\w.$<>]+)\(([\w$-]+\.\w+):(\d+)\)$")
_BARE_FRAME = re.compile(r"^\s+at (?:[\w.@-]*/)*[\w.$<>]+\((?:Native Method|Unknown Source|[\w.]+)\)$")
_GOAL = re.compile(
    r"^\[ERROR\] Failed to execute goal (?:\S+ )?(?:\(.*?\) )?on project \S+: (.+?)(?: -> \[Help \d+\])?$"
)
_FATAL = re.compile(r"^\[FATAL\] (.+?)(?: @ ?(?:line \d+.*)?)?$")
_JUNIT4 = re.compile(r"^\d+\) (\S+)\(([\w.$]+)\)$")
_SUREFIRE = re.compile(
    r"^(?:\[ERROR\] )?([\w.$]+)(?:\(([\w.$]+)\))? +(?:-- |)Time elapsed: .*<<< (?:FAILURE|ERROR)!$"
)
_GRADLE = re.compile(r"^(\S+) > (.+?)(?:\(\))? FAILED$")
_PLATFORM = re.compile(
    r"^(?:java|javax|jdk|sun|com\.sun|kotlin|scala|org\.junit|junit|org\.opentest4j|org\.hamcrest|"
    r"org\.assertj|org\.mockito|org\.gradle|org\.apache\.maven|worker\.org)\."
)
_WAS = (
    re.compile(r"expected: ?<(.*?)> but was: ?<(.*?)>", re.S),
    re.compile(r"[Ee]xpected: (.+?)\s+but: was (.+)", re.S),
    re.compile(r"expected \[(.*?)\] but found \[(.*?)\]", re.S),
)


def diagnostics(lines: Sequence[str]) -> list[Failure]:
    """Compiler errors, each once: Maven prints them twice."""
    found: dict[tuple[str, str, str], Failure] = {}
    for at, line in enumerate(lines):
        if match := _JAVAC.match(line) or _MAVEN.match(line) or _KOTLIN.match(line):
            text = match[match.lastindex or 3]
            failure = _diagnostic(match, text, lines[at + 1 : at + 6])
            found.setdefault((match[1], match[2], text), failure)
    return list(found.values()) or _refused(lines)


def maven(lines: Sequence[str]) -> list[Failure]:
    """What Maven itself could not do: read a project, find a dependency, carry out a goal."""
    for line in lines:
        if match := _FATAL.match(line) or _GOAL.match(line):
            return [Failure("maven", FailureKind.BUILD, "maven", match[1])]
    return []


def _refused(lines: Sequence[str]) -> list[Failure]:
    """Warnings that ``-Werror`` made errors of."""
    if "error: warnings found and -Werror specified" not in lines:
        return []
    warned = [match for line in lines if (match := _WARNING.match(line))]
    return [
        Failure(
            "javac", FailureKind.BUILD, match[3] or "warning", match[4], Location(match[1], int(match[2]))
        )
        for match in warned
    ]


def _diagnostic(match: re.Match[str], text: str, following: Sequence[str]) -> Failure:
    name, _, rest = text.partition(": ")
    symbol = next(
        (m[1].strip() for line in following if (m := re.match(r"^(?:\[ERROR\])?\s+symbol: +(.+)$", line))),
        None,
    )
    return Failure(
        tool="javac",
        kind=FailureKind.BUILD,
        type=name if rest else text,
        message=f"{text}: {symbol}" if symbol else text,
        location=Location(match[1], int(match[2])),
    )


def traces(lines: Sequence[str]) -> list[Failure]:
    """Stack traces: what was thrown, with the project's own innermost frame."""
    found: list[Failure] = []
    for at, line in enumerate(lines):
        match = _THROWN.match(line)
        start = _first_frame(lines, at + 1) if match else None
        if match and start is not None:
            found.append(_trace(match, lines, at, start))
    return found


def bare_stack(lines: Sequence[str]) -> list[Failure]:
    """A stack of which only the end was kept."""
    start = next((at for at, line in enumerate(lines) if _FRAME.match(line)), None)
    frames = _frames(lines[start:]) if start is not None else []
    if not frames:
        return []
    return [Failure("java", FailureKind.RUNTIME, "Exception", "", _blame(frames), tuple(reversed(frames)))]


def _first_frame(lines: Sequence[str], at: int) -> int | None:
    for ahead in range(at, min(at + 30, len(lines))):
        if _FRAME.match(lines[ahead]) or _BARE_FRAME.match(lines[ahead]):
            return ahead
        if _THROWN.match(lines[ahead]) or (not lines[ahead].strip() and ahead > at + 12):
            return None
    return None


def _trace(match: re.Match[str], lines: Sequence[str], at: int, start: int) -> Failure:
    message = "\n".join([match[2] or "", *lines[at + 1 : start]]).strip()
    frames = _frames(lines[start:])
    cause = start
    while not own_frames(frames) and (cause := _next_cause(lines, cause)):
        # A pool or a future threw it; what it was caused by was thrown in the project.
        frames = _frames(lines[cause:]) or frames
    return Failure(
        tool="java",
        kind=FailureKind.RUNTIME,
        type=match[1],
        message=message,
        location=_blame(frames),
        frames=tuple(reversed(frames)),
        compared=_compared(message),
    )


def _frames(lines: Sequence[str]) -> list[Frame]:
    """The stack that begins here, innermost first."""
    frames: list[Frame] = []
    for line in lines:
        if found := _FRAME.match(line):
            frames.append(Frame(found[2], int(found[3]), found[1]))
        elif not _BARE_FRAME.match(line):
            break
    return frames


def _next_cause(lines: Sequence[str], at: int) -> int:
    """Where the stack of the next cause of the same trace begins, or 0."""
    for ahead in range(at, len(lines)):
        if lines[ahead].startswith("Caused by: "):
            return ahead + 1
        if not re.match(r"^\s+(?:at |\.\.\. \d+ more)", lines[ahead]):
            return 0
    return 0


def _blame(innermost_first: Sequence[Frame]) -> Location | None:
    own = [frame for frame in innermost_first if not _PLATFORM.match(frame.function or "")]
    chosen = (own or list(innermost_first))[:1]
    return Location(chosen[0].path, chosen[0].line) if chosen else None


def own_frames(frames: Sequence[Frame]) -> list[Frame]:
    """The frames that do not belong to the platform or to a test framework."""
    return [frame for frame in frames if not _PLATFORM.match(frame.function or "")]


def _compared(message: str) -> Compared | None:
    for pattern in _WAS:
        if match := pattern.search(message):
            return Compared(match[1].strip(), match[2].strip())
    return None


def tests(lines: Sequence[str]) -> list[Failure]:
    """JUnit 4's own runner, Maven's surefire and Gradle: a test's name, then its trace."""
    found: dict[str, Failure] = {}
    for at, line in enumerate(lines):
        name = _test_name(line)
        if name is None or len(found) >= MOST:
            continue
        block = [
            part.removeprefix("    ") if part.startswith("    ") else part for part in lines[at + 1 : at + 80]
        ]
        for failure in traces(block)[:1]:
            found.setdefault(name, replace(failure, tool="junit", kind=FailureKind.TEST, test=name))
    return list(found.values())


def _test_name(line: str) -> str | None:
    if match := _JUNIT4.match(line):
        return f"{match[2]}.{match[1]}"
    if match := _SUREFIRE.match(line):
        return f"{match[2]}.{match[1]}" if match[2] else match[1]
    if match := _GRADLE.match(line):
        return f"{match[1]}.{match[2]}"
    return None
