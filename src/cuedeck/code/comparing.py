"""Compares two refs: finds where they parted, reads both sides from git, and lists what changed."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from cuedeck.code.diff import Sameness, SymbolChange, compare, moved, with_moves
from cuedeck.code.engine import Code
from cuedeck.code.extraction.encoding import as_utf8
from cuedeck.code.facts import EXTRACTOR_VERSION
from cuedeck.code.formatting import lines_of, same_tokens, shared_lines, words_of
from cuedeck.code.git.checkout import Head
from cuedeck.code.git.objects import NO_UTF8, NOT_HERE
from cuedeck.code.git.repository import EXECUTABLE, FileChange, MissingBlob, Repository, TreeFile
from cuedeck.code.git.unknown import unknown_ref
from cuedeck.code.indexing import as_it_stands
from cuedeck.code.languages import language_of
from cuedeck.code.snapshot import Outdated
from cuedeck.code.symbols import FileSymbols, SymbolRecord
from cuedeck.model.errors import CueError, ErrorCode, invalid
from cuedeck.store import code as table

_MAX_NEW_BLOBS: Final = 2500
# So long files are read that nobody has read before; the next comparison goes on from there.
_SECONDS: Final = 15.0
_ZERO: Final = "0" * 40
_WORDS_KEPT: Final = 4096
_VERDICTS_KEPT: Final = 16_384
# Short symbols are too much like each other to tell; less so in one file.
_TELLING_BYTES: Final = 100
_TELLING_IN_FILE: Final = 40
# Files on disk that came are held against those that went up to so many pairs.
_MOST_HELD_TOGETHER: Final = 10_000
_RENAMED: Final = 0.5


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed between two refs."""

    base: str
    head: str
    merge_base: str
    files: tuple[FileChange, ...]
    changes: tuple[SymbolChange, ...]
    unread: tuple[tuple[str, str], ...]
    doubts: tuple[str, ...] = ()
    # How many files were still to be read when time was up.
    waiting: int = 0

    @property
    def incomplete(self) -> bool:
        """Whether files that the clone lacks, or that are still to be read, may hide changes."""
        return self.waiting > 0 or any(reason == NOT_HERE for _, reason in self.unread)


def compare_refs(
    code: Code,
    base: str | None,
    head: str | None,
    *,
    path_filter: str | None = None,
    working_tree: bool = False,
    principal: str = "",
) -> Comparison:
    """Three-dot: from where the refs parted to the head, or to the files on disk."""
    for field, given in (("base_ref", base), ("head_ref", head)):
        if given == "":
            raise invalid(field, "a branch, tag or commit; or leave it out", given)
    repository = code.repository if code.is_git else None
    if repository is None:
        raise _no_repository(code.unreadable)
    wanted = code.wanted(head, principal)
    head_name, new = wanted.name if head is None else head, wanted.commit
    if new is None:
        raise CueError(
            ErrorCode.REF_NOT_INDEXED,
            f"{head_name} has no commit yet",
            data={"ref": head_name},
            hint="Commit first: commits are compared, and the files on disk with a commit.",
        )
    if working_tree and not wanted.checked_out:
        raise invalid("head_ref", "what is checked out, when working_tree is true", head_name)
    base_name = base if base is not None else code.base_name()
    if base_name is None:
        raise CueError(
            ErrorCode.REF_NOT_INDEXED,
            "There is no branch here to compare with",
            hint="Name a base_ref: a branch of another name, a tag or a commit.",
        )
    parted = repository.merge_base(_commit(repository, base_name), new)
    if parted is None:
        raise CueError(
            ErrorCode.MERGE_BASE_FAILED,
            f"{base_name} and {head_name} have no commit in common",
            data={"base_ref": base_name, "head_ref": head_name},
            hint="This clone is shallow and may lack it: `git fetch --unshallow` brings it."
            if repository.is_shallow
            else "Their histories are separate: choose a base_ref that head_ref came from.",
        )
    found = as_it_stands(
        lambda: _Comparing(code, repository, wanted.head if working_tree else None).run(
            base_name, head_name, parted, new, path_filter
        )
    )
    doubts = [*wanted.warnings, *filter(None, map(repository.doubt, (base_name, head_name)))]
    if found.waiting:
        doubts.append(
            f"{found.waiting} of {len(found.files)} changed files are not compared yet, as reading them took"
            f" more than {_SECONDS:.0f} s: ask again, or narrow path_filter"
        )
    return replace(found, doubts=tuple(doubts))


def _no_repository(unreadable: str) -> CueError:
    if unreadable:
        return CueError(
            ErrorCode.MERGE_BASE_FAILED, f"The git repository here cannot be opened: {unreadable}"
        )
    return CueError(
        ErrorCode.MERGE_BASE_FAILED,
        "This folder is not a git repository, so it has no refs to compare",
        hint="Run `git init` and commit to compare refs.",
    )


def _is_unknown(side: FileSymbols | None) -> bool:
    """Whether nothing could be read of a side, so that nothing can be said of its symbols."""
    return side is not None and side.outline.problem is not None and not side.outline.definitions


def _commit(repository: Repository, name: str) -> str:
    found = repository.resolve(name)
    if found is None:
        raise unknown_ref(name, repository)
    return found.commit


class _Comparing:
    def __init__(self, code: Code, repository: Repository, on_disk: Head | None) -> None:
        self.code = code
        self.repository = repository
        # What has to be checked out while the files on disk are looked at, where they are the head's.
        self.checked_out = on_disk
        self.on_disk: dict[str, TreeFile] = {}
        # Of each side the file that was read last: they are asked for symbol by symbol.
        self.last_read: dict[str, tuple[tuple[str, str], bytes]] = {}
        # By path and blob, of what is code.
        self.files: dict[tuple[str, str], TreeFile] = {}
        self.until = time.monotonic() + _SECONDS
        self.blobs: dict[tuple[str, str], int] = {}
        # The head's records say overlay, the other side's base.
        self.sides: dict[tuple[str, str], tuple[str, FileSymbols]] = {}
        # Where files that were renamed stand now, by their old path.
        self.now_at: dict[str, str] = {}
        self.renamed: set[str] = set()
        # Both sides of what has the same tokens, by file and number.
        self.same: set[tuple[str, int, str, int]] = set()

    def run(self, base: str, head: str, parted: str, new: str, path_filter: str | None) -> Comparison:
        listed = self.repository.changes(parted, new)
        files = list(listed.files)
        if self.checked_out is not None:
            self.code.checkout.require(self.checked_out)
            files = self._with_disk(parted, files)
        if path_filter:
            files = [f for f in files if f.path.startswith(path_filter) or f.old_path.startswith(path_filter)]
        self._ensure(files)
        changes: list[SymbolChange] = []
        unread = [(name, NO_UTF8) for name in listed.unnamed if name.startswith(path_filter or "")]
        waiting = 0
        for file in files:
            if self._is_waiting(file):
                waiting += 1
                continue
            before = self._side(file.old_path, file.old_oid, unread) if file.change != "added" else None
            after = (
                self._side(file.path, file.new_oid, unread, layer="overlay")
                if file.change != "deleted"
                else None
            )
            if any(_is_unknown(side) for side in (before, after)):
                continue
            if file.change == "renamed":
                changes += compare(before, None) + compare(None, after)
            else:
                changes += compare(before, after)
        self.now_at = {file.old_path: file.path for file in files if file.change == "renamed"}
        self.renamed = set(self.now_at.values())
        changes = with_moves(changes, self._samenesses(), self._words)
        changes = [self._checked(change) for change in changes]
        changes.sort(key=lambda c: (c.shown.path, c.shown.line_start, c.shown.qualified_name, c.change))
        unread = list(dict.fromkeys(unread))
        return Comparison(base, head, parted, tuple(files), tuple(changes), tuple(unread), waiting=waiting)

    def _with_disk(self, parted: str, files: list[FileChange]) -> list[FileChange]:
        """The same list with the files on disk in place of the head commit's."""
        self.on_disk = dict(self.code.checkout.files())
        before, _ = self.repository.files(parted)
        code = before.keys() | self.on_disk.keys()
        found = [
            file
            for file in files
            if all(path not in code and language_of(path) is None for path in (file.path, file.old_path))
        ]
        moved = self._moved_on_disk(before, files)
        for path, old_path in moved.items():
            found.append(FileChange(path, old_path, "renamed", before[old_path].oid, self.on_disk[path].oid))
        for path in (before.keys() | self.on_disk.keys()) - moved.keys() - set(moved.values()):
            old, now = before.get(path), self.on_disk.get(path)
            if old is None and now is not None:
                found.append(FileChange(path, path, "added", _ZERO, now.oid))
            elif now is None and old is not None:
                found.append(FileChange(path, path, "deleted", old.oid, _ZERO))
            elif old is not None and now is not None and old.oid != now.oid:
                found.append(FileChange(path, path, "modified", old.oid, now.oid))
        return sorted(found, key=lambda f: f.path)

    def _moved_on_disk(self, before: dict[str, TreeFile], files: list[FileChange]) -> dict[str, str]:
        """Old paths by new path: what commits renamed, and what now stands elsewhere, as it was or edited."""
        gone = {path for path in before if path not in self.on_disk}
        new = {path for path in self.on_disk if path not in before}
        moved = {
            file.path: file.old_path
            for file in files
            if file.change == "renamed" and file.old_path in gone and file.path in new
        }
        by_content = {before[path].oid: path for path in sorted(gone - set(moved.values()), reverse=True)}
        for path in sorted(new - moved.keys()):
            old_path = by_content.pop(self.on_disk[path].oid, None)
            if old_path is not None:
                moved[path] = old_path
        return moved | self._edited_on_disk(before, gone - set(moved.values()), new - moved.keys())

    def _edited_on_disk(self, before: dict[str, TreeFile], gone: set[str], new: set[str]) -> dict[str, str]:
        """The same for files of which, as git counts it, at least half stands elsewhere."""
        if len(gone) * len(new) > _MOST_HELD_TOGETHER:
            return {}
        was = {path: lines_of(self._read(before[path].oid, path)) for path in sorted(gone)}
        now = {path: lines_of(self._read(self.on_disk[path].oid, path)) for path in sorted(new)}
        scored = [
            (-score, path, old_path)
            for path, old_path in product(now, was)
            if before[old_path].language == self.on_disk[path].language
            and (score := shared_lines(was[old_path], now[path])) >= _RENAMED
        ]
        moved: dict[str, str] = {}
        taken: set[str] = set()
        for _, path, old_path in sorted(scored):
            if path not in moved and old_path not in taken:
                moved[path] = old_path
                taken.add(old_path)
        return moved

    def _ensure(self, files: list[FileChange]) -> None:
        """Have the facts of both sides stored and at hand."""
        for file in files:
            for path, oid in ((file.old_path, file.old_oid), (file.path, file.new_oid)):
                if oid != _ZERO and (language := self._language(path, oid)) is not None:
                    self.files[path, oid] = TreeFile(oid, language)
        known = self._stored()
        lacked = [TreeFile(*file) for file, row in known.items() if row.problem == NOT_HERE]
        if lacked and self.code.indexer().forget_what_came(lacked):
            known = self._stored()
        missing = {at: file for at, file in self.files.items() if file not in known}
        if missing:
            self._read_missing(missing)
            known = self._stored()
            if time.monotonic() < self.until and any(file not in known for file in missing.values()):
                raise Outdated  # somebody else let go of them meanwhile
        self.blobs = {file: row.rid for file, row in known.items()}
        self.code.cache.load(list(self.blobs.values()), links=False)

    def _stored(self) -> dict[tuple[str, str], table.BlobRow]:
        with self.code.store.index.read() as session:
            oids = {file.oid for file in self.files.values()}
            return table.known_blobs(session, EXTRACTOR_VERSION, oids)

    def _read_missing(self, missing: dict[tuple[str, str], TreeFile]) -> None:
        """Store the facts of files; refuse when that would take too long for a call."""
        disk = {path: file for (path, oid), file in missing.items() if self._is_on_disk(path, oid)}
        # In the order of paths, so that of a file both sides are read or neither.
        committed = {
            f"{number:09}/{path}": file
            for number, ((path, _), file) in enumerate(sorted(missing.items()))
            if disk.get(path) != file
        }
        if len(set(committed.values())) > _MAX_NEW_BLOBS:
            raise CueError(
                ErrorCode.REF_NOT_INDEXED,
                "Too many files differ to read them within this call",
                hint="Call index_repo for both refs first, or narrow path_filter.",
            )
        indexer = self.code.indexer()
        indexer.ensure(committed, searchable=False, until=self.until)
        indexer.ensure(disk, on_disk=True, searchable=False, until=self.until)

    def _is_on_disk(self, path: str, oid: str) -> bool:
        return path in self.on_disk and self.on_disk[path].oid == oid

    def _language(self, path: str, oid: str) -> str | None:
        """The language of a side; a script without an ending says it in its first line."""
        found = language_of(path)
        if found is not None:
            return found
        if self._is_on_disk(path, oid):
            return self.on_disk[path].language
        return self.repository.language_of_script(path, oid, EXECUTABLE)

    def _is_waiting(self, file: FileChange) -> bool:
        """Whether a side of it is still to be read."""
        sides = ((file.old_path, file.old_oid), (file.path, file.new_oid))
        return any(side in self.files and self.files[side] not in self.blobs for side in sides)

    def _side(
        self, path: str, oid: str, unread: list[tuple[str, str]], layer: str = "base"
    ) -> FileSymbols | None:
        file = self.files.get((path, oid))
        if file is None or file not in self.blobs:
            return None
        found = self.code.cache.symbols(path, self.blobs[file], layer)
        if found.outline.problem:
            unread.append((path, found.outline.problem))
        self.sides[layer, path] = (oid, found)
        return found

    # -- what needs the source

    def _samenesses(self) -> tuple[Sameness, ...]:
        """By what a symbol that went is known to be one that came, the surest first."""
        return (
            Sameness(lambda record: (*stayed, record.content) if (stayed := self._stayed(record)) else None),
            Sameness(moved),
            Sameness(self._stayed),
            Sameness(lambda record: self._shape(record, _TELLING_BYTES)),
            Sameness(self._only_renamed, only_one=True),
        )

    def _stayed(self, record: SymbolRecord) -> tuple[object, ...] | None:
        """What a symbol of a renamed file is called in it."""
        path = self._path_now(record)
        if path not in self.renamed:
            return None
        outline = self.sides[record.source_layer, record.path][1].outline
        return path, record.kind, outline.locals[record.number], outline.ordinals[record.number]

    def _only_renamed(self, record: SymbolRecord) -> tuple[object, ...] | None:
        shape = self._shape(record, _TELLING_IN_FILE)
        return (self._path_now(record), *shape) if shape is not None else None

    def _path_now(self, record: SymbolRecord) -> str:
        path = record.path
        return self.now_at.get(path, path) if record.source_layer == "base" else path

    def _shape(self, record: SymbolRecord, least: int) -> tuple[object, ...] | None:
        """What a symbol is without its name."""
        definition = self.sides[record.source_layer, record.path][1].outline.definitions[record.number]
        if definition.end - definition.start < least:
            return None
        return record.language, record.kind, definition.shape

    def _place(self, record: SymbolRecord) -> tuple[str, int, int]:
        """The blob that holds a symbol, and where in it."""
        oid, symbols = self.sides[record.source_layer, record.path]
        definition = symbols.outline.definitions[record.number]
        return oid, definition.start, definition.end

    def _text(self, record: SymbolRecord) -> bytes:
        oid, start, end = self._place(record)
        layer, file = record.source_layer, (oid, record.path)
        if layer not in self.last_read or self.last_read[layer][0] != file:
            self.last_read[layer] = (file, as_utf8(self._read(*file)))
        return self.last_read[layer][1][start:end]

    def _read(self, oid: str, path: str) -> bytes:
        # What a sparse checkout leaves out belongs to the files on disk without being there.
        on_disk = self._is_on_disk(path, oid)
        if on_disk and (found := self.code.checkout.read_blob(path, oid)) is not None:
            return found
        try:
            return self.repository.read(oid)
        except MissingBlob:
            if on_disk and self.code.checkout.read(path) is not None:
                raise Outdated from None  # it was edited since the files were looked at
            return b""

    def _words(self, record: SymbolRecord) -> frozenset[bytes]:
        held, key = self.code.cache.compared, self._place(record)
        found = held.get(key)
        if found is None:
            if len(held) >= _WORDS_KEPT:
                held.clear()
            found = held[key] = words_of(self._text(record))
        return found

    def _checked(self, change: SymbolChange) -> SymbolChange:
        """A change of layout only is said to be one after comparing tokens, not hashes."""
        before, after = change.before, change.after
        if not change.formatting_only or before is None or after is None:
            return change
        if not self._is_inside_same(before, after) and not self._has_same_tokens(before, after):
            return replace(change, formatting_only=False)
        self.same.add((before.path, before.number, after.path, after.number))
        return change

    def _is_inside_same(self, before: SymbolRecord, after: SymbolRecord) -> bool:
        """Whether both stand in what was compared as a whole: owners come before what they own."""
        return (before.path, self._owner(before), after.path, self._owner(after)) in self.same

    def _owner(self, record: SymbolRecord) -> int:
        return self.sides[record.source_layer, record.path][1].outline.definitions[record.number].parent

    def _has_same_tokens(self, before: SymbolRecord, after: SymbolRecord) -> bool:
        held, key = self.code.cache.reformatted, (*self._place(before), *self._place(after))
        found = held.get(key)
        if found is None:
            if len(held) >= _VERDICTS_KEPT:
                held.clear()
            found = held[key] = same_tokens(before.language, self._text(before), self._text(after))
        return found
