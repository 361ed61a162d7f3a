"""Opening a file at a line in whatever editor the user has."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from cuedeck.model.errors import CueError, ErrorCode

_PLUS_LINE = (
    "vi",
    "vim",
    "nvim",
    "view",
    "nano",
    "emacs",
    "emacsclient",
    "kak",
    "micro",
    "joe",
    "mg",
    "ne",
    "pico",
)
_GOTO = ("code", "code-insiders", "codium", "cursor", "windsurf")
_COLON = ("hx", "helix", "subl", "zed", "lapce", "atom")
_USUAL = ("nano", "vim", "vi", "notepad")


def editor_command(path: Path, line: int, environ: dict[str, str] | None = None) -> list[str]:
    """The command that opens the file there: ``$VISUAL``, ``$EDITOR``, or an editor that is installed."""
    environ = dict(os.environ) if environ is None else environ
    chosen = environ.get("VISUAL") or environ.get("EDITOR") or _installed()
    if not chosen:
        raise CueError(
            ErrorCode.UNAVAILABLE,
            f"No editor to open {path} with",
            hint="Set EDITOR, for example EDITOR=nano; without a terminal, change the file itself.",
        )
    words = shlex.split(chosen)
    name = Path(words[0]).name.removesuffix(".exe")
    if name in _PLUS_LINE:
        return [*words, f"+{line}", str(path)]
    if name in _GOTO:
        return [*words, "--goto", f"{path}:{line}"]
    return [*words, f"{path}:{line}" if name in _COLON else str(path)]


def _installed() -> str | None:
    """A usual editor; where there is no terminal it would wait for ever."""
    seen = sys.stdin.isatty() and sys.stdout.isatty()
    return next(filter(shutil.which, _USUAL), None) if seen else None


def edit(path: Path, line: int) -> int:
    """Run the editor and wait for it; its exit code."""
    command = editor_command(path, line)
    try:
        return subprocess.run(command).returncode
    except OSError as error:
        raise CueError(
            ErrorCode.UNAVAILABLE,
            f"Cannot start {command[0]}: {error.strerror}",
            hint="Set EDITOR to an editor that is installed.",
        ) from error
