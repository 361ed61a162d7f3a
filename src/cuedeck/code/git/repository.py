"""A git repository as the engine sees it: refs, trees, differences. Nothing of the repository is ever run."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from string import hexdigits
from typing import Any, Final, NamedTuple

from cuedeck.code.git.objects import HERE, NO_UTF8, NOT_HERE
from cuedeck.code.git.outside import Seen, deciding, seen
from cuedeck.code.git.trees import differing
from cuedeck.code.held import Held
from cuedeck.code.languages import language_of, language_of_source
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.model.text import is_storable
from cuedeck.paths import too_long

_MAX_REF: Final = 512
_ID: Final = 40
_OFF: Final = ("false", "no", "off", "0", "")
_REGULAR: Final = (0o100644, 0o100755, 0o100664)
EXECUTABLE: Final = 0o100755
# So many files of commits and of differences between them are kept, and so many places where they parted.
_FILES: Final = 20_000
_PARTINGS: Final = 1024
# Every file that came is held against every one that went, as git does it, up to so many pairs.
_MOST_COMPARED: Final = 1_000_000
_DEFAULTS: Final = ("main", "master", "trunk", "develop")
_LOCAL: Final = "refs/heads/"
_ORIGIN: Final = "refs/remotes/origin/"


@dataclass(frozen=True, slots=True)
class Ref:
    """A name that git knows, and the commit it stands for."""

    name: str
    kind: str  # branch, remote, tag or commit
    commit: str


class TreeFile(NamedTuple):
    """A code file of a tree: its blob and the language its name suggests."""

    oid: str
    language: str


@dataclass(frozen=True, slots=True)
class FileChange:
    """What happened to one file between two commits."""

    path: str
    old_path: str
    change: str  # added, modified, deleted or renamed
    old_oid: str
    new_oid: str


@dataclass(frozen=True, slots=True)
class FileChanges:
    """What happened to files between two commits, in path order."""

    files: tuple[FileChange, ...] = ()
    # Names that are not UTF-8, as far as they can be shown.
    unnamed: tuple[str, ...] = ()


class MissingBlob(Exception):
    """A blob that a shallow or partial clone does not hold."""


class Repository:
    """One checkout of a repository; paths are relative to the workspace, which may be a folder inside it."""

    def __init__(self, root: Path, repository: Any, prefix: str | None) -> None:
        self.root = root
        self.git = repository
        self.prefix = prefix or ""
        # No commit is checked out in a bare repository, nor in the git directory of any other.
        self._has_folder = prefix is not None
        # Where a worktree keeps what it shares with the others; any other repository's own folder.
        self.common = _common_folder(repository)
        self._shallow = self.common / "shallow"
        self._deciding = (str(self._shallow), *deciding(repository, self.common, root))
        self._opened = self._state()
        # Commits never change, and a ref that is looked at is listed and compared several times.
        self._listings: Held[str, tuple[dict[str, TreeFile], list[tuple[str, str]]]] = Held(_FILES)
        self._deltas: Held[tuple[str, str], dict[str, TreeFile | None]] = Held(_FILES)
        self._changes: Held[tuple[str, str], FileChanges] = Held(_FILES)
        self._partings: Held[tuple[str, str], str] = Held(_PARTINGS)

    @classmethod
    def open(cls, root: Path) -> Repository | None:
        """The repository around a folder, or nothing."""
        return cls.look(root)[0]

    @classmethod
    def look(cls, root: Path) -> tuple[Repository | None, str]:
        """The repository around a folder; where there is one that cannot be opened, why."""
        import pygit2

        # What came was hashed when it came, and hashing it again takes longer than unpacking it.
        pygit2.settings.enable_strict_hash_verification(False)
        # discover_repository takes a reference from None whenever it finds none; Python 3.11 dies of it.
        try:
            repository = pygit2.Repository(str(root))
        except (pygit2.GitError, KeyError) as error:
            none = str(error).startswith("Repository not found")
            return None, "" if none else _reason(str(error), str(root))
        if Path(repository.path).resolve() == root.resolve():
            return cls(root, repository, None), ""
        if repository.workdir is None:
            return None, ""
        inside = root.resolve().relative_to(Path(repository.workdir).resolve()).as_posix()
        return cls(root, repository, "" if inside == "." else inside + "/"), ""

    def is_there(self) -> bool:
        """Whether the repository in its place is the one that was opened, with its history and settings."""
        try:
            return self._state() == self._opened
        except OSError:
            return False

    def _state(self) -> tuple[int, Seen]:
        """What is another value when it is replaced, has other settings, or is shallow and given history."""
        return os.stat(self.git.path).st_ino, seen(self._deciding)  # noqa: PTH116

    @property
    def has_files(self) -> bool:
        """Whether a commit is checked out, or the first one is to come: a clone may leave that for later."""
        return self._has_folder and (
            Path(self.git.path, "index").exists() or self.git.head_is_unborn or self._holds_some()
        )

    def _holds_some(self) -> bool:
        """Whether folders or code of the commit are there all the same: a checkout may end half-way."""
        commit = self.head()[1]
        tree = self.tree(commit) if commit is not None else None
        return tree is not None and any(
            (self.root / path).exists()
            for path, entry in self.entries("", tree)
            if entry.type_str == "tree" or language_of(path) is not None
        )

    def converts_line_ends(self, path: str) -> bool | None:
        """Whether git stores a file with other line ends than it may have on disk, if that can be told."""
        import pygit2

        try:
            text, eol = (self.git.get_attr(self.prefix + path, name) for name in ("text", "eol"))
        except pygit2.GitError:
            return None  # the library knows no split index, and then no attributes
        if text is not None or eol is not None:
            return text is not False
        config = self.git.config
        return "core.autocrlf" in config and config["core.autocrlf"].lower() not in _OFF

    def reopen(self) -> Repository:
        """The same repository for another thread."""
        opened = Repository.open(self.root)
        if opened is None:
            return self
        opened._deltas, opened._changes, opened._partings = self._deltas, self._changes, self._partings
        opened._listings = self._listings
        return opened

    # -- refs

    def head(self) -> tuple[str | None, str | None]:
        """The checked-out branch (None when detached) and its commit (None when unborn)."""
        import pygit2

        try:
            if self.git.head_is_unborn:
                target = self.git.references["HEAD"].raw_target
                name = target.decode("utf-8", "replace") if isinstance(target, bytes) else ""
                return name.removeprefix("refs/heads/") or None, None
            head = self.git.head
            commit = str(head.peel(pygit2.Commit).id)
        except (pygit2.GitError, KeyError, ValueError):
            return None, None
        # A branch whose name is not UTF-8 cannot be asked about, but its commit can.
        named = not self.git.head_is_detached and is_storable(head.shorthand)
        return (head.shorthand if named else None), commit

    def head_tree(self) -> str | None:
        """The tree of the commit that is checked out."""
        import pygit2

        try:
            return str(self.git.head.peel(pygit2.Tree).id)
        except (pygit2.GitError, KeyError, ValueError):
            return None

    def default_branch(self) -> str | None:
        """The branch everything is compared with: here, or else as it was when it was last fetched."""
        remote = self.git.references.get(f"{_ORIGIN}HEAD")
        target = remote.target if remote is not None else None
        named = [target.removeprefix(_ORIGIN)] if isinstance(target, str) else []
        for folder, names in (_LOCAL, named), (_ORIGIN, named), (_LOCAL, _DEFAULTS), (_ORIGIN, _DEFAULTS):
            for name in names:
                if self.is_kept(folder, name):
                    return name
        current, _ = self.head()
        return current if current is not None else min(self.branches(), default=None)

    def is_kept(self, folder: str, name: str) -> bool:
        """Whether there is a ref of that name, wherever it leads."""
        try:
            return self.git.references.get(sys.intern(folder + name)) is not None
        except ValueError:
            return False

    def branches(self) -> list[str]:
        """Local branches, in order."""
        return sorted(filter(is_storable, self.git.branches.local))

    def resolve(self, name: str) -> Ref | None:
        """A branch, remote branch, tag, commit or expression such as ``HEAD~1``."""
        import pygit2

        if not name or len(name) > _MAX_REF or name.startswith("-") or any(ord(c) < 32 for c in name):
            return None
        # A commit's whole id means that commit, as it does for git, even where a branch is called so.
        if _is_id(name) and (commit := self._commit(name)) is not None:
            return Ref(name, "commit", commit)
        for prefix, kind in (
            (_LOCAL, "branch"),
            ("refs/tags/", "tag"),
            ("refs/remotes/", "remote"),
            (_ORIGIN, "remote"),
            ("", ""),
        ):
            # pygit2 1.20 never lets go of a name it looked up: one string for all calls, then.
            full = sys.intern(prefix + name)
            if not prefix and not name.startswith("refs/"):
                continue
            # The library would find ``/main``, which is no name, in the folder of branches.
            if not pygit2.reference_is_valid_name(full):
                continue
            try:
                reference = self.git.references.get(full)
                if reference is not None:
                    found = Ref(name, kind or _kind(name), str(reference.peel(pygit2.Commit).id))
                    return found if prefix else self._shortened(found)
            except (pygit2.GitError, ValueError, KeyError, TypeError):
                continue
        commit = self._commit(name)
        return Ref(name, "commit", commit) if commit is not None else None

    def _commit(self, name: str) -> str | None:
        """The commit that an expression stands for."""
        import pygit2

        try:
            return str(self.git.revparse_single(name).peel(pygit2.Commit).id)
        except (pygit2.GitError, ValueError, KeyError, TypeError):
            return None

    @property
    def is_shallow(self) -> bool:
        """Whether history was cut off when it was cloned."""
        # The library looks into a worktree's own folder, where this is not.
        return self._shallow.exists() and self._shallow.stat().st_size > 0

    def _shortened(self, found: Ref) -> Ref:
        """``refs/heads/main`` as ``main``, unless that means something else."""
        short = self.resolve(found.name.split("/", 2)[-1])
        return short if short and short.kind == found.kind and short.name not in HERE else found

    def doubt(self, name: str) -> str | None:
        """What to say of a name that means several commits: which one it was taken for."""
        is_tag = self.is_kept("refs/tags/", name)
        # Most names are neither, and this is asked with every question.
        if not (is_tag or _is_id(name)) or (meant := self.resolve(name)) is None:
            return None
        if meant.kind == "commit" and _is_id(name) and self.is_kept("refs/heads/", name):
            return f"{name} is a commit and a branch: this is the commit, and refs/heads/{name} the branch"
        tag = self.resolve("refs/tags/" + name) if is_tag else None
        if tag is None or meant.kind != "branch" or tag.commit == meant.commit:
            return None
        return f"{name} is a branch and a tag: this is the branch, and refs/tags/{name} the tag"

    def merge_base(self, one: str, other: str) -> str | None:
        """Where two commits parted, or nothing."""
        import pygit2

        known = self._partings.values.get((one, other))
        if known is not None:
            return known
        try:
            found = self.git.merge_base(pygit2.Oid(hex=one), pygit2.Oid(hex=other))
        except (pygit2.GitError, ValueError, KeyError):
            return None
        if found is None:
            return None
        # More history may come into a shallow clone.
        if not self.is_shallow:
            self._partings.put((one, other), str(found), 1)
        return str(found)

    def worktrees(self) -> dict[str, str]:
        """The other checkouts, by their branch."""
        import pygit2

        found: dict[str, str] = {}
        for name in self.git.list_worktrees():
            try:
                tree = self.git.lookup_worktree(name)
                found[pygit2.Repository(tree.path).head.shorthand] = str(tree.path)
            except (pygit2.GitError, KeyError):
                continue
        return found

    # -- trees

    def files(self, commit: str) -> tuple[dict[str, TreeFile], list[tuple[str, str]]]:
        """The code files of a commit, and what had to be left out with the reason."""
        found = self._listings.values.get(commit)
        if found is None:
            tree = self.tree(commit)
            skipped: list[tuple[str, str]] = []
            found = ({} if tree is None else self._files_of(tree, "", skipped), skipped)
            # What a partial clone lacks may come.
            if all(reason != NOT_HERE for _, reason in skipped):
                self._listings.put(commit, found, 1 + len(found[0]))
        return found

    def files_of_folder(self, oid: str, path: str) -> dict[str, TreeFile]:
        """The code files of a tree that stands at a path ending in ``/``; none when the clone lacks it."""
        try:
            tree = self.git[oid]
        except (KeyError, ValueError):
            return {}
        return self._files_of(tree, path, []) if tree.type_str == "tree" else {}

    def _files_of(self, tree: Any, path: str, skipped: list[tuple[str, str]]) -> dict[str, TreeFile]:
        found: dict[str, TreeFile] = {}
        pending = [(path, tree)]
        while pending:
            folder, node = pending.pop()
            for path, entry in self.entries(folder, node, skipped):
                if entry.type_str == "tree":
                    pending.append((path + "/", entry))
                    continue
                language = self.language(path, entry)
                if language is not None:
                    found[path] = TreeFile(str(entry.id), language)
        return found

    def entries(
        self, folder: str, tree: Any, skipped: list[tuple[str, str]] | None = None
    ) -> Iterator[tuple[str, Any]]:
        """What a tree holds that can be named; what cannot is noted as left out."""
        skipped = [] if skipped is None else skipped
        try:
            entries = list(tree)
        except KeyError:
            skipped.append((folder, NOT_HERE))
            return
        for entry in entries:
            if entry.type_str == "commit":
                skipped.append((folder + _shown(entry.raw_name), "submodule"))
                continue
            try:
                name = entry.raw_name.decode("utf-8")
            except UnicodeDecodeError:
                if _is_told(entry):
                    skipped.append((folder + _shown(entry.raw_name), NO_UTF8))
                continue
            if not too_long(folder + name):
                yield folder + name, entry
            elif _is_told(entry):
                skipped.append((folder + name, "its path is too long"))

    def language(self, path: str, entry: Any) -> str | None:
        """The language of a tree's regular file; scripts without an ending are looked into."""
        found = language_of(path)
        # What the binding makes of a mode takes longer than all the rest.
        if found is not None:
            return found if entry.filemode in _REGULAR else None
        if "." in path.rsplit("/", 1)[-1]:
            return None
        return self.language_of_script(path, str(entry.id), entry.filemode)

    def language_of_script(self, path: str, oid: str, mode: int) -> str | None:
        """What the first line of an executable without an ending says."""
        if mode != EXECUTABLE or "." in path.rsplit("/", 1)[-1]:
            return None
        try:
            return language_of_source(path, self.read(oid)[:200])
        except MissingBlob:
            return None

    def tree(self, commit: str) -> Any:
        """The workspace's tree of a commit, or nothing where the commit does not have it."""
        import pygit2

        try:
            tree = self.git[commit].peel(pygit2.Tree)
        except KeyError as error:
            raise _incomplete(commit) from error
        if not self.prefix:
            return tree
        try:
            inner = tree[self.prefix.rstrip("/")]
        except KeyError:
            return None
        return inner if inner.type_str == "tree" else None

    def changes(self, old: str, new: str) -> FileChanges:
        """What happened to files between two commits."""
        found = self._changes.values.get((old, new))
        if found is None:
            try:
                found = self._compared(old, new)
            except KeyError as error:
                raise _incomplete(old, new) from error
            self._changes.put((old, new), found, 1 + len(found.files))
        return found

    def _compared(self, old: str, new: str) -> FileChanges:
        import pygit2

        before, after = self.tree(old), self.tree(new)
        if before is None and after is None:
            return FileChanges()
        # Without this a file that became a link is listed twice, as deleted and as added.
        flags = pygit2.enums.DiffOption.INCLUDE_TYPECHANGE
        if before is None:
            difference = after.diff_to_tree(swap=True, flags=flags)
        elif after is None:
            difference = before.diff_to_tree(flags=flags)
        else:
            difference = before.diff_to_tree(after, flags=flags)
        counts = Counter(delta.status_char() for delta in difference.deltas)
        alike = counts["A"] * counts["D"] <= _MOST_COMPARED and _renames_found(difference)
        found, unnamed = [], []
        for delta in difference.deltas:
            change = _CHANGES.get(delta.status_char())
            if change is None:
                continue
            old_path, new_path = _path(delta.old_file), _path(delta.new_file)
            if old_path is None or new_path is None:
                unnamed += [
                    _shown(side.raw_path) for side in (delta.old_file, delta.new_file) if _path(side) is None
                ]
                continue
            found.append(FileChange(new_path, old_path, change, _oid(delta.old_file), _oid(delta.new_file)))
        found.sort(key=lambda c: c.path)
        files = found if alike else _moved_whole(found)
        return FileChanges(tuple(files), tuple(sorted(set(unnamed))))

    def delta(self, old: str, new: str) -> dict[str, TreeFile | None]:
        """The code files that differ from one commit to another; None where the file is gone."""
        found = self._deltas.values.get((old, new))
        if found is None:
            try:
                found = self._delta(old, new)
            except KeyError as error:
                raise _incomplete(old, new) from error
            self._deltas.put((old, new), found, 1 + len(found))
        return found

    def _delta(self, old: str, new: str) -> dict[str, TreeFile | None]:
        before, after = self.tree(old), self.tree(new)
        if before is None or after is None:
            mine, theirs = self.files(old)[0], self.files(new)[0]
            return {p: theirs.get(p) for p in mine.keys() | theirs.keys() if mine.get(p) != theirs.get(p)}
        return {
            path: self._file(path, entry) if entry is not None else None
            for path, entry in differing(before, after)
        }

    def _file(self, path: str, entry: Any) -> TreeFile | None:
        language = self.language(path, entry)
        return TreeFile(str(entry.id), language) if language is not None else None

    def read(self, oid: str) -> bytes:
        """A blob's bytes; raises ``MissingBlob`` when this clone does not hold it."""
        import pygit2

        try:
            kind, data = self.git.odb.read(pygit2.Oid(hex=oid))
        except (KeyError, ValueError, pygit2.GitError) as error:
            raise MissingBlob(oid) from error
        if kind != pygit2.enums.ObjectType.BLOB:
            raise MissingBlob(oid)
        return bytes(data)

    def text(self, commit: str, path: str) -> bytes | None:
        """A file of a commit that is no code, such as a project file."""
        try:
            return self.read(str(self.tree(commit)[path].id))
        except (KeyError, TypeError, MissingBlob):
            return None


_CHANGES: Final = {
    "A": "added",
    "M": "modified",
    "D": "deleted",
    "R": "renamed",
    "T": "modified",
    "C": "added",
}


def _incomplete(*commits: str) -> CueError:
    """A clone may be without the folders of commits that were never checked out in it."""
    named = " and ".join(commit[:12] for commit in commits)
    return CueError(
        ErrorCode.REF_NOT_INDEXED,
        f"This clone does not hold every folder of {named}",
        hint="`git fetch --refetch --no-filter` completes a partial clone.",
    )


def _renames_found(difference: Any) -> bool:
    """Whether files that went could be held against those that came: the clone may lack some."""
    import pygit2

    try:
        difference.find_similar(flags=pygit2.enums.DiffFind.FIND_RENAMES)
    except KeyError:
        return False
    return True


def _moved_whole(changes: list[FileChange]) -> list[FileChange]:
    """The same, with what went and came elsewhere byte for byte as renamed."""
    gone: dict[str, list[FileChange]] = {}
    for change in reversed(changes):
        if change.change == "deleted" and change.old_oid.strip("0"):
            gone.setdefault(change.old_oid, []).append(change)
    found: list[FileChange] = []
    moved: set[str] = set()
    for change in changes:
        if change.change == "added" and (same := gone.get(change.new_oid)):
            old = same.pop()
            moved.add(old.path)
            change = replace(change, change="renamed", old_path=old.path, old_oid=old.old_oid)
        found.append(change)
    return [change for change in found if change.path not in moved]


def _common_folder(repository: Any) -> Path:
    folder = Path(repository.path)
    common = folder / "commondir"
    return folder / common.read_text(encoding="utf-8").strip() if common.is_file() else folder


def _is_told(entry: Any) -> bool:
    """Whether it is said that an entry is left out."""
    return entry.type_str == "tree" or entry.filemode in _REGULAR


def _shown(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def _path(side: Any) -> str | None:
    try:
        return str(side.raw_path.decode("utf-8"))
    except UnicodeDecodeError:
        return None


def _is_id(name: str) -> bool:
    return len(name) == _ID and all(c in hexdigits for c in name)


def _oid(side: Any) -> str:
    """The blob of one side; what a link says is no source."""
    return str(side.id) if side.mode in _REGULAR else "0" * 40


def _kind(name: str) -> str:
    """The kind of a ref that is named in full."""
    return {"tags": "tag", "remotes": "remote"}.get(name.split("/")[1], "branch")


def _reason(message: str, found: str) -> str:
    """What git's library says of a repository, without the path."""
    if "not owned by current user" in message:
        return "it belongs to another user; `git config --global --add safe.directory` allows it"
    return message.removeprefix(f"{found}: ")
