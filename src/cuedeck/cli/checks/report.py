"""How findings look on a terminal: grouped, the source line shown, the fix beside it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from cuedeck.cli.listing import lines_of
from cuedeck.cli.output import coloured
from cuedeck.model.finding import Finding, Status

Found = tuple[str, Finding]

_MARKS = {
    Status.PASS: ("✓", "ok  ", "32"),
    Status.WARN: ("⚠", "warn", "33"),
    Status.FAIL: ("✗", "FAIL", "31"),
}


def as_json(found: Iterable[Found], repaired: list[str]) -> dict[str, Any]:
    """The report for programs."""
    findings = [
        {
            "group": group,
            "check": finding.check,
            "status": finding.status.value,
            "message": finding.message,
            "file": finding.file,
            "line": finding.line,
            "excerpt": finding.excerpt,
            "fix": finding.fix,
            "repairable": finding.repair is not None,
        }
        for group, finding in found
    ]
    counts = {status.value: sum(item["status"] == status for item in findings) for status in Status}
    return {"ok": not counts["fail"], "summary": counts, "findings": findings, "repaired": repaired}


def as_text(root: Path, found: list[Found], repaired: list[str]) -> str:
    """The report for people."""
    paint = _Paint()
    lines = [f"{paint.bold('repaired')}: {what}" for what in repaired]
    for group, members in groupby(found, key=lambda pair: pair[0]):
        lines += ["", paint.bold(group)]
        for _, finding in members:
            lines += _finding(root, finding, paint)
    return "\n".join([*lines, "", _summary(found)]).lstrip("\n")


def _finding(root: Path, finding: Finding, paint: _Paint) -> list[str]:
    lines = [f"  {paint.mark(finding.status)} {finding.check}: {finding.message}"]
    if finding.status is Status.PASS:
        return lines
    if finding.file:
        place = f"{finding.file}:{finding.line}" if finding.line else finding.file
        lines.append(f"      {paint.rule('╭─', '--')} {place}")
        for number, text in _excerpt(root, finding):
            lines.append(f"  {number:>3} {paint.rule('│', '|')} {text}")
    if finding.fix:
        again = " (or cue doctor --repair)" if finding.repair else ""
        lines.append(f"      {paint.rule('╰─', '--') + ' ' if finding.file else ''}fix: {finding.fix}{again}")
    return lines


def _excerpt(root: Path, finding: Finding) -> list[tuple[str, str]]:
    """The lines the finding is about; the file's own line when the check gave none."""
    if finding.excerpt is not None:
        first = finding.line
        return [
            (str(first + offset) if first else "", text[:160])
            for offset, text in enumerate(finding.excerpt.splitlines()[:6])
        ]
    if finding.line is None:
        return []
    from cuedeck.paths import confine_file, read_file

    try:
        text = read_file(confine_file(root, str(finding.file)), at_most=2_000_000).data
    except Exception:  # noqa: BLE001 - the place alone says enough
        return []
    lines = lines_of(text.decode("utf-8", "replace"))
    return [(str(finding.line), lines[finding.line - 1][:160])] if finding.line <= len(lines) else []


def _summary(found: list[Found]) -> str:
    count = {status: sum(finding.status is status for _, finding in found) for status in Status}
    if not count[Status.FAIL] and not count[Status.WARN]:
        return f"All {len(found)} checks passed."
    problems = f"{count[Status.FAIL]} problem{'' if count[Status.FAIL] == 1 else 's'}"
    warnings = f"{count[Status.WARN]} warning{'' if count[Status.WARN] == 1 else 's'}"
    return f"{problems}, {warnings}, {count[Status.PASS]} passed."


class _Paint:
    """Colours and line art as far as the terminal takes them."""

    def __init__(self) -> None:
        self._colour = coloured()
        self._unicode = (sys.stdout.encoding or "").lower().startswith("utf")

    def mark(self, status: Status) -> str:
        sign, word, colour = _MARKS[status]
        return self._in(sign if self._unicode else word, colour)

    def bold(self, text: str) -> str:
        return self._in(text, "1")

    def rule(self, art: str, plain: str) -> str:
        return self._in(art if self._unicode else plain, "2")

    def _in(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour else text
