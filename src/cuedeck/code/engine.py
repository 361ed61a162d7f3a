"""The code engine's front: which ref is meant, is it current, and what does it look like."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from cuedeck.code.facts import EXTRACTOR_VERSION
from cuedeck.code.git.checkout import Checkout, Elsewhere
from cuedeck.code.git.objects import HERE, lacking
from cuedeck.code.git.repository import Ref, Repository, TreeFile
from cuedeck.code.git.unknown import unknown_ref
from cuedeck.code.indexing import ACTOR, Indexed, Indexer
from cuedeck.code.job import Job
from cuedeck.code.reading import Reading
from cuedeck.code.snapshot import Entry, FactsCache, Snapshot
from cuedeck.code.wanted import LIVE, Wanted
from cuedeck.model.clock import now_ms
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store import code as table
from cuedeck.store.protocol import Session, Store

_SMALL: Final = 400
_FIRST_ANSWER_SECONDS: Final = 20.0
_TOUCH_EVERY: Final = 60_000
_SNAPSHOTS: Final = 6
_JOBS: Final = 64
_TURNS: Final = 64
_SWITCHES: Final = 6
_NAMED: Final = 8
_FACTS_BYTES: Final = 128 * 1024 * 1024
_WORKED_OUT_BYTES: Final = 160 * 1024 * 1024

Layered = tuple[table.RefRow, bool]


@dataclass(slots=True)
class View:
    """A snapshot to answer from, and what has to be said about it."""

    snapshot: Snapshot
    ref: str
    freshness: str = "fresh"
    indexing: str = "ready"
    completeness: str = "complete"
    warnings: list[str] = field(default_factory=list)


class Code:
    """The code of one workspace, on every ref."""

    def __init__(self, root: Path, store: Store, *, workers: int = 0) -> None:
        self.root = root
        self.store = store
        self.repository, self.unreadable = Repository.look(root)
        self.checkout = Checkout(root, self.repository)
        self.workers = workers
        self.cache = FactsCache(store, _FACTS_BYTES)
        self._snapshots: dict[tuple[object, ...], Snapshot] = {}
        self._jobs: dict[str, Job] = {}
        # The first is held for moments; the others while the files on disk, a ref or a job are indexed.
        self._lock = threading.RLock()
        self._disk = threading.Lock()
        self._turns = [threading.Lock() for _ in range(_TURNS)]
        self._in_background = threading.Lock()
        self._worktree = "@worktree:" + hashlib.blake2b(str(root).encode(), digest_size=6).hexdigest()
        self._disk_indexed: tuple[object, ...] = ()
        self._bottom: tuple[tuple[object, ...], dict[str, Entry | None]] = ((), {})
        self._rows: tuple[int, dict[str, table.RefRow | None]] = (-1, {})
        # The last view that was whole, and what it was true for.
        self._last: tuple[tuple[object, ...], View, table.RefRow] | None = None

    @property
    def is_git(self) -> bool:
        """Whether refs mean anything here."""
        if self.repository is None or not self.repository.is_there():
            self._look_again()
        return self.repository is not None

    def close(self) -> None:
        """Stop watching the folder."""
        self.checkout.close()

    # -- which ref

    def wanted(self, ref: str | None, principal: str = "") -> Wanted:
        """The ref that is meant: named, switched to, checked out, default, or just the folder."""
        if not self.is_git or self.repository is None:
            if ref not in (None, LIVE):
                raise unknown_ref(str(ref), unreadable=self.unreadable, plain=True)
            return Wanted(LIVE, LIVE, None, True)
        branch, commit = self.repository.head()
        here = branch or commit
        gone = ""
        if ref is None and principal:
            with self.store.index.read() as session:
                ref = table.chosen_ref(session, principal)
            if ref is not None and self.repository.resolve(ref) is None:
                gone, ref = ref, None
        if ref == LIVE and self.repository.resolve(LIVE) is None:
            ref = None
        if ref is None or ref in HERE or ref == here:
            if here is not None:
                kind = "branch" if branch else "commit"
                return Wanted(here, kind, commit, self.repository.has_files, gone=gone)
            ref = self.repository.default_branch()
            if ref is None:
                return Wanted(LIVE, LIVE, None, True)
        found = self.repository.resolve(str(ref))
        if found is None:
            raise unknown_ref(str(ref), self.repository)
        if found.kind == "branch" and found.name == branch:
            return Wanted(branch, "branch", commit, self.repository.has_files)
        # What an expression such as HEAD~1 means moves on; the commit does not.
        name = found.commit if found.kind == "commit" else found.name
        return Wanted(name, found.kind, found.commit, False, found.name)

    def _look_again(self) -> None:
        """A folder may have become a repository since it was opened, another one, or none."""
        with self._lock:
            found, self.unreadable = Repository.look(self.root)
            if found is not None or self.repository is not None:
                self.checkout.close()
                before, self.checkout = self.checkout, Checkout(self.root, found)
                # Nobody has watched in between: no earlier snapshot tells what project files say now.
                self.checkout.project_version = before.project_version + 1
                self.checkout.installed_version = before.installed_version + 1
                self.repository, self._disk_indexed, self._last = found, (), None

    def base_name(self) -> str | None:
        """The ref that all others are overlays of."""
        return self.repository.default_branch() if self.repository is not None else None

    # -- indexing

    def indexer(self) -> Indexer:
        """A writer for this thread."""
        return Indexer(self.store, self.repository, self.checkout, processes=self.workers)

    def start(self, wanted: Wanted, *, force: bool = False) -> Job:
        """Index a ref in the background; an indexing already under way is joined."""
        with self._lock:
            job = self._jobs.get(wanted.name)
            if job is not None and job.thread.is_alive():
                return job
            job = Job(wanted.name, threading.Thread(target=lambda: None))
            job.thread = threading.Thread(target=self._run, args=(job, wanted, force), daemon=True)
            ended = [name for name, other in self._jobs.items() if not other.thread.is_alive()]
            for name in ended[:-_JOBS]:
                del self._jobs[name]
            self._jobs[wanted.name] = job
            job.thread.start()
            return job

    def job(self, name: str) -> Job | None:
        """The last indexing of a ref in this process."""
        return self._jobs.get(name)

    def _run(self, job: Job, wanted: Wanted, force: bool) -> None:
        def progress(done: float, _text: str) -> None:
            job.progress = done

        try:
            with self._in_background:
                job.done = self.index(wanted, force=force, progress=progress)
            job.progress = 1.0
        except Exception as error:  # noqa: BLE001 - kept for whoever asks for the job
            job.error = error

    def index(
        self, wanted: Wanted, *, force: bool = False, progress: Callable[[float, str], None] | None = None
    ) -> Indexed:
        """Bring a ref up to date now, its base first."""
        if force:
            self.forget(wanted.name)
        return self._index(self.indexer(), wanted, progress)

    def _turn(self, name: str) -> threading.Lock:
        """Two threads do not index one ref at the same time; refs may share a lock, as none holds two."""
        return self._turns[hash(name) % _TURNS]

    def _index(
        self, indexer: Indexer, wanted: Wanted, progress: Callable[[float, str], None] | None = None
    ) -> Indexed:
        done: Indexed | None = None
        if wanted.commit is not None:
            base = self._index_base(indexer, wanted, progress)
            with self._turn(wanted.name):
                done = self._index_commit(indexer, wanted, wanted.commit, base, progress)
        if wanted.checked_out:
            on_disk = self._index_disk(indexer, wanted)
            if done is None:
                done = on_disk
            elif on_disk is not None:
                done = replace(
                    done,
                    changed=done.changed + on_disk.changed,
                    milliseconds=done.milliseconds + on_disk.milliseconds,
                )
        if done is None:  # files on disk, without a commit, that stand as they were indexed
            row = self._row(wanted.name)
            if row is None:
                raise unknown_ref(wanted.name)
            done = Indexed(wanted.name, "incremental", row.files, row.symbols, 0, 0)
        return done

    def _index_base(
        self, indexer: Indexer, wanted: Wanted, progress: Callable[[float, str], None] | None
    ) -> str | None:
        """Index the base if need be; its name unless the ref is the base itself."""
        base = self._base_of(wanted)
        if base is None:
            return None
        with self._turn(base.name):
            row = self._row(base.name)
            # Seen from where the base was before, a ref's own changes may look like the base's.
            now = (EXTRACTOR_VERSION, base.commit, None)
            if row is None or (row.version, row.commit_id, row.base) != now:
                indexer.index_commit(base, None, progress=progress)
        return base.name

    def _index_commit(
        self,
        indexer: Indexer,
        wanted: Wanted,
        commit: str,
        base: str | None,
        progress: Callable[[float, str], None] | None,
    ) -> Indexed:
        """Bring a ref to its commit, if it is not there."""
        row = self._row(wanted.name)
        known = row is not None and row.version == EXTRACTOR_VERSION
        if row is not None and known and self._stands(row, wanted):
            mode = "incremental" if base is None else "overlay"
            return Indexed(wanted.name, mode, row.files, row.symbols, 0, 0)
        below = self._row(base) if base is not None else None
        done = indexer.index_commit(Ref(wanted.name, wanted.kind, commit), below, progress=progress)
        return replace(done, mode="incremental") if known and base is None else done

    def _base_of(self, wanted: Wanted) -> Ref | None:
        """The ref that another is an overlay of; none where it is the base itself, or has no commit."""
        name = self.base_name()
        if self.repository is None or name is None or name == wanted.name or wanted.commit is None:
            return None
        return self.repository.resolve(name)

    def _index_disk(self, indexer: Indexer | None, wanted: Wanted) -> Indexed | None:
        """Bring the layer of uncommitted changes up to the files on disk."""
        with self._disk:
            if wanted.commit is not None:
                self.checkout.require(wanted.head)
            self.checkout.files()
            key = (wanted.name, wanted.commit, self.checkout.version, self._base_stamp(wanted))
            if self._disk_indexed == key and self._is_read(wanted):
                return None
            indexer = indexer or self.indexer()
            if wanted.commit is None:
                done = indexer.index_folder(wanted.name, wanted.kind)
            else:
                committed = self.repository.files(wanted.commit)[0] if self.repository is not None else {}
                done = indexer.index_changes(
                    self._worktree, wanted.name, wanted.head, wanted.commit, committed
                )
            self._disk_indexed = key
            return done

    def _is_read(self, wanted: Wanted) -> bool:
        """Whether the stored layer of the files on disk has facts of this version."""
        row = self._row(wanted.name if wanted.commit is None else self._worktree)
        return row is not None and row.version == EXTRACTOR_VERSION

    def is_indexed_as_on_disk(self, wanted: Wanted) -> bool:
        """Whether the files of what is checked out stand as they are indexed."""
        files = self.checkout.files()
        key = (wanted.name, wanted.commit, self.checkout.version, self._base_stamp(wanted))
        if self._disk_indexed == key and self._is_read(wanted):
            return True
        row = self._row(wanted.name if wanted.commit is None else self._worktree)
        if row is None or row.commit_id != wanted.commit or row.version != EXTRACTOR_VERSION:
            return False
        now: Mapping[str, TreeFile | None] = files
        if wanted.commit is not None and self.repository is not None:
            try:
                now = self.checkout.differing(self.repository.files(wanted.commit)[0], wanted.head)
            except Elsewhere:
                return False
        with self.store.index.read() as session:
            blobs = table.manifest_blobs(session, row.rid, most=row.base is None)
        stored = {path: oid if blob is not None else None for path, blob, _, (oid, _) in blobs}
        return stored == {path: file and file.oid for path, file in now.items()}

    def _base_stamp(self, wanted: Wanted) -> tuple[object, ...]:
        row = self._row(wanted.name)
        below = self._row(row.base) if row is not None and row.base else None
        return (row and row.commit_id, row and row.rid, below and below.commit_id, below and below.rid)

    def forget(self, name: str) -> None:
        """Have a ref's files read anew; what shares their blobs is looked at when it is asked for."""
        with self.store.index.write(actor=ACTOR) as session:
            table.outdate(session, [name, self._worktree])
        self._disk_indexed = ()

    def problems(self, wanted: Wanted) -> tuple[tuple[str, str], ...]:
        """What could not be read of a ref, its base and its files on disk, with reasons."""
        if self._row(wanted.name) is None:
            return ()
        found: dict[tuple[str, str], None] = {}
        hidden: set[str] = set()
        layers = [layer for layer, _ in self._layers(wanted, self._row)]
        for layer, below in zip(layers, [*layers[1:], None], strict=True):
            found.update(dict.fromkeys(each for each in layer.problems if each[0] not in hidden))
            if below is not None and below.problems:
                with self.store.index.read() as session:
                    hidden |= table.manifest(session, layer.rid).keys()
        return tuple(found)

    def lacking(self, wanted: Wanted) -> str:
        """What to say of a ref's files that are not in this clone; nothing where all are."""
        said = lacking(self.problems(wanted))
        return f"{said}; see index_status" if said else ""

    def _row(self, name: str) -> table.RefRow | None:
        version = self.store.index.version()
        if version != self._rows[0]:
            self._rows = (version, {})
            if self.store.index.generation != self.cache.generation:
                self._begin_anew()
        held = self._rows[1]
        if name not in held:
            with self.store.index.read() as session:
                held[name] = table.ref(session, name)
        return held[name]

    def _begin_anew(self) -> None:
        """The index was deleted or replaced: what is held under the numbers of its blobs is not of these."""
        with self._lock:
            self.cache = FactsCache(self.store, _FACTS_BYTES)
            self._snapshots, self._bottom, self._disk_indexed, self._last = {}, ((), {}), (), None

    # -- views

    def view(self, ref: str | None = None, principal: str = "") -> View:
        """The current state of a ref, brought up to date within the call when little is missing."""
        for _ in range(_SWITCHES):
            wanted = self.wanted(ref, principal)
            before = self.checkout.version
            with suppress(Elsewhere):
                view = self._view(wanted)
                # The files changed: by an edit, or because another branch was checked out meanwhile.
                if self.checkout.version == before or not wanted.checked_out:
                    return view
                if wanted == self.wanted(ref, principal):
                    return view
        raise Elsewhere

    def _view(self, wanted: Wanted) -> View:
        moment = self._moment(wanted)
        if self._last is not None and self._last[0] == moment and self._jobs_idle(wanted.name):
            _, view, row = self._last
            self._touch(row)
            self._make_room(view.snapshot)
            return replace(view, warnings=[*view.warnings])
        view = View(Snapshot(wanted.name, {}, self.cache, lambda _path: None), wanted.shown)
        self._refresh(wanted, view)
        view.snapshot = self._snapshot(wanted)
        self._say_what_is_missing(wanted, view)
        stored = self._row(wanted.name)
        if stored is not None and view.freshness == "fresh":
            self._last = (moment, replace(view, warnings=[*view.warnings]), stored)
        return view

    def _moment(self, wanted: Wanted) -> tuple[object, ...]:
        """All that a view depends on: what is stored, files on disk, the base, and what is named alike."""
        version, checkout, repository = self.store.index.version(), self.checkout, self.repository
        if wanted.checked_out:
            checkout.files()
        checkout.look_at_installed()
        said = (checkout.project_version, checkout.installed_version)
        looked = (checkout.version, said, checkout.conflicts)
        return wanted, version, looked, self._base_of(wanted), repository and repository.doubt(wanted.shown)

    def _say_what_is_missing(self, wanted: Wanted, view: View) -> None:
        if self.unreadable:
            view.warnings.append(
                f"the git repository here cannot be opened, so this is about the files on disk: "
                f"{self.unreadable}"
            )
        if self.repository is not None and (doubt := self.repository.doubt(wanted.shown)) is not None:
            view.warnings.append(doubt)
        view.warnings.extend(wanted.warnings)
        if wanted.checked_out and (open_ones := self.checkout.conflicts):
            view.warnings.append(f"a merge is not finished in {', '.join(open_ones[:_NAMED])}")
        if lacking := self.lacking(wanted):
            view.completeness = "partial"
            view.warnings.append(lacking)

    def ready(self) -> Snapshot | None:
        """What is checked out, if it is indexed or nearly so; nothing where that would take long."""
        try:
            wanted = self.wanted(None)
        except CueError:
            return None
        # A branch that was made just now is nearly indexed where the one it lies on is.
        row = self._row(wanted.name) or self._row(self.base_name() or "")
        if row is None or row.version != EXTRACTOR_VERSION:
            return None
        if row.commit_id != wanted.commit and not self._is_small(wanted):
            return None
        return self.view().snapshot

    def indexed(self, wanted: Wanted) -> Snapshot:
        """What is indexed of a ref, current or not."""
        return self._snapshot(wanted)

    def _refresh(self, wanted: Wanted, view: View) -> None:
        if wanted.commit is not None and self.repository is not None and self.lacking(wanted):
            self.indexer().forget_what_came(self.repository.files(wanted.commit)[0].values())
        row = self._row(wanted.name)
        usable = row is not None and self._is_whole(row)
        if usable and row is not None and self._stands(row, wanted) and self._jobs_idle(wanted.name):
            if wanted.checked_out:
                self._index_disk(None, wanted)
            self._touch(row)
            return
        if self._is_small(wanted) and self._jobs_idle(wanted.name):
            self.index(wanted)
            return
        job = self.start(wanted)
        job.thread.join(_FIRST_ANSWER_SECONDS if not usable else 2.0)
        if job.error is not None:
            raise job.error
        if job.done is not None:
            return
        if not usable:
            raise CueError(
                ErrorCode.REF_NOT_INDEXED,
                f"{wanted.name} is being indexed ({job.progress:.0%})",
                data={"ref": wanted.name, "indexing_status": "indexing", "progress": round(job.progress, 3)},
                hint="Ask index_status for progress and repeat the call when it is done.",
            )
        view.freshness, view.indexing, view.completeness = "syncing", "indexing", "partial"
        view.warnings.append(
            f"{wanted.name} has moved; this answer is from {str(row and row.commit_id)[:12]}"
        )

    def _is_whole(self, row: table.RefRow) -> bool:
        """Whether a ref and what it lies on are stored as this version reads them."""
        below = self._row(row.base) if row.base is not None else None
        layers = [row] if row.base is None else [row, below]
        return all(a is not None and a.version == EXTRACTOR_VERSION for a in layers) and (
            below is None or below.base is None
        )

    def _stands(self, row: table.RefRow, wanted: Wanted) -> bool:
        """Whether what is stored is the ref's commit, seen from the base and where that is now."""
        tip = self._base_of(wanted)
        if row.commit_id != wanted.commit or row.base != (tip.name if tip is not None else None):
            return False
        if tip is None or wanted.commit is None or self.repository is None:
            return True
        return self.repository.merge_base(tip.commit, wanted.commit) == row.merge_base

    def _jobs_idle(self, name: str) -> bool:
        job = self._jobs.get(name)
        return job is None or not job.thread.is_alive()

    def _is_small(self, wanted: Wanted) -> bool:
        """Whether so little is missing that indexing fits into a call."""
        if wanted.commit is None or self.repository is None:
            return len(self.checkout.files()) <= _SMALL
        tip = self._base_of(wanted)
        row = self._row(tip.name) if tip is not None else None
        before = row.commit_id if row is not None and row.version == EXTRACTOR_VERSION else None
        files: list[TreeFile | None] = []
        for commit in {wanted.commit, tip.commit if tip is not None else wanted.commit}:
            git = self.repository
            files += (git.files(commit)[0] if before is None else git.delta(before, commit)).values()
        return len(self.indexer().missing(file for file in files if file is not None)) <= _SMALL

    def _touch(self, row: table.RefRow) -> None:
        at = now_ms()
        if at - row.accessed_at > _TOUCH_EVERY:
            with self.store.index.write(actor=ACTOR) as session:
                table.touch_ref(session, row.name, at)

    def _snapshot(self, wanted: Wanted) -> Snapshot:
        found = self._snapshots.get(self._key(wanted, self._layers(wanted, self._row)))
        if found is not None:
            self._make_room(found)
            return found
        version = self.store.index.version()
        with self.store.index.read() as session:
            # Rows and files of one moment: another thread may be moving them.
            layers = self._layers(wanted, lambda name: table.ref(session, name))
            files = self._files(session, layers)
        reading = Reading(self.repository, self.checkout, wanted, files)
        snapshot = Snapshot(wanted.name, files, self.cache, reading.file, reading.links)
        snapshot.whole_at = version
        with self._lock:
            key = self._key(wanted, layers)
            earlier = next((s for k, s in reversed(self._snapshots.items()) if k[:2] == key[:2]), None)
            # Project files of what is not checked out may have changed unnoticed.
            if earlier is not None and wanted.checked_out:
                snapshot.follow(earlier)
            # What a ref was before is not asked for again, but by who still has it.
            others = [(k, s) for k, s in self._snapshots.items() if k[0] != key[0]]
            kept = dict([*others[1 - _SNAPSHOTS :], (key, snapshot)])
            for old, gone in self._snapshots.items():
                if old not in kept:
                    gone.let_go()
            self._snapshots = kept
            self.cache.tidy()
        return snapshot

    def _make_room(self, asked: Snapshot) -> None:
        """Have other refs forget what was worked out for them when all of it takes too much memory."""
        snapshots = self._snapshots.values()
        for other in snapshots:
            if sum(each.weight for each in snapshots) <= _WORKED_OUT_BYTES:
                return
            if other is not asked:
                other.let_go()

    def _key(self, wanted: Wanted, layers: list[Layered]) -> tuple[object, ...]:
        project = self.checkout.project_version if wanted.checked_out else -1
        said = (project, self.checkout.installed_version)
        return (wanted.name, said, *((a.rid, a.commit_id, a.indexed_at, a.files) for a, _ in layers))

    def _layers(self, wanted: Wanted, row_of: Callable[[str], table.RefRow | None]) -> list[Layered]:
        """What a ref is made of, the top first, each with whether it is what stands on disk."""
        row = row_of(wanted.name)
        if row is None:
            raise unknown_ref(wanted.name)
        layers: list[Layered] = []
        top = row_of(self._worktree) if wanted.checked_out and wanted.commit is not None else None
        if top is not None and top.base == row.name and top.commit_id == row.commit_id:
            layers.append((top, True))
        layers.append((row, wanted.commit is None))
        below = row_of(row.base) if row.base is not None else None
        if below is not None:
            layers.append((below, False))
        return layers

    def _files(self, session: Session, layers: list[Layered]) -> dict[str, Entry]:
        *above, (bottom, on_disk) = layers
        below = rows = self._layer(session, bottom, on_disk)
        for layer, on_disk in reversed(above):
            rows = rows | self._layer(session, layer, on_disk)
        if len(rows) > len(below):
            rows = dict(sorted(rows.items()))
        return {path: entry for path, entry in rows.items() if entry is not None}

    def _layer(self, session: Session, layer: table.RefRow, on_disk: bool) -> dict[str, Entry | None]:
        """One layer's files; the large one below all others is read once."""
        key = (layer.rid, layer.commit_id, layer.indexed_at, layer.files, on_disk)
        held, entries = self._bottom
        if held == key:
            return entries
        found: dict[str, Entry | None] = {}
        bottom = layer.base is None
        for path, blob, own, (oid, language) in table.manifest_blobs(session, layer.rid, most=bottom):
            over = not bottom and own
            found[path] = (
                Entry(blob, oid, language, "overlay" if over else "base", on_disk)
                if blob is not None
                else None
            )
        if bottom:
            found = dict(sorted(found.items()))
            self._bottom = (key, found)
        return found
