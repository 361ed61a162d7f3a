"""Brings the stored manifests up to a ref or the files on disk; parses only blobs never seen before."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cuedeck.code.analysis import analyse_blob
from cuedeck.code.checkout import Checkout
from cuedeck.code.facts import EXTRACTOR_VERSION
from cuedeck.code.repository import Ref, Repository, TreeFile
from cuedeck.code.worker import read_blob
from cuedeck.code.workers import analyse_all
from cuedeck.store import code as table
from cuedeck.store.protocol import Session, Store

_BLOBS_PER_WRITE: Final = 300
_PROBLEMS_KEPT: Final = 500
ACTOR: Final = "code"

Progress = Callable[[float, str], None]
Key = tuple[str, str]  # blob and language


@dataclass(frozen=True, slots=True)
class Indexed:
    """What bringing a ref up to date did."""

    ref: str
    mode: str
    files: int
    symbols: int
    changed: int
    milliseconds: int


def now() -> int:
    """Milliseconds since the epoch."""
    return int(time.time() * 1000)


class Indexer:
    """Writes the code index of one workspace."""

    def __init__(
        self, store: Store, repository: Repository | None, checkout: Checkout, *, processes: int = 0
    ) -> None:
        self.store = store
        self.repository = repository
        self.checkout = checkout
        self.processes = processes

    # -- blobs

    def missing(self, files: Iterable[TreeFile], *, searchable: bool = True) -> list[Key]:
        """The blobs among these whose facts are not stored yet."""
        wanted = {(file.oid, file.language) for file in files}
        with self.store.index.read() as session:
            known = table.known_blobs(session, EXTRACTOR_VERSION, {oid for oid, _ in wanted})
        return sorted(key for key in wanted if key not in known or (searchable and not known[key].searchable))

    def ensure(
        self,
        files: Mapping[str, TreeFile],
        *,
        on_disk: bool = False,
        searchable: bool = True,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> int:
        """Store the facts of every blob of these files; how many were new."""
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
        done = 0
        for blob in results:
            batch.append(blob)
            done += 1
            if len(batch) >= _BLOBS_PER_WRITE:
                self._write(batch, searchable)
                batch = []
                if progress is not None:
                    progress(done / len(jobs), f"{done} of {len(jobs)} files")
                if cancelled is not None and cancelled():
                    break
        self._write(batch, searchable)
        return done

    def _from_disk(self, jobs: list[tuple[str, str, str]]) -> Iterable[table.NewBlob]:
        for oid, path, language in jobs:
            data = self.checkout.read(path)
            if data is not None and self.checkout.hash(data) != oid:
                # A clean file under a text filter, or one that changed meanwhile: git's copy is what counts.
                data = read_blob(self.repository, oid)
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

    def index_commit(self, ref: Ref, base: str | None, progress: Progress | None = None) -> Indexed:
        """Bring a ref to its commit: as the base when ``base`` is None, else as an overlay of it."""
        started = time.monotonic()
        repository = self._repository()
        files, skipped = repository.files(ref.commit)
        changed = self.ensure(files, progress=progress)
        parted: str | None = None
        own: set[str] | None = None
        if base is not None:
            base_commit = repository.resolve(base)
            parted = repository.merge_base(base_commit.commit, ref.commit) if base_commit else None
            if parted is not None:
                own = {change.path for change in repository.changes(parted, ref.commit)}
        with self.store.index.write(actor=ACTOR) as session:
            done = self._write_layer(
                session, ref.name, ref.kind, files, base, own, ref.commit, parted, skipped
            )
        return self._report(done, "full" if base is None else "overlay", changed, started)

    def index_disk(self, name: str, kind: str, base: str | None, commit: str | None) -> Indexed:
        """Bring a layer to the files on disk: a folder without git, or uncommitted changes over a ref."""
        started = time.monotonic()
        files = dict(self.checkout.files())
        changed = self.ensure(files, on_disk=True)
        with self.store.index.write(actor=ACTOR) as session:
            done = self._write_layer(
                session, name, kind, files, base, None, commit, None, list(self.checkout.skipped)
            )
        return self._report(done, "full" if base is None else "overlay", changed, started)

    def _report(self, row: table.RefRow, mode: str, changed: int, started: float) -> Indexed:
        elapsed = int((time.monotonic() - started) * 1000)
        return Indexed(row.name, mode, row.files, row.symbols, changed, elapsed)

    def _write_layer(
        self,
        session: Session,
        name: str,
        kind: str,
        files: Mapping[str, TreeFile],
        base: str | None,
        own: set[str] | None,
        commit: str | None,
        parted: str | None,
        skipped: list[tuple[str, str]],
    ) -> table.RefRow:
        oids = {file.oid for file in files.values()}
        blobs = table.known_blobs(session, EXTRACTOR_VERSION, oids)
        wanted = {
            path: blobs[file.oid, file.language].rid
            for path, file in files.items()
            if (file.oid, file.language) in blobs
        }
        below = effective(session, base) if base is not None else {}
        rid = table.put_ref(session, name, kind=kind)
        before = table.manifest(session, rid)
        after: dict[str, tuple[int | None, bool]] = {}
        for path, blob in wanted.items():
            if below.get(path) != blob:
                after[path] = (blob, own is None or path in own)
        for path in below:
            if path not in wanted:
                after[path] = (None, own is None or path in own)
        put = {path: value for path, value in after.items() if before.get(path) != value}
        drop = [path for path in before if path not in after]
        if base is None:
            rebase(session, name, rid, before, after)
        table.write_manifest(session, rid, put, drop)
        released = [
            blob
            for path, (blob, _) in before.items()
            if blob is not None and after.get(path, (None,))[0] != blob
        ]
        table.drop_unused(session, released)
        table.merge_segments(session)
        counted = [blob for blob, mine in after.values() if blob is not None and mine]
        sizes = {row.rid: row.symbols for row in blobs.values()}
        by_rid = {row.rid: row for row in blobs.values()}
        problems = skipped + [
            (path, by_rid[blob].problem or "")
            for path, (blob, _) in sorted(after.items())
            if blob is not None and by_rid[blob].problem
        ]
        table.put_ref(
            session,
            name,
            kind=kind,
            commit_id=commit,
            base=base,
            merge_base=parted,
            status="active",
            files=len(counted),
            symbols=sum(sizes[blob] + 1 for blob in counted),
            version=EXTRACTOR_VERSION,
            indexed_at=now(),
            accessed_at=now(),
            problems=problems[:_PROBLEMS_KEPT],
        )
        row = table.ref(session, name)
        if row is None:
            raise LookupError(name)
        return row

    def _repository(self) -> Repository:
        if self.repository is None:
            raise LookupError("no repository")
        return self.repository


def effective(session: Session, name: str) -> dict[str, int]:
    """A ref's whole manifest: its own rows over those of the layers below it."""
    row = table.ref(session, name)
    if row is None:
        return {}
    found = effective(session, row.base) if row.base is not None else {}
    for path, (blob, _) in table.manifest(session, row.rid).items():
        if blob is None:
            found.pop(path, None)
        else:
            found[path] = blob
    return found


def rebase(
    session: Session,
    name: str,
    rid: int,
    before: Mapping[str, tuple[int | None, bool]],
    after: Mapping[str, tuple[int | None, bool]],
) -> None:
    """Before a base moves on, give every overlay what it still sees of the old base."""
    moved = {
        path: (before.get(path, (None, False))[0], after.get(path, (None, False))[0])
        for path in before.keys() | after.keys()
        if before.get(path, (None, False))[0] != after.get(path, (None, False))[0]
    }
    if not moved:
        return
    for overlay in table.refs(session):
        if overlay.base != name:
            continue
        rows = table.manifest(session, overlay.rid)
        put: dict[str, tuple[int | None, bool]] = {}
        drop: list[str] = []
        for path, (old, new) in moved.items():
            blob, own = rows.get(path, (old, False))
            if blob == new:
                drop.append(path)
            elif path not in rows:
                put[path] = (blob, own)
        table.write_manifest(session, overlay.rid, put, [path for path in drop if path in rows])
