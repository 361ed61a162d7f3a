"""A note as the workflows read it: its bytes now, and what the index knows of its links."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cuedeck.documents.links import name_keys
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.paths import confine_file, read_file
from cuedeck.store import documents as rows
from cuedeck.workflows.model import JSON

if TYPE_CHECKING:
    from cuedeck.workflows.context import RunContext
    from cuedeck.workspace import Workspace

Work = Callable[["RunContext", dict[str, JSON]], JSON]


@dataclass(frozen=True, slots=True)
class Note:
    """One note with its place in the vault."""

    path: str
    data: bytes
    sha256: str
    modified: int
    tags: tuple[str, ...]
    type: str | None
    status: str | None
    outgoing: tuple[str, ...]
    incoming: tuple[str, ...]
    unresolved: tuple[str, ...]

    @property
    def text(self) -> str:
        """The content; what is not UTF-8 was refused when it was read."""
        return self.data.decode("utf-8")


def read_note(workspace: Workspace, path: str) -> Note:
    """The note as it is on disk, or NOT_FOUND."""
    confined = confine_file(workspace.root, path)
    found = read_file(confined)
    try:
        found.data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CueError(
            ErrorCode.VALIDATION, f"{confined.relative} is not UTF-8", data={"path": confined.relative}
        ) from error
    vault, _ = workspace.documents.current_vault(patience=None)
    file, links = vault.file(confined.relative)
    return Note(
        path=confined.relative,
        data=found.data,
        sha256=hashlib.sha256(found.data).hexdigest(),
        modified=found.status.st_mtime_ns // 1_000_000,
        tags=file.tags,
        type=file.type,
        status=file.status,
        outgoing=links.outgoing,
        incoming=links.incoming,
        unresolved=links.unresolved,
    )


def unless_gone(work: Work) -> Work:
    """Started by an event, a run may find its file gone again: nothing to do. Asked for by name, it fails."""

    def run(context: RunContext, given: dict[str, JSON]) -> JSON:
        try:
            return work(context, given)
        except CueError as error:
            if error.code is not ErrorCode.NOT_FOUND or context.run.trigger == "manual":
                raise
            return {"path": given["path"], "skipped": "the file is gone"}

    return run


def referrers_of(workspace: Workspace, path: str) -> list[dict[str, JSON]]:
    """Links that name a file which is not there any more: who holds them, and how they are written."""
    workspace.documents.freshness.ensure(patience=None)
    with workspace.store.index.read() as session:
        found = rows.links_to_keys(session, name_keys(path))
    return [
        {"path": row["path"], "link": row["target"]}
        for row in sorted(found, key=lambda row: (row["path"], row["target"]))
        if row["resolved"] is None and row["path"] != path
    ]
