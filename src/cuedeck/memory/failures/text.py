"""Brings a tool's output into plain lines, and tells the user's own files from libraries."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .model import Compared, Frame, Location

_ANSI = re.compile(r"\x1b(?:[()][0-9AB]|\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|[@-Z\\^_])")
# A time and, as container runtimes write it, the stream; the time, host and program of a journal.
_STAMPS = (
    re.compile(
        r"^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?"
        r"(?: std(?:out|err) [FP])?(?: |$)"
    ),
    re.compile(r"^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?: [\w.-]+ [\w./@-]+(?:\[\d+\])?:)?(?: |$)"),
)
_CLOCK = re.compile(r"^\[\d\d:\d\d:\d\d(?:\.\d+)?\] ", re.M)
# A quotation, numbers of lines, the margin of a listing (a stack has one of its own).
_MARGINS = (re.compile(r"^>(?: |$)"), re.compile(r"^ *\d+(?:[\t→]|$)"), re.compile(r"^(?: {4}|\t)(?!at )"))
_FENCE = re.compile(r"^ {0,3}```[\w-]*$")
# Which of several commands a line is of, as concurrently, pods, recursive pnpm, turbo, compose and BuildKit
# say it; Maven's levels are none.
_TAGS = (
    re.compile(
        r"^\[((?!(?:INFO|ERROR|WARN|WARNING|DEBUG|TRACE|FATAL)\])@?[\w.:-]+(?:/[A-Za-z][\w.-]*)*)\](?: |$)"
    ),
    re.compile(r"^((?:[\w@.-]+/)*[\w@.-]+ [\w:-]+)[:$](?: |$)"),
    re.compile(r"^((?:@[\w.-]+/)?[\w.-]+[:#][A-Za-z][\w-]*):(?: |$)"),
    re.compile(r"^([A-Za-z][\w.-]*)\s*\|(?: |$)"),
    re.compile(r"^(#\d+) \d+\.\d+(?: |$)"),
)
_ANT_TASK = re.compile(r"^\s+\[[\w-]+\](?: |$)")
_LIBRARY = re.compile(
    r"site-packages/|dist-packages/|/lib/python\d|[/\\]Lib[/\\](?!site)|^<frozen |^<string>$"
    r"|node_modules/|^node:|^internal/|^\(?<anonymous>|^native$"
    r"|^/rustc/|/rustlib/|\.cargo/registry/"
    r"|/go(?:[\w.-]*|/\d[\w.]*/\w+)/src/(?:runtime|testing|internal|reflect|net|sync|os|fmt|syscall|bufio|bytes"
    r"|context|crypto|database|encoding|errors|html|io|log|math|path|regexp|slices|sort|strconv|strings|text|time)/"
    r"|/go/pkg/mod/|^_testmain\.go"
    r"|^<internal:|/lib/ruby/|/gems/[\w.-]+/lib/|/vendor/(?:composer|phpunit)/|/share/php/|^\[C\]$"
    r"|/usr/include/|libsanitizer/|sysdeps/|/csu/|^\.\./csu|\.\./sysdeps"
)
_LIMIT = 400_000
_LONGEST_LINE = 4_000
_MOST_LINES = 6_000
_MOST_WRAPS = 4
MOST = 50


def lines_of(output: str) -> list[str]:
    """Plain lines: no colours, carriage returns or CI time stamps; the middle of a flood is cut."""
    if len(output) > _LIMIT:
        output = output[: _LIMIT // 2] + "\n" + output[-_LIMIT // 2 :]
    plain = _CLOCK.sub("", _ANSI.sub("", output).replace("\r\n", "\n").replace("\r", "\n"))
    lines = [line[:_LONGEST_LINE].rstrip() for line in plain.split("\n")]
    if len(lines) > _MOST_LINES:
        lines = lines[: _MOST_LINES // 2] + lines[-_MOST_LINES // 2 :]
    for _ in range(_MOST_WRAPS):
        wrapped = lines
        lines = _unwrapped(wrapped)
        if lines == wrapped:
            break
    if any(line.startswith("Buildfile: ") for line in lines):
        lines = [_ANT_TASK.sub("", line) for line in lines]
    return _untagged(lines)


def _unwrapped(lines: list[str]) -> list[str]:
    for stamp in _STAMPS:
        lines = _bared(lines, stamp, 0.5)
    lines = _fenced(lines)
    for margin in _MARGINS:
        lines = _bared(lines, margin, 0.95)
    return lines


def _bared(lines: list[str], front: re.Pattern[str], share: float) -> list[str]:
    """Without what stands in front of more than this share of the lines."""
    filled = sum(1 for line in lines if line)
    if sum(1 for line in lines if line and front.match(line)) > filled * share:
        return [front.sub("", line) for line in lines]
    return lines


def _fenced(lines: list[str]) -> list[str]:
    """What stands between fences first, then what somebody wrote around it."""
    inside: list[str] = []
    around: list[str] = []
    fenced = False
    for line in lines:
        if _FENCE.match(line):
            fenced = not fenced
        else:
            (inside if fenced else around).append(line)
    return inside + around if inside else lines


def _untagged(lines: list[str]) -> list[str]:
    """What several commands said at the same time, one after the other and without their tags."""
    filled = sum(1 for line in lines if line)
    for tag in _TAGS:
        groups: dict[str, list[str]] = {"": []}
        for line in lines:
            match = tag.match(line)
            groups.setdefault(match[1] if match else "", []).append(line[match.end() :] if match else line)
        rest = groups.pop("")
        said = sum(map(len, groups.values()))
        if said * 4 > filled * 3 and said > 2 * len(groups):
            return [line for group in groups.values() for line in group] + rest
    return lines


def is_library(path: str) -> bool:
    """Whether a path belongs to a language, a framework or a dependency rather than to the project."""
    return _LIBRARY.search(path) is not None


def plain_path(path: str) -> str:
    """A printed path without scheme and leading ``./``."""
    path = path.removeprefix("file://")
    return path.removeprefix("./")


def number(text: str | None) -> int | None:
    return int(text) if text else None


def blame(frames: Sequence[Frame]) -> Location | None:
    """Where to look: the innermost frame in the project's own code, else the innermost of all."""
    for frame in reversed(frames):
        if not is_library(frame.path):
            return Location(frame.path, frame.line)
    return Location(frames[-1].path, frames[-1].line) if frames else None


def own_function(frames: Sequence[Frame]) -> str | None:
    """The function the failure happened in, looking at the project's own frames first."""
    own = [frame for frame in frames if not is_library(frame.path)] or list(frames)
    return own[-1].function if own else None


def labelled(lines: Sequence[str], label: re.Pattern[str], expected: str, actual: str) -> Compared | None:
    """What was expected and what came instead, from the first lines that say so under these labels."""
    values: dict[str, str] = {}
    for line in lines:
        if match := label.match(line):
            values.setdefault(match[1], match[2])
    return Compared(values[expected], values[actual]) if {expected, actual} <= values.keys() else None


def spans(heads: Sequence[int], end: int) -> list[tuple[int, int]]:
    """From each head to the next one, the last to the end; a flood of heads is cut."""
    return [(at, heads[n + 1] if n + 1 < len(heads) else end) for n, at in enumerate(heads[:MOST])]
