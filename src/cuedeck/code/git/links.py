"""Symbolic links of a ref: what leads through one is the file that it leads to."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Final

from cuedeck.code.git.repository import MissingBlob, Repository

_LINK: Final = 0o120000
# As many as any system follows in one path; more lead in a circle.
_MOST_FOLLOWED: Final = 8
# What a link says is a path; anything longer is none that could be followed.
_MOST_BYTES: Final = 4096


def links_of(repository: Repository, commit: str) -> dict[str, str]:
    """The links of a commit and what each says; those that this clone lacks are left out."""
    found: dict[str, str] = {}
    pending = [("", repository.tree(commit))]
    while pending:
        folder, tree = pending.pop()
        if tree is None:
            continue
        for path, entry in repository.entries(folder, tree):
            if entry.type_str == "tree":
                pending.append((path + "/", entry))
            elif entry.filemode == _LINK:
                try:
                    said = repository.read(str(entry.id))[:_MOST_BYTES]
                except MissingBlob:
                    continue
                found[path] = said.decode("utf-8", "replace")
    return found


def followed(path: str, links: Mapping[str, str]) -> str:
    """A path without the links that it leads through; itself where they lead out, or in a circle."""
    if not links:
        return path
    now = path
    for _ in range(_MOST_FOLLOWED):
        through = next((prefix for prefix in _prefixes(now) if prefix in links), None)
        if through is None:
            return now
        now = posixpath.normpath(
            posixpath.join(posixpath.dirname(through), links[through], now[len(through) + 1 :])
        )
        if now.startswith(("/", "..")):
            return path
    return path


def _prefixes(path: str) -> list[str]:
    """The folders that a path leads through, the outermost first, and the path itself."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
