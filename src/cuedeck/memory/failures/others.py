"""Languages and tools met now and then: Elixir, OCaml, Fortran, R, Zig, Lisps, Terraform, rake, jq, fish."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from .model import Failure, FailureKind, Frame, Location
from .text import blame, plain_path, spans

_EXUNIT = re.compile(r"^\s{1,3}\d+\) ((?:test|doctest|property) .+)$")
_EX_PLACE = re.compile(r"^\s{4,}(?:\([\w .-]+\) )?(\S+\.exs?):(\d+): (.+)$")
_EX_AT = re.compile(r"^(\S+\.exs?):(\d+):(?:\d+:)? (.+)$")
_EX_RAISED = re.compile(r"^\*\* \(([\w.]+)\) (.+)$")
_OCAML = re.compile(r'^File "(.+?)", lines? (\d+)(?:-\d+)?, characters [\d-]+:$')
_ERROR = re.compile(r"^(?:Fatal )?Error: (.+)$")
_OCAML_RAISED = re.compile(r"^Fatal error: exception (\w[\w.]*)(?:[:(] ?(.+?)\)?)?$")
_OCAML_FRAME = re.compile(r'^\w.*? (?:at|from) (\S+) in file "(.+?)"(?: \(inlined\))?, lines? (\d+)')
_FORTRAN_AT = re.compile(r"^At line (\d+) of file (\S+)")
_FORTRAN_RUNTIME = re.compile(r"^Fortran runtime error: (.+)$")
_FORTRAN = re.compile(r"^(\S+\.\w+):(\d+):(\d+):$")
_R = re.compile(r"^Error(?: in (.+?) ?)?: ?(.*)$")
_ZIG = re.compile(r"^(?:\d+/\d+ )?(.+?)\.\.\.(.*)$")
_ZIG_FRAME = re.compile(r"^(\S.*?):(\d+):(\d+): 0x[0-9a-f]+ in (.+) \(.+\)$")
_LISP = re.compile(r"^Unhandled ([A-Z:-]+) in thread ")
_SCHEME = re.compile(r"^(?:(\S+?):(\d+):\d+: )?(In procedure .+)$")
_TERRAFORM = re.compile(r"^[│ ]*Error: (.+)$")
_TERRAFORM_PLACE = re.compile(r"^[│ ]*on (\S+) line (\d+)(?:, in .+)?:?$")
_RAKE_PLACE = re.compile(r"^(\S+?):(\d+):in [`'].+'$")
_JQ = re.compile(r"^jq: error(?: \(at ([^:()<>]+):(\d+)\))?: (.+)$")
_FISH = re.compile(r"^(\S+\.fish) \(line (\d+)\): (.+)$")


def exunit(lines: Sequence[str]) -> list[Failure]:
    """Numbered failures: the test, its place, what failed, and the stack at the end."""
    heads = [at for at, line in enumerate(lines) if _EXUNIT.match(line)]
    found: list[Failure] = []
    for at, end in spans(heads, len(lines)):
        said = [line.strip() for line in lines[at + 2 : end] if line.strip()]
        frames = _elixir_frames(lines[at + 2 : end])
        raised = _EX_RAISED.match(said[0]) if said else None
        kind, message = (raised[1], raised[2]) if raised else ("Assertion", said[0] if said else "")
        test = lines[at].split(") ", 1)[1]
        found.append(Failure("exunit", FailureKind.TEST, kind, message, blame(frames), frames, test))
    return found


def elixir(lines: Sequence[str]) -> list[Failure]:
    """An exception nobody rescued."""
    for at, line in enumerate(lines):
        if match := _EX_RAISED.match(line):
            frames = _elixir_frames(lines[at + 1 :])
            syntax = match[1] in ("SyntaxError", "CompileError", "TokenMissingError")
            kind = FailureKind.BUILD if syntax else FailureKind.RUNTIME
            text, where = match[2].strip(), blame(frames)
            if placed := _EX_AT.match(text):
                text, where = placed[3], Location(placed[1], int(placed[2]))
            return [Failure("elixir", kind, match[1], text, where, frames)]
    return []


def _elixir_frames(lines: Sequence[str]) -> tuple[Frame, ...]:
    """Outermost first; what stands in brackets before a place is the library it belongs to."""
    found = [m for line in lines if (m := _EX_PLACE.match(line)) and not line.lstrip().startswith("(")]
    return tuple(Frame(m[1], int(m[2]), m[3]) for m in reversed(found))


def ocaml(lines: Sequence[str]) -> list[Failure]:
    """OCaml and gfortran: the place first, the line itself, then the error."""
    for at, line in enumerate(lines):
        if place := _OCAML.match(line) or _FORTRAN.match(line):
            for later in lines[at + 1 : at + 12]:
                if match := _ERROR.match(later):
                    where = Location(plain_path(place[1]), int(place[2]))
                    return [Failure("compiler", FailureKind.BUILD, "error", match[1], where)]
    return []


def ocaml_exceptions(lines: Sequence[str]) -> list[Failure]:
    """An exception nobody handled, and where it came through."""
    for at, line in enumerate(lines):
        if match := _OCAML_RAISED.match(line):
            calls = [found for later in lines[at + 1 :] if (found := _OCAML_FRAME.match(later))]
            frames = tuple(Frame(m[2], int(m[3]), m[1]) for m in reversed(calls))
            own = [frame for frame in frames if not (frame.function or "").startswith("Stdlib")]
            text = match[2] or match[1]
            return [Failure("ocaml", FailureKind.RUNTIME, match[1], text, blame(own), frames)]
    return []


def fortran(lines: Sequence[str]) -> list[Failure]:
    """What the run-time library stopped a program for."""
    for above, line in pairwise(lines):
        if match := _FORTRAN_RUNTIME.match(line):
            place = _FORTRAN_AT.match(above)
            where = Location(place[2], int(place[1])) if place else None
            return [Failure("fortran", FailureKind.RUNTIME, "error", match[1], where)]
    return []


def r(lines: Sequence[str]) -> list[Failure]:
    """What stopped a script of R; it names the call, not the place."""
    if "Execution halted" not in lines:
        return []
    for at, line in enumerate(lines):
        if match := _R.match(line):
            text = match[2] or next((later.strip() for later in lines[at + 1 :] if later.strip()), "")
            frames = (Frame("", None, match[1]),) if match[1] else ()
            return [Failure("r", FailureKind.RUNTIME, "error", text, None, frames)]
    return []


def zig(lines: Sequence[str]) -> list[Failure]:
    """``zig test``: the test and what it said on one line, then the error and its frames."""
    for at, line in enumerate(lines[:-1]):
        failed = re.match(r"^FAIL \((\w+)\)$", lines[at + 1])
        match = _ZIG.match(line) if failed else None
        if failed and match:
            calls = [found for later in lines[at + 2 :] if (found := _ZIG_FRAME.match(later))]
            frames = tuple(Frame(m[1], int(m[2]), m[4]) for m in reversed(calls))
            own = [frame for frame in frames if "/lib/std/" not in frame.path] or frames
            text = match[2].strip() or failed[1]
            return [Failure("zig", FailureKind.TEST, failed[1], text, blame(own), frames, match[1])]
    return []


def lisp(lines: Sequence[str]) -> list[Failure]:
    """SBCL's unhandled condition, Guile's procedure that was called wrongly."""
    for at, line in enumerate(lines):
        if match := _LISP.match(line):
            words: list[str] = []
            for later in lines[at + 1 : at + 12]:
                if not later.strip():
                    break
                words += later.split() if not later.strip().startswith("{") else []
            return [Failure("lisp", FailureKind.RUNTIME, match[1], " ".join(words))]
        if match := _SCHEME.match(line):
            return [Failure("scheme", FailureKind.RUNTIME, "error", match[3])]
    return []


def terraform(lines: Sequence[str]) -> list[Failure]:
    """An error, and below it the file and line."""
    for at, line in enumerate(lines):
        match = _TERRAFORM.match(line)
        place = next((m for later in lines[at + 1 : at + 4] if (m := _TERRAFORM_PLACE.match(later))), None)
        if match and place:
            return [
                Failure("terraform", FailureKind.BUILD, "error", match[1], Location(place[1], int(place[2])))
            ]
    return []


def rake(lines: Sequence[str]) -> list[Failure]:
    """What a task died of."""
    if "rake aborted!" not in lines:
        return []
    at = lines.index("rake aborted!")
    places = [match for line in lines[at:] if (match := _RAKE_PLACE.match(line))]
    where = Location(places[0][1], int(places[0][2])) if places else None
    text = lines[at + 1] if at + 1 < len(lines) else ""
    return [Failure("rake", FailureKind.BUILD, "error", text, where)]


def one_liners(lines: Sequence[str]) -> list[Failure]:
    """jq and fish say what is wrong and where on one line."""
    for line in lines:
        if match := _JQ.match(line):
            where = Location(match[1], int(match[2])) if match[1] else None
            return [Failure("jq", FailureKind.RUNTIME, "error", match[3], where)]
        if match := _FISH.match(line):
            return [Failure("fish", FailureKind.BUILD, "syntax", match[3], Location(match[1], int(match[2])))]
    return []
