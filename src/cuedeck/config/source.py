"""Where a value was written: a file with a line, an environment variable, or a flag."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cuedeck.model.errors import CueError, ErrorCode

_HEADER = re.compile(r"^\s*\[{1,2}(?P<path>[^\[\]]+)\]{1,2}\s*(#.*)?$")
_KEY = re.compile(
    r"""^\s*(?P<path>(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_PART = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")
# Python's parser takes time by the square of a key's parts.
_DEEP_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){100}""")


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Layer:
    """Parsed settings and the text they came from, so that a mistake can be pointed at."""

    name: str
    values: dict[str, Any]
    text: str | None = None
    brought_by_git: Callable[[], bool] = _never

    def where(self, path: tuple[str, ...]) -> dict[str, Any]:
        """File and line of a key, or the variable or flag that set it."""
        if self.text is None:
            return {"source": self.name}
        return {"file": self.name, "line": line_of(self.text, path)}


def line_of(text: str, path: tuple[str, ...]) -> int:
    """The line that sets the key, or that opens the closest table around it."""
    table: tuple[str, ...] = ()
    best, depth = 1, 0
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = _parts(header["path"])
            found = table
        elif key := _KEY.match(line):
            found = table + _parts(key["path"])
        else:
            continue
        if found == path:
            return number
        if len(found) > depth and path[: len(found)] == found:
            best, depth = number, len(found)
    return best


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))


def parse_toml(text: str) -> dict[str, Any]:
    """The values of a TOML text; a ValueError where it has mistakes or keys of more than a hundred parts."""
    if deep := _DEEP_KEY.search(text):
        line = text.count("\n", 0, deep.start()) + 1
        raise ValueError(f"A key has too many parts (at line {line}, column 1)")
    return tomllib.loads(text)


def read_layer(path: Path, name: str, brought_by_git: Callable[[], bool] = _never) -> Layer | None:
    """A configuration file as a layer; nothing when there is none."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):  # a home such as /dev/null
        return None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else f"not UTF-8 at byte {error.start}"
        hint = "Make the file readable UTF-8 text, or remove it."
        if not os.access(path.parent, os.X_OK):
            hint = f"Have its owner open {path.parent.name}/ to you (chmod a+rx), or use a clone of your own."
        raise CueError(
            ErrorCode.CONFIGURATION,
            f"Cannot read {name}: {reason}",
            data={"file": name},
            hint=hint,
        ) from error
    try:
        return Layer(name, parse_toml(text), text, brought_by_git)
    except (ValueError, RecursionError) as error:
        # Not only TOMLDecodeError: enormous numbers and deep nesting fail on their own.
        match = re.search(r"at line (\d+), column (\d+)", str(error))
        data: dict[str, Any] = {"file": name}
        if match:
            data |= {"line": int(match[1]), "column": int(match[2])}
        raise CueError(
            ErrorCode.CONFIGURATION,
            f"{name} is not valid TOML: {error}",
            data=data,
            hint="Correct the line, or run `cue init --force` to start from the default file.",
        ) from error
