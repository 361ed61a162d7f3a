"""JavaScript builds: esbuild, Vite, webpack, Rollup, Babel's parser, and what npm says itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .model import Failure, FailureKind, Location
from .text import plain_path

_ESBUILD = re.compile(r"^[✘X] \[ERROR\] (.+)$")
_ESBUILD_PLACE = re.compile(r"^\s+(\S.*?):(\d+):(\d+):$")
_BOX = re.compile(r"^\s*[╭,][─-]\[ ?(.+?):(\d+):(\d+) ?\]$")
_BOX_HEAD = re.compile(r"^\s*+(?:([×x⚠!])\s*+)?(?:\[(\w+)\]\s*|([\w@/-]+\([\w/-]+\)):\s*)?(.+)$")
_WEBPACK = re.compile(r"^ERROR in (\S+?)(?:[ :](\d+):(\d+)(?:-[\d:]+)?)?$")
_ROLLUP = re.compile(r"^(?:\[!\] )?(?:\(plugin [^)]+\) )?(RollupError): (?:(\S+) \((\d+):(\d+)\): )?(.+)$")
_UNRESOLVED = re.compile(r'^.*((?:Rollup|Rolldown) failed to resolve import ".+?" from "(.+?)".*)$')
_PARSED = re.compile(
    r"^(?:\[error\] )?(?:(\w*Error): (\S+\.\w+)|(\S+\.\w+): (\w*Error)): (.+?) \((\d+):(\d+)\)$"
)
_NPM = re.compile(r"^npm (?:ERR!|error)(?: (.*))?$")
_NPM_REMARK = re.compile(
    r"^(?:$|A complete log|To see a list|Lifecycle script|errno |syscall |path |command |workspace |location "
    r"|in workspace|signal |\s)"
)


def esbuild(lines: Sequence[str]) -> list[Failure]:
    """An error, and below it the place."""
    found: list[Failure] = []
    for at, line in enumerate(lines):
        if match := _ESBUILD.match(line):
            place = next((m for later in lines[at + 1 : at + 4] if (m := _ESBUILD_PLACE.match(later))), None)
            where = Location(place[1], int(place[2]), int(place[3])) if place else None
            found.append(Failure("esbuild", FailureKind.BUILD, "error", match[1], where))
    return found


def boxed(lines: Sequence[str]) -> list[Failure]:
    """A sentence and a box drawn around its place, as Rolldown and oxlint have it; errors before warnings."""
    found: list[tuple[bool, Failure]] = []
    for at, line in enumerate(lines):
        place = _BOX.match(line)
        head = _BOX_HEAD.match(lines[at - 1]) if place and at else None
        if place and head:
            where = Location(plain_path(place[1]), int(place[2]), int(place[3]))
            kind = FailureKind.LINT if head[3] else FailureKind.BUILD
            failure = Failure("bundler", kind, head[2] or head[3] or "error", head[4], where)
            found.append((head[1] in ("⚠", "!"), failure))
    return [failure for _, failure in sorted(found, key=lambda entry: entry[0])]


def webpack(lines: Sequence[str]) -> list[Failure]:
    """A module and a span, then what is wrong there."""
    return [
        Failure(
            "webpack",
            FailureKind.BUILD,
            "error",
            lines[at + 1],
            Location(plain_path(match[1]), int(match[2]) if match[2] else None),
        )
        for at, line in enumerate(lines[:-1])
        if (match := _WEBPACK.match(line))
    ]


def rollup(lines: Sequence[str]) -> list[Failure]:
    """Rollup's own error, in front of a stack of nothing but Rollup."""
    for line in lines:
        if match := _ROLLUP.match(line):
            place = Location(match[2], int(match[3]), int(match[4])) if match[2] else None
            return [Failure("rollup", FailureKind.BUILD, match[1], match[5], place)]
        if match := _UNRESOLVED.match(line):
            return [Failure("vite", FailureKind.BUILD, "unresolved", match[1], Location(match[2]))]
    return []


def parsers(lines: Sequence[str]) -> list[Failure]:
    """Babel and prettier: a file that cannot be parsed, its place at the end of the sentence."""
    found = [match for line in lines if (match := _PARSED.match(line))]
    return [
        Failure("babel", FailureKind.BUILD, m[1] or m[4], m[5], Location(m[2] or m[3], int(m[6]), int(m[7])))
        for m in found
    ]


def npm(lines: Sequence[str]) -> list[Failure]:
    """What npm itself could not do; that a script of the package failed is no news."""
    said = [match[1] or "" for line in lines if (match := _NPM.match(line))]
    codes = [text.removeprefix("code ") for text in said if text.startswith("code ")]
    telling = [text for text in said if not _NPM_REMARK.match(text) and not text.startswith("code ")]
    if not telling:
        return []
    return [Failure("npm", FailureKind.BUILD, codes[0] if codes else "npm", telling[0])]
