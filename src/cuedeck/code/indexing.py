"""Brings the stored manifests up to a ref or the files on disk; parses only blobs never seen before."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Final, TypeVar

from cuedeck.code.extraction.analysis import analyse_blob
from cuedeck.code.extraction.worker import read_blob
from cuedeck.code.extraction.workers import analyse_all
from cuedeck.code.facts import EXTRACTOR_VERSION
from cuedeck.code.git.checkout import Checkout, Head
from cuedeck.code.git.objects import NOT_HERE
from cuedeck.code.git.repository import Ref, Repository, TreeFile
from cuedeck.collecting import without_collecting
from cuedeck.model.clock import now_ms
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store import code as table
from cuedeck.store.protocol import Session, Store

# A large batch makes few segments of names and words; its source bounds the memory it takes.
_BLOBS_PER_WRITE: Final = 1000
_BYTES_PER_WRITE: Final = 8 * 1024 * 1024
# How often it is said how far indexing is.
_BLOBS_PER_WORD: Final = 25
_PROBLEMS_KEPT: Final = 500
_ROUNDS: Final = 5
ACTOR: Final = "code"
# Where a ref parted from its base, when that has to be looked up again.
UNSURE: Final = ""

T = TypeVar("T")
Progress = Callable[[float, str], None]
Key = tuple[str, str]  # blob and language
Rows = dict[str, tuple[int | None, bool]]
Blobs = Mapping[Key, table.BlobRow]
Problems = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Indexed:
    """What bringing a ref up to date did."""

    ref: str
    mode: str
    files: int
    symbols: int
    changed: int
    milliseconds: int


@dataclass(frozen=True, slots=True)
class Layer:
    """What is written of a ref beside its files."""

    name: str
    kind: str
    commit: str | None
    base: str | None = None
    merge_base: str | None = None


class MovedOn(Exception):
    """A file on disk is no longer what it was when it was looked at."""


def as_it_stands(look: Callable[[], T]) -> T:
    """Look again when a file was written between being looked at and being read."""
    for _ in range(_ROUNDS):
        try:
            return look()
        except MovedOn:
            continue
    raise _too_busy()


class Indexer:
    """Writes the code index of one workspace."""

    def __init__(
        self, store: Store, repository: Repository | None, checkout: Checkout, *, processes: int = 0
    ) -> None:
        self.store = store
        self.checkout = checkout
        self.processes = processes
        self._shared = repository

    @cached_property
    def repository(self) -> Repository | None:
        """The repository, opened for this thread: an edit is mostly indexed without it."""
        return self._shared.reopen() if self._shared is not None else None

    # -- blobs

    def missing(self, files: Iterable[TreeFile], *, searchable: bool = True) -> list[Key]:
        """The blobs among these whose facts are not stored yet."""
        wanted = {(file.oid, file.language) for file in files}
        with self.store.index.read() as session:
            known = table.known_blobs(session, EXTRACTOR_VERSION, {oid for oid, _ in wanted})
        return sorted(key for key in wanted if key not in known or (searchable and not known[key].searchable))

    def forget_what_came(self, files: Iterable[TreeFile]) -> bool:
        """Have those of the files read anew that the clone lacked and holds now; whether there are any."""
        with self.store.index.read() as session:
            known = table.known_blobs(session, EXTRACTOR_VERSION, {file.oid for file in files})
        lacked = [oid for (oid, _), row in known.items() if row.problem == NOT_HERE]
        came = [oid for oid in lacked if oid in self._repository().git]
        if came:
            with self.store.index.write(actor=ACTOR) as session:
                table.outdate_blobs(session, came)
        return bool(came)

    def ensure(
        self,
        files: Mapping[str, TreeFile],
        *,
        on_disk: bool = False,
        searchable: bool = True,
        progress: Progress | None = None,
        until: float = inf,
    ) -> int:
        """Store the facts of every blob of these files, or of those read in time; how many were new."""
        missing = set(self.missing(files.values(), searchable=searchable))
        if not missing:
            return 0
        jobs = []
        for path, file in sorted(files.items()):
            if (file.oid, file.language) in missing:
                missing.discard((file.oid, file.language))
                jobs.append((file.oid, path, file.language))
        results = (
            self._from_disk(jobs)
            if on_disk
            else analyse_all(Path(self.checkout.root), self.repository, jobs, processes=self.processes)
        )
        batch: list[table.NewBlob] = []
        done = held = 0
        for blob in results:
            batch.append(blob)
            done += 1
            held += blob.size
            if progress is not None and done % _BLOBS_PER_WORD == 0:
                progress(done / len(jobs), f"{done} of {len(jobs)} files")
            if len(batch) >= _BLOBS_PER_WRITE or held >= _BYTES_PER_WRITE:
                self._write(batch, searchable)
                batch, held = [], 0
            if time.monotonic() > until:
                break
        self._write(batch, searchable)
        return done

    def _from_disk(self, jobs: list[tuple[str, str, str]]) -> Iterable[table.NewBlob]:
        with without_collecting():
            for oid, path, language in jobs:
                data = self.checkout.read_blob(path, oid)
                if data is None:
                    # Left out by a sparse checkout, clean under a text filter, or changed meanwhile: git's
                    # copy is what counts.
                    data = read_blob(self.repository, oid)
                if data is None and not self.checkout.is_left_out(path):
                    # What was there is gone for good, and must not be remembered as unreadable.
                    raise MovedOn(path)
                yield analyse_blob(oid, path, language, data)

    def _write(self, batch: list[table.NewBlob], searchable: bool) -> None:
        if not batch:
            return
        with self.store.index.write(actor=ACTOR) as session:
            known = table.known_blobs(session, EXTRACTOR_VERSION, {blob.oid for blob in batch})
            fresh = [blob for blob in batch if (blob.oid, blob.language) not in known]
            table.put_blobs(session, fresh, searchable=searchable)
            if searchable:
                quiet = [
                    (known[blob.oid, blob.language].rid, blob)
                    for blob in batch
                    if (blob.oid, blob.language) in known and not known[blob.oid, blob.language].searchable
                ]
                if quiet:
                    table.index_blobs(session, quiet)

    # -- manifests

    def index_commit(self, ref: Ref, base: table.RefRow | None, progress: Progress | None = None) -> Indexed:
        """Bring a ref to its commit: as the base when ``base`` is None, else as an overlay of it."""
        started = time.monotonic()
        repository = self._repository()
        if base is None or base.commit_id is None:
            files, skipped = repository.files(ref.commit)
            whole = Layer(ref.name, ref.kind, ref.commit)
            done, changed = self._stored(
                files,
                lambda session, blobs: self._write_base(session, whole, files, blobs, skipped),
                progress=progress,
            )
            return self._report(done, "full", changed, started)
        delta = repository.delta(base.commit_id, ref.commit)
        tip = repository.resolve(base.name)
        parted = repository.merge_base(tip.commit if tip else base.commit_id, ref.commit)
        own = set(repository.delta(parted, ref.commit)) if parted else None
        layer = Layer(ref.name, ref.kind, ref.commit, base.name, parted)
        done, changed = self._stored(
            _present(delta),
            lambda session, blobs: self._write_overlay(session, layer, delta, blobs, own, []),
            progress=progress,
        )
        return self._report(done, "overlay", changed, started)

    def index_folder(self, name: str, kind: str) -> Indexed:
        """Bring a layer of its own to the files on disk: a folder without git or without commits."""
        return as_it_stands(lambda: self._index_folder(name, kind))

    def index_changes(
        self, name: str, ref: str, head: Head, commit: str, committed: Mapping[str, TreeFile]
    ) -> Indexed:
        """Bring the overlay of uncommitted changes to the files on disk, while that is checked out."""
        return as_it_stands(lambda: self._index_changes(name, ref, head, commit, committed))

    def _index_folder(self, name: str, kind: str) -> Indexed:
        started = time.monotonic()
        files = dict(self.checkout.files())
        layer, skipped = Layer(name, kind, None), list(self.checkout.skipped)
        done, changed = self._stored(
            files,
            lambda session, blobs: self._write_base(session, layer, files, blobs, skipped),
            on_disk=True,
        )
        return self._report(done, "full", changed, started)

    def _index_changes(
        self, name: str, ref: str, head: Head, commit: str, committed: Mapping[str, TreeFile]
    ) -> Indexed:
        started = time.monotonic()
        delta = self.checkout.differing(committed, head)
        layer, skipped = Layer(name, "worktree", commit, ref), list(self.checkout.skipped)
        done, changed = self._stored(
            _present(delta),
            lambda session, blobs: self._write_overlay(session, layer, delta, blobs, None, skipped),
            on_disk=True,
        )
        return self._report(done, "overlay", changed, started)

    def _stored(
        self,
        files: Mapping[str, TreeFile],
        write: Callable[[Session, Blobs], table.RefRow],
        *,
        on_disk: bool = False,
        progress: Progress | None = None,
    ) -> tuple[table.RefRow, int]:
        """Store the facts of files and then the layer of them; again if others dropped facts in between."""
        wanted = {(file.oid, file.language) for file in files.values()}
        changed = 0
        for _ in range(_ROUNDS):
            changed += self.ensure(files, on_disk=on_disk, progress=progress)
            with self.store.index.write(actor=ACTOR) as session:
                blobs = table.known_blobs(session, EXTRACTOR_VERSION, {oid for oid, _ in wanted})
                if wanted <= blobs.keys():
                    return write(session, blobs), changed
        raise _too_busy()

    def _report(self, row: table.RefRow, mode: str, changed: int, started: float) -> Indexed:
        elapsed = int((time.monotonic() - started) * 1000)
        return Indexed(row.name, mode, row.files, row.symbols, changed, elapsed)

    def _write_base(
        self,
        session: Session,
        layer: Layer,
        files: Mapping[str, TreeFile],
        blobs: Blobs,
        skipped: Problems,
    ) -> table.RefRow:
        """Give a layer of its own every file."""
        after: Rows = {path: (blobs[file.oid, file.language].rid, True) for path, file in files.items()}
        rid = table.put_ref(session, layer.name, kind=layer.kind)
        before = table.manifest(session, rid)
        rebase(session, layer.name, before, after)
        return self._replace(session, layer, rid, before, after, blobs, skipped)

    def _write_overlay(
        self,
        session: Session,
        layer: Layer,
        delta: Mapping[str, TreeFile | None],
        blobs: Blobs,
        own: set[str] | None,
        skipped: Problems,
    ) -> table.RefRow:
        """Give a layer the files that differ from the one below it."""
        after: Rows = {
            path: (
                blobs[file.oid, file.language].rid if file is not None else None,
                own is None or path in own,
            )
            for path, file in delta.items()
        }
        rid = table.put_ref(session, layer.name, kind=layer.kind)
        return self._replace(session, layer, rid, table.manifest(session, rid), after, blobs, skipped)

    def _replace(
        self,
        session: Session,
        layer: Layer,
        rid: int,
        before: Rows,
        after: Rows,
        blobs: Blobs,
        skipped: Problems,
    ) -> table.RefRow:
        put = {path: value for path, value in after.items() if before.get(path) != value}
        table.write_manifest(session, rid, put, [path for path in before if path not in after])
        released = [
            blob
            for path, (blob, _) in before.items()
            if blob is not None and after.get(path, (None, False))[0] != blob
        ]
        table.drop_unused(session, released)
        known = {row.rid: row for row in blobs.values()}
        present = [
            (path, known[blob], own) for path, (blob, own) in sorted(after.items()) if blob is not None
        ]
        held = [row for _, row, own in present if own]
        problems = [*skipped, *((path, row.problem) for path, row, _ in present if row.problem)]
        table.put_ref(
            session,
            layer.name,
            kind=layer.kind,
            commit_id=layer.commit,
            base=layer.base,
            merge_base=layer.merge_base,
            status="active",
            files=len(held),
            symbols=sum(row.symbols + 1 for row in held),
            version=EXTRACTOR_VERSION,
            indexed_at=now_ms(),
            accessed_at=now_ms(),
            problems=problems[:_PROBLEMS_KEPT],
        )
        row = table.ref(session, layer.name)
        if row is None:
            raise LookupError(layer.name)
        return row

    def _repository(self) -> Repository:
        if self.repository is None:
            raise LookupError("no repository")
        return self.repository


def _too_busy() -> CueError:
    return CueError(
        ErrorCode.OVERLAY_NOT_READY,
        "The code index is being changed by too many at once",
        hint="Repeat the call.",
    )


def _present(delta: Mapping[str, TreeFile | None]) -> dict[str, TreeFile]:
    return {path: file for path, file in delta.items() if file is not None}


def rebase(session: Session, name: str, before: Rows, after: Rows) -> None:
    """Before a base moves on, give every overlay what it still sees of the old base."""
    none: tuple[int | None, bool] = (None, False)
    moved = {
        path: (before.get(path, none)[0], after.get(path, none)[0])
        for path in before.keys() | after.keys()
        if before.get(path, none)[0] != after.get(path, none)[0]
    }
    if not moved:
        return
    for overlay in table.refs(session):
        if overlay.base != name:
            continue
        rows = table.manifest(session, overlay.rid)
        put: Rows = {}
        drop: list[str] = []
        for path, (old, new) in moved.items():
            blob, own = rows.get(path, (old, False))
            if blob == new:
                drop.append(path)
            elif path not in rows:
                put[path] = (blob, own)
        table.write_manifest(session, overlay.rid, put, [path for path in drop if path in rows])
        if put:
            # Which of these the ref itself has changed is found out when it is asked for.
            table.put_ref(session, overlay.name, merge_base=UNSURE)
