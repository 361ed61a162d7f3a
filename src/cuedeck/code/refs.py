"""Indexed refs: listing, status, and switching the one that calls mean by default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cuedeck.code.engine import Code
from cuedeck.code.facts import EXTRACTOR_VERSION
from cuedeck.code.git.objects import HERE
from cuedeck.code.indexing import ACTOR
from cuedeck.code.wanted import LIVE, Wanted
from cuedeck.model.clock import now_ms
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store import code as table

if TYPE_CHECKING:
    from cuedeck.code.search.vectors import SymbolVectors


@dataclass(frozen=True, slots=True)
class Status:
    """How far the index of a ref is."""

    ref: str
    status: str
    progress: float
    files: int
    symbols: int
    commit: str | None
    skipped: tuple[tuple[str, str], ...]
    freshness: str
    pending_embeddings: int = 0
    # Why the last indexing failed.
    failure: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Switched:
    """What switching to a ref gave."""

    ref: str
    previous: str | None
    worktree: str | None
    status: str
    commit: str | None
    freshness: str


def listed(code: Code) -> list[table.RefRow]:
    """Every indexed ref that still exists, the base first; layers of uncommitted changes are not refs."""
    with code.store.index.read() as session:
        rows = [row for row in table.refs(session) if row.kind != "worktree" and _exists(code, row.name)]
    base = code.base_name()
    return sorted(rows, key=lambda row: (row.name != base, row.name))


def _exists(code: Code, name: str) -> bool:
    """Whether a ref can be asked about; what is indexed of a deleted branch stays until it is pruned."""
    if code.repository is None:
        return name == LIVE
    return name == code.repository.head()[0] or code.repository.resolve(name) is not None


def status(code: Code, ref: str | None, principal: str, vectors: SymbolVectors | None = None) -> Status:
    """How far indexing a ref is, without starting any."""
    wanted = code.wanted(ref, principal)
    job = code.job(wanted.name)
    with code.store.index.read() as session:
        row = table.ref(session, wanted.name)
    if job is not None and job.thread.is_alive():
        state, progress = "indexing", job.progress
    elif job is not None and job.error is not None and row is None:
        state, progress = "failed", job.progress
    else:
        state, progress = ("ready", 1.0) if row is not None else ("not_indexed", 0.0)
    if row is None:
        freshness = "syncing" if state == "indexing" else "stale"
        failure = _said(job.error) if job is not None and state == "failed" else ""
        return Status(
            wanted.name,
            state,
            progress,
            0,
            0,
            None,
            (),
            freshness,
            failure=failure,
            warnings=wanted.warnings,
        )
    freshness = "fresh" if _is_current(code, wanted, row) else "syncing" if state == "indexing" else "stale"
    return Status(
        wanted.shown,
        state,
        round(progress, 3),
        row.files,
        row.symbols,
        row.commit_id,
        code.problems(wanted),
        freshness,
        _pending(code, wanted, vectors) if row.version == EXTRACTOR_VERSION else 0,
        warnings=wanted.warnings,
    )


def _is_current(code: Code, wanted: Wanted, row: table.RefRow) -> bool:
    """Whether what is indexed of a ref is its commit and, where it is checked out, the files on disk."""
    if row.commit_id != wanted.commit or row.version != EXTRACTOR_VERSION:
        return False
    return not wanted.checked_out or code.is_indexed_as_on_disk(wanted)


def _said(error: BaseException | None) -> str:
    """What may be told of a failure."""
    return error.message if isinstance(error, CueError) else "indexing failed; index_repo tries again"


def _pending(code: Code, wanted: Wanted, vectors: SymbolVectors | None) -> int:
    """How many symbols wait for their vector, in what is indexed of a ref."""
    if vectors is None or not vectors.enabled:
        return 0
    return vectors.pending(code.indexed(wanted))


def _not_indexed(ref: str) -> CueError:
    return CueError(
        ErrorCode.REF_NOT_INDEXED,
        f"{ref} is not indexed yet",
        data={"ref": ref},
        hint="Call index_repo with this ref first (`cue index --ref`).",
    )


def switch(code: Code, ref: str, principal: str) -> Switched:
    """Make a ref the default of a caller; HEAD, or the default branch when checked out, ends the choice."""
    previous = code.wanted(None, principal).name
    wanted = code.wanted(ref)
    follows = ref in HERE or (wanted.checked_out and wanted.name == code.base_name())
    with code.store.index.write(actor=ACTOR) as session:
        row = table.ref(session, wanted.name)
        if row is None or row.status != "active":
            raise _not_indexed(wanted.shown)
        table.choose_ref(session, principal, None if follows else wanted.name)
        table.touch_ref(session, wanted.name, now_ms())
    worktree = None
    if wanted.checked_out:
        worktree = str(code.root)
    elif code.repository is not None:
        worktree = code.repository.worktrees().get(wanted.name)
    freshness = "fresh" if _is_current(code, wanted, row) else "stale"
    return Switched(wanted.shown, previous, worktree, row.status, row.commit_id, freshness)
