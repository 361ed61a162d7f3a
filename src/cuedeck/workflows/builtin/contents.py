"""Kept contents of files: compressed, bounded, and found again after a deletion."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from cuedeck.model.errors import invalid, not_found
from cuedeck.paths import confine, make_folders, replace_file
from cuedeck.store import workflow_records as records

if TYPE_CHECKING:
    import pygit2

    from cuedeck.workspace import Workspace

MOST_BYTES = 1024 * 1024
# Some hundredths of a second to look through.
MOST_COMMITS = 2_000


def compress(content: bytes) -> bytes:
    """As the database keeps it."""
    import zstandard

    return zstandard.ZstdCompressor(level=3).compress(content)


def decompress(kept: bytes) -> bytes:
    """As the file was."""
    import zstandard

    return zstandard.ZstdDecompressor().decompress(kept, max_output_size=MOST_BYTES)


def last_content(workspace: Workspace, path: str) -> tuple[bytes, str] | None:
    """A file's last known content and where it was found: kept by CueDeck, or the last commit."""
    with workspace.store.state.read() as session:
        row = records.content(session, path)
    if row is not None:
        return decompress(bytes(row["content"])), "kept"
    committed = _committed(workspace, path)
    return None if committed is None else (committed, "commit")


def restore(workspace: Workspace, user_path: str) -> tuple[str, str]:
    """Write a deleted file's last content back; its path, and where the content was found."""
    path = confine(workspace.root, user_path)
    if path.absolute.exists():
        raise invalid("path", "a file that was deleted", path.relative)
    found = last_content(workspace, path.relative)
    if found is None:
        raise not_found(f"No content of {path.relative} was kept", path=path.relative)
    make_folders(path.root, path.absolute.parent)
    replace_file(path, found[0])
    return path.relative, found[1]


def _committed(workspace: Workspace, path: str) -> bytes | None:
    import pygit2

    try:
        repository = pygit2.Repository(str(workspace.root))
        if repository.head_is_unborn or repository.workdir is None:
            return None
        prefix = workspace.root.relative_to(repository.workdir).as_posix()
        entry = _last(repository, path if prefix == "." else f"{prefix}/{path}")
    except (KeyError, ValueError, pygit2.GitError):
        return None
    return bytes(entry.data) if isinstance(entry, pygit2.Blob) and entry.size <= MOST_BYTES else None


def _last(repository: pygit2.Repository, path: str) -> pygit2.Object | None:
    """A path as the newest commit that has it has it: the deletion may be committed already."""
    for commit in islice(repository.walk(repository.head.target), MOST_COMMITS):
        if path in commit.tree:
            return commit.tree[path]
    return None
