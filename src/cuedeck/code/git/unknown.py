"""What is said of a ref that git does not know."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from cuedeck.model.errors import CueError, ErrorCode, invalid, shortened

if TYPE_CHECKING:
    from cuedeck.code.git.repository import Repository

# Git takes nothing shorter for the beginning of an id.
_SHORTEST_ID = 4
_MOST_COMPARED = 10_000
_OTHERS = {"tree": "folder", "blob": "file", "tag": "tag of a folder or file"}
# What follows a name to say how far back a commit is; no branch is called so.
_OF_HISTORY = frozenset("~^")
_FOLDERS = ("refs/heads/", "refs/tags/", "refs/remotes/")
_HINT = "list_refs names what is indexed; index_repo (`cue index --ref`) indexes others that git knows."
_SHALLOW = "This clone is shallow, and what is older than it is not here: `git fetch --unshallow` brings it."


def unknown_ref(
    name: str, repository: Repository | None = None, *, unreadable: str = "", plain: bool = False
) -> CueError:
    """The contract's answer to a ref that git does not know or that was never indexed."""
    if not name:
        return invalid("ref", "a branch, tag or commit; left out, it is the checked-out one", name)
    shown = shortened(name)
    message, hint = f"There is no branch, tag or commit {shown} here", _HINT
    is_name = not _OF_HISTORY & set(name)
    near = _nearest(repository, name) if repository is not None and is_name else []
    if unreadable:
        message = f"The git repository here cannot be opened, so {shown} is unknown: {unreadable}"
        hint = "Ask without a ref: the answer is then about the files on disk."
    elif plain:
        message = f"This folder is not a git repository, so there is no branch, tag or commit {shown}"
        hint = "Ask without a ref: the answer is then about the files on disk."
    elif repository is not None and _is_ambiguous(repository, name):
        message = f"{shown} is the beginning of several ids, so it is no commit's"
        hint = "Give more of the id."
    elif repository is not None and (kind := _kind_of_object(repository, name)) is not None:
        message = f"{shown} is a {kind} and not a commit"
        hint = f"Name a commit that holds it. {_HINT}"
        near = []
    elif repository is not None and _is_kept(repository, name):
        message = f"{shown} names a commit that is not in this repository"
        hint = "`git fsck` tells what is missing, and `git fetch` may bring it."
        near = []
    elif ".." in name:
        hint = "A range is compared by diff_context, with its ends as base_ref and head_ref."
    elif near:
        hint = f"Did you mean {' or '.join(near)}? {_HINT}"
    elif repository is not None and repository.is_shallow:
        hint = f"{_SHALLOW} {_HINT}"
    data = {"ref": shown, "nearest": near} if near else {"ref": shown}
    return CueError(ErrorCode.REF_NOT_INDEXED, message, data=data, hint=hint)


def _nearest(repository: Repository, name: str) -> list[str]:
    """Branches and tags that are called nearly so, the nearest first."""
    found = repository.git.raw_listall_references()
    if len(found) > _MOST_COMPARED:
        return []
    known: dict[str, tuple[str, str]] = {}
    for full in (each.decode("utf-8", "replace") for each in found):
        short = next((full.removeprefix(folder) for folder in _FOLDERS if full.startswith(folder)), full)
        known.setdefault(short.casefold(), (short, full))
    near = [known[each] for each in get_close_matches(name.casefold(), known, n=3, cutoff=0.7)]
    # What looks like an option is a branch only by its full name.
    return [full if short == name else short for short, full in near]


def _is_kept(repository: Repository, name: str) -> bool:
    """Whether there is a branch or tag of that name, wherever it leads; one like an option is none."""
    import pygit2

    if name.startswith("-") or not pygit2.reference_is_valid_name(_FOLDERS[0] + name):
        return False
    return any(repository.is_kept(folder, name) for folder in _FOLDERS)


def _is_ambiguous(repository: Repository, name: str) -> bool:
    """Whether several objects have ids that begin so."""
    import pygit2

    if len(name) < _SHORTEST_ID:
        return False
    try:
        repository.git.revparse_single(name)
    except (pygit2.GitError, ValueError, KeyError, TypeError) as error:
        return "ambiguous" in str(error)
    return False


def _kind_of_object(repository: Repository, name: str) -> str | None:
    """What a name stands for that is no commit: a tag may be one of a tree or of a file."""
    import pygit2

    try:
        return _OTHERS.get(repository.git.revparse_single(name).type_str)
    except (pygit2.GitError, ValueError, KeyError, TypeError):
        return None
