"""How a failure ends a command: a sentence on stderr, or JSON, and an exit code."""

from __future__ import annotations

import errno
import json
import sys
from typing import Any

# By this name, which also works when an interrupt left click half imported.
from click.exceptions import Abort, ClickException, Exit

from cuedeck.cli.output import printable
from cuedeck.model.errors import CueError, ErrorCode, exit_code

FAILURE, CONFIGURATION, INTERRUPTED = 1, 101, 130

_OUT_OF_MEMORY = CueError(
    ErrorCode.UNAVAILABLE,
    "There is not enough memory",
    hint="Close other programs or raise the limit (ulimit -v); indexing goes on where it stopped.",
)
_NO_ROOM = CueError(
    ErrorCode.UNAVAILABLE,
    "No space left on device",
    hint="Make room where the output goes, or send it elsewhere.",
)


def exit_code_for(error: BaseException, arguments: list[str]) -> int:
    """Tell the user what happened and choose the exit code."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    as_json = "--json" in options
    match error:
        case SystemExit(code=code):
            return code if isinstance(code, int) else FAILURE
        case Exit(exit_code=code):
            return code
        case KeyboardInterrupt() | Abort():
            sys.stderr.write("Interrupted.\n")
            return INTERRUPTED
        case BrokenPipeError():
            return _reader_left()
        case CueError():
            tell(error, as_json=as_json)
            return exit_code(error)
        case ClickException():
            return _tell_usage(error, as_json)
        case OSError(filename=str()):
            tell(_refused_by_system(error), as_json=as_json)
            return FAILURE
        case OSError(errno=errno.ENOSPC):
            tell(_NO_ROOM, as_json=as_json)
            return _reader_left()
        case MemoryError():
            tell(_OUT_OF_MEMORY, as_json=as_json)
            return FAILURE
        case Exception():
            _tell_unexpected(error, options, as_json)
            return FAILURE
    raise error


def tell(error: CueError, *, as_json: bool) -> None:
    """Write an error the way a person would say it, or as JSON."""
    if as_json:
        _write_json(as_record(error))
        return
    place = _place(error.data)
    lines = [f"error: {error.message}"]
    if place and place not in error.message:
        lines.append(f"   at: {place}")
    if hint := error.hint or error.data.get("suggestion"):
        lines.append(f" hint: {hint}")
    sys.stderr.write(printable("\n".join(lines), sys.stderr) + "\n")


def as_record(error: CueError) -> dict[str, Any]:
    """The error as ``--json`` prints it."""
    return {
        "error": {
            "code": error.code.value,
            "message": error.message,
            "data": error.data,
            "hint": error.hint,
        }
    }


def _refused_by_system(error: OSError) -> CueError:
    """A full disk, a read-only folder, a missing permission: the user's to solve, and said so."""
    what = error.strerror or type(error).__name__
    return CueError(
        ErrorCode.UNAVAILABLE,
        f"{what}: {error.filename}",
        data={"path": str(error.filename)},
        hint="Check that the file or folder exists, has room, and may be read and written by you.",
    )


def _place(data: dict[str, Any]) -> str | None:
    where = data.get("file") or data.get("path")
    if not isinstance(where, str):
        return None
    return f"{where}, line {data['line']}" if "line" in data else where


def _tell_usage(error: ClickException, as_json: bool) -> int:
    if as_json:
        _write_json({"error": {"code": "usage", "message": error.format_message(), "data": {}, "hint": None}})
    else:
        error.show()
    return error.exit_code


def _tell_unexpected(error: Exception, options: list[str], as_json: bool) -> None:
    from cuedeck.cli.crash import record_crash

    crash = record_crash(error)
    if as_json:
        _write_json(as_record(crash))
    else:
        tell(crash, as_json=False)
    if "-v" in options or "--verbose" in options:
        import traceback

        traceback.print_exception(error)


def _reader_left() -> int:
    # Our output cannot be written: its reader went away (`cue … | head`), or the disk is full.
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return FAILURE


def _write_json(record: dict[str, Any]) -> None:
    sys.stderr.write(json.dumps(record, ensure_ascii=False, default=str) + "\n")
