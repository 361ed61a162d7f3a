"""The Go compiler, vet, tests and panics."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from .model import Compared, Failure, FailureKind, Frame, Location
from .text import blame, is_library, plain_path, spans

_DIAGNOSTIC = re.compile(r"^(?:vet: )?(\S+\.go):(\d+)(?::(\d+))?: (.+)$")
_CYCLE = re.compile(r"^\s*(?:package|imports) (\S+)(?: from (\S+))?: (import cycle not allowed.*)$")
_FATAL = re.compile(r"^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d+)? (?:(\S+\.go):(\d+): )?(.+)$")
_FAIL = re.compile(r"^(\s*)--- FAIL: (\S+) \([\d.]+s\)$")
_LOG = re.compile(r"^\s+(\S+\.go):(\d+): (.*)$")
_PANIC = re.compile(
    r"^(?:Benchmark\S+\s+)?(?:panic|fatal error|.*http: panic serving \S+): (.+?)(?: \[recovered.*\])?$"
)
_CALL = re.compile(r"^(\S.*?)\(.*\)$|^created by (\S+).*$")
_AT = re.compile(r"^\s+(\S.*?\.(?:go|s)):(\d+)(?: \+0x[0-9a-f]+)?$")
_VET = re.compile(
    r"format %|wrong type|call has |unkeyed fields|self-assignment|copylocks|passes lock|unreachable code|"
    r"result of .* not used|struct field tag|possible misuse|missing return value|loop variable|unusedresult|"
    r"should have signature|composite literal uses|the cancel function"
)
_GOT_WANT = re.compile(r"(?:got|=) *(\S.*?)[;,] *(?:want(?:ed)?|expected):? *(.+)$", re.I)
_WANT_GOT = re.compile(r"(?:want(?:ed)?|expected):? *(\S.*?)[;,] *(?:but )?got:? *(.+)$", re.I)


def diagnostics(lines: Sequence[str]) -> list[Failure]:
    """Compiler errors, and vet findings."""
    found = [_diagnostic(match) for line in lines if (match := _DIAGNOSTIC.match(line))]
    return found or [
        Failure("go", FailureKind.BUILD, "compile", match[3], Location(match[2]) if match[2] else None)
        for line in lines
        if (match := _CYCLE.match(line))
    ]


def fatal(lines: Sequence[str]) -> list[Failure]:
    """What ``log.Fatal`` said before ``go run`` told the exit status."""
    if not any(re.match(r"^exit status \d+$", line) for line in lines):
        return []
    logged = [match for line in lines if (match := _FATAL.match(line))]
    return [
        Failure(
            "go",
            FailureKind.RUNTIME,
            "fatal",
            match[3],
            Location(match[1], int(match[2])) if match[1] else None,
        )
        for match in logged[-1:]
    ]


def _diagnostic(match: re.Match[str]) -> Failure:
    text = match[4]
    if text.startswith("syntax error: "):
        kind, name, text = FailureKind.BUILD, "syntax error", text.removeprefix("syntax error: ")
    elif _VET.search(text) and not match[0].startswith("vet: "):
        kind, name = FailureKind.LINT, "vet"
    else:
        kind, name = FailureKind.BUILD, "compile"
    place = Location(plain_path(match[1]), int(match[2]), int(match[3]) if match[3] else None)
    return Failure("go", kind, name, text, place)


def tests(lines: Sequence[str]) -> list[Failure]:
    """Failing tests; of nested ones the innermost, and a panic with the test it ended."""
    heads = [at for at, line in enumerate(lines) if _FAIL.match(line)]
    found = [_reported(lines, at, _told(lines, at, end)) for at, end in spans(heads, len(lines))]
    return [failure for failure in found if failure] or _timed_out(lines) or _beheaded(lines)


def _told(lines: Sequence[str], at: int, end: int) -> int:
    """Where what stands below a verdict ends: with ``-v`` the next test begins there."""
    return next((n for n in range(at + 1, end) if lines[n].startswith("=== ")), end)


def _beheaded(lines: Sequence[str]) -> list[Failure]:
    """The end of a report that was cut below the test's name."""
    if not any(line.startswith("FAIL\t") and not line.endswith("]") for line in lines):
        return []
    found = _test("", lines)
    return [replace(found, test=None)] if found else []


def _timed_out(lines: Sequence[str]) -> list[Failure]:
    """The tests that were running when the time was up."""
    if not any(line.startswith("panic: test timed out") for line in lines):
        return []
    running = [match[1] for line in lines if (match := re.match(r"^\s+(\S+) \([\d.ms]+\)$", line))]
    crash = panics(lines)
    return [
        replace(one, tool="go test", kind=FailureKind.TEST, test=name) for one in crash for name in running
    ]


def _reported(lines: Sequence[str], at: int, end: int) -> Failure | None:
    """What a test logged stands below its verdict, or with ``-v`` where it ran."""
    name = lines[at].split()[2]
    found = _test(name, lines[at + 1 : end], lines[:at])
    for start in (n for n in range(at) if lines[n].startswith("=== ") and lines[n].split()[-1] == name):
        stop = next((n for n in range(start + 1, at) if lines[n].startswith(("=== ", "--- "))), at)
        found = found or _test(name, lines[start + 1 : stop])
    return found


def _test(name: str, lines: Sequence[str], above: Sequence[str] = ()) -> Failure | None:
    crash = panics(lines)
    if crash:
        return replace(crash[0], tool="go test", kind=FailureKind.TEST, test=name)
    logs = [(at, match) for at, line in enumerate(lines) if (match := _LOG.match(line))]
    if not logs:
        return _example(name, lines)
    # A log and an error look alike; what ends the test, or compares, is no mere remark.
    at, match = next((log for log in logs if _compared(log[1][3])), logs[-1])
    if match[3].startswith("race detected"):
        return _race(name, match[3], above)
    message = match[3] or next((line.strip() for line in lines[at + 1 :] if line.strip()), "")
    place = Location(match[1], int(match[2]))
    return Failure("go test", FailureKind.TEST, "fail", message, place, (), name, _compared(message))


def _race(name: str, message: str, report: Sequence[str]) -> Failure:
    """The detector tells of the two sides before the verdict."""
    calls = [Frame(match[1], int(match[2])) for line in report if (match := _AT.match(line))]
    own = next((frame for frame in calls if not is_library(frame.path)), None)
    place = Location(own.path, own.line) if own else None
    return Failure("go test", FailureKind.TEST, "race", message, place, test=name)


def _example(name: str, lines: Sequence[str]) -> Failure | None:
    """An example that printed something else than its comment says; Go does not tell the place."""
    if not lines or lines[0] != "got:" or "want:" not in lines:
        return None
    middle = lines.index("want:")
    end = next(
        (at for at in range(middle, len(lines)) if re.match(r"^(?:FAIL|PASS|===|---)", lines[at])), None
    )
    got, want = "\n".join(lines[1:middle]), "\n".join(lines[middle + 1 : end])
    message = f"got {got!r}, want {want!r}"
    return Failure("go test", FailureKind.TEST, "output", message, None, (), name, Compared(want, got))


def _compared(message: str) -> Compared | None:
    if match := _WANT_GOT.search(message):
        return Compared(expected=match[1], actual=match[2])
    if match := _GOT_WANT.search(message):
        return Compared(expected=match[2], actual=match[1])
    return None


def panics(lines: Sequence[str]) -> list[Failure]:
    """A panic and the stack of the goroutine that panicked."""
    for at, line in enumerate(lines):
        match = _PANIC.match(line)
        if match and any(later.startswith("goroutine ") for later in lines[at : at + 12]):
            frames = _frames(lines, at)
            return [Failure("go", FailureKind.RUNTIME, "panic", match[1], blame(frames), frames)]
    return []


def _frames(lines: Sequence[str], at: int) -> tuple[Frame, ...]:
    start = next(n for n in range(at, len(lines)) if lines[n].startswith("goroutine "))
    frames: list[Frame] = []
    function: str | None = None
    for line in lines[start + 1 :]:
        if match := _AT.match(line):
            frames.append(Frame(match[1], int(match[2]), function))
        elif match := _CALL.match(line):
            function = match[1] or match[2]
        else:
            break
    return tuple(reversed(frames))
