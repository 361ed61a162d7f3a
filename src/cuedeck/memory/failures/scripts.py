"""Perl, Lua, shells, Tcl, awk and SQL shells: a message and the line of a script."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .model import Compared, Failure, FailureKind, Frame, Location
from .text import blame, plain_path

_PERL = re.compile(r"^(.+) at (\S+) line (\d+)(?:, <\w*> (?:line|chunk) \d+)?(?:\.?|, near .+)$")
_PERL_UNREADABLE = re.compile(
    r"^(?:syntax error|Can't locate \S+ in @INC|Global symbol|Bareword|Can't find string terminator"
    r"|Missing right|Unmatched right|Unrecognized character)"
)
_PERL_TEST = re.compile(r"^#\s+Failed test (?:'(.*)')?$")
_PERL_PLACE = re.compile(r"^#\s+(?:Failed test )?(?:\(|at )(\S+?) (?:at )?line (\d+)\)?\.?$")
_BATS = re.compile(r"^not ok \d+ (?!- )(.+?)(?: # .*| in \d+ms)?$")
_BATS_PLACE = re.compile(r"^# \((?:in test file|from function .+? in (?:test )?file) (\S+), line (\d+)[,)]")
_LUA = re.compile(r"^\S*lua\S*: (\(command line\)|\S+?\.?\w*):(\d+): (.+)$")
_LUA_FRAME = re.compile(
    r"^\s+(\(command line\)|\S+?):(\d+): in (?:(?:function|local|upvalue|method|field) '(.+?)'|.*)$"
)
_USAGE = re.compile(r"^(?:ERROR: )?[Uu]sage: ")
_USAGE_ERROR = re.compile(r"^(?:\S.*?: )?[Ee]rror: (.+)$")
_USAGE_BOX = re.compile(r"^[│|] (.*\S) *[│|]$")
_SAYING = re.compile(
    r"^([\w./+-]+): ((?:.+: )?(No such file or directory|Permission denied|Is a directory|Not a directory"
    r"|File exists|Directory not empty|Operation not permitted|Read-only file system|No space left on device"
    r"|Connection refused|Connection timed out|Device or resource busy|Text file busy"
    r"|Exec format error)(?: \(\d+\))?)$"
)
_GIT = re.compile(r"^fatal: (.+)$")
_PERL_WARNING = re.compile(
    r"^(?:Use of uninitialized value|Name \".+\" used only once|Argument \".*\" isn't numeric"
    r"|Odd number of elements|Scalar value .+ better written|Useless use of|Deep recursion on"
    r"|Subroutine \S+ redefined|\".+\" variable .+ masks earlier)"
)
_CONFLICT = re.compile(r"^CONFLICT \(.+?\): (.+)$")
_CURL = re.compile(r"^curl: \((\d+)\) (.+)$")
_DOCKER = re.compile(r"^(?:docker: |ERROR: )?(Cannot connect to the Docker daemon.*)$")
_ENDED = re.compile(
    r"^\d+ (Killed|Terminated|Hangup|Segmentation fault|Aborted|Bus error|Illegal instruction"
    r"|Floating point exception|Trace/breakpoint trap)(?: +\(core dumped\))? +(.+)$"
)
_SHELLS = ("bash", "sh", "dash", "zsh", "-bash", "/bin/sh", "/bin/bash")
_PID = re.compile(r"^\d+ (?=[A-Z])")
_BASH = re.compile(r"^(\S+): line (\d+): (.+)$")
_DASH = re.compile(
    r"^(\S+?): ?(\d+): (.+: (?:not found|Permission denied|parameter not set)|Syntax error: .+)$"
)
_SHELL_UNREADABLE = re.compile(r"^(?:syntax error|Syntax error|unexpected EOF|unexpected end of file)")
_TCL_FILE = re.compile(r'^\s+\(file "(.+)" line (\d+)\)$')
_AWK = re.compile(r"^[gmn]?awk: (\S+?):(?: line )?(\d+): (.+)$")
_SQLITE = re.compile(r"^(?:(Parse|Runtime) error|Error:)(?: near line \d+)?: (.+?)(?: \(\d+\))?$")
_PSQL = re.compile(r"^psql:(.+?):(\d+): (?:ERROR|FATAL|PANIC):\s+(.+)$")


def tests(lines: Sequence[str]) -> list[Failure]:
    """Test::More and bats: what follows ``not ok`` in comments."""
    found: list[Failure] = []
    for at, line in enumerate(lines):
        below = lines[at + 1 : at + 12]
        if match := _PERL_TEST.match(line):
            found.append(_perl_test(match[1], below))
        elif (match := _BATS.match(line)) and (place := _first(_BATS_PLACE, below)):
            said = next((text for text in below if text.startswith("#  ")), "#")
            location = Location(place[1], int(place[2]))
            found.append(
                Failure("bats", FailureKind.TEST, "Assertion", said[1:].strip(), location, test=match[1])
            )
    return found


def _perl_test(name: str | None, lines: Sequence[str]) -> Failure:
    place = _first(_PERL_PLACE, lines)
    location = Location(place[1], int(place[2])) if place else None
    got, wanted = (_first(re.compile(rf"^#\s+{word}: (.*)$"), lines) for word in ("got", "expected"))
    compared = Compared(wanted[1].strip("'"), got[1].strip("'")) if wanted and got else None
    message = f"got {got[1]}, expected {wanted[1]}" if wanted and got else "Failed test"
    return Failure(
        "perl test", FailureKind.TEST, "Assertion", message, location, test=name, compared=compared
    )


def perl(lines: Sequence[str]) -> list[Failure]:
    """What a script died of, or why it does not compile."""
    found = [match for line in lines if (match := _PERL.match(line))]
    telling = [
        match
        for match in found
        if not match[1].startswith("BEGIN failed") and not _PERL_WARNING.match(match[1])
    ]
    last = next((line for line in reversed(lines) if line.strip()), "")
    if found and not telling and not _PERL.match(last):
        # After its warnings the script died with a sentence of its own, which names no place.
        return [Failure("perl", FailureKind.RUNTIME, "die", last.strip())]
    for match in telling or found:
        message = re.sub(r" \(@INC .*\)$", "", match[1])
        kind = FailureKind.BUILD if _PERL_UNREADABLE.match(message) else FailureKind.RUNTIME
        place = Location(match[2], int(match[3]))
        return [Failure("perl", kind, "syntax" if kind is FailureKind.BUILD else "die", message, place)]
    return []


def lua(lines: Sequence[str]) -> list[Failure]:
    """An error with its traceback; without one the file did not parse."""
    for at, line in enumerate(lines):
        if match := _LUA.match(line):
            place = Location(plain_path(match[1]), int(match[2]))
            calls = [found for later in lines[at + 1 :] if (found := _LUA_FRAME.match(later))]
            frames = tuple(Frame(plain_path(m[1]), int(m[2]), m[3]) for m in reversed(calls))
            unreadable = not calls or re.search(r" near (?:'.+'|<\w+>)$", match[3])
            kind = FailureKind.BUILD if unreadable else FailureKind.RUNTIME
            return [Failure("lua", kind, "syntax" if unreadable else "error", match[3], place, frames)]
    return []


def shell(lines: Sequence[str]) -> list[Failure]:
    """Complaints of bash and dash about a line of a script."""
    for line in lines:
        if match := _BASH.match(line) or _DASH.match(line):
            kind = FailureKind.BUILD if _SHELL_UNREADABLE.match(match[3]) else FailureKind.RUNTIME
            # What was given by ``-c`` has no file to look into.
            place = None if match[1] in _SHELLS else Location(plain_path(match[1]), int(match[2]))
            if ended := _ENDED.match(match[3]):
                return [Failure("shell", kind, ended[1], f"{ended[1]}: {ended[2]}", place)]
            said = _PID.sub("", match[3])
            name = "syntax" if kind is FailureKind.BUILD else said.rpartition(": ")[2]
            return [Failure("shell", kind, name, said, place)]
    return []


def usage(lines: Sequence[str]) -> list[Failure]:
    """A program that was called with the wrong arguments."""
    if not any(_USAGE.match(line) for line in lines):
        return []
    found = _first(_USAGE_ERROR, lines) or _first(_USAGE_BOX, lines)
    return [Failure("usage", FailureKind.RUNTIME, "usage", found[1])] if found else []


def commands(lines: Sequence[str]) -> list[Failure]:
    """What a command of the system said of a file or a connection, and git's last words."""
    for line in lines:
        if match := _SAYING.match(line):
            return [Failure("shell", FailureKind.RUNTIME, match[3], f"{match[1]}: {match[2]}")]
        if match := _CONFLICT.match(line):
            place = re.search(r" in (\S+)$", match[1])
            return [
                Failure(
                    "git", FailureKind.RUNTIME, "conflict", match[1], Location(place[1]) if place else None
                )
            ]
        if match := _CURL.match(line):
            return [Failure("curl", FailureKind.RUNTIME, f"curl {match[1]}", match[2])]
        if match := _DOCKER.match(line):
            return [Failure("docker", FailureKind.RUNTIME, "docker", match[1])]
        if match := _GIT.match(line):
            return [Failure("git", FailureKind.RUNTIME, "fatal", match[1])]
    return []


def tcl(lines: Sequence[str]) -> list[Failure]:
    """The message stands above ``while executing``, the place below."""
    start = next(
        (at for at, line in enumerate(lines) if line.strip() in ("while executing", "while compiling")), 0
    )
    if not start:
        return []
    files = [match for line in lines[start:] if (match := _TCL_FILE.match(line))]
    frames = tuple(Frame(match[1], int(match[2])) for match in reversed(files))
    return [Failure("tcl", FailureKind.RUNTIME, "error", lines[start - 1].strip(), blame(frames), frames)]


def awk(lines: Sequence[str]) -> list[Failure]:
    """Programs that awk cannot read."""
    return [
        Failure("awk", FailureKind.BUILD, "syntax", match[3], Location(match[1], int(match[2])))
        for line in lines
        if (match := _AWK.match(line))
    ]


def sql(lines: Sequence[str]) -> list[Failure]:
    """Statements that psql or the shell of SQLite could not run."""
    found: list[Failure] = []
    for line in lines:
        if match := _PSQL.match(line):
            place = Location(match[1], int(match[2]))
            found.append(Failure("psql", FailureKind.RUNTIME, "ERROR", match[3], place))
        elif match := _SQLITE.match(line):
            found.append(Failure("sqlite", FailureKind.RUNTIME, f"{match[1] or 'SQL'} error", match[2]))
    return found


def _first(pattern: re.Pattern[str], lines: Sequence[str]) -> re.Match[str] | None:
    return next((match for line in lines if (match := pattern.match(line))), None)
