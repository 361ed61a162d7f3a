"""Output of a tool that nobody knows: the first line that complains, and the place it names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .java import bare_stack
from .model import NO_TOOL, Failure, FailureKind, Location
from .text import is_library, plain_path

_FILE = r"(?:[A-Za-z]:)?[\w./\\@+-]{1,250}?\.[A-Za-z]\w{0,9}"
_DIAGNOSTIC = re.compile(
    rf"^ {{0,4}}({_FILE}):(\d+)(?::(\d+))?:? (?:- )?"
    r"(?:((?:[a-z]+ )?(?:error|warning)|[CEFW])(?: ?: | (?=[A-Z])))?(.+)$",
    re.I,
)
_WARNING = re.compile(r"^(?:note|\w*warning)\b", re.I)
_CALLER = re.compile(r"in [\w<>]+")
_RULE = re.compile(r"^([A-Z][A-Za-z]+/\w+|[A-Z]{1,5}\d{2,5}(?:/[\w-]+)?)(?:: | )(.+)$")
# What exceptions are called: by their last word, or by the modules they come from.
_RAISED = (
    r"(?:[A-Za-z_]\w{0,60}(?:\.|::)){0,8}[A-Z]\w{0,60}?"
    r"(?:Error|Exception|Timeout|Expired|Interrupt|Iteration|NotFound|NotExist|Warning|Failure|Fault)"
    r"|(?:[a-z_]\w{0,60}\.){1,8}[A-Z][a-z0-9]\w{0,60}"
)
_BARE = re.compile(rf"^\W{{0,8}}(?:Uncaught |error: |Error: )?({_RAISED})(?:: (.+))?$")
_NAMED = re.compile(
    r"\b((?:[A-Za-z_]\w{0,60}(?:\.|::)){0,8}[A-Z]\w{0,60}?(?:Error|Exception|Failure))\b(?::\s*(.+))?"
)
_ERROR = re.compile(
    r"^\W*(?:(?!error|fatal|err:|fail)\w[\w.-]{0,40}: )?\[?"
    r"(?:(?:fatal|error|err|panic|critical|emerg)\b[\s:\]!-]+(?:error: )?|(?:failed|failure|fail|e): "
    r"|[a-z]+ error: )(.*)$",
    re.I,
)
_CODE = re.compile(r"[A-Z][A-Z0-9_]+")
_RULE_BEHIND = re.compile(r"^(.+?) {1,4}[\[(]([a-z]+(?:[-/][a-z_+]+)+)[\])](?: {1,4}\[\d\])?$")
_RULE_ALONE = re.compile(r"^([A-Z]\d{3,4}) (.+)$")
_YAML = re.compile(r"\bwhile (?:parsing|scanning) [\w ]{1,60}$")
_YAML_PLACE = re.compile(r'^\s+in "(.+?)", line (\d+), column (\d+)')
_COMPLAINT = re.compile(
    r"(?<![\w./-])(?:could not|couldn't|can(?:not|'t)|unable to|may not|must not"
    r"|not (?:allowed|found|in|meet|a valid|supported|recognized|reached)|no such|unknown|invalid|missing"
    r"|un(?:recognized|supported|expected)|refused|denied|mismatch|expecting|is less than"
    r"|violation|no valid|failed(?: with| to|:))(?![\w/-]|\.\w)",
    re.I,
)
_ADVICE = re.compile(
    r"^\W*(?:hint|note|warning|info|npm warn|usage|see|run|try|for more|to (?:fix|see))\b", re.I
)
_MINOR = re.compile(r"(?:^|\W)warning: |\(warning\)$", re.I)
_SENTENCE = re.compile(r"[A-Za-z]{2,}\W+[A-Za-z]{2,}")
_DRAWN = re.compile(r"^[\s│|╰╭─▶×✖•*>-]+")
_COVERAGE = re.compile(r"\bcoverage\b.*\b(?:less than|not reached|does not meet)\b", re.I)
_PACKAGES = re.compile(
    r"\b(?:packages?|requirements?|dependenc(?:y|ies)|distribution|lockfile|gem|compil\w+|link(?:er|ing))\b",
    re.I,
)
_PLACES = (
    re.compile(rf"(?<![\w./\\@+-])({_FILE})[:(](\d+)(?:[:,](\d+))?"),
    re.compile(rf"^\s+({_FILE}) (\d+):(\d+)\b"),
    re.compile(
        rf"(?<![\w./\\@+-])({_FILE})['\",:]{{0,2}}(?: .{{0,200}}?)? line (\d+)(?:, col(?:umn)? (\d+))?"
    ),
)
_NAMED_FILE = re.compile(r"(?<![\w./:\\@+-])((?:[\w.@+-]+/)+[\w.@+-]+\.(?!git\b)[A-Za-z]\w{0,5})\b(?![/:])")


def guess(lines: Sequence[str]) -> list[Failure]:
    """One failure from the most telling line; nothing only when there is no line at all."""
    return (
        _first(lines, _yaml)
        or _first(lines, _bare)
        or _first(lines, _diagnostic)
        or _first(lines, _named)
        or bare_stack(lines)
        or _first(lines, _complaint)
        or _last(lines)
    )


def _first(lines: Sequence[str], read: Callable[[Sequence[str], int], Failure | None]) -> list[Failure]:
    return next(([found] for at in range(len(lines)) if (found := read(lines, at))), [])


def _yaml(lines: Sequence[str], at: int) -> Failure | None:
    """What YAML's parsers were doing since when; then what is wrong, and where."""
    if not _YAML.search(lines[at]):
        return None
    places = [n for n in range(at + 1, min(at + 12, len(lines))) if _YAML_PLACE.match(lines[n])]
    if len(places) < 2:
        return None
    place = _YAML_PLACE.match(lines[places[1]])
    assert place
    where = Location(plain_path(place[1]), int(place[2]), int(place[3]))
    return Failure(NO_TOOL, FailureKind.BUILD, "yaml", lines[places[1] - 1].strip(), where)


def _bare(lines: Sequence[str], at: int) -> Failure | None:
    """A line that is nothing but an exception."""
    match = _BARE.match(lines[at])
    return match and _raised(match[1], match[2] or "", lines, at)


def _named(lines: Sequence[str], at: int) -> Failure | None:
    """A line that speaks of an exception."""
    match = _NAMED.search(lines[at])
    return match and _raised(match[1], match[2] or lines[at], lines, at)


def _raised(name: str, message: str, lines: Sequence[str], at: int) -> Failure:
    place = _place(lines, at)
    # Programs say in which line they were, compilers also in which column.
    kind = FailureKind.BUILD if place and place.column else FailureKind.RUNTIME
    return Failure(NO_TOOL, kind, name, message.strip(), place)


def _diagnostic(lines: Sequence[str], at: int) -> Failure | None:
    """A place and what is wrong there; a rule's name makes it a linter's."""
    match = _DIAGNOSTIC.match(lines[at])
    if match is None or _WARNING.match(match[4] or match[5]) or _CALLER.fullmatch(match[5]):
        return None
    if _MINOR.search(match[5]):
        return None
    where = Location(plain_path(match[1]), int(match[2]), int(match[3]) if match[3] else None)
    if rule := _RULE.match(match[5]):
        return Failure(NO_TOOL, FailureKind.LINT, rule[1], rule[2], where)
    if behind := _RULE_BEHIND.match(match[5]):
        return Failure(NO_TOOL, FailureKind.LINT, behind[2], behind[1], where)
    return Failure(NO_TOOL, FailureKind.BUILD, "error", match[5], where)


def _complaint(lines: Sequence[str], at: int) -> Failure | None:
    """A line that says error, or what could not be done."""
    line = lines[at]
    match = _ERROR.match(line)
    said = match[1].strip() if match else ""
    if _CODE.fullmatch(said) or not (said or _complains(line)):
        return None
    text = said or _DRAWN.sub("", line).strip()
    if _COVERAGE.search(line):
        return Failure(NO_TOOL, FailureKind.TEST, "coverage", text)
    if rule := _RULE_BEHIND.match(text):
        return Failure(NO_TOOL, FailureKind.LINT, rule[2], rule[1])
    place = _place(lines, at)
    if alone := _RULE_ALONE.match(text):
        return Failure(NO_TOOL, FailureKind.LINT, alone[1], alone[2], place)
    building = (place and place.column) or _PACKAGES.search(line)
    return Failure(NO_TOOL, FailureKind.BUILD if building else FailureKind.RUNTIME, "error", text, place)


def _complains(line: str) -> bool:
    """Whether a line says what could not be done; a long one is an explanation."""
    if len(line) > 200 or _ADVICE.match(line) or _MINOR.search(line):
        return False
    return _COMPLAINT.search(line) is not None


def _last(lines: Sequence[str]) -> list[Failure]:
    said = [line.strip() for line in reversed(lines) if line.strip()]
    text = next((line for line in said if _SENTENCE.search(line)), said[0] if said else "")
    return [Failure(NO_TOOL, FailureKind.UNKNOWN, "error", text[:500], _place(lines, 0))] if text else []


def _place(lines: Sequence[str], at: int) -> Location | None:
    """The place named on a line, else the first below it, else the first above."""
    for line in (*lines[at:], *lines[:at]):
        for pattern in _PLACES:
            match = pattern.search(line)
            if match and not is_library(match[1]):
                column = int(match[3]) if match.lastindex == 3 else None
                return Location(plain_path(match[1]), int(match[2]), column)
    file = _NAMED_FILE.search(lines[at])
    return Location(file[1]) if file and "://" not in lines[at] else None
