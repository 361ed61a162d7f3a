"""Type checkers and linters: mypy, pyright, ruff, flake8, pylint, tsc, eslint, shellcheck."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from .model import Failure, FailureKind, Location
from .text import number, plain_path

_MYPY = re.compile(r"^(\S.*?\.pyi?):(\d+)(?::(\d+))?(?::\d+:\d+)?: error: (.+?)(?:  \[([\w-]+)\])?$")
_MYPY_FILE = re.compile(r"^(\S.*?\.pyi?): error: (.+?)(?:  \[([\w-]+)\])?$")
_MYPY_SUM = re.compile(r"^Found \d+ errors? in \d+ files? ")
_MYPY_REST = re.compile(r"^(?:(\S.*?)  | ?)\[([\w-]+)\]$")
_PYRIGHT = re.compile(r"^\s*(\S.*?\.pyi?):(\d+):(\d+) - error: (.+?)(?: \((report\w+)\))?$")
_RULE = re.compile(r"\((report\w+)\)$")
_LINT = re.compile(
    r"^(\S.*?\.(?:pyi?|ipynb)):(\d+):(\d+): ([A-Z]{1,4}\d{2,4}|invalid-syntax):? (?:\[\*\] )?(.+)$"
)
_BRACKETED = re.compile(r"^(\S.*?\.pyi?):(\d+): \[([A-Z]{1,4}\d{2,4})(?:\([\w-]+\))?(?:, [^\]]*)?\] (.+)$")
_GROUP = re.compile(r"^(\S.*\.(?:pyi?|ipynb)):$")
_GROUPED = re.compile(r"^\s+(\d+):(\d+)\s+([A-Z]{1,5}\d{2,4}|invalid-syntax):? (?:\[\*\] )?(.+)$")
_PYFLAKES = re.compile(r"^(\S.*?\.pyi?):(\d+):(\d+):? (.+)$")
_UNFORMATTED = re.compile(
    r"^(?:ERROR: (\S.*?\.pyi?) (Imports are incorrectly sorted.*)|([Ww]ould reformat):? (\S.*)"
    r"|(Diff) in (\S.*?)(?: at line |:)(\d+):|\[warn\] (\S+\.\w+))$"
)
_RUFF = re.compile(r"^([A-Z]{1,5}\d{2,4}|invalid-syntax):? (?:\[\*\] )?(.+)$")
_TY = re.compile(r"^error\[([a-z-]+)\]: (.+)$")
_ARROW = re.compile(r"^\s*--> (.+?):(\d+):(\d+)$")
_PYLINT_NAME = re.compile(r" \([a-z-]+\)$")
_TSC = re.compile(r"^(\S.*?\.(?:[cm]?[jt]sx?|vue|svelte|astro))\((\d+),(\d+)\): error (TS\d+): (.+)$")
_TSC_PRETTY = re.compile(r"^(\S.*?\.(?:[cm]?[jt]sx?|vue|svelte|astro)):(\d+):(\d+) - error (TS\d+): (.+)$")
_TSC_GLOBAL = re.compile(r"^error (TS\d+): (.+)$")
_PARENTHESES = re.compile(
    r"^\s*(\S.*?\.\w{1,4})\((\d+)(?:, ?(\d+))?\)\s?:? (?:fatal )?[Ee]rror(?: (\w+))?: (.+?)(?: \[\S+\])?$"
)
_SVELTE_PLACE = re.compile(r"^(\S+\.\w+):(\d+):(\d+)$")
_SVELTE = re.compile(r"^Error: (.+?) \((ts|js|svelte|css)\)$")
_UNIX = re.compile(r"^(\S.*?\.[cm]?[jt]sx?):(\d+):(\d+): (.+) \[(Error|Warning)/(\S+)\]$")
_SHELLCHECK_PLACE = re.compile(r"^In (\S+) line (\d+):$")
_SHELLCHECK = re.compile(r"^\s*\^-*\^? (SC\d+) \(\w+\): (.+)$")
_ESLINT_FILE = re.compile(r"^(?:[A-Za-z]:)?[^\s:][^:]*\.\w+$")
_ESLINT = re.compile(r"^\s+(\d+):(\d+)\s+(error|warning|✖|⚠)\s+(.+?)(?:\s{2,}(\S+))?$")
_ESLINT_ITSELF = re.compile(r"^ESLint: \d")
_BIOME = re.compile(r"^(\S+):(\d+):(\d+) ((?:lint|assist)/\S+|parse|format)\b")
_BANDIT = re.compile(r"^>> Issue: \[(\w+)(?::\w+)?\] (.+)$")
_BANDIT_PLACE = re.compile(r"^\s+Location: (\S+?):(\d+):(\d+)$")
_SQLFLUFF_FILE = re.compile(r"^== \[(.+)\] FAIL$")
_SQLFLUFF = re.compile(r"^L:\s*(\d+) \| P:\s*(\d+) \|\s*(\w+) \| (.+)$")


def mypy(lines: Sequence[str]) -> list[Failure]:
    found: list[Failure] = []
    for at, line in enumerate(lines):
        if match := _MYPY.match(line):
            text, code = match[4], match[5]
            if code is None:
                text, code = _wrapped(text, lines[at + 1 : at + 6])
            place = Location(match[1], int(match[2]), number(match[3]))
            kind = FailureKind.BUILD if code == "syntax" else FailureKind.TYPE
            found.append(Failure("mypy", kind, code or "error", text, place))
    return found or _mypy_files(lines)


def _wrapped(text: str, following: Sequence[str]) -> tuple[str, str | None]:
    """A message that ``--pretty`` wraps at the width of the terminal, its code included."""
    whole = text
    for line in following:
        if rest := _MYPY_REST.match(line):
            return f"{whole} {rest[1] or ''}".rstrip(), rest[2]
        if not line or line[0] == " " or _MYPY.match(line):
            break
        whole = f"{whole} {line}"
    return text, None


def _mypy_files(lines: Sequence[str]) -> list[Failure]:
    """What mypy has against whole files; argparse writes alike, but counts nothing."""
    if not any(_MYPY_SUM.match(line) for line in lines):
        return []
    found = [match for line in lines if (match := _MYPY_FILE.match(line))]
    return [Failure("mypy", FailureKind.TYPE, m[3] or "error", m[2], Location(m[1])) for m in found]


def pyright(lines: Sequence[str]) -> list[Failure]:
    found: list[Failure] = []
    for at, line in enumerate(lines):
        if match := _PYRIGHT.match(line):
            rule = match[5] or next(
                (m[1] for later in lines[at + 1 : at + 6] if (m := _RULE.search(later))), None
            )
            place = Location(match[1], int(match[2]), int(match[3]))
            found.append(Failure("pyright", FailureKind.TYPE, rule or "error", match[4], place))
    return found


def linters(lines: Sequence[str]) -> list[Failure]:
    """The one-line forms that flake8, pylint and ``ruff --output-format concise`` share."""
    found: list[Failure] = []
    for line in lines:
        if match := _LINT.match(line):
            place = Location(match[1], int(match[2]), int(match[3]))
            found.append(_finding("lint", match[4], _PYLINT_NAME.sub("", match[5]), place))
        elif match := _BRACKETED.match(line):
            found.append(_finding("lint", match[3], match[4], Location(match[1], int(match[2]))))
    return found


def grouped(lines: Sequence[str]) -> list[Failure]:
    """A file, then its findings, as ``ruff --output-format grouped`` has it."""
    found: list[Failure] = []
    file: str | None = None
    for line in lines:
        if match := _GROUP.match(line):
            file = match[1]
        elif file and (match := _GROUPED.match(line)):
            found.append(_finding("ruff", match[3], match[4], Location(file, int(match[1]), int(match[2]))))
    return found


def pyflakes(lines: Sequence[str]) -> list[Failure]:
    """A place and a sentence, without a rule."""
    return [
        Failure("pyflakes", FailureKind.LINT, "pyflakes", match[4], Location(match[1], int(match[2])))
        for line in lines
        if (match := _PYFLAKES.match(line))
    ]


def formatters(lines: Sequence[str]) -> list[Failure]:
    """Files that isort, black, ``ruff format``, rustfmt or prettier would write otherwise."""
    found: list[Failure] = []
    for line in lines:
        if match := _UNFORMATTED.match(line):
            place = Location(
                match[1] or match[4] or match[6] or match[8], int(match[7]) if match[7] else None
            )
            text = match[2] or ("The file is not formatted" if not match[3] else match[0])
            found.append(Failure("format", FailureKind.LINT, "format", text, place))
    return found


def ruff(lines: Sequence[str]) -> list[Failure]:
    """A rule and its text, then an arrow to the place; ty writes its errors alike."""
    found: list[Failure] = []
    for line, following in pairwise(lines):
        arrow = _ARROW.match(following)
        place = Location(arrow[1], int(arrow[2]), int(arrow[3])) if arrow else None
        if place and (rule := _RUFF.match(line)):
            found.append(_finding("ruff", rule[1], rule[2], place))
        elif place and place.path.endswith((".py", ".pyi")) and (rule := _TY.match(line)):
            found.append(Failure("ty", FailureKind.TYPE, rule[1], rule[2], place))
    return found


def _finding(tool: str, rule: str, text: str, place: Location) -> Failure:
    broken = rule in ("invalid-syntax", "E999", "E0001")
    return Failure(tool, FailureKind.BUILD if broken else FailureKind.LINT, rule, text, place)


def tsc(lines: Sequence[str]) -> list[Failure]:
    """TS1xxx is about syntax, everything else about types or names."""
    found: list[Failure] = []
    for line in lines:
        if match := _TSC.match(line) or _TSC_PRETTY.match(line):
            place = Location(plain_path(match[1]), int(match[2]), int(match[3]))
            syntax = re.match(r"^TS1\d{3}$", match[4])
            kind = FailureKind.BUILD if syntax else FailureKind.TYPE
            found.append(Failure("tsc", kind, match[4], match[5], place))
        elif match := _TSC_GLOBAL.match(line):
            found.append(Failure("tsc", FailureKind.BUILD, match[1], match[2]))
    return found


def svelte(lines: Sequence[str]) -> list[Failure]:
    """svelte-check: a place, and below it what one of the languages of a component has against it."""
    found: list[Failure] = []
    for line, following in pairwise(lines):
        match, place = _SVELTE.match(following), _SVELTE_PLACE.match(line)
        if match and place:
            kind = FailureKind.TYPE if match[2] in ("ts", "js") else FailureKind.BUILD
            where = Location(plain_path(place[1]), int(place[2]), int(place[3]))
            found.append(Failure("svelte-check", kind, match[2], match[1], where))
    return found


def parentheses(lines: Sequence[str]) -> list[Failure]:
    """The C#, Microsoft C++ and Nim compilers: ``file(line,column): error CODE: message``, each once."""
    found: dict[str, Failure] = {}
    for line in lines:
        if match := _PARENTHESES.match(line):
            place = Location(plain_path(match[1]), int(match[2]), int(match[3]) if match[3] else None)
            code = match[4] or "error"
            found.setdefault(match[0], Failure("compiler", FailureKind.BUILD, code, match[5], place))
    return list(found.values())


def shellcheck(lines: Sequence[str]) -> list[Failure]:
    """A place, the line itself, and what is said below it."""
    found: list[Failure] = []
    place: Location | None = None
    for line in lines:
        if match := _SHELLCHECK_PLACE.match(line):
            place = Location(match[1], int(match[2]))
        elif place and (match := _SHELLCHECK.match(line)):
            found.append(Failure("shellcheck", FailureKind.LINT, match[1], match[2], place))
    return found


def unix(lines: Sequence[str]) -> list[Failure]:
    """eslint with ``--format unix``."""
    found = [match for line in lines if (match := _UNIX.match(line))]
    return [
        Failure(
            "eslint", FailureKind.LINT, match[6], match[4], Location(match[1], int(match[2]), int(match[3]))
        )
        for match in sorted(found, key=lambda match: match[5])
    ]


def eslint(lines: Sequence[str]) -> list[Failure]:
    """A file, then its findings; errors before warnings."""
    found: list[tuple[bool, Failure]] = []
    file: str | None = None
    for line in lines:
        if _ESLINT_FILE.match(line):
            file = line
        elif file and (match := _ESLINT.match(line)):
            broken = match[4].startswith("Parsing error: ")
            text = match[4].removeprefix("Parsing error: ")
            rule = "parsing-error" if broken else match[5] or "eslint"
            place = Location(file, int(match[1]), int(match[2]))
            minor = match[3] in ("warning", "⚠")
            found.append((minor, Failure("eslint", FailureKind.LINT, rule, text, place)))
    return [failure for _, failure in sorted(found, key=lambda entry: entry[0])] or _eslint_itself(lines)


def _eslint_itself(lines: Sequence[str]) -> list[Failure]:
    """eslint that could not begin says its version and, below, why."""
    start = next((at for at, line in enumerate(lines) if _ESLINT_ITSELF.match(line)), None)
    said = next((line for line in lines[start + 1 :] if line.strip()), "") if start is not None else ""
    return [Failure("eslint", FailureKind.LINT, "eslint", said)] if said else []


def biome(lines: Sequence[str]) -> list[Failure]:
    """A place and a rule, and below them what is wrong."""
    found: list[Failure] = []
    for at, line in enumerate(lines):
        if match := _BIOME.match(line):
            said = (text.strip() for text in lines[at + 1 : at + 5])
            text = next((one[1:].strip() for one in said if one[:1] in ("×", "✖", "!")), "")
            kind = FailureKind.BUILD if match[4] == "parse" else FailureKind.LINT
            found.append(Failure("biome", kind, match[4], text, Location(match[1], int(match[2]))))
    return found


def bandit(lines: Sequence[str]) -> list[Failure]:
    """An issue, and some lines below it the place."""
    found: list[Failure] = []
    for at, line in enumerate(lines):
        if match := _BANDIT.match(line):
            place = next((m for later in lines[at + 1 : at + 8] if (m := _BANDIT_PLACE.match(later))), None)
            where = Location(plain_path(place[1]), int(place[2])) if place else None
            found.append(Failure("bandit", FailureKind.LINT, match[1], match[2], where))
    return found


def sqlfluff(lines: Sequence[str]) -> list[Failure]:
    """A file, then its findings in columns."""
    found: list[Failure] = []
    file = ""
    for line in lines:
        if match := _SQLFLUFF_FILE.match(line):
            file = match[1]
        elif file and (match := _SQLFLUFF.match(line)):
            place = Location(file, int(match[1]), int(match[2]))
            kind = FailureKind.BUILD if match[3] == "PRS" else FailureKind.LINT
            found.append(Failure("sqlfluff", kind, match[3], match[4], place))
    return found
