"""rustc, clippy, cargo test and panics."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from .model import Compared, Failure, FailureKind, Frame, Location
from .text import blame, plain_path

_DIAGNOSTIC = re.compile(r"^(error|warning)(?:\[(\w+)\])?: (.+)$")
_SHORT = re.compile(r"^(\S.*?\.rs):(\d+):(\d+): error(?:\[(\w+)\])?: (.+)$")
_OVERFLOW = re.compile(r"^thread '([^']*)'(?: \(\d+\))? (has overflowed its stack)$")
_CRATE_HASH = re.compile(r"\[[0-9a-f]{8,16}\]")
_ARROW = re.compile(r"^\s*--> (.+?):(\d+):(\d+)$")
_LINT = re.compile(r"(?:`-D |#\[(?:warn|deny)\()([\w:-]+)")
_PANIC = re.compile(r"^\s*thread '([^']*)'(?: \(\d+\))? panicked at (.+?):(\d+):(\d+):$")
_OLD_PANIC = re.compile(r"^thread '([^']*)' panicked at '(.*)', (\S+?):(\d+):(\d+)$")
_FRAME = re.compile(r"^\s+\d+: (.+)$")
_AT = re.compile(r"^\s+at (.+?):(\d+)(?::\d+)?$")
_SECTION = re.compile(r"^---- (.+) stdout ----$")
_CALM = re.compile(r"^note: (test did not panic as expected)(?: at (.+?):(\d+):\d+)?$")
_SIDE = re.compile(r"^\s*(left|right): `?(.*?)`?,?$")
_NOISE = (
    "could not compile",
    "aborting due to",
    "test failed, to rerun",
    "process didn't exit",
    "build failed",
)


def diagnostics(lines: Sequence[str]) -> list[Failure]:
    """Compiler errors, and lints when a lint made the build fail."""
    found: list[Failure] = []
    for at, line in enumerate(lines):
        match = _DIAGNOSTIC.match(line)
        if match and match[1] == "error" and not match[3].startswith(_NOISE):
            failure = _diagnostic(match, lines[at + 1 : at + 60])
            if failure:
                found.append(failure)
        elif match := _SHORT.match(line):
            place = Location(plain_path(match[1]), int(match[2]), int(match[3]))
            found.append(Failure("rustc", FailureKind.BUILD, match[4] or "error", match[5], place))
    return found


def cargo(lines: Sequence[str]) -> list[Failure]:
    """What cargo refuses before anything is compiled, with the last of its causes."""
    start = next((at for at, line in enumerate(lines) if line.startswith("error: ")), None)
    if start is None or not any(line.startswith(("required by package", "Caused by:")) for line in lines):
        return []
    said = lines[start].removeprefix("error: ")
    causes = [at + 1 for at, line in enumerate(lines[:-1]) if line == "Caused by:"]
    text = f"{said}: {lines[causes[-1]].strip()}" if causes else said
    return [Failure("cargo", FailureKind.BUILD, "error", text)]


def _diagnostic(match: re.Match[str], lines: Sequence[str]) -> Failure | None:
    place, lint = None, None
    for line in lines:
        if _DIAGNOSTIC.match(line):
            break
        place = place or _ARROW.match(line)
        lint = lint or _LINT.search(line)
    if place is None and match[2] is None:
        return None
    name = lint[1].replace("-", "_") if lint else None
    return Failure(
        tool="clippy" if name and name.startswith("clippy::") else "rustc",
        kind=FailureKind.LINT if name else FailureKind.BUILD,
        type=name or match[2] or "error",
        message=match[3],
        location=Location(plain_path(place[1]), int(place[2]), int(place[3])) if place else None,
    )


def panics(lines: Sequence[str]) -> list[Failure]:
    """Panics, each with its test when a test thread panicked."""
    failed = {m[1] for line in lines if (m := re.match(r"^test (\S+)(?: - .*)? \.\.\. FAILED$", line))}
    failed |= {m[1] for line in lines if (m := re.match(r"^\s*FAIL \[[^]]*\]\s+(?:\S+ )*(\S+)$", line))}
    failed |= {m[1] for line in lines if (m := _SECTION.match(line))}
    found: list[Failure] = []
    section: str | None = None
    for at, line in enumerate(lines):
        if match := _SECTION.match(line):
            section = match[1]
        elif match := _CALM.match(line):
            place = Location(plain_path(match[2]), int(match[3])) if match[2] else None
            found.append(
                Failure("cargo test", FailureKind.TEST, "should_panic", match[1], place, test=section)
            )
        elif section and (match := re.match(r"^Error: (.+)$", line)):
            found.append(Failure("cargo test", FailureKind.TEST, "Error", match[1], test=section))
        elif failure := _panic(line, lines, at, failed):
            # A documentation test panics in a main thread of its own.
            documented = failure.test is None and section is not None and " - " in section
            found.append(_as_test(failure, section) if documented and section else failure)
    return found or _overflows(lines) or _returned_errors(lines)


def _overflows(lines: Sequence[str]) -> list[Failure]:
    """A stack that ran over ends the program at once, so no test gets a verdict."""
    tested = any(line.startswith("error: test failed") for line in lines)
    found = [match for line in lines if (match := _OVERFLOW.match(line))]
    failures = [Failure("rust", FailureKind.RUNTIME, "stack overflow", match[2]) for match in found]
    if not tested:
        return failures
    return [_as_test(failure, match[1]) for failure, match in zip(failures, found, strict=True)]


def _as_test(failure: Failure, test: str) -> Failure:
    return replace(failure, tool="cargo test", kind=FailureKind.TEST, test=test)


def _returned_errors(lines: Sequence[str]) -> list[Failure]:
    """An error that ``main`` returned, below the line where cargo starts the program."""
    started = any(re.match(r"^\s+Running `", line) for line in lines)
    found = (match for line in lines if (match := re.match(r"^Error: ((\w+).*)$", line)))
    return [Failure("rust", FailureKind.RUNTIME, match[2], match[1]) for match in found] if started else []


def _panic(line: str, lines: Sequence[str], at: int, failed: set[str]) -> Failure | None:
    if match := _PANIC.match(line):
        thread, path, row = match[1], match[2], int(match[3])
        text = _text(lines, at + 1)
    elif match := _OLD_PANIC.match(line):
        thread, path, row = match[1], match[3], int(match[4])
        text = match[2]
    else:
        return None
    frames = _frames(lines, at + 1)
    place = Location(plain_path(path), row)
    test = thread if thread in failed else None
    return Failure(
        tool="cargo test" if test else "rust",
        kind=FailureKind.TEST if test else FailureKind.RUNTIME,
        type="panic",
        message=text,
        location=(blame([Frame(place.path, row), *frames]) if place.path.startswith("/rustc/") else place)
        or place,
        frames=frames,
        test=test,
        compared=_sides(lines, at + 1),
    )


def _text(lines: Sequence[str], at: int) -> str:
    taken: list[str] = []
    for line in lines[at : at + 20]:
        if (
            line.startswith(("note: ", "stack backtrace:", "thread '"))
            or _SIDE.match(line)
            or (taken and not line)
        ):
            break
        taken.append(line)
    return "\n".join(taken)


def _sides(lines: Sequence[str], at: int) -> Compared | None:
    sides = {m[1]: m[2] for line in lines[at : at + 6] if (m := _SIDE.match(line))}
    return Compared(sides["right"], sides["left"]) if len(sides) == 2 else None


def _frames(lines: Sequence[str], at: int) -> tuple[Frame, ...]:
    start = next((n for n in range(at, min(at + 30, len(lines))) if lines[n] == "stack backtrace:"), None)
    if start is None:
        return ()
    frames: list[Frame] = []
    function = ""
    for line in lines[start + 1 :]:
        if match := _FRAME.match(line):
            function = _CRATE_HASH.sub("", match[1]).partition(" - ")[2] or match[1]
        elif match := _AT.match(line):
            frames.append(Frame(plain_path(match[1]), int(match[2]), function))
        else:
            break
    return tuple(reversed(frames))
