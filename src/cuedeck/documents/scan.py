"""Walks a workspace: every file the index knows about, with what its directory entry tells."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from cuedeck.documents.ignore import EXCLUDE_FILE, IGNORE_FILES, OWN_FOLDERS, IgnoreRules, Rules, is_ignored
from cuedeck.paths import too_long

MAX_DEPTH = 64
Seen = Callable[[int], None]


class FileStamp(NamedTuple):
    """What tells whether a file may have changed."""

    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileStamp:
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@dataclass(frozen=True, slots=True)
class Scan:
    """The files of a workspace by relative path, the folders that could not be read, and names left out.

    A name that is not Unicode or holds control characters cannot be said in an answer; here it is escaped.
    """

    files: dict[str, FileStamp]
    folders: frozenset[str]
    unreadable: tuple[str, ...]
    unsayable: tuple[str, ...] = ()


@dataclass(slots=True)
class _Found:
    files: dict[str, FileStamp] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    unreadable: list[str] = field(default_factory=list)
    unsayable: list[str] = field(default_factory=list)
    seen: Seen | None = None

    def says(self, folder: str, name: str) -> bool:
        """Whether a name can be said; one that cannot is noted."""
        if _presentable(name):
            return True
        self.unsayable.append(folder + ascii(name)[1:-1])
        return False


class Scanner:
    """Scans again and again; ignore decisions are remembered while the ignore files stay the same."""

    def __init__(self, root: Path, patterns: Sequence[str] = ()) -> None:
        self._root = Path(os.path.realpath(root))
        self._patterns = tuple(patterns)
        self._decisions: dict[str, bool] = {}
        self._earlier: dict[str, bool] = {}
        self._ignore_stamps: dict[str, tuple[int, int]] = {}

    def scan(self, seen: Seen | None = None) -> Scan:
        """Every regular file that is not ignored; symlinks are not followed, their targets count once.

        After each folder ``seen`` is told how many there are so far.
        """
        found = _Found(seen=seen)
        self._forget_when_rules_changed()
        # Of files that are gone nothing is kept.
        self._earlier, self._decisions = self._decisions, {}
        self._walk("", IgnoreRules(self._root, self._patterns), 0, found)
        for own in OWN_FOLDERS:
            self._walk_own(f"{own}/", found)
        return Scan(
            found.files, frozenset(found.folders), tuple(found.unreadable), tuple(sorted(found.unsayable))
        )

    def covers(self, path: str) -> bool:
        """Whether one path would be part of a scan, looking only at it and its folders."""
        if not _presentable(path) or path.count("/") > MAX_DEPTH or too_long(path):
            return False
        if any(path.startswith(f"{own}/") for own in OWN_FOLDERS):
            return not any(part.startswith(".") for part in path.split("/")[1:])
        if path.startswith(".") or "/." in path:
            return False
        rules = IgnoreRules(self._root, self._patterns)
        parts = path.split("/")
        folder = ""
        for part in parts[:-1]:
            found = rules.rules_for(folder, self._ignore_names(folder))
            folder += f"{part}/"
            if is_ignored(found, folder) or (self._root / folder).is_symlink():
                return False
        return not is_ignored(rules.rules_for(folder, self._ignore_names(folder)), path)

    def _ignore_names(self, folder: str) -> list[str]:
        return [name for name in IGNORE_FILES if (self._root / folder / name).is_file()]

    def _walk(self, folder: str, ignore: IgnoreRules, depth: int, found: _Found) -> None:
        try:
            with os.scandir(self._root / folder) as listing:
                entries = list(listing)
        except OSError:
            found.unreadable.append(folder or ".")
            return
        found.folders.add(folder)
        rules = ignore.rules_for(folder, self._note_rules(folder, entries))
        for entry in entries:
            if entry.name.startswith(".") or entry.is_symlink() or not found.says(folder, entry.name):
                continue
            path = folder + entry.name
            if entry.is_dir(follow_symlinks=False):
                if depth < MAX_DEPTH and not self._ignored(rules, f"{path}/"):
                    self._walk(f"{path}/", ignore, depth + 1, found)
            elif not self._ignored(rules, path):
                _stamp(entry, path, found.files)
        if found.seen is not None:
            found.seen(len(found.files))

    def _walk_own(self, folder: str, found: _Found) -> None:
        if os.path.realpath(self._root / folder) != str(self._root / folder.rstrip("/")):
            return
        try:
            with os.scandir(self._root / folder) as listing:
                entries = list(listing)
        except OSError:
            return
        found.folders.add(folder)
        for entry in entries:
            if entry.name.startswith(".") or entry.is_symlink() or not found.says(folder, entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                self._walk_own(f"{folder}{entry.name}/", found)
            else:
                _stamp(entry, folder + entry.name, found.files)

    def _ignored(self, rules: tuple[Rules, ...], path: str) -> bool:
        known = self._earlier.get(path)
        if known is None:
            known = is_ignored(rules, path)
        self._decisions[path] = known
        return known

    def _note_rules(self, folder: str, entries: Sequence[os.DirEntry[str]]) -> list[str]:
        """The ignore files of a folder; a new or changed one outdates every decision."""
        names = []
        for entry in entries:
            if entry.name in IGNORE_FILES and entry.is_file(follow_symlinks=False):
                names.append(entry.name)
                self._check_stamp(folder + entry.name)
        return names

    def _check_stamp(self, path: str) -> None:
        stamp = _stamp_of(self._root / path)
        # One that has gone since it was listed is missed by the next scan.
        if stamp is not None and self._ignore_stamps.get(path) != stamp:
            self._ignore_stamps[path] = stamp
            self._earlier = {}

    def _forget_when_rules_changed(self) -> None:
        for path in (EXCLUDE_FILE, *self._ignore_stamps):
            stamp = _stamp_of(self._root / path)
            if stamp != self._ignore_stamps.pop(path, None):
                self._decisions.clear()
            if stamp is not None:
                self._ignore_stamps[path] = stamp


def _stamp_of(rules: Path) -> tuple[int, int] | None:
    try:
        status = rules.lstat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def _stamp(entry: os.DirEntry[str], path: str, files: dict[str, FileStamp]) -> None:
    try:
        if entry.is_file(follow_symlinks=False) and not too_long(path):
            files[path] = FileStamp.of(entry.stat(follow_symlinks=False))
    except OSError:
        return


def _presentable(name: str) -> bool:
    """Names that are not Unicode, or hold control characters, cannot be said in an answer."""
    return name.isprintable() or not any(
        ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000 for c in name
    )
