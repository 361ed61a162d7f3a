"""What a workflow may be given: checked when it is triggered, so that a wrong input is an error at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path

from cuedeck.model.errors import CueError, invalid
from cuedeck.paths import confine
from cuedeck.workflows.model import JSON

Check = Callable[[Path, dict[str, JSON]], dict[str, JSON]]
Field = Callable[[Path, str, JSON], JSON]


def fields(required: Mapping[str, Field], optional: Mapping[str, Field] | None = None) -> Check:
    """Require these keys, allow those, and refuse any other."""
    known = {**required, **(optional or {})}

    def check(root: Path, given: dict[str, JSON]) -> dict[str, JSON]:
        for name in given:
            if name not in known:
                raise invalid(f"input.{name}", "one of " + ", ".join(known) if known else "no input", name)
        for name in required:
            if name not in given:
                raise _missing(name)
        return {name: known[name](root, f"input.{name}", value) for name, value in given.items()}

    return check


def _missing(name: str) -> CueError:
    error = invalid(f"input.{name}", "a value", None)
    option = "--path PATH" if name == "path" else f"--input '{{\"{name}\": VALUE}}'"
    error.hint = f"Name it in input; on the command line with {option}."
    return error


def markdown_path(root: Path, field: str, value: JSON) -> str:
    """A markdown file inside the workspace, whether or not it is there."""
    path = workspace_path(root, field, value)
    if not path.lower().endswith((".md", ".markdown")):
        raise invalid(field, "the path of a markdown file", value)
    return path


def workspace_path(root: Path, field: str, value: JSON) -> str:
    """A relative path that does not lead outside."""
    return confine(root, text(root, field, value)).relative


def text(_root: Path, field: str, value: JSON) -> str:
    """A string that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise invalid(field, "a string that is not empty", value)
    return value


def one_of(*words: str) -> Field:
    """One of these words."""

    def check(_root: Path, field: str, value: JSON) -> str:
        if value not in words:
            raise invalid(field, "one of " + ", ".join(words), value)
        return str(value)

    return check


def day(_root: Path, field: str, value: JSON) -> str:
    """A date as YYYY-MM-DD."""
    given = text(_root, field, value)
    try:
        found = date.fromisoformat(given)
    except ValueError as error:
        raise invalid(field, "a date as YYYY-MM-DD", value) from error
    if found.isoformat() != given or not 1970 <= found.year < 9999:
        raise invalid(field, "a date as YYYY-MM-DD, from 1970 on", value)
    return given
