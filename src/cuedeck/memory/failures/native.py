"""C and C++: compilers, linkers, sanitizers, asserts and uncaught exceptions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .model import Failure, FailureKind, Frame, Location
from .text import blame, is_library, plain_path

_COMPILER = re.compile(
    r"^(\S.*?\.[A-Za-z+]{1,4}):(\d+)(?:[:.](\d+)(?:-[\d.]+)?)?: ((?:fatal )?error): (.+?)"
    r"(?: \[(-W[\w=+-]+|[a-z]\w+(?:[-.]\w+)*)(?:,-[\w+-]+)*\])?$"
)
_WARNING = re.compile(r"^(\S.*?\.[A-Za-z+]{1,4}):(\d+)(?::(\d+))?: warning: (.+?) \[([\w.,-]+)\]$")
_FROM = re.compile(r"^(\S.*?\.[A-Za-z+]{1,4}):(\d+)(?::\d+)?:   required from here$")
_REFERENCE = re.compile(
    r"(?:^|[\s:])((?:/|\.|\w)[^\s:]*\.\w+):(\d+): "
    r"(undefined reference to [`'\"].*|multiple definition of [`'\"][^;]*)"
)
_SECTION_REFERENCE = re.compile(r"(?:^|[\s:])((?:/|\.|\w)[^\s:]*\.\w+):\(\.[\w.$]+\+0x[0-9a-f]+\): ")
_BARE_REFERENCE = re.compile(
    r"\b(undefined reference to [`'].+?'|multiple definition of [`'].+?'"
    r"|undefined symbol: \S+|cannot find -l\S+|unable to find library -l\S+)"
)
_SANITIZER = re.compile(r"^==\d+==\s*(?:ERROR|WARNING): (\w+Sanitizer): (?:attempting )?(\S+)(.*)$")
_THREAD = re.compile(r"^WARNING: (ThreadSanitizer): (.+?)(?: \(pid=\d+\))?$")
_STACK = re.compile(r"^\s+#\d+ (?:0x[0-9a-f]+ in )?(.+?) (\S+?):(\d+)(?::\d+)?(?: \(.*\))?$")
_RUNTIME = re.compile(r"^(\S+?):(\d+):(\d+): runtime error: (.+)$")
_VALGRIND = re.compile(r"^==\d+== ?(.*)$")
_VALGRIND_FRAME = re.compile(r"^\s+(?:at|by) 0x[0-9A-Fa-f]+: (.+?) \((\S+):(\d+)\)$")
_GDB = re.compile(r"^(?:Program|Thread .+) received signal (\w+), (.+)\.$")
_GDB_FRAME = re.compile(r"^#\d+\s+(?:0x[0-9a-f]+ in )?(.+?) \(.*\) at (\S+):(\d+)$")
_ASSERT = re.compile(r"^(?:\S+: )?(\S+?):(\d+): (?:(.+?): )?Assertion [`'](.+?)' failed\.?$")
_SIGNAL = re.compile(
    r"^(Segmentation fault|Aborted|Bus error|Killed|Illegal instruction|Floating point exception"
    r"|Trace/breakpoint trap)(?: \(core dumped\))?$"
)
_HEAP = re.compile(
    r"^((?:free|malloc|realloc|munmap_chunk|malloc_consolidate)\(\): .+|double free or corruption.*"
    r"|corrupted (?:size|double).*|\*\*\* (?:stack smashing|buffer overflow) detected \*\*\*.*)$"
)
_TERMINATE = re.compile(r"^terminate called after throwing an instance of '(.+)'$")


def diagnostics(lines: Sequence[str]) -> list[Failure]:
    """Errors of gcc and clang; inside a library header, the project's line that led there."""
    found: list[Failure] = []
    origin: Location | None = None
    for line in lines:
        if match := _FROM.match(line):
            origin = Location(match[1], int(match[2]))
        elif match := _COMPILER.match(line):
            place = Location(plain_path(match[1]), int(match[2]), int(match[3]) if match[3] else None)
            flag = match[6].replace("-Werror=", "-W").replace("-Werror", "") if match[6] else ""
            chosen = origin if origin and is_library(place.path) else place
            checked = flag and not flag.startswith("-W")
            kind = FailureKind.LINT if checked else FailureKind.BUILD
            found.append(Failure("cc", kind, flag or match[4], match[5], chosen))
            origin = None
    return found


def warnings(lines: Sequence[str]) -> list[Failure]:
    """What gcc, clang or clang-tidy only warn about, when nothing worse happened."""
    return [
        Failure("cc", FailureKind.LINT, match[5], match[4], Location(plain_path(match[1]), int(match[2])))
        for line in lines
        if (match := _WARNING.match(line))
    ]


def linker(lines: Sequence[str]) -> list[Failure]:
    """Undefined and doubly defined symbols."""
    found: list[Failure] = []
    for line in lines:
        match = _REFERENCE.search(line)
        bare = match or _BARE_REFERENCE.search(line)
        if bare is None or bare is match is None:
            continue
        text = (match[3] if match else bare[1]).strip()
        place = Location(match[1], int(match[2])) if match else _section_of(line)
        name = re.match(r"(?:undefined|multiple|cannot|unable to) \w+", text)
        found.append(Failure("ld", FailureKind.BUILD, name[0] if name else "link", text, place))
    return found


def _section_of(line: str) -> Location | None:
    """Without debugging information the linker knows the file, but a place in its machine code only."""
    match = _SECTION_REFERENCE.search(line)
    return Location(match[1]) if match else None


def sanitizers(lines: Sequence[str]) -> list[Failure]:
    """Address, leak, memory, thread and undefined-behaviour sanitizer reports."""
    found: list[Failure] = []
    for at, line in enumerate(lines):
        if match := _SANITIZER.match(line) or _THREAD.match(line):
            found.append(_report(match, lines, at))
        elif match := _RUNTIME.match(line):
            frames = _frames(lines, at + 1)
            place = Location(plain_path(match[1]), int(match[2]), int(match[3]))
            found.append(Failure("ubsan", FailureKind.RUNTIME, "undefined-behavior", match[4], place, frames))
    return found


def _report(match: re.Match[str], lines: Sequence[str], at: int) -> Failure:
    frames = _frames(lines, at + 1)
    leak = match[1] == "LeakSanitizer"
    name = "memory-leak" if leak else match[2].replace(" ", "-")
    access = next((line for line in lines[at + 1 : at + 3] if re.match(r"^(READ|WRITE) of size", line)), "")
    text = "detected memory leaks" if leak else f"{match[2]} {access.partition(' at ')[0]}".strip()
    return Failure(match[1], FailureKind.RUNTIME, name, text, blame(frames), frames)


def _frames(lines: Sequence[str], at: int) -> tuple[Frame, ...]:
    """The first stack below a line, outermost first."""
    frames: list[Frame] = []
    for line in lines[at : at + 60]:
        if match := _STACK.match(line):
            frames.append(Frame(match[2], int(match[3]), match[1]))
        elif frames and not line.lstrip().startswith("#"):
            break
    return tuple(reversed(frames))


def valgrind(lines: Sequence[str]) -> list[Failure]:
    """Each report of memcheck: a sentence and the stack below it."""
    told = [match[1] for line in lines if (match := _VALGRIND.match(line))]
    found: list[Failure] = []
    for at, line in enumerate(told[:-1]):
        if line and line[0] != " " and told[at + 1].startswith("   at 0x"):
            end = next((n for n in range(at + 1, len(told)) if not told[n].startswith("   ")), len(told))
            calls = [match for call in told[at + 1 : end] if (match := _VALGRIND_FRAME.match(call))]
            frames = tuple(Frame(m[2], int(m[3]), m[1]) for m in reversed(calls))
            text = line.partition(" in loss record ")[0]
            found.append(Failure("valgrind", FailureKind.RUNTIME, "memcheck", text, blame(frames), frames))
    return found


def gdb(lines: Sequence[str]) -> list[Failure]:
    """A signal that the debugger caught, and the backtrace."""
    for at, line in enumerate(lines):
        if match := _GDB.match(line):
            calls = [found for later in lines[at + 1 :] if (found := _GDB_FRAME.match(later))]
            frames = tuple(Frame(m[2], int(m[3]), m[1]) for m in reversed(calls))
            return [Failure("gdb", FailureKind.RUNTIME, match[1], match[2], blame(frames), frames)]
    return []


def aborts(lines: Sequence[str]) -> list[Failure]:
    """A failed ``assert`` and an exception nobody caught."""
    found: list[Failure] = []
    for at, line in enumerate(lines):
        if match := _ASSERT.match(line):
            frame = Frame(match[1], int(match[2]), match[3])
            found.append(
                Failure(
                    "assert",
                    FailureKind.RUNTIME,
                    "assertion",
                    match[4],
                    Location(match[1], int(match[2])),
                    (frame,),
                )
            )
        elif match := _TERMINATE.match(line):
            what = next(
                (
                    m[1]
                    for later in lines[at + 1 : at + 3]
                    if (m := re.match(r"^\s*what\(\):\s*(.*)$", later))
                ),
                "",
            )
            found.append(Failure("c++", FailureKind.RUNTIME, match[1], what))
    return found


def signals(lines: Sequence[str]) -> list[Failure]:
    """What the C library or the shell says of a process that a signal ended."""
    said = next((match for line in lines if (match := _HEAP.match(line))), None)
    ended = next((match for line in lines if (match := _SIGNAL.match(line))), None)
    told = said or ended
    if told is None:
        return []
    return [Failure("c", FailureKind.RUNTIME, ended[1] if ended else "Aborted", told[1])]
