"""The files on disk: which there are and what blob each would be, at the cost of what changed."""

from __future__ import annotations

import hashlib
import math
import os
import stat
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

from cuedeck.code.git.gitindex import Tracked, read_index
from cuedeck.code.git.objects import NO_UTF8, READING, blob_id, digest
from cuedeck.code.git.repository import Repository, TreeFile
from cuedeck.code.git.switching import is_switching
from cuedeck.code.git.watching import Watch
from cuedeck.code.languages import language_of, language_of_source, python_packages
from cuedeck.code.languages.python_packages import ENVIRONMENTS
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.model.text import is_unicode
from cuedeck.paths import too_long
from cuedeck.patterns import git_patterns

# Never part of a project, whether or not somebody wrote it down.
_PRIVATE: Final = frozenset({".git", ".cuedeck", ".hg", ".svn"})
_INSTALLED: Final = frozenset({"node_modules", *ENVIRONMENTS})
_UNTRACKED_NOISE: Final = frozenset(
    {
        *_INSTALLED,
        "__pycache__",
        ".tox",
        ".nox",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".gradle",
        ".idea",
        ".cargo",
        ".eggs",
    }
)
_NAME: Final = attrgetter("name")
_ATTRIBUTES: Final = ".gitattributes"
# What decides about other files than itself.
_DECIDING: Final = ("/.gitignore", f"/{_ATTRIBUTES}", "/.git")
_MAX_READ: Final = 16 * 1024 * 1024
_LEAST_READ: Final = 64 * 1024
# How long git is given to finish writing files, and how old a lock may be that is not a dead program's.
_PATIENCE: Final = 2.0
_LOCK_SECONDS: Final = 10.0
_SWITCH_SECONDS: Final = 0.02
# An index of another commit's files is one whose branch git is about to move to, unless it stays so.
_MOVING_SECONDS: Final = 2.0
# Most programs empty a file before they write it; one that is empty for so long is meant to be.
_EMPTIED_SECONDS: Final = 0.05


Head = tuple[str | None, str | None]
_NOWHERE: Final[Head] = (None, None)


class Stamp(NamedTuple):
    """What tells that a file is still the one that was hashed."""

    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int


class Elsewhere(CueError):
    """Another commit was checked out than the one that was asked about."""

    def __init__(self) -> None:
        super().__init__(
            ErrorCode.OVERLAY_NOT_READY,
            "Branches are switched faster than they can be read",
            hint="Ask again in a moment.",
        )


class Checkout:
    """A folder's code files; ``files()`` is right at the moment it returns."""

    def __init__(self, root: Path, repository: Repository | None) -> None:
        self.root = str(root)
        self.repository = repository
        self.version = 0
        self.project_version = 0
        self.installed_version = 0
        self._project: dict[str, Stamp | None] = {}
        # Folders of installed packages that are looked into, which no watch covers.
        self._installed = _packages_outside()
        self._files: dict[str, TreeFile] = {}
        self._stamps: dict[str, Stamp] = {}
        # The files of a commit, and which on disk are others: comparing all takes as long as a small edit.
        self._compared: tuple[Mapping[str, TreeFile], dict[str, TreeFile | None]] = ({}, {})
        self._tracked: dict[str, Tracked] = {}
        self._left_out: dict[str, TreeFile] = {}
        # Symbolic links and what each says; another mapping whenever one changes.
        self.links: dict[str, str] = {}
        self._index_written = -1
        self._watch: Watch | None = None
        self._ignores: Any = None
        # Repositories inside this one, by folder, and files that say which line ends git converts.
        self._others: set[str] = set()
        self._attributes: dict[str, Stamp] = {}
        # Files of which git's index holds another blob than when they were looked at.
        self._restaged: set[str] = set()
        self._lock = threading.RLock()
        # The branch and commit that were checked out when the files were as they are known.
        self._head: Head = _NOWHERE
        self.skipped: list[tuple[str, str]] = []
        # Those of them whose names are no text, as the system spells them.
        self._nameless: set[str] = set()
        # Code files that a merge left to be decided on.
        self.conflicts: tuple[str, ...] = ()

    def files(self) -> dict[str, TreeFile]:
        """Every code file and its blob; ``version`` moves when anything changed."""
        with self._lock:
            touched = self._watch.changed() if self._watch is not None else None
            if touched == set():
                others = self._read_tracked()
                if not others and not self._restaged:
                    return self._files
                touched = None if others else touched  # any file may be one of those tracked now
            until, before = time.monotonic() + _PATIENCE, self.version
            while not (settled := self._look(touched, until)) and time.monotonic() < until:
                touched = set()
            if not settled and self.version != before:
                # Replaced while git was at it all the time: nobody knows for which commit.
                self._head = _NOWHERE
            return self._files

    def _look(self, touched: set[str] | None, until: float) -> bool:
        """Look at what was touched, and at HEAD; whether git replaced nothing meanwhile."""
        self._wait_for_git(until)
        index = self._index_time()
        settled = not self._git_is_writing()
        more = self._watch.changed() if self._watch is not None else None
        touched = touched | more if touched is not None and more is not None else None
        others, restaged, self._restaged = self._read_tracked(), self._restaged, set()
        if others or touched is None or any(map(self._decides, touched)):
            self._scan()
        elif touched or restaged:
            self._refresh(touched | restaged)
        self._look_at_project(touched)
        self._head = self.repository.head() if self.repository is not None else _NOWHERE
        # In this order: an index that git wrote in between is another one, whenever that was.
        return settled and not self._git_is_writing() and self._index_time() == index

    def _decides(self, file: str) -> bool:
        """Whether what happened to one file is about more than its content."""
        path = file[len(self.root) + 1 :]
        if is_unicode(path):
            return file.endswith(_DECIDING)
        return os.path.lexists(file) != (path in self._nameless)

    def _index_time(self) -> int:
        stamp = _stamp_of(f"{self.repository.git.path}index") if self.repository is not None else None
        return stamp.mtime_ns if stamp is not None else 0

    def require(self, head: Head) -> None:
        """Raises ``Elsewhere`` unless the files, as they are known now, stood while this was checked out."""
        with self._lock:
            self.files()
            if self.repository is not None and self._head != head:
                # Another branch of the same files, if nothing is touched until after a second look at it.
                self._wait_for_git(time.monotonic() + _PATIENCE)
                self.files()
                seen, version = self.repository.head(), self.version
                self.files()
                # HEAD is looked at once more in the end: git may have moved it in between.
                settled = version == self.version and not self._git_is_writing()
                if settled and self.repository.head() == seen:
                    self._head = seen
            if self._head != head:
                raise Elsewhere

    def differing(self, committed: Mapping[str, TreeFile], head: Head) -> dict[str, TreeFile | None]:
        """The files that are not as they were committed in what is checked out; None where they are gone."""
        with self._lock:
            self.require(head)
            files = self._files
            if self._compared[0] is not committed:
                found: dict[str, TreeFile | None] = {
                    path: file for path, file in files.items() if committed.get(path) != file
                }
                found.update(dict.fromkeys(committed.keys() - files.keys()))
                self._compared = (committed, found)
            return dict(self._compared[1])

    def project_file(self, path: str) -> bytes | None:
        """A file that decides what names mean, such as ``go.mod``: ``project_version`` moves when it does."""
        if is_installed(path):
            folder = f"{self.root}/{_holding(path)}"
            with self._lock:
                self._installed.setdefault(folder, _stamp_of(folder))
        # Packages of one project are linked to each other; a clone's link may lead anywhere.
        if not os.path.realpath(f"{self.root}/{path}").startswith(os.path.realpath(self.root) + os.sep):
            return None
        with self._lock:
            self._project[path] = _stamp_of(f"{self.root}/{path}")
        return self.read(path)

    def _look_at_project(self, touched: set[str] | None) -> None:
        asked = [path for path in self._project if touched is None or f"{self.root}/{path}" in touched]
        if any(_stamp_of(f"{self.root}/{path}") != self._project[path] for path in asked):
            self._project.clear()
            self.project_version += 1

    def look_at_installed(self) -> None:
        """``installed_version`` moves when packages came or went where one was looked for."""
        known = list(self._installed.items())
        # Questions about other refs come here too, and need not wait until the files are looked at.
        if any(_stamp_of(folder) != stamp for folder, stamp in known):
            with self._lock:
                self._installed = _packages_outside()
                self.installed_version += 1

    def _wait_for_git(self, until: float) -> None:
        """Git may be in the middle of a switch: that is over soon."""
        while self._git_is_writing() and time.monotonic() < until:
            time.sleep(0.005)

    def _git_is_writing(self) -> bool:
        """Whether git may be switching: it replaces files while it holds its index, and then moves HEAD."""
        if self.repository is None:
            return False
        index = f"{self.repository.git.path}index"
        if _age(f"{index}.lock") < _LOCK_SECONDS:
            return True
        written = _age(index)
        if written < _SWITCH_SECONDS or written >= _MOVING_SECONDS:
            return written < _SWITCH_SECONDS
        return is_switching(self.repository)

    def read(self, path: str) -> bytes | None:
        """A file's bytes, never through a symlink."""
        return self._read(path)[0]

    def read_blob(self, path: str, oid: str) -> bytes | None:
        """A file's bytes if they are that blob; a file that stands as it was hashed is not hashed again."""
        data, stamp = self._read(path)
        with self._lock:
            known = self._files.get(path)
            same = known is not None and known.oid == oid and self._stamps.get(path) == stamp
        return data if data is not None and (same or self._blob(path, data) == oid) else None

    def is_left_out(self, path: str) -> bool:
        """Whether a sparse checkout has it without its being on disk."""
        return path in self._left_out

    def _read(self, path: str) -> tuple[bytes | None, Stamp | None]:
        try:
            descriptor = os.open(f"{self.root}/{path}", READING)
        except OSError:
            return None, None
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(descriptor)
            return None, None
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            # Room for the most that is ever read takes longer to get than most files to read.
            data = file.read(min(_MAX_READ, max(_LEAST_READ, status.st_size + 1))) or b""
            # Taken afterwards: had the file been written meanwhile, this would be a new one.
            stamp = _stamp(os.fstat(descriptor))
        # One byte is looked for many times faster than two.
        return (self._as_stored(path, data) if b"\r" in data and b"\r\n" in data else data), stamp

    def _as_stored(self, path: str, data: bytes) -> bytes:
        """What git would store of a file that is checked out with line ends of its own."""
        converts = self.repository is not None and self.repository.converts_line_ends(path)
        if converts is False:
            return data
        entry, converted = self._tracked.get(path), data.replace(b"\r\n", b"\n")
        staged = entry.oid if entry is not None else ""
        if self.hash(data) == staged or (converts is None and self.hash(converted) != staged):
            return data
        return converted

    def close(self) -> None:
        """Stop watching."""
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    # -- tracked files

    def _read_tracked(self) -> bool:
        """Read git's index if it was written since; whether the set of tracked files changed."""
        if self.repository is None:
            return False
        folder = Path(self.repository.git.path)
        try:
            written = (folder / "index").stat().st_mtime_ns
        except OSError:
            written = 0
        if written == self._index_written:
            return False
        entries, self._index_written = read_index(folder)
        prefix = self.repository.prefix
        tracked = {path[len(prefix) :]: entry for path, entry in entries.items() if path.startswith(prefix)}
        left_out = self._absent(self.repository, tracked)
        changed = tracked.keys() != self._tracked.keys() or left_out != self._left_out
        for path, entry in tracked.items():
            known = self._tracked.get(path)
            # Git decides about line ends by what it has: the same file may be another blob to it now.
            if (known is None or known.oid != entry.oid) and self._stamps.pop(path, None) is not None:
                self._restaged.add(f"{self.root}/{path}")
        self._tracked, self._left_out = tracked, left_out
        self.conflicts = tuple(
            path for path, entry in tracked.items() if entry.conflict and language_of(path) is not None
        )
        return changed

    def _absent(self, repository: Repository, tracked: dict[str, Tracked]) -> dict[str, TreeFile]:
        """What a sparse checkout leaves out: not on disk, and yet as it was committed."""
        found: dict[str, TreeFile] = {}
        for path, entry in tracked.items():
            if not entry.absent:
                continue
            if stat.S_ISDIR(entry.mode):
                found |= repository.files_of_folder(entry.oid, path)
            elif stat.S_ISREG(entry.mode):
                language = language_of(path) or repository.language_of_script(path, entry.oid, entry.mode)
                if language is not None:
                    found[path] = TreeFile(entry.oid, language)
        return found

    # -- looking

    def _scan(self) -> None:
        if self._watch is not None:
            self._watch.close()
        self._watch = Watch()
        self._ignores = None
        before_skipped, self.skipped, self._nameless = self.skipped, [], set()
        self._others, before, self._attributes = set(), self._attributes, {}
        links: dict[str, str] = {}
        walked = list(self._walk(links))
        if self._attributes != before:
            self._stamps.clear()
        found: dict[str, TreeFile] = {}
        for path, status in walked:
            file = self._file(path, status)
            if file is not None:
                found[path] = file
        self._linked(links)
        found = {**self._left_out, **found}
        if found != self._files or self.skipped != before_skipped:
            self._files = found
            self.version += 1
            self._compared = ({}, {**found})
        self._stamps = {path: stamp for path, stamp in self._stamps.items() if path in found}

    def _walk(self, links: dict[str, str]) -> Iterator[tuple[str, os.stat_result]]:
        """The files that may be code, with their state; the links beside them are noted."""
        folders_tracked = _folders(self._tracked)
        pending = [""]
        while pending:
            folder = pending.pop()
            absolute = f"{self.root}/{folder}" if folder else self.root
            if self._watch is not None:
                # Watched before it is read, so that nothing falls in between.
                self._watch.add([absolute])
            try:
                entries = sorted(os.scandir(absolute), key=_NAME)
            except OSError:
                continue
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                try:
                    path.encode("utf-8")
                    if entry.is_dir(follow_symlinks=False):
                        if self._enters(path, entry, folders_tracked):
                            pending.append(path)
                    elif entry.name == _ATTRIBUTES:
                        self._attributes[path] = _stamp(entry.stat())
                    elif entry.is_file(follow_symlinks=False) and self._wanted(path):
                        yield path, entry.stat(follow_symlinks=False)
                    elif entry.is_symlink():
                        links[path] = str(Path(entry.path).readlink())
                except UnicodeEncodeError:
                    self._nameless.add(path)
                    self.skipped.append((os.fsencode(path).decode("utf-8", "replace"), NO_UTF8))
                except OSError:
                    continue

    def _linked(self, links: dict[str, str]) -> None:
        """Links decide what names mean, as project files do."""
        if links != self.links:
            self.links = links
            self.project_version += 1

    def _enters(self, path: str, entry: os.DirEntry[str], tracked: set[str]) -> bool:
        if entry.name in _PRIVATE:
            return False
        if path in tracked:
            return True
        if entry.name in _UNTRACKED_NOISE or self._ignored(path + "/"):
            return False
        # Another repository inside this one is not part of it, as long as it is one.
        if self._watch is not None:
            self._watch.add([entry.path])
        if os.path.lexists(f"{entry.path}/.git"):
            self._others.add(path)
            return False
        return True

    def _wanted(self, path: str) -> bool:
        if (language_of(path) is None and "." in path.rsplit("/", 1)[-1]) or too_long(path):
            return False
        return path in self._tracked or not self._ignored(path)

    def _ignored(self, path: str) -> bool:
        if self.repository is not None:
            try:
                return bool(self.repository.git.path_is_ignored(self.repository.prefix + path))
            except (KeyError, ValueError):
                return False
        if self._ignores is None:
            own = self.read(".gitignore")
            self._ignores = git_patterns(own.decode("utf-8", "replace").split("\n") if own else ())
        return bool(self._ignores.match_file(path))

    # -- hashing

    def _refresh(self, touched: Iterable[str]) -> None:
        links = dict(self.links)
        paths = (each[len(self.root) + 1 :] for each in touched)
        now = {path: self._touched(path, links) for path in paths if is_unicode(path)}
        self._linked(links)
        moved = {path: file for path, file in now.items() if self._files.get(path) != file}
        if not moved:
            return
        changed = dict(self._files)
        for path, file in moved.items():
            if file is None:
                del changed[path]
            else:
                changed[path] = file
        self._files = changed
        self.version += 1
        committed, differing = self._compared
        for path, file in moved.items():
            if committed.get(path) == file:
                differing.pop(path, None)
            else:
                differing[path] = file

    def _touched(self, path: str, links: dict[str, str]) -> TreeFile | None:
        """The code file that stands at a path now; a link is noted."""
        links.pop(path, None)
        try:
            status = os.lstat(f"{self.root}/{path}")
            if stat.S_ISLNK(status.st_mode):
                links[path] = str(Path(self.root, path).readlink())
        except OSError:
            return self._left_out.get(path)
        wanted = stat.S_ISREG(status.st_mode) and path.rpartition("/")[0] not in self._others
        return self._file(path, status) if wanted and self._wanted(path) else None

    def _file(self, path: str, status: os.stat_result) -> TreeFile | None:
        stamp = _stamp(status)
        known = self._files.get(path)
        if known is not None and self._stamps.get(path) == stamp:
            return known
        language = language_of(path)
        entry = self._tracked.get(path)
        if language is not None and entry is not None and self._clean(entry, status):
            self._stamps[path] = stamp
            return TreeFile(entry.oid, language)
        data = self._read_written(path)
        if data is None:
            return None
        language = language or language_of_source(path, data)
        if language is None:
            return None
        self._stamps[path] = stamp
        return TreeFile(self._blob(path, data), language)

    def _read_written(self, path: str) -> bytes | None:
        """A file's bytes; one that was emptied just now is given the time to be written."""
        data, until = self.read(path), time.monotonic() + _PATIENCE
        while data == b"" and _age(f"{self.root}/{path}") < _EMPTIED_SECONDS and time.monotonic() < until:
            time.sleep(0.002)
            data = self.read(path)
        return data

    def _clean(self, entry: Tracked, status: os.stat_result) -> bool:
        # A file changed in the moment the index was written has the same stamp: git calls that racy.
        # Programs set a file's time as they like, but not the one its status was changed at.
        return (
            entry.mtime_ns == status.st_mtime_ns
            and entry.ctime_ns == status.st_ctime_ns
            and entry.size == status.st_size & 0xFFFFFFFF
            and entry.mtime_ns < self._index_written
        )

    def hash(self, data: bytes) -> str:
        """The blob id that git would give these bytes."""
        return blob_id(data, self._any_id())

    def _any_id(self) -> str:
        return next(iter(self._tracked.values())).oid if self._tracked else ""

    def _blob(self, path: str, data: bytes) -> str:
        """The blob id of a file; of a very large one only the beginning was read."""
        if len(data) < _MAX_READ:
            return self.hash(data)
        try:
            with os.fdopen(os.open(f"{self.root}/{path}", READING), "rb") as file:
                size = os.fstat(file.fileno()).st_size
                return hashlib.file_digest(file, lambda: digest(size, self._any_id())).hexdigest()
        except OSError:
            return self.hash(data)


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


def is_installed(path: str) -> bool:
    """Whether a path is of a package that was installed, and so is there for every ref."""
    return not _INSTALLED.isdisjoint(path.split("/"))


def _holding(path: str) -> str:
    """The folder where a package comes or goes, of which a file is read."""
    folder = path.rpartition("/")[0]
    around = folder.rpartition("/")[0]
    return around if is_installed(around) else folder


def _packages_outside() -> dict[str, Stamp | None]:
    return {str(folder): _stamp_of(str(folder)) for folder in python_packages.packages_of_shell()}


def _stamp_of(file: str) -> Stamp | None:
    """A file's stamp, or nothing where there is no file."""
    try:
        return _stamp(os.lstat(file))
    except OSError:
        return None


def _age(file: str) -> float:
    """For how many seconds a file has been as it is; without end where there is none."""
    try:
        return abs(time.time() - Path(file).stat().st_mtime)
    except OSError:
        return math.inf


def _folders(paths: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found
