"""Whether git is about to move HEAD to the commit whose files it has just checked out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from cuedeck.code.git.gitindex import staged_tree
from cuedeck.code.git.repository import Repository

_FETCHED: Final = re.compile(r"^[0-9a-f]{40}\b", re.MULTILINE)


def is_switching(repository: Repository) -> bool:
    """Whether the index holds another commit's files than HEAD's, and HEAD may still follow.

    Git writes the index and moves HEAD afterwards, so an index that is older than HEAD waits for nothing
    (a soft reset), nor does one that was merged without a commit. One that holds a tree which was made since
    HEAD moved, and is no commit's that came since, holds a commit under way, or refused by a hook: its files
    are changes of what is checked out.
    """
    folder = Path(repository.git.path)
    # What may be replaced meanwhile is looked at last: it is then taken for newer than it is.
    merged = _changed_at(folder / "SQUASH_MSG")
    moved = max(_changed_at(folder / "HEAD"), _changed_at(repository.common / _branch(folder)))
    staged = staged_tree(folder)
    if staged is None or staged == repository.head_tree():
        return False
    if max(moved, merged) > _changed_at(folder / "index"):
        return False
    return _changed_at(_object(repository, staged)) <= moved or staged in _trees_since(repository, moved)


def _branch(folder: Path) -> str:
    """Where the branch that is checked out would be kept, or HEAD itself."""
    return _text(folder / "HEAD").strip().removeprefix("ref: ") or "HEAD"


def _trees_since(repository: Repository, moved: int) -> Iterator[str]:
    """The trees of the commits that refs lead to and that came after a moment, each as an object of its own.

    What came packed has its tree in the same pack, and is not asked about.
    """
    git: Any = repository.git
    pending = [str(reference.target) for reference in git.references.iterator()]
    pending += _FETCHED.findall(_text(Path(git.path, "FETCH_HEAD")))
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name in seen or _changed_at(_object(repository, name)) <= moved:
            continue
        seen.add(name)
        found = git.get(name)
        if found is not None and found.type_str == "tag":
            pending.append(str(found.target))
        elif found is not None and found.type_str == "commit":
            yield str(found.tree_id)
            pending += map(str, found.parent_ids)


def _object(repository: Repository, name: str) -> Path:
    return repository.common / "objects" / name[:2] / name[2:]


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return ""


def _changed_at(file: Path) -> int:
    """When a file was written; long ago where there is none."""
    try:
        return file.stat().st_mtime_ns
    except (OSError, ValueError):
        return 0
