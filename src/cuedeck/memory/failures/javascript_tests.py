"""Reports of jest, vitest, mocha and the TAP of node's own test runner."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from .model import Compared, Failure, FailureKind, Frame, Location
from .node import error_type, errors, stack_from
from .text import blame, is_library, labelled, spans

_JEST_FILE = re.compile(r"^\s*FAIL\s+(?:\S+\s+)??(\S+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s\))?$")
_JEST_TEST = re.compile(r"^\s+● (.+)$")
_VITEST_TEST = re.compile(r"^\s*FAIL\s+(?:\|[^|]+\| )?(\S+\.[cm]?[jt]sx?)(?: > (.+?)| \[ .+ \])?$")
_EXPECT = re.compile(r"^expect\(.*?\)\.(?:(?:not|resolves|rejects)\.)*(\w+)\(")
_ERROR = re.compile(r"^(?:([A-Z][\w$]*(?:Error|Exception)?)(?: \[(\w+)\])?: )(.*)$")
_MOCHA_FAILING = re.compile(r"^\s+\d+ failing$")
_MOCHA_TEST = re.compile(r"^  \d+\) (.*)$")
_MOCHA_FILE = re.compile(r"^(Timeout of .+) \((\S.*\.\w+)\)$")
_SPEC_HEADS = ("✖ failing tests:", "Failed tests:")
_SPEC_TEST = re.compile(r"^\s*✖ (.+?) \([\d.]+ms\)$")
_SUBTESTS = re.compile(r"^'?\d+ subtests? failed'?$")
_LABELLED = re.compile(r"^(Expected|Received)(?: \w+)*: +(.+)$")
_MARKED = re.compile(r"^\s*>\s*(\d+) \|")


def jest(lines: Sequence[str]) -> list[Failure]:
    """Each ``●`` block once, although jest repeats them in its summary."""
    found: dict[tuple[str, str], Failure] = {}
    files = {at: match[1] for at, line in enumerate(lines) if (match := _JEST_FILE.match(line))}
    heads = [at for at, line in enumerate(lines) if _JEST_TEST.match(line)]
    for at, end in spans(heads, len(lines)):
        file = next((files[above] for above in range(at, -1, -1) if above in files), None)
        if file is None:
            continue
        failure = _jest_block(lines[at].strip()[2:], lines[at + 1 : end], file.removeprefix("./"))
        found.setdefault((file, failure.test or ""), failure)
    return list(found.values()) or _jest_beheaded(lines)


def _jest_beheaded(lines: Sequence[str]) -> list[Failure]:
    """The end of a report that was cut below the test's name."""
    if not any(re.match(r"^Tests: +\d+ failed", line) for line in lines):
        return []
    frames, _ = stack_from(lines, 0)
    values = _labelled([line.strip() for line in lines])
    message = f"Expected: {values.expected} Received: {values.actual}" if values else ""
    return [Failure("jest", FailureKind.TEST, "Error", message, blame(frames), frames, compared=values)]


def _jest_block(name: str, lines: Sequence[str], file: str) -> Failure:
    body = [line.strip() for line in lines]
    text = next((line for line in body if line), "")
    if text.startswith("Jest encountered an unexpected token"):
        text = next((line for line in body if line.startswith("SyntaxError: ")), text)
    kind, message = _jest_error(text, body)
    frames, _ = stack_from(lines, 0)
    location = _matcher(frames, text) or blame(frames)
    if location is None or "node_modules" in location.path:
        location = _marked(lines, file) or Location(file)
    return Failure(
        tool="jest",
        kind=FailureKind.TEST,
        type=kind,
        message=message,
        location=location,
        frames=frames,
        test=file if name == "Test suite failed to run" else name.replace(" › ", " "),
        compared=_labelled(body),
    )


def _matcher(frames: Sequence[Frame], text: str) -> Location | None:
    """Where the test called the matcher; jest shows the stack of a caught error before that."""
    match = _EXPECT.match(text)
    called = [f for f in frames if match and f.function and f.function.endswith(f".{match[1]}")]
    own = [frame for frame in called if not is_library(frame.path)]
    return Location(own[0].path, own[0].line) if own else None


def _jest_error(text: str, body: Sequence[str]) -> tuple[str, str]:
    if match := _EXPECT.match(text):
        unwritten = next((line for line in body if line.startswith("New snapshot was not written")), "")
        return match[1], unwritten or text.split(" // ")[0]
    if match := _ERROR.match(text):
        return error_type(match[1], match[2], match[3])
    if text.startswith("thrown: "):
        return ("Timeout" if "Exceeded timeout" in text else "thrown"), text.removeprefix("thrown: ").strip(
            '"'
        )
    return error_type("Error", None, text)


def _marked(lines: Sequence[str], file: str) -> Location | None:
    """The line of the code frame that jest marks, when the stack shows only the framework."""
    for line in lines:
        if match := _MARKED.match(line):
            return Location(file, int(match[1]))
    return None


def _labelled(lines: Sequence[str]) -> Compared | None:
    return labelled(lines, _LABELLED, "Expected", "Received")


def vitest(lines: Sequence[str]) -> list[Failure]:
    """Each ``FAIL  file > suite > test`` block."""
    if not any("Failed Tests" in line or "Failed Suites" in line for line in lines):
        return []
    heads = [at for at, line in enumerate(lines) if _VITEST_TEST.match(line)]
    return [_vitest_block(lines[at], lines[at + 1 : end]) for at, end in spans(heads, len(lines))]


def _vitest_block(head: str, lines: Sequence[str]) -> Failure:
    match = _VITEST_TEST.match(head)
    assert match
    error = next((m for line in lines if (m := _ERROR.match(line))), None)
    kind, message = (
        error_type(error[1], error[2], error[3]) if error else ("Error", next(filter(None, lines), ""))
    )
    frames, _ = stack_from(lines, 0)
    return Failure(
        tool="vitest",
        kind=FailureKind.TEST,
        type="Error" if kind == "MODULE_NOT_FOUND" else kind,
        message=message.split(" // ")[0],
        location=blame(frames) or Location(match[1]),
        frames=frames,
        test=match[2] or match[1],
        compared=_diff(lines, "- Expected", "-", "+"),
    )


def _diff(lines: Sequence[str], head: str, expected: str, actual: str) -> Compared | None:
    """A two-line diff below its legend, one line for either side."""
    start = next((at for at, line in enumerate(lines) if line.strip().startswith(head)), None)
    if start is None:
        return None
    body = [line.strip() for line in lines[start + 1 : start + 12]]
    sides = [
        line
        for line in body
        if line[:1] in "+-" and line and not line.startswith(("+ Received", "- Expected"))
    ]
    wanted = [line[1:].strip() for line in sides if line[0] == expected]
    got = [line[1:].strip() for line in sides if line[0] == actual]
    return Compared(wanted[0], got[0]) if len(wanted) == len(got) == 1 else None


def mocha(lines: Sequence[str]) -> list[Failure]:
    """The numbered failures below ``N failing``."""
    start = next((at for at, line in enumerate(lines) if _MOCHA_FAILING.match(line)), None)
    if start is None:
        return []
    heads = [at for at in range(start, len(lines)) if _MOCHA_TEST.match(lines[at])]
    return [_mocha_block(lines[at:end]) for at, end in spans(heads, len(lines))]


def _mocha_block(lines: Sequence[str]) -> Failure:
    title, rest = _mocha_title(lines)
    error = next((m for line in rest if (m := _ERROR.match(line.strip()))), None)
    kind, message = (
        error_type(error[1], error[2], error[3])
        if error
        else ("Error", next((x.strip() for x in rest if x.strip()), ""))
    )
    frames, _ = stack_from(rest, 0)
    location = blame(frames)
    if late := _MOCHA_FILE.match(message):
        # Nothing of the test is on the stack when its time is up.
        message, location = late[1], Location(late[2])
    return Failure(
        tool="mocha",
        kind=FailureKind.TEST,
        type=kind,
        message=message.rstrip(":") if kind == "AssertionError" else message,
        location=location,
        frames=frames,
        test=title,
        compared=_diff(rest, "+ expected - actual", "+", "-"),
    )


def _mocha_title(lines: Sequence[str]) -> tuple[str, Sequence[str]]:
    """A title is spread over lines, one for each suite, up to a colon."""
    words: list[str] = []
    for at, line in enumerate(lines[:12]):
        words.append(line.split(") ", 1)[1].strip() if at == 0 else line.strip())
        if line.endswith(":"):
            return " ".join(words).rstrip(":"), lines[at + 1 :]
    return words[0], lines[1:]


def tap(lines: Sequence[str]) -> list[Failure]:
    """``not ok`` records with their YAML block."""
    found: list[Failure] = []
    cancelled: list[Failure] = []
    for at, line in enumerate(lines):
        match = re.match(r"^(\s*)not ok \d+ (?:- )?(.*?)(?: # .*)?$", line)
        if match and line.endswith("{"):
            # What follows in braces says which of its tests failed.
            continue
        if match and lines[at + 1 : at + 2] and lines[at + 1].strip() != "---":
            found += _tap_text(match[2], match[1], lines, at + 1)
        elif match:
            block = _yaml(lines, at + 1)
            if block.get("failureType") != "subtestsFailed" and block:
                stopped = block.get("failureType") == "cancelledByParent"
                (cancelled if stopped else found).append(_tap_failure(match[2], block, lines, at))
    return found + cancelled


def _tap_text(name: str, indent: str, lines: Sequence[str], at: int) -> list[Failure]:
    """A record that is followed by an error and its stack, further in than itself."""
    end = at
    while end < len(lines) and (not lines[end].strip() or lines[end].startswith(indent + "  ")):
        end += 1
    inner = errors(lines[at:end])
    return [replace(one, tool="tap", kind=FailureKind.TEST, test=name) for one in inner[:1]]


def _yaml(lines: Sequence[str], at: int) -> dict[str, str]:
    fields: dict[str, str] = {}
    last = ""
    for line in lines[at : at + 60]:
        if line.strip() == "...":
            break
        if match := re.match(r"^\s+(\w+): (.*)$", line):
            last = match[1]
            fields[last] = match[2].strip("'\"") if match[2] != "|-" else ""
        elif last and line.strip() != "---":
            fields[last] = (fields[last] + "\n" + line.strip()).strip()
    return fields


def _tap_failure(name: str, block: dict[str, str], lines: Sequence[str], at: int) -> Failure:
    frames = tuple(_tap_frames(block.get("stack", "")))
    place = re.search(r"([^()\s][^()]*):(\d+):\d+\)?$", block.get("location") or block.get("at", ""))
    values = "expected" in block and "actual" in block
    message = (block.get("error") or block.get("message", "")).partition("\n")[0].rstrip(":")
    # tape has a record for each assertion, below the name of its test.
    above = next((line for line in reversed(lines[:at]) if line.startswith("# ")), "")
    if "operator" in block and "location" not in block and above:
        name, message = above[2:], name
    return Failure(
        tool="tap",
        kind=FailureKind.TEST,
        type=block.get("name") or block.get("code") or "Error",
        message=message,
        location=blame(frames) or (Location(place[1], int(place[2])) if place else None),
        frames=frames,
        test=name,
        compared=Compared(block["expected"], block["actual"]) if values else None,
    )


def _tap_frames(stack: str) -> list[Frame]:
    found: list[Frame] = []
    for line in stack.split("\n"):
        if match := re.match(r"^(?:(.*?) \()?([^()]+?):(\d+):\d+\)?$", line):
            found.append(Frame(match[2].removeprefix("file://"), int(match[3]), match[1]))
    return list(reversed(found))


def spec(lines: Sequence[str]) -> list[Failure]:
    """The readable report of node's test runner, from its list of failing tests on."""
    start = next((at for at, line in enumerate(lines) if line.strip() in _SPEC_HEADS), None)
    if start is None:
        return []
    heads = [at for at in range(start + 1, len(lines)) if _SPEC_TEST.match(lines[at])]
    found = [_spec_block(lines[at], lines[at + 1 : end]) for at, end in spans(heads, len(lines))]
    return [one for one in found if not _SUBTESTS.match(one.message)] or found


def _spec_block(head: str, lines: Sequence[str]) -> Failure:
    match = _SPEC_TEST.match(head)
    assert match
    inner = errors(lines)
    if inner:
        message = inner[0].message.rstrip(":")
        return replace(inner[0], tool="node test", kind=FailureKind.TEST, message=message, test=match[1])
    text = next((line.strip() for line in lines if line.strip()), "")
    return Failure("node test", FailureKind.TEST, "Error", text, test=match[1])
