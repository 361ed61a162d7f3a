"""Walks a workspace: every file the index knows about, with what its directory entry tells."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cuedeck.documents.ignore import OWN_FOLDERS, IgnoreRules, Rules, is_ignored

MAX_DEPTH = 64
_UNSAYABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class FileStamp:
    """What tells whether a file may have changed."""

    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileStamp:
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@dataclass(frozen=True, slots=True)
class Scan:
    """The files of a workspace by relative path, and the folders that could not be read."""

    files: dict[str, FileStamp]
    folders: frozenset[str]
    unreadable: tuple[str, ...]


class Scanner:
    """Scans again and again; ignore decisions are remembered while the ignore files stay the same."""

    def __init__(self, root: Path, patterns: Sequence[str] = ()) -> None:
        self._root = Path(os.path.realpath(root))
        self._patterns = tuple(patterns)
        self._decisions: dict[str, bool] = {}
        self._ignore_stamps: dict[str, tuple[int, int]] = {}

    def scan(self) -> Scan:
        """Every regular file that is not ignored; symlinks are not followed, their targets count once."""
        files: dict[str, FileStamp] = {}
        folders: set[str] = set()
        unreadable: list[str] = []
        self._forget_when_rules_changed()
        rules = IgnoreRules(self._root, self._patterns)
        self._walk("", rules, 0, files, folders, unreadable)
        for own in OWN_FOLDERS:
            self._walk_own(f"{own}/", files, folders)
        return Scan(files, frozenset(folders), tuple(unreadable))

    def covers(self, path: str) -> bool:
        """Whether one path would be part of a scan, looking only at it and its folders."""
        if not _presentable(path) or path.count("/") > MAX_DEPTH:
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
        return [name for name in (".gitignore", ".cuedeckignore") if (self._root / folder / name).is_file()]

    def _walk(
        self,
        folder: str,
        ignore: IgnoreRules,
        depth: int,
        files: dict[str, FileStamp],
        folders: set[str],
        unreadable: list[str],
    ) -> None:
        try:
            with os.scandir(self._root / folder) as listing:
                entries = list(listing)
        except OSError:
            unreadable.append(folder or ".")
            return
        folders.add(folder)
        rules = ignore.rules_for(folder, self._note_rules(folder, entries))
        for entry in entries:
            if entry.name.startswith(".") or not _presentable(entry.name):
                continue
            path = folder + entry.name
            if entry.is_symlink():
                continue
            if entry.is_dir(follow_symlinks=False):
                if depth < MAX_DEPTH and not self._ignored(rules, f"{path}/"):
                    self._walk(f"{path}/", ignore, depth + 1, files, folders, unreadable)
            elif not self._ignored(rules, path):
                _stamp(entry, path, files)

    def _walk_own(self, folder: str, files: dict[str, FileStamp], folders: set[str]) -> None:
        if os.path.realpath(self._root / folder) != str(self._root / folder.rstrip("/")):
            return
        try:
            with os.scandir(self._root / folder) as listing:
                entries = list(listing)
        except OSError:
            return
        folders.add(folder)
        for entry in entries:
            if entry.name.startswith(".") or entry.is_symlink() or not _presentable(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                self._walk_own(f"{folder}{entry.name}/", files, folders)
            else:
                _stamp(entry, folder + entry.name, files)

    def _ignored(self, rules: tuple[Rules, ...], path: str) -> bool:
        known = self._decisions.get(path)
        if known is None:
            known = self._decisions[path] = is_ignored(rules, path)
        return known

    def _note_rules(self, folder: str, entries: Sequence[os.DirEntry[str]]) -> list[str]:
        """The ignore files of a folder; a new or changed one outdates every decision."""
        names = []
        for entry in entries:
            if entry.name in (".gitignore", ".cuedeckignore") and entry.is_file(follow_symlinks=False):
                names.append(entry.name)
                self._check_stamp(folder + entry.name, entry)
        return names

    def _check_stamp(self, path: str, entry: os.DirEntry[str]) -> None:
        status = entry.stat(follow_symlinks=False)
        stamp = (status.st_size, status.st_mtime_ns)
        if self._ignore_stamps.get(path) != stamp:
            self._ignore_stamps[path] = stamp
            self._decisions.clear()

    def _forget_when_rules_changed(self) -> None:
        for path in list(self._ignore_stamps):
            try:
                status = (self._root / path).lstat()
                same = self._ignore_stamps[path] == (status.st_size, status.st_mtime_ns)
            except OSError:
                same = False
            if not same:
                del self._ignore_stamps[path]
                self._decisions.clear()


def _stamp(entry: os.DirEntry[str], path: str, files: dict[str, FileStamp]) -> None:
    try:
        if entry.is_file(follow_symlinks=False):
            files[path] = FileStamp.of(entry.stat(follow_symlinks=False))
    except OSError:
        return


def _presentable(name: str) -> bool:
    """Names that are not Unicode, or hold control characters, cannot be said in an answer."""
    return name.isprintable() or not any(
        ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000 for c in name
    )


def changed_paths(scan: Scan, known: Iterator[tuple[str, FileStamp]]) -> tuple[list[str], list[str]]:
    """Paths to look at (new or changed) and paths that are gone."""
    seen = dict(known)
    look = [path for path, stamp in scan.files.items() if seen.get(path) != stamp]
    gone = [path for path in seen if path not in scan.files]
    return look, gone
