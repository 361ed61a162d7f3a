"""One ref as it stands: every file with its facts, loaded by need."""

from __future__ import annotations

import posixpath
import threading
import time
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.extraction.analysis import names_seen_outside
from cuedeck.code.extraction.encoding import as_utf8
from cuedeck.code.extraction.packing import unpack_lines, unpack_links, unpack_outline
from cuedeck.code.facts import Links, Outline
from cuedeck.code.git.links import followed
from cuedeck.code.held import Held
from cuedeck.code.languages import language_named
from cuedeck.code.resolution.linker import Linker
from cuedeck.code.resolution.memo import ANY_FILE, is_naming, naming, same_but_for_place
from cuedeck.code.resolution.rules import Rules
from cuedeck.code.symbols import MOST_RECORDS, FileSymbols, SymbolRecord
from cuedeck.model.text import is_storable
from cuedeck.store import code as table
from cuedeck.store.code_names import naming as blobs_naming
from cuedeck.store.code_names import stored, stored_until
from cuedeck.store.protocol import Session, Store

if TYPE_CHECKING:
    from cuedeck.code.references import References
    from cuedeck.code.resolution.conventions import ProvingLinker
    from cuedeck.code.resolution.uses import Uses
    from cuedeck.code.search.lexicon import Lexicon, Places, Texts

# Unpacked facts are about this many times their stored size.
_GROWTH: Final[dict[Callable[[bytes], Any], int]] = {unpack_outline: 3, unpack_links: 7, unpack_lines: 1}
# About a quarter of a file's records is ever made, of 1 kB each.
_RECORD: Final = 250
_LIST: Final = 300
_MANY_CHANGES: Final = 200
_LINKERS: Final = ("linker", "guesses", "proofs")
_FOUND_BYTES: Final = 48 * 1024 * 1024
# Every so many new states of files the facts of blobs that are no longer stored are looked for.
_TIDY_EVERY: Final = 32


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a snapshot."""

    blob: int
    oid: str
    language: str
    layer: str  # base or overlay
    on_disk: bool

    @property
    def facts(self) -> tuple[int, str]:
        """What tells whether two files are read alike."""
        return self.blob, self.language


class Outdated(Exception):
    """A snapshot's facts are gone: an edit has replaced them since it was taken. Take a new one."""


class FactsCache:
    """Unpacked facts of recently used blobs and their records, shared by all refs of a workspace."""

    def __init__(self, store: Store, limit: int) -> None:
        self.store = store
        self.generation = store.index.generation
        # Links stand under their blob alone: resolution asks for them far more often than for anything else.
        self.held: Held[int | tuple[Any, ...], Any] = Held(limit)
        self.texts: Texts | None = None
        # The words of symbols that were held against others, by blob and place.
        self.compared: dict[tuple[str, int, int], frozenset[bytes]] = {}
        # Whether two symbols, each by blob and place, differ in layout only.
        self.reformatted: dict[tuple[str, int, int, str, int, int], bool] = {}
        self._states = 0

    def outline(self, blob: int) -> Outline:
        """A blob's definitions."""
        found: Outline = self._get(("outline", blob), blob, unpack_outline)
        return found

    def symbols(self, path: str, blob: int, layer: str) -> FileSymbols:
        """The records of a blob at a path."""
        key = ("symbols", blob, path, layer)
        found: FileSymbols | None = self.held.values.get(key)
        if found is None:
            outline = self.outline(blob)
            found = FileSymbols(path, outline, layer)
            self.held.put(key, found, _RECORD * (1 + min(len(outline.definitions), MOST_RECORDS)))
        return found

    def lines(self, blob: int) -> array[int]:
        """Where a blob's lines start."""
        outline: Outline | None = self.held.values.get(("outline", blob))
        if outline is not None:
            return outline.lines
        found: array[int] = self._get(("lines", blob), blob, unpack_lines)
        return found

    def links(self, blob: int) -> Links:
        """What resolution needs of a blob."""
        found: Links = self._get(blob, blob, unpack_links)
        return found

    def load(self, blobs: Collection[int], *, links: bool) -> None:
        """Read many blobs in one go."""
        unpack = unpack_links if links else unpack_outline
        keys = {blob: blob if links else ("outline", blob) for blob in blobs}
        wanted = [blob for blob, key in keys.items() if key not in self.held.values]
        if len(wanted) < 2:
            return
        for blob, data in self._packed(wanted).items():
            self.held.put(keys[blob], unpack(data), len(data) * _GROWTH[unpack])

    def tidy(self) -> None:
        """Called with every new state of files: now and then, let go of blobs that no ref holds any more."""
        self._states += 1
        if self._states % _TIDY_EVERY:
            return
        keys = {key: key if isinstance(key, int) else key[1] for key in self.held}
        held = {*keys.values()} | (self.texts.blobs if self.texts is not None else set())
        with self.store.index.read() as session:
            gone = held - stored(session, held)
        if self.texts is not None:
            self.texts.forget(gone)
        self.held.drop(key for key, blob in keys.items() if blob in gone)

    def _get(self, key: int | tuple[Any, ...], blob: int, unpack: Callable[[bytes], Any]) -> Any:
        found = self.held.values.get(key)
        if found is not None:
            return found
        data = self._packed([blob]).get(blob)
        if data is None:
            raise Outdated
        return self.held.put(key, unpack(data), len(data) * _GROWTH[unpack])

    def _packed(self, blobs: Collection[int]) -> dict[int, bytes]:
        with self.store.index.read() as session:
            found = table.facts(session, blobs)
        # Asked afterwards: what was read may be of what came in its place.
        if self.store.index.generation != self.generation:
            raise Outdated
        return found


class Snapshot:
    """A ref's files and what they mean together; immutable once made."""

    def __init__(
        self,
        ref: str,
        files: dict[str, Entry],
        cache: FactsCache,
        read: Callable[[str], bytes | None],
        links: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        self.ref = ref
        self.files = files
        self.cache = cache
        self._read = read
        self._read_links = links
        self._rules: dict[str, Rules] = {}
        self._found: Held[tuple[Any, ...], Any] = Held(_FOUND_BYTES)
        # The store's version at which all of its blobs were known to be there.
        self.whole_at: int | None = None
        self._stored: int | None = None
        # Resolution keeps state while it runs: one thread at a time.
        self.lock = threading.RLock()

    @property
    def paths(self) -> Collection[str]:
        return self.files

    def spelled(self, path: str) -> str:
        """A path as the ref has it, in whichever form of Unicode its accents were typed, without links."""
        if path in self.files:
            return path
        led = self.followed(path)
        return led if led.isascii() else self._by_form.get(unicodedata.normalize("NFC", led), led)

    def followed(self, path: str) -> str:
        """A path without the symbolic links that it leads through."""
        return followed(path, self.symbolic_links)

    @cached_property
    def symbolic_links(self) -> Mapping[str, str]:
        return self._read_links()

    @cached_property
    def _by_form(self) -> dict[str, str]:
        return {unicodedata.normalize("NFC", path): path for path in self.files if not path.isascii()}

    @cached_property
    def paths_of(self) -> dict[int, list[str]]:
        """The paths at which each blob stands."""
        found: dict[int, list[str]] = {}
        for path, entry in self.files.items():
            found.setdefault(entry.blob, []).append(path)
        return found

    @cached_property
    def places(self) -> Places:
        """The files, those of one blob in one place."""
        from cuedeck.code.search.lexicon import Places

        return Places(list(self.paths_of.values()))

    @cached_property
    def lexicon(self) -> Lexicon:
        """The words of this snapshot's symbols."""
        from cuedeck.code.search.lexicon import Lexicon, Texts

        if self.cache.texts is None:
            self.cache.texts = Texts()
        made = Lexicon(self.cache.store, self.files, self.paths_of.keys(), self.places, self.cache.texts)
        version = self.cache.store.index.version()
        with self.cache.store.index.read() as session:
            self._check_whole(session, version)
        return made

    @cached_property
    def changed_folders(self) -> dict[str, str]:
        """Folders with files that the ref changed; many changes mean that none is special."""
        changed = [path for path, entry in self.files.items() if entry.layer == "overlay"]
        if len(changed) > _MANY_CHANGES:
            return {}
        return {posixpath.dirname(path): path for path in reversed(changed)}

    @cached_property
    def linker(self) -> Linker:
        """Resolution over this snapshot."""
        return Linker(self, self.rules)

    @cached_property
    def guesses(self) -> Linker:
        """Resolution that trusts what libraries do by convention, for what nothing proves."""
        from cuedeck.code.resolution.conventions import ConventionalLinker

        return ConventionalLinker(self)

    @cached_property
    def proofs(self) -> ProvingLinker:
        """Resolution that assumes nothing, for what may rest on an assumption."""
        from cuedeck.code.resolution.conventions import ProvingLinker

        return ProvingLinker(self)

    @cached_property
    def checked(self) -> Snapshot:
        """The same files as type checkers read them."""
        from cuedeck.code.checked import Checked

        return Checked(self)

    def follow(self, earlier: Snapshot) -> None:
        """Take over what an earlier state of the same files has worked out, as far as it is still true."""
        if self.files.keys() != earlier.files.keys():
            return
        edited = [path for path, now in self.files.items() if now is not earlier.files[path]]
        edited = [path for path in edited if self.files[path].facts != earlier.files[path].facts]
        self._stand_as(earlier, edited)
        if not earlier.lock.acquire(blocking=False):
            return
        try:
            linker: Linker | None = earlier.__dict__.pop("linker", None)
            if linker is None:
                return
            memo = linker.memo
            linker = self.__dict__["linker"] = Linker(self, self.rules, memo)
            for language, rules in earlier._rules.items():
                if rules.keeps_results:
                    self._rules[language] = rules.moved(linker)
            earlier._rules = {}
            memos = [memo]
            proofs: ProvingLinker | None = earlier.__dict__.pop("proofs", None)
            if proofs is not None:
                memos.append(proofs.memo)
                self.__dict__["proofs"] = proofs.moved(self)
            for each in memos:
                each.forget([ANY_FILE, *self._resolved_anew(earlier, edited, each.paths)])
        finally:
            earlier.lock.release()

    def _stand_as(self, earlier: Snapshot, edited: Collection[str]) -> None:
        """Take over where the files stand, if each that was edited was and is alone with its blob."""
        before: dict[int, list[str]] | None = earlier.__dict__.get("paths_of")
        now = {earlier.files[path].blob: self.files[path].blob for path in edited}
        if before is None or any(blob in before for blob in now.values()):
            return
        if len(set(now.values())) < len(edited) or any(len(before[blob]) > 1 for blob in now):
            return
        self.__dict__["paths_of"] = {now.get(blob, blob): paths for blob, paths in before.items()}
        if "places" in earlier.__dict__:
            self.__dict__["places"] = earlier.places

    @property
    def weight(self) -> int:
        """About how much memory what was worked out here takes."""
        linkers: list[Linker] = [self.__dict__[name] for name in _LINKERS if name in self.__dict__]
        lexicon: Lexicon | None = self.__dict__.get("lexicon")
        checked: Snapshot | None = self.__dict__.get("checked")
        return (
            self._found.weight
            + (checked.weight if checked is not None else 0)
            + sum(linker.memo.weight for linker in linkers)
            + (lexicon.weight if lexicon is not None else 0)
        )

    def let_go(self) -> None:
        """Drop what was worked out; none of it refers back here then, so nothing waits for the collector."""
        if self.lock.acquire(blocking=False):
            try:
                self._rules = {}
                self._found = Held(_FOUND_BYTES)
                for name in (*_LINKERS, "lexicon", "checked"):
                    self.__dict__.pop(name, None)
            finally:
                self.lock.release()

    def _resolved_anew(
        self, earlier: Snapshot, edited: Iterable[str], known: Collection[str]
    ) -> Iterator[str]:
        """Of the files and names that results rest on, those of which they may no longer be true."""
        yield from (p for p in known if p in self.files and self.files[p].language not in self._rules)
        by_name = any(map(is_naming, known))
        for path in edited:
            if not by_name and path not in known:
                continue
            now, then = self.files[path], earlier.files[path]
            try:
                before, after = self.cache.links(then.blob), self.cache.links(now.blob)
            except Outdated:
                yield from known
                return
            if now.language != then.language or not same_but_for_place(before, after):
                yield path
                names = names_seen_outside(before, then.language), names_seen_outside(after, now.language)
                yield from map(naming, {*names[0]} ^ {*names[1]})

    def rules(self, path: str) -> Rules:
        """The linking rules of a file's language."""
        language = self.files[path].language
        found = self._rules.get(language)
        if found is None:
            known = language_named(language)
            found = self._rules[language] = (known.rules if known is not None else Rules)(self.linker)
        return found

    def links(self, path: str) -> Links:
        blob = self.files[path].blob
        # Nothing is asked for more often: what is at hand is taken without another call.
        return self.cache.held.values.get(blob) or self.cache.links(blob)

    def outline(self, path: str) -> Outline:
        """A file's definitions."""
        return self.cache.outline(self.files[path].blob)

    def line_of(self, path: str, offset: int) -> int:
        """The 1-based line of a place in a file."""
        return bisect_right(self.cache.lines(self.files[path].blob), offset)

    def symbols(self, path: str) -> FileSymbols:
        """A file's records."""
        entry = self.files[path]
        return self.cache.symbols(path, entry.blob, entry.layer)

    def text(self, path: str) -> str | None:
        data = self._read(path)
        return None if data is None else data.decode("utf-8", "replace")

    def source(self, path: str) -> bytes | None:
        """A file at this ref, as UTF-8."""
        data = self._read(path)
        return None if data is None else as_utf8(data)

    def files_naming(self, name: str) -> Collection[str]:
        return self._named(name)[0]

    def files_defining(self, name: str) -> Collection[str]:
        """The files that define a symbol of that name."""
        return self._named(name)[1]

    def files_bearing(self, name: str) -> list[str]:
        """The files where a name stands: those that use it, and those that define it for themselves alone."""
        uses, defines = self._named(name)
        return sorted({*uses, *defines})

    def _named(self, name: str) -> tuple[list[str], list[str]]:
        found: tuple[list[str], list[str]] | None = self._found.values.get(("named", name))
        if found is None and not is_storable(name):
            return [], []
        if found is None:
            version = self.cache.store.index.version()
            with self.cache.store.index.read() as session:
                uses, defines = blobs_naming(session, name)
                self._check_whole(session, version)
            found = (self._paths(uses), self._paths(defines))
            self._found.put(("named", name), found, _LIST + 8 * sum(map(len, found)))
        return found

    def _check_whole(self, session: Session, version: int) -> None:
        """The store keeps what is current: of files that were written since, it has named too few.

        The version is of before the reading, which may have seen more.
        """
        unchanged = self.cache.store.index.version() == self.whole_at
        if unchanged and self._stored is not None:
            return
        blobs = self.paths_of
        count = stored_until(session, max(blobs, default=0))
        if not unchanged and count != self._stored and len(stored(session, blobs)) < len(blobs):
            raise Outdated
        self._stored, self.whole_at = count, version

    def _paths(self, blobs: Iterable[int]) -> list[str]:
        return sorted(path for blob in blobs for path in self.paths_of.get(blob, ()))

    def uses(self, name: str, until: float | None = None) -> Uses:
        """Every use of a name by what it means, kept for whatever else bears it.

        Those that are known by a moment of the thread's own time, if one is given.
        """
        from cuedeck.code.resolution.uses import Uses

        found: Uses | None = self._found.values.get(("uses", name))
        if found is None or found.looked < len(found.paths):
            found = found or Uses(self, name)
            if until is not None and time.thread_time() > until:
                return found
            found.look(self, until)
            self._found.put(("uses", name), found, found.weight)
        return found

    def remembered(self, key: tuple[Any, ...]) -> Any:
        """What was worked out before, if it is still held."""
        return self._found.values.get(key)

    def remember(self, key: tuple[Any, ...], found: Any, weight: int) -> None:
        """Hold what was worked out."""
        self._found.put(key, found, _LIST + weight)

    def references(
        self, record: SymbolRecord, *, apart: bool = False, place: int | None = None
    ) -> References:
        """What refers to a definition, computed once.

        A stub and its module are one symbol, unless the module is meant ``apart`` from the stub. Of several
        places that define it another than the first may be the one that is asked about.
        """
        from cuedeck.code.references import with_stub, without_stub
        from cuedeck.code.resolution.uses import SITE

        rules = self.rules(record.path)
        stub = rules.is_stub(record.path)
        apart = apart and not stub and record.number >= 0 and rules.is_checked_apart
        key = ("references", record.path, record.number, apart, place)
        known: References | None = self._found.values.get(key)
        if known is not None:
            return known
        if apart:
            found = without_stub(self.references(record), self.checked.references(record))
        elif stub:
            found = with_stub(self._referring(record), self.checked._referring(record))
        else:
            found = self._referring(record, place)
        if not found.unseen:
            self._found.put(key, found, _LIST + SITE * (len(found.resolved) + len(found.possible)))
        return found

    def _referring(self, record: SymbolRecord, place: int | None = None) -> References:
        from cuedeck.code.locating import symbol_of
        from cuedeck.code.references import References, module_references, references

        symbol = symbol_of(self, record)
        if record.number < 0:
            return module_references(self, record.path)
        here = symbol is None or symbol.path == record.path
        if place is None and here:
            place = self.outline(record.path).definitions[record.number].name_at
        return references(self, symbol, place) if symbol is not None else References((), ())

    def prepare(self, paths: Collection[str]) -> None:
        """Load what resolution will need of many files at once."""
        self.cache.load([self.files[path].blob for path in paths], links=True)
