"""The documents index: brought up to date with the disk, in small transactions, links kept resolved."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from cuedeck.collecting import without_collecting
from cuedeck.documents.entries import READING, Reading
from cuedeck.documents.kinds import Kind, kind_of
from cuedeck.documents.links import KnownNames, Namesakes, alias_key, name_keys, resolver, target_key
from cuedeck.documents.reading import Batch, new_vocabulary, read_batch, read_document
from cuedeck.documents.scan import FileStamp, Scan, Scanner
from cuedeck.documents.workers import WORTH_WHILE, Crew
from cuedeck.model.clock import now_ms
from cuedeck.store import documents as rows
from cuedeck.store.document_entries import Leads, remove_documents, write_entries
from cuedeck.store.protocol import Database, Session
from cuedeck.store.schema.documents import DOCUMENT_TEXT

if TYPE_CHECKING:
    from cuedeck.store.vocabulary import Coded

ACTOR = "documents"
_BATCH = 500
T = TypeVar("T")
Stamp = tuple[int, int, int]
Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Refreshed:
    """What bringing the index up to date found."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)

    @property
    def anything(self) -> bool:
        return bool(self.added or self.changed or self.removed)

    def events_of(self, readings: Sequence[Reading]) -> list[tuple[str, str, str | None]]:
        """What happened to those of the files that were added or changed."""
        kinds = {**dict.fromkeys(self.added, "add"), **dict.fromkeys(self.changed, "change")}
        return [(each.path, kinds[each.path], each.hash) for each in readings if each.path in kinds]


class DocumentIndex:
    """Reads what changed on disk into the index database; safe to call from many threads."""

    def __init__(
        self,
        root: Path,
        database: Database,
        *,
        patterns: Sequence[str] = (),
        max_bytes: int = 2 * 1024 * 1024,
        opened_ns: int | None = None,
    ) -> None:
        self.root = Path(root).resolve()
        self._database = database
        self._scanner = Scanner(self.root, patterns)
        self.max_bytes = max_bytes
        self._lock = threading.RLock()
        self._scan: Scan | None = None
        self._guard = threading.Lock()
        self._looking = False
        self._known: dict[str, Stamp] = {}
        self._baseline = False
        self._reading: str | None = None
        # The first index reports nothing, except what was written since somebody opened the workspace.
        self._news_since_ns = opened_ns
        self._known_revision: int | None = None
        self._known_version: int | None = None
        self._known_generation: int | None = None

    @property
    def generation(self) -> int:
        """Another number once another index stands in this one's place."""
        return self._database.generation

    def refresh(self, progress: Progress | None = None) -> Refreshed:
        """Look at every file of the workspace and take in what is new, changed or gone."""
        with self._lock, Crew() as crew:
            scan = self._scanner.scan(None if self.complete else crew.expect)
            self._scan = replace(scan, files={})
            known = dict(self._stamps())
            current = self.complete
            look = [
                path for path, stamp in scan.files.items() if not current or not _same(known.get(path), stamp)
            ]
            gone = [path for path in known if path not in scan.files and not _hidden(path, scan)]
            if not look and not gone and current:
                return Refreshed()
            self._looking = True
            try:
                with without_collecting():
                    return self._take_in(look, gone, crew, scan, progress)
            finally:
                self._looking = False

    def refresh_paths(self, paths: Iterable[str]) -> Refreshed:
        """The same for some paths only; folders are not looked into."""
        with self._lock:
            known = self._stamps()
            look: list[str] = []
            gone: list[str] = []
            for path in dict.fromkeys(paths):
                stamp = self.stamp(path)
                # A change of the ignore rules is a look at everything; what is known is covered.
                if stamp is None or not (path in known or self._scanner.covers(path)):
                    if path in known:
                        gone.append(path)
                elif not _same(known.get(path), stamp):
                    look.append(path)
            if not look and not gone:
                return Refreshed()
            with Crew() as crew:
                return self._take_in(look, [], crew, unsure=gone)

    @property
    def complete(self) -> bool:
        """Whether every file was read, and as it is read now; not when the database was deleted under us."""
        return self._has_baseline() and self._reading == READING

    @property
    def unfinished(self) -> bool:
        """Whether the first look is under way: until it is done nothing else is taken in."""
        return self._looking and not self.complete

    def stamp(self, path: str) -> FileStamp | None:
        """A plain file's stamp now, or nothing."""
        import stat

        try:
            status = (self.root / path).lstat()
        except OSError:
            return None
        return FileStamp.of(status) if stat.S_ISREG(status.st_mode) else None

    def is_fresh(self, path: str) -> bool:
        """Whether what is indexed of a file is what is on disk, by its stamp."""
        return not self.stale([path])

    def stale(self, paths: Iterable[str]) -> list[str]:
        """Those of the paths whose file is not, or may not be, as it was when indexed."""
        known = self._stamps()
        found = ((path, self.stamp(path)) for path in paths)
        return [path for path, stamp in found if stamp is None or not _same(known.get(path), stamp)]

    def read(self, path: str) -> Reading | None:
        """A file read and extracted as it is now."""
        return read_document(self.root, path, max_bytes=self.max_bytes)

    def anchors(self, files: Mapping[str, FileStamp]) -> dict[str, list[tuple[str, int, int]]]:
        """Text, level and line of the anchors of those files that are as they were when indexed."""
        known = self._stamps()
        with self._database.read() as session:
            found = rows.anchors(session)
        return {path: found.get(path, []) for path, stamp in files.items() if _same(known.get(path), stamp)}

    def markdown_paths(self) -> list[str]:
        """Every markdown file, as indexed or, before the first index, as it is on disk."""
        paths = list(self._stamps()) or list(self._scanner.scan().files)
        return [path for path in paths if kind_of(path) is Kind.MARKDOWN]

    def unsayable(self) -> tuple[str, ...]:
        """Files and folders that the last scan left out for their names, which are escaped here."""
        return self._last_scan().unsayable

    def folders(self) -> frozenset[str]:
        """The folders of the last scan, ``""`` for the root, others ending in ``/``."""
        return self._last_scan().folders

    def _last_scan(self) -> Scan:
        """What the last look found beside files."""
        if self._scan is None:
            self._scan = replace(self._scanner.scan(), files={})
        return self._scan

    def _stamps(self) -> dict[str, Stamp]:
        """What is known of every file; read again only when somebody else changed it."""
        with self._guard:
            version = self._database.version()
            if version != self._known_version:
                with self._database.read() as session:
                    revision = rows.revision(session)
                    # Another index in its place may have come as far.
                    if (revision, self.generation) != (self._known_revision, self._known_generation):
                        self._known = rows.stamps(session)
                        self._baseline = rows.meta(session, "baseline") is not None
                        self._reading = rows.meta(session, "reading")
                        self._known_revision, self._known_generation = revision, self.generation
                self._known_version = version
            return self._known

    def _learn(self, revision: int, changed: Mapping[str, Stamp | None]) -> None:
        """Take our own committed change into what is known, unless another writer came between."""
        with self._guard:
            if self._known_revision != revision - 1:
                self._known_revision = None
                self._known_version = None
                return
            for path, stamp in changed.items():
                if stamp is None:
                    self._known.pop(path, None)
                else:
                    self._known[path] = stamp
            self._known_revision = revision

    def _has_baseline(self) -> bool:
        self._stamps()
        return self._baseline

    def _take_in(
        self,
        look: list[str],
        gone: list[str],
        crew: Crew,
        scan: Scan | None = None,
        progress: Progress | None = None,
        unsure: Sequence[str] = (),
    ) -> Refreshed:
        result = Refreshed()
        silent = not self._has_baseline()
        # The very first index knows every name beforehand, and only aliases can change where links lead.
        cold = silent and scan is not None and not self._stamps()
        leads = resolver(KnownNames.of(filter(_in_names, scan.files), {})) if scan and cold else None
        touched: set[str] = set()
        done = 0
        for batch in _gathered(self._readings(crew, look, unsure, fold=cold and len(look) >= WORTH_WHILE)):
            missing = [path for path, reading in batch.files if reading is None]
            gone += [path for path in missing if path in self._known]
            if cold:
                touched.update(key for path in missing for key in name_keys(path))
            if found := [reading for _, reading in batch.files if reading is not None]:
                with self._database.write(actor=ACTOR) as session:
                    touched |= self._write(session, found, batch.words, leads, result)
                    news = found if not silent else [reading for reading in found if self._is_news(reading)]
                    if news:
                        rows.record_events(session, now_ms(), result.events_of(news))
                    revision = rows.next_revision(session)
                self._learn(revision, {reading.path: reading.stamp for reading in found})
            done += len(batch.files)
            if progress is not None:
                progress(done, len(look))
        # Where every name was known, a link that leads somewhere does so whatever aliases there are.
        open_only = cold and len(result.added) == len(look)
        self._finish(gone, touched, result, silent=silent, whole=scan is not None, open_only=open_only)
        return result

    def _readings(
        self, crew: Crew, paths: Sequence[str], unsure: Sequence[str], *, fold: bool
    ) -> Iterator[Batch]:
        """What files hold; the missing last, for git takes a file away before it writes it anew."""
        missing = list(unsure)
        for batch in crew.read(self.root, paths, max_bytes=self.max_bytes, fold=fold):
            missing += [path for path, reading in batch.files if reading is None]
            yield batch._replace(files=[each for each in batch.files if each[1] is not None])
        if missing:
            vocabulary = new_vocabulary() if fold else None
            yield read_batch(self.root, missing, max_bytes=self.max_bytes, vocabulary=vocabulary)

    def _write(
        self,
        session: Session,
        found: Sequence[Reading],
        words: Sequence[Coded],
        leads: Leads | None,
        result: Refreshed,
    ) -> set[str]:
        """Write one batch; returns the name keys that now lead elsewhere."""
        shapes = {reading.path: reading.entry.file.shape for reading in found}
        known = rows.existing(session, list(shapes))
        unchanged = {r.path for r in found if known.get(r.path, {}).get("hash") == r.hash}
        same = {path for path in unchanged if known[path]["shape"] == shapes[path]}
        rows.restamp(session, ((r.path, *r.stamp, r.mtime_ns // 1_000_000) for r in found if r.path in same))
        different = [r for r in found if r.path not in same]
        if words and known:
            # Another process indexes too; what is coded is of files that nobody knew.
            again = read_batch(self.root, [r.path for r in different], max_bytes=self.max_bytes)
            different, words = [reading for _, reading in again.files if reading is not None], ()
        if not different:
            return set()
        paths = [reading.path for reading in different]
        targets = (link.target for reading in different for link in reading.entry.links)
        before = set() if leads else rows.names_of(session, paths)
        leading = leads or resolver(StoredNames(session, targets))
        write_entries(session, [reading.entry for reading in different], known, leading, words)
        new = [path for path in paths if path not in known]
        result.added += new
        # What is only read otherwise now is no news.
        result.changed += [path for path in paths if path in known and path not in unchanged]
        aliases = {alias for reading in different for alias in reading.aliases}
        if leads:
            return aliases
        appeared = {key for path in new for key in name_keys(path)}
        return (before ^ rows.names_of(session, paths)) | appeared | aliases

    def _finish(
        self,
        gone: Sequence[str],
        touched: set[str],
        result: Refreshed,
        *,
        silent: bool,
        whole: bool,
        open_only: bool,
    ) -> None:
        with self._database.write(actor=ACTOR) as session:
            vanished = rows.existing(session, gone) if gone else {}
            touched |= rows.names_of(session, list(vanished)) if vanished else set()
            remove_documents(session, list(vanished))
            result.removed += list(vanished)
            rows.record_events(session, now_ms(), ((path, "unlink", None) for path in vanished))
            for keys in _batches(iter(sorted(touched)), 500):
                _resolve_again(session, keys, open_only=open_only)
            rows.set_meta(session, "updated", str(now_ms()))
            revision = rows.next_revision(session)
            if silent:
                rows.set_meta(session, "baseline", str(now_ms()))
            if whole:
                rows.set_meta(session, "reading", READING)
                if not silent and self._reading != READING:
                    session.text(DOCUMENT_TEXT).pack()
        self._baseline = True
        self._reading = READING if whole else self._reading
        self._news_since_ns = None
        self._learn(revision, dict.fromkeys(vanished))

    def _is_news(self, reading: Reading) -> bool:
        return self._news_since_ns is not None and reading.mtime_ns >= self._news_since_ns


class StoredNames:
    """Names looked up in the index: those of expected link targets all at once, any other when asked for."""

    def __init__(self, session: Session, targets: Iterable[str] = ()) -> None:
        self._session = session
        self._expected = {key for target in targets for key in (target_key(target), alias_key(target))}
        self._seen: dict[str, KnownNames] = {}

    def named(self, key: str) -> Namesakes:
        return self._known(key).named(key)

    def aliased(self, key: str) -> Namesakes:
        return self._known(key).aliased(key)

    def _known(self, key: str) -> KnownNames:
        if key not in self._seen:
            keys, self._expected = self._expected | {key}, set()
            found = rows.named(self._session, list(keys))
            names = KnownNames(
                ((name, path) for name, path, alias in found if not alias),
                ((name, path) for name, path, alias in found if alias),
            )
            self._seen |= dict.fromkeys(keys, names)
        return self._seen[key]


def _resolve_again(session: Session, keys: Sequence[str], *, open_only: bool) -> None:
    """Resolve anew every link, or those leading nowhere, that might mean a name which came, moved or went."""
    links = rows.links_to_keys(session, [target_key(key) for key in keys], open_only=open_only)
    leads = resolver(StoredNames(session, (link["target"] for link in links)))
    now = ((link, leads(link["kind"], link["target"], link["path"])) for link in links)
    changed = [(link["document"], link["ordinal"], to) for link, to in now if to != link["resolved"]]
    rows.resolve_links(session, changed)


def _same(known: Stamp | None, stamp: FileStamp) -> bool:
    return known == stamp


def _in_names(path: str) -> bool:
    return not path.startswith(".")


def _hidden(path: str, scan: Scan) -> bool:
    """Whether a known file lies in a folder that could not be read just now: unknown, not gone."""
    return any(path.startswith(f"{folder.rstrip('/')}/") or folder == "." for folder in scan.unreadable)


def _gathered(batches: Iterator[Batch]) -> Iterator[Batch]:
    """Batches joined to what is written in one transaction."""
    files: list[tuple[str, Reading | None]] = []
    words: list[Coded] = []
    for batch in batches:
        files += batch.files
        words += batch.words
        if len(files) >= _BATCH:
            yield Batch(files, words)
            files, words = [], []
    yield Batch(files, words)


def _batches(items: Iterator[T], size: int) -> Iterator[list[T]]:
    while batch := list(islice(items, size)):
        yield batch
