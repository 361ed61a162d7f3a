"""JavaScript errors as node prints them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .model import Failure, FailureKind, Frame, Location
from .text import blame, is_library, labelled, plain_path

_FRAME = re.compile(r"^\s*(?:at |❯ )\s*(?:async )?(?:(.*?) \()?([^()\s][^()]*?):(\d+)(?::(\d+))?\)?(?: \{)?$")
_ERROR = re.compile(
    r"^\s*(?:Uncaught )?((?:[A-Za-z_$][\w$]*\.)*(?:[A-Z][\w$]*(?:Error|Exception)|Error))"
    r"(?: \[(\w+)\])?: ?(.*)$"
)
_THROWN = re.compile(r"^\s*(?:Uncaught )?([A-Z][\w$]*)(?: \[(\w+)\])?: (.*)$")
_HEAD = re.compile(r"^((?:file://)?(?:[A-Za-z]:)?[^\s:]+\.\w+):(\d+)$")
_PLACE = re.compile(r"(\S+\.\w+):(\d+)(?::\d+)?")
_IMPORTED = re.compile(r" imported from (\S.*?\.\w+)$")
_CODE = re.compile(r"^\s*code: '(\w+)'")
_COMPARED = re.compile(r"^\s*(actual|expected): (.+?),?$")
_FATAL = re.compile(r"^FATAL ERROR: (.+)$")
_ERRNO = re.compile(r"^(E[A-Z]{3,}): (.*)$")


def frame_of(line: str) -> Frame | None:
    """One ``at`` line of a stack."""
    match = _FRAME.match(line)
    if not match:
        return None
    return Frame(plain_path(match[2]), int(match[3]), match[1] or None)


def stack_from(lines: Sequence[str], at: int) -> tuple[tuple[Frame, ...], int]:
    """The stack beginning at or shortly below a line, outermost first, and the line after it."""
    frames: list[Frame] = []
    while at < len(lines):
        if frame := frame_of(lines[at]):
            frames.append(frame)
        elif frames and not re.match(r"^\s*(?:at |❯ |\d+\||\||>? *\d+ \||$)", lines[at]):
            break
        at += 1
    return tuple(reversed(frames)), at


def errors(lines: Sequence[str]) -> list[Failure]:
    """Uncaught errors: a line ``Type: message`` with a stack below it."""
    found: list[Failure] = []
    at = 0
    while at < len(lines):
        match = _ERROR.match(lines[at]) or _THROWN.match(lines[at])
        end = _stack_start(lines, at + 1) if match else None
        if match is None or end is None:
            at += 1
            continue
        frames, after = stack_from(lines, end)
        found.append(_failure(match, lines, at, end, frames, after))
        at = after
    return found or _thrown_value(lines)


def crashes(lines: Sequence[str]) -> list[Failure]:
    """What ended the engine itself, such as a full heap."""
    return [
        Failure("node", FailureKind.RUNTIME, "FATAL ERROR", match[1])
        for line in lines
        if (match := _FATAL.match(line))
    ]


def _thrown_value(lines: Sequence[str]) -> list[Failure]:
    """Something thrown that is no error has a place and a text, but no stack."""
    for at, line in enumerate(lines):
        if line.startswith("(Use `node --trace-uncaught"):
            head = next((found for above in range(at, 0, -1) if (found := _head(lines, above))), None)
            return [Failure("node", FailureKind.RUNTIME, "thrown", lines[at - 1].strip(), head)]
    return []


def _stack_start(lines: Sequence[str], at: int) -> int | None:
    """Where the stack begins: an error's text may go on for some lines."""
    for ahead in range(at, min(at + 40, len(lines))):
        if frame_of(lines[ahead]) or re.match(r"^\s+at \S", lines[ahead]):
            return ahead
        if _ERROR.match(lines[ahead]):
            return None
    return None


def _failure(
    match: re.Match[str], lines: Sequence[str], at: int, start: int, frames: tuple[Frame, ...], after: int
) -> Failure:
    kind, message = error_type(match[1], match[2], match[3])
    details = lines[after - 1 : after + 12]
    code = next((found[1] for line in details if (found := _CODE.match(line))), None)
    if kind == "Error" and code:
        kind = code
    head = _head(lines, at)
    syntax = kind == "SyntaxError"
    # A parser called by the program fails inside it; a program that cannot be parsed has no frame yet.
    loading = bool(frames) and frames[-1].path.startswith("node:internal/modules/")
    own = not loading and any(not is_library(frame.path) for frame in frames)
    location = (head if syntax and not own else None) or blame(frames) or head
    if place := _PLACE.fullmatch(message):
        # Template engines put the place first, then a piece of the template, then what is wrong.
        location = Location(plain_path(place[1]), int(place[2]))
        message = next((line.strip() for line in reversed(lines[at + 1 : start]) if line.strip()), message)
    if location and is_library(location.path):
        location = _importer(message) or (head if head and not is_library(head.path) else location)
    return Failure(
        tool="node",
        kind=FailureKind.BUILD if syntax and not _imports(message) and not own else FailureKind.RUNTIME,
        type=kind,
        message=message,
        location=location,
        frames=frames,
        compared=labelled([*lines[start:after], *details], _COMPARED, "expected", "actual"),
    )


def _importer(message: str) -> Location | None:
    """A module that is not found has no frame of its own: only the message names who asked for it."""
    match = _IMPORTED.search(message)
    return Location(plain_path(match[1])) if match else None


def error_type(name: str, code: str | None, message: str) -> tuple[str, str]:
    """The most telling name of an error: its errno or module code before a bare ``Error``."""
    if name == "Error":
        if errno := _ERRNO.match(message):
            return errno[1], errno[2]
        if message.startswith("Cannot find module"):
            return "MODULE_NOT_FOUND", message
        if code:
            return code, message
    return name, message


def _imports(message: str) -> bool:
    """Linking modules fails with a SyntaxError, but what is wrong is another module's exports."""
    return "requested module" in message


def _head(lines: Sequence[str], at: int) -> Location | None:
    for line in reversed(lines[max(0, at - 6) : at]):
        if match := _HEAD.match(line):
            return Location(plain_path(match[1]), int(match[2]))
    return None
