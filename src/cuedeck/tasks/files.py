"""Files a task touches: when two claims on them would collide."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from cuedeck.model.errors import invalid
from cuedeck.tasks.text import checked

MAX_PATH = 4096


def checked_paths(field: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Workspace-relative paths, folders or patterns with ``*``; what leads outside is refused."""
    found = tuple(dict.fromkeys(checked(field, path, longest=MAX_PATH) for path in paths))
    for path in found:
        plain = _plain(path)
        if plain.startswith(("/", "../")) or plain == ".." or re.match(r"[A-Za-z]:", plain):
            raise invalid(field, "paths inside the workspace", path)
    return found


def collision(mine: Iterable[str], theirs: Iterable[str]) -> str | None:
    """The first of my paths that is equal to, inside or around one of theirs."""
    others = [_plain(path) for path in theirs]
    return next((path for path in mine if any(_overlap(_plain(path), other) for other in others)), None)


def _plain(path: str) -> str:
    return posixpath.normpath(path.strip().replace("\\", "/"))


def _overlap(one: str, other: str) -> bool:
    if "*" in one and "*" in other:
        return _nested(_fixed_part(one), _fixed_part(other))
    if "*" in one:
        one, other = other, one
    if "*" in other:
        return _matches(one, other) or _nested_in(_fixed_part(other), one)
    return _nested(one, other)


def _nested(one: str, other: str) -> bool:
    return _nested_in(one, other) or _nested_in(other, one)


def _nested_in(inner: str, outer: str) -> bool:
    return outer == "." or inner == outer or inner.startswith(outer + "/")


def _fixed_part(pattern: str) -> str:
    """The folder in front of the first wildcard."""
    return posixpath.dirname(pattern.split("*", 1)[0]) or "."


def _matches(path: str, pattern: str) -> bool:
    """``*`` stays inside a folder, ``**`` crosses folders; a folder that is matched holds its files."""
    parts = (
        {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}.get(part) or re.escape(part)
        for part in re.split(r"(\*\*/|\*\*|\*)", pattern)
    )
    return re.fullmatch("".join(parts) + "(?:/.*)?", path) is not None
