"""One ref as it stands: every file with its facts, loaded by need."""

from __future__ import annotations

import posixpath
import threading
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.extraction.encoding import as_utf8
from cuedeck.code.extraction.packing import unpack_lines, unpack_links, unpack_outline
from cuedeck.code.facts import Links, Outline
from cuedeck.code.languages import language_named
from cuedeck.code.resolution.linker import Linker
from cuedeck.code.resolution.memo import ANY_FILE, same_but_for_place
from cuedeck.code.resolution.rules import Rules
from cuedeck.code.resolution.values import Targets, Value
from cuedeck.code.symbols import FileSymbols, SymbolRecord
from cuedeck.store import code as table
from cuedeck.store.code_names import naming, stored
from cuedeck.store.protocol import Session, Store

if TYPE_CHECKING:
    from cuedeck.code.references import References
    from cuedeck.code.resolution.uses import Uses
    from cuedeck.code.search.lexicon import Lexicon, Texts

# Unpacked facts are about this many times their stored size.
_GROWTH: Final = {"o": 6, "l": 20, "n": 1}
_MANY_CHANGES: Final = 200
_KEPT_USES: Final = 200_000
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


class Outdated(Exception):
    """A snapshot's facts are gone: an edit has replaced them since it was taken. Take a new one."""


class FactsCache:
    """Unpacked facts of recently used blobs, shared by all refs of a workspace."""

    def __init__(self, store: Store, limit: int) -> None:
        self.store = store
        self.limit = limit
        self._held: OrderedDict[tuple[str, int], tuple[Any, int]] = OrderedDict()
        self._size = 0
        # Resolution asks for links far more often than for anything else.
        self.at_hand: dict[int, Links] = {}
        self._lock = threading.Lock()
        self.texts: Texts | None = None
        # The words of symbols that were held against others, by blob and place.
        self.compared: dict[tuple[str, int, int], frozenset[bytes]] = {}
        self._states = 0

    def outline(self, blob: int) -> Outline:
        """A blob's definitions."""
        found: Outline = self._get("o", blob, table.facts, unpack_outline)
        return found

    def lines(self, blob: int) -> array[int]:
        """Where a blob's lines start."""
        outline = self._held.get(("o", blob))
        found: array[int] = (
            self._get("n", blob, table.facts, unpack_lines) if outline is None else outline[0].lines
        )
        return found

    def links(self, blob: int) -> Links:
        """What resolution needs of a blob."""
        found: Links = self._get("l", blob, table.facts, unpack_links)
        return found

    def load(self, blobs: Collection[int], *, links: bool) -> None:
        """Read many blobs in one go."""
        kind = "l" if links else "o"
        wanted = [blob for blob in blobs if (kind, blob) not in self._held]
        if len(wanted) < 2:
            return
        with self.store.index.read() as session:
            packed = table.facts(session, wanted)
        for blob, data in packed.items():
            self._put((kind, blob), (unpack_links if links else unpack_outline)(data), len(data))

    def tidy(self) -> None:
        """Called with every new state of files: now and then, let go of blobs that no ref holds any more."""
        self._states += 1
        if self._states % _TIDY_EVERY:
            return
        with self._lock:
            held = {blob for _, blob in self._held} | (self.texts.blobs if self.texts is not None else set())
        with self.store.index.read() as session:
            gone = held - stored(session, held)
        if self.texts is not None:
            self.texts.forget(gone)
        with self._lock:
            for key in [key for key in self._held if key[1] in gone]:
                self._drop(key)

    def _drop(self, key: tuple[str, int]) -> None:
        kind, blob = key
        self._size -= self._held.pop(key)[1] * _GROWTH[kind]
        if kind == "l":
            del self.at_hand[blob]

    def _get(
        self,
        kind: str,
        blob: int,
        read: Callable[[Session, Collection[int]], dict[int, bytes]],
        unpack: Callable[[bytes], Any],
    ) -> Any:
        key = (kind, blob)
        held = self._held.get(key)
        if held is not None:
            return held[0]
        with self.store.index.read() as session:
            data = read(session, [blob]).get(blob)
        if data is None:
            raise Outdated
        return self._put(key, unpack(data), len(data))

    def _put(self, key: tuple[str, int], value: Any, size: int) -> Any:
        with self._lock:
            if key not in self._held:
                self._held[key] = (value, size)
                self._size += size * _GROWTH[key[0]]
                if key[0] == "l":
                    self.at_hand[key[1]] = value
            while self._size > self.limit and len(self._held) > 1:
                self._drop(next(iter(self._held)))
        return value


class Snapshot:
    """A ref's files and what they mean together; immutable once made."""

    def __init__(
        self, ref: str, files: dict[str, Entry], cache: FactsCache, read: Callable[[str], bytes | None]
    ) -> None:
        self.ref = ref
        self.files = files
        self.cache = cache
        self._read = read
        self._rules: dict[str, Rules] = {}
        self._symbols: dict[str, FileSymbols] = {}
        self._naming: dict[str, tuple[list[str], list[str]]] = {}
        # The store's version at which all of its blobs were known to be there.
        self.whole_at: int | None = None
        self._references: dict[tuple[str, int], References] = {}
        self._uses: OrderedDict[str, Uses] = OrderedDict()
        # Resolution keeps state while it runs: one thread at a time.
        self.lock = threading.RLock()

    @property
    def paths(self) -> Collection[str]:
        return self.files

    @cached_property
    def paths_of(self) -> dict[int, list[str]]:
        """The paths at which each blob stands."""
        found: dict[int, list[str]] = {}
        for path, entry in self.files.items():
            found.setdefault(entry.blob, []).append(path)
        return found

    @cached_property
    def lexicon(self) -> Lexicon:
        """The words of this snapshot's symbols."""
        from cuedeck.code.search.lexicon import Lexicon, Texts

        if self.cache.texts is None:
            self.cache.texts = Texts()
        made = Lexicon(self.cache.store, self.files, self.cache.texts)
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

    def follow(self, earlier: Snapshot) -> None:
        """Take over what an earlier state of the same files has resolved, as far as it is still true."""
        if self.files.keys() != earlier.files.keys() or not earlier.lock.acquire(blocking=False):
            return
        try:
            linker: Linker | None = earlier.__dict__.pop("linker", None)
            if linker is None:
                return
            for language, rules in earlier._rules.items():
                if rules.by_paths:
                    self._rules[language] = rules.moved(self)
            memo, kept = linker.memo, self._rules.keys()
            changed = [
                path
                for path in memo.paths
                if path != ANY_FILE
                and ((now := self.files[path]) is not earlier.files[path] or now.language not in kept)
                and self._resolves_anew(path, earlier)
            ]
            memo.forget([ANY_FILE, *changed])
            self.__dict__["linker"] = Linker(self, self.rules, memo)
        finally:
            earlier.lock.release()

    def let_go(self) -> None:
        """Drop what refers back here, so that nothing waits for the collector once nobody asks any more."""
        if self.lock.acquire(blocking=False):
            try:
                self._rules = {}
                self.__dict__.pop("linker", None)
            finally:
                self.lock.release()

    def _resolves_anew(self, path: str, earlier: Snapshot) -> bool:
        """Whether names in a file, or that lead to it, may mean something else than before."""
        now, then = self.files[path], earlier.files[path]
        if now.language != then.language or not self.rules(path).by_paths:
            return True
        if now.blob == then.blob:
            return False
        before = self.cache.at_hand.get(then.blob)
        try:
            return before is None or not same_but_for_place(before, self.cache.links(now.blob))
        except Outdated:
            return True

    def rules(self, path: str) -> Rules:
        """The linking rules of a file's language."""
        language = self.files[path].language
        found = self._rules.get(language)
        if found is None:
            known = language_named(language)
            found = self._rules[language] = known.rules(self) if known is not None else Rules(self)
        return found

    def links(self, path: str) -> Links:
        blob = self.files[path].blob
        # Nothing is asked for more often: what is at hand is taken without another call.
        return self.cache.at_hand.get(blob) or self.cache.links(blob)

    def outline(self, path: str) -> Outline:
        """A file's definitions."""
        return self.cache.outline(self.files[path].blob)

    def line_of(self, path: str, offset: int) -> int:
        """The 1-based line of a place in a file."""
        return bisect_right(self.cache.lines(self.files[path].blob), offset)

    def symbols(self, path: str) -> FileSymbols:
        """A file's records."""
        found = self._symbols.get(path)
        if found is None:
            found = self._symbols[path] = FileSymbols(path, self.outline(path), self.files[path].layer)
        return found

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

    def _named(self, name: str) -> tuple[list[str], list[str]]:
        found = self._naming.get(name)
        if found is None:
            version = self.cache.store.index.version()
            with self.cache.store.index.read() as session:
                self._check_whole(session, version)
                uses, defines = naming(session, name)
            found = self._naming[name] = (self._paths(uses), self._paths(defines))
        return found

    def _check_whole(self, session: Session, version: int) -> None:
        """The store keeps what is current: of files that were written since, it would name too few."""
        if version != self.whole_at:
            if len(stored(session, self.paths_of)) < len(self.paths_of):
                raise Outdated
            self.whole_at = version

    def _paths(self, blobs: Iterable[int]) -> list[str]:
        return sorted(path for blob in blobs for path in self.paths_of.get(blob, ()))

    def module_member(self, module: Value, name: str) -> Targets:
        return self.linker.module_member(module, name)

    def uses(self, name: str) -> Uses:
        """Every use of a name by what it means, kept for whatever else bears it."""
        from cuedeck.code.resolution.uses import Uses

        found = self._uses.get(name)
        if found is None:
            found = self._uses[name] = Uses(self, name)
        if found.looked < len(found.paths):
            found.look(self)
            while len(self._uses) > 1 and sum(each.size for each in self._uses.values()) > _KEPT_USES:
                self._uses.popitem(last=False)
        return found

    def references(self, record: SymbolRecord) -> References:
        """What refers to a definition, computed once."""
        from cuedeck.code.locating import symbol_of
        from cuedeck.code.references import References, module_references, references

        key = (record.path, record.number)
        if key not in self._references:
            symbol = symbol_of(self, record)
            if record.number < 0:
                found = module_references(self, record.path)
            else:
                here = symbol is None or symbol.path == record.path
                place = self.outline(record.path).definitions[record.number].name_at if here else None
                found = references(self, symbol, place) if symbol is not None else References((), ())
            if found.unseen:
                return found
            self._references[key] = found
        return self._references[key]

    def prepare(self, paths: Collection[str]) -> None:
        """Load what resolution will need of many files at once."""
        self.cache.load([self.files[path].blob for path in paths], links=True)
