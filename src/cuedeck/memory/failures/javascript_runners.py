"""Reports of the smaller JavaScript test runners: Jasmine, uvu, AVA, Playwright, bun and deno."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from .model import Failure, FailureKind, Location
from .node import stack_from
from .text import MOST, blame, plain_path, spans

_JASMINE = re.compile(r"^\d+\) (.+)$")
_UVU = re.compile(r'^\s+FAIL\s+"(.+)"$')
_AVA = re.compile(r"^\s+✘ \[fail\]: (.+?)(?: (Error|Rejected|Timed).*)?$")
_AVA_PLACE = re.compile(r"^\s+(?:file://)?(\S+\.[cm]?[jt]sx?):(\d+)$")
_PLAYWRIGHT = re.compile(r"^\s*\d+\) (?:\[[^\]]+\] › )?(\S+?):(\d+):\d+ › (.+?)(?: ─+)?$")
_BUN = re.compile(r"^\(fail\) (.+?)(?: \[[\d.]+m?s\])?$")
_BUN_END = re.compile(r"^(?:\((?:fail|pass|skip|todo)\) |\S+\.[cm]?[jt]sx?:$)")
_DENO = re.compile(r"^(.+) => (\S+?):(\d+):\d+$")
_DENO_TYPE = re.compile(r"^(TS\d+) \[ERROR\]: (.+)$")
_ERROR = re.compile(r"^(?:error: (?:\(in promise\) )?)?(?:(\w*(?:Error|Exception)): )?(.+)$")


def jasmine(lines: Sequence[str]) -> list[Failure]:
    """Numbered failures, each with its message and its stack."""
    if "Failures:" not in lines or not any(line.strip() == "Message:" for line in lines):
        return []
    heads = [at for at, line in enumerate(lines) if _JASMINE.match(line)]
    found: list[Failure] = []
    for at, end in spans(heads, len(lines)):
        said = [
            line.strip() for line in lines[at + 1 : end] if line.strip() not in ("", "Message:", "Stack:")
        ]
        found.append(_block("jasmine", lines[at].split(") ", 1)[1], said[:1], lines[at + 1 : end]))
    return found


def uvu(lines: Sequence[str]) -> list[Failure]:
    """A quoted test, what it expected, and the stack."""
    heads = [at for at, line in enumerate(lines) if _UVU.match(line)]
    return [
        _block("uvu", lines[at].split('"', 1)[1].rstrip('"'), lines[at + 1 : at + 2], lines[at + 1 : end])
        for at, end in spans(heads, len(lines))
    ]


def ava(lines: Sequence[str]) -> list[Failure]:
    """A list of the tests that failed; below, under each one's title, its place, lines and difference."""
    found: list[Failure] = []
    tests = dict.fromkeys(match[1] for line in lines if (match := _AVA.match(line)))
    for test in list(tests)[:MOST]:
        at = next((n for n, line in enumerate(lines) if line.strip() == test), len(lines))
        end = next((n for n in range(at, len(lines)) if lines[n].strip() == "─"), len(lines))
        body = [line for line in lines[at + 1 : end] if line.strip()]
        place = _AVA_PLACE.match(body[0]) if body else None
        said = [line for line in body if line.strip().endswith(":") or re.match(r"^\s+\w*Error\b", line)]
        failure = _block("ava", test, said[:1], body)
        where = Location(place[1], int(place[2])) if place else failure.location
        found.append(replace(failure, location=where))
    return found


def playwright(lines: Sequence[str]) -> list[Failure]:
    """Numbered failures: the place and the titles of the test, then the error and its stack."""
    heads = [at for at, line in enumerate(lines) if _PLAYWRIGHT.match(line)]
    found: dict[str, Failure] = {}
    for at, end in spans(heads, len(lines)):
        head = _PLAYWRIGHT.match(lines[at])
        assert head
        body = [line.strip() for line in lines[at + 1 : end]]
        said = [line for line in body if re.match(r"^\w*Error: ", line)]
        failure = _block("playwright", head[3], said[:1], lines[at + 1 : end])
        place = failure.location or Location(head[1], int(head[2]))
        found.setdefault(head[0], replace(failure, location=place))
    return list(found.values())


def bun(lines: Sequence[str]) -> list[Failure]:
    """The error stands above the verdict that names the test."""
    found: list[Failure] = []
    begin = 0
    for at, line in enumerate(lines):
        if match := _BUN.match(line):
            above = lines[begin:at]
            said = [text for text in above if re.match(r"^(?:error: |\w*Error: )", text)]
            found.append(_block("bun", match[1], said[:1], above))
        if _BUN_END.match(line):
            begin = at + 1
    return found


def deno(lines: Sequence[str]) -> list[Failure]:
    """``test => place`` with the error below it; and what the type check says."""
    found: dict[str, Failure] = {}
    for at, line in enumerate(lines[:-1]):
        match = _DENO.match(line)
        if match and lines[at + 1].startswith("error: "):
            end = next((n for n in range(at + 2, len(lines)) if not lines[n]), len(lines))
            failure = _block("deno", match[1], lines[at + 1 : at + 2], lines[at + 2 : end])
            found.setdefault(match[1], failure)
    return list(found.values()) or [
        _deno_type(lines, at) for at, m in enumerate(lines) if _DENO_TYPE.match(m)
    ]


def _deno_type(lines: Sequence[str], at: int) -> Failure:
    match = _DENO_TYPE.match(lines[at])
    assert match
    frames, _ = stack_from(lines[at + 1 : at + 8], 0)
    return Failure("deno", FailureKind.TYPE, match[1], match[2], blame(frames))


def _block(tool: str, test: str, said: Sequence[str], lines: Sequence[str]) -> Failure:
    frames, _ = stack_from(lines, 0)
    match = _ERROR.match(said[0].strip()) if said else None
    kind, message = (match[1] or "Assertion", match[2]) if match else ("Assertion", "")
    own = [frame for frame in frames if not frame.path.startswith("<")]
    place = blame(own)
    where = Location(plain_path(place.path), place.line) if place else None
    return Failure(tool, FailureKind.TEST, kind, message, where, tuple(own), test)
