"""The clipboard: a program of the desktop where there is one, the terminal itself where there is not."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

# Terminals and multiplexers silently drop longer sequences; there is no acknowledgement.
TERMINAL_LIMIT: Final = 74_000
_TIMEOUT: Final = 3.0


def copy(text: str, environ: Mapping[str, str] | None = None) -> str | None:
    """Copy a text; how it was done, or nothing when there is no clipboard."""
    environ = os.environ if environ is None else environ
    if not _remote(environ):
        for program in _programs(environ):
            if _run(program, text):
                return program[0]
    if _to_terminal(text, environ):
        return "the terminal"
    return None


def _remote(environ: Mapping[str, str]) -> bool:
    return bool(environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"))


def _programs(environ: Mapping[str, str]) -> list[list[str]]:
    """Commands that take the text on stdin, those that fit this session first."""
    found: list[list[str]] = []
    if sys.platform == "darwin":
        found.append(["pbcopy"])
    if sys.platform == "win32":
        found.append(["clip.exe"])
    if environ.get("WAYLAND_DISPLAY"):
        found.append(["wl-copy"])
    if environ.get("DISPLAY"):
        found += [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    if environ.get("WSL_DISTRO_NAME"):
        found.append(["clip.exe"])
    return [command for command in found if shutil.which(command[0], path=environ.get("PATH"))]


def _run(command: list[str], text: str) -> bool:
    encoded = text.encode("utf-16" if command[0] == "clip.exe" else "utf-8")
    try:
        done = subprocess.run(
            command,
            input=encoded,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def terminal_sequence(text: str, environ: Mapping[str, str]) -> bytes | None:
    """The OSC 52 sequence that asks a terminal to copy, wrapped for tmux; nothing when it is too long."""
    encoded = base64.b64encode(text.encode())
    if len(encoded) > TERMINAL_LIMIT:
        return None
    sequence = b"\x1b]52;c;" + encoded + b"\x07"
    if environ.get("TMUX"):
        return b"\x1bPtmux;" + sequence.replace(b"\x1b", b"\x1b\x1b") + b"\x1b\\"
    return sequence


def _to_terminal(text: str, environ: Mapping[str, str]) -> bool:
    terminal = next((stream for stream in (sys.stderr, sys.stdout) if stream.isatty()), None)
    sequence = terminal_sequence(text, environ)
    if terminal is None or sequence is None:
        return False
    try:
        terminal.flush()
        with open(terminal.fileno(), "wb", buffering=0, closefd=False) as raw:
            raw.write(sequence)
    except OSError:
        return False
    return True
