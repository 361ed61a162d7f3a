"""Confinement: a path a caller gave, proven to lie inside a workspace, and files opened without a race."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import stat
import sys
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from cuedeck.model.errors import CueError, ErrorCode, not_found, shortened

# Inside .cuedeck only these hold what people write; the rest is state, cache and configuration.
_OPEN_IN_CUEDECK = frozenset({"cards", "docs", "workflows", "scene.md"})
_DRIVE = re.compile(r"^[A-Za-z]:([\\/]|$)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
# In bytes: an index of PostgreSQL holds 2,700 of a row, and one file may not keep all others out.
LONGEST_PATH = 2_000
_O_NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
_O_DIRECTORY: int = getattr(os, "O_DIRECTORY", 0)
_O_NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)
_O_CLOEXEC: int = getattr(os, "O_CLOEXEC", 0)
_O_BINARY: int = getattr(os, "O_BINARY", 0)
_READING = os.O_RDONLY | _O_NONBLOCK | _O_CLOEXEC | _O_BINARY | _O_NOFOLLOW
_BY_DESCRIPTOR = os.open in os.supports_dir_fd and bool(_O_NOFOLLOW)


@dataclass(frozen=True, slots=True)
class ConfinedPath:
    """A path inside ``root`` with every symlink resolved; it may not exist."""

    relative: str
    absolute: Path
    root: Path


@dataclass(frozen=True, slots=True)
class FileBytes:
    """A file's content and the status of the very descriptor it was read from."""

    data: bytes
    status: os.stat_result


def confine(root: Path | str, user_path: str) -> ConfinedPath:
    """Resolve a caller's path inside the workspace, or refuse it; a missing file is fine here."""
    _refuse_syntax(user_path)
    real_root = os.path.realpath(root)
    try:
        real = os.path.realpath(os.path.join(real_root, user_path))  # noqa: PTH118
    except (OSError, ValueError) as error:
        raise refused(user_path, "it cannot be resolved") from error
    if real != real_root and not real.startswith(real_root.rstrip(os.sep) + os.sep):
        raise refused(user_path, "it leads outside the workspace")
    relative = PurePosixPath(Path(real).relative_to(real_root).as_posix())
    _refuse_private(user_path, relative.parts)
    return ConfinedPath(str(relative), Path(real), Path(real_root))


def confine_file(root: Path | str, user_path: str) -> ConfinedPath:
    """Like ``confine``, and the path must be a regular file."""
    path = confine(root, user_path)
    try:
        mode = path.absolute.lstat().st_mode
    except OSError as error:
        raise _unreadable(path.relative, error) from error
    if not stat.S_ISREG(mode):
        raise missing_file(path.relative)
    return path


def holds_file(root: Path | str, user_path: str) -> bool:
    """Whether the path is a regular file inside the workspace."""
    try:
        confine_file(root, user_path)
    except CueError:
        return False
    return True


def read_file(path: ConfinedPath, *, at_most: int | None = None) -> FileBytes:
    """Read a confined file through descriptors, so a symlink swapped in after the check is refused."""
    try:
        descriptor = _open_beneath(path)
    except OSError as error:
        raise _unreadable(path.relative, error) from error
    return _content(descriptor, path.relative, at_most)


def read_if_there(path: ConfinedPath) -> bytes | None:
    """The file's content; nothing where there is no file, an error where it cannot be read."""
    return read_file(path).data if os.path.lexists(path.absolute) else None


class FileReader:
    """Reads many files of one workspace as ``read_file`` does; a folder stays open while its files follow."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folder: tuple[str, int] | None = None

    def read(self, relative: str, *, at_most: int) -> FileBytes:
        """One file; the path comes from a walk of the workspace, not from a caller."""
        folder, _, name = relative.rpartition("/")
        if not _BY_DESCRIPTOR:
            return read_file(self._confined(relative), at_most=at_most)
        try:
            if self._folder is None or self._folder[0] != folder:
                self.close()
                opened = _open_folder(self._confined(relative))
                assert opened is not None
                self._folder = (folder, opened)
            descriptor = os.open(name, _READING, dir_fd=self._folder[1])
        except OSError as error:
            raise _unreadable(relative, error) from error
        return _content(descriptor, relative, at_most)

    def _confined(self, relative: str) -> ConfinedPath:
        return ConfinedPath(relative, self._root / relative, self._root)

    def close(self) -> None:
        """Give the folder back."""
        if self._folder is not None:
            os.close(self._folder[1])
            self._folder = None


def _content(descriptor: int, relative: str, at_most: int | None) -> FileBytes:
    most = sys.maxsize if at_most is None else at_most
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise missing_file(relative)
        data = os.read(descriptor, min(most, status.st_size + 1))
        # Just as long as it was said to be, with room for more: that was all.
        if len(data) != status.st_size:
            # A read may give less than it was asked for, and a file may grow while it is read.
            while len(data) < most and (more := os.read(descriptor, min(65_536, most - len(data)))):
                data += more
        return FileBytes(data, status)
    finally:
        os.close(descriptor)


def replace_file(
    path: ConfinedPath, data: bytes, *, expected: bytes | None = None, new_mode: int = 0o666
) -> None:
    """Write a file atomically and durably; its permissions survive, its folder must exist.

    With ``expected``, a file that no longer holds just that is left alone: STALE_CACHE.
    """
    folder = _open_folder(path)
    name = path.absolute.name
    temporary = f".{name[:100]}.{secrets.token_hex(6)}.tmp"
    try:
        _write_beside(folder, path, temporary, data, new_mode)
        if expected is not None and (actual := read_file(path).data) != expected:
            raise _changed(path.relative, expected, actual)
        os.replace(
            _in(folder, path, temporary), _in(folder, path, name), src_dir_fd=folder, dst_dir_fd=folder
        )
        if folder is not None:
            os.fsync(folder)
    except BaseException:
        _forget(folder, path, temporary)
        raise
    finally:
        if folder is not None:
            os.close(folder)


def check_present(root: Path, code: ErrorCode = ErrorCode.UNAVAILABLE) -> None:
    """Raise when a workspace's folder was moved or deleted."""
    if not root.is_dir():
        raise CueError(
            code,
            f"The workspace folder {root.name} is gone",
            hint="Put it back, or start the agent again in the folder it was moved to.",
        )


def make_folders(root: Path, folder: Path, *, mode: int = 0o777) -> None:
    """Make a folder of a workspace, but never the workspace: moved away, it would come back empty."""
    inside = [each for each in (folder, *folder.parents) if root in each.parents]
    try:
        for each in reversed(inside):
            each.mkdir(mode=mode, exist_ok=True)
    except FileNotFoundError:
        check_present(root)
        raise


def too_long(path: str) -> bool:
    """Whether no store can keep a file under this path."""
    return 4 * len(path) > LONGEST_PATH and len(path.encode("utf-8", "surrogateescape")) > LONGEST_PATH


def refused(user_path: str, why: str) -> CueError:
    """A path that may not be used, with the reason."""
    shown = _CONTROL.sub("\ufffd", shortened(user_path))
    return CueError(
        ErrorCode.PATH_REFUSED,
        f"Invalid path '{shown}': {why}",
        data={"field": "path", "expected": "a path relative to and inside the workspace", "actual": shown},
        hint="Use a path relative to the workspace root, with forward slashes.",
    )


def missing_file(relative: str) -> CueError:
    """A path that is allowed and has no file."""
    return not_found("File Not Found", path=relative)


def _changed(relative: str, expected: bytes, actual: bytes) -> CueError:
    return CueError(
        ErrorCode.STALE_CACHE,
        "Stale Cache: the file keeps changing while it is written",
        data={
            "path": relative,
            "expected_hash": hashlib.sha256(expected).hexdigest(),
            "actual_hash": hashlib.sha256(actual).hexdigest(),
            "recovery": "Try again when the other program has finished writing",
        },
    )


def _refuse_syntax(user_path: str) -> None:
    if not user_path or not user_path.strip():
        raise refused(user_path, "it is empty")
    if _CONTROL.search(user_path):
        raise refused(user_path, "it holds control characters")
    if too_long(user_path):
        raise refused(user_path, "it is too long")
    if user_path.startswith(("/", "\\")) or _DRIVE.match(user_path):
        raise refused(user_path, "it is absolute")
    if os.name == "nt" and ":" in user_path:
        raise refused(user_path, "it names another drive or stream")
    # A backslash is an ordinary character on POSIX; reading it as a separator too costs nothing and is safe.
    for parts in (user_path.split("/"), re.split(r"[\\/]", user_path)):
        if _climbs_out(parts):
            raise refused(user_path, "it leads outside the workspace")


def _climbs_out(parts: list[str]) -> bool:
    depth = 0
    for part in parts:
        if part == "..":
            depth -= 1
        elif part not in ("", "."):
            depth += 1
        if depth < 0:
            return True
    return False


def _refuse_private(user_path: str, parts: tuple[str, ...]) -> None:
    folded = [part.casefold() for part in parts]
    if ".git" in folded:
        raise refused(user_path, "it is inside the git directory")
    if len(folded) > 1 and folded[0] == ".cuedeck" and folded[1] not in _OPEN_IN_CUEDECK:
        raise refused(user_path, "it is CueDeck's own state")


def _unreadable(relative: str, error: OSError) -> CueError:
    if error.errno in (errno.ELOOP, errno.ENAMETOOLONG, errno.EMLINK):
        return refused(relative, "it changed into a symlink or cannot be resolved")
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EISDIR):
        return missing_file(relative)
    return not_found(f"File cannot be read: {error.strerror}", path=relative)


def _open_beneath(path: ConfinedPath) -> int:
    folder = _open_folder(path)
    if folder is None:
        descriptor = os.open(path.absolute, _READING)
        if os.path.realpath(path.absolute) != str(path.absolute):
            os.close(descriptor)
            raise OSError(errno.ELOOP, "the path changed while it was opened")
        return descriptor
    try:
        return os.open(path.absolute.name, _READING, dir_fd=folder)
    finally:
        os.close(folder)


def _open_folder(path: ConfinedPath) -> int | None:
    """The descriptor of the file's folder, reached from the root without following one symlink."""
    if not _BY_DESCRIPTOR:
        return None
    flags = os.O_RDONLY | _O_DIRECTORY | _O_CLOEXEC | _O_NOFOLLOW
    folder = os.open(path.root, os.O_RDONLY | _O_DIRECTORY | _O_CLOEXEC)
    for part in PurePosixPath(path.relative).parts[:-1]:
        try:
            deeper = os.open(part, flags, dir_fd=folder)
        finally:
            os.close(folder)
        folder = deeper
    return folder


def _in(folder: int | None, path: ConfinedPath, name: str) -> str:
    return name if folder is not None else str(path.absolute.parent / name)


def _write_beside(folder: int | None, path: ConfinedPath, temporary: str, data: bytes, new_mode: int) -> None:
    mode = _mode_of(folder, path)
    made_with = new_mode if mode is None else mode
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _O_CLOEXEC | _O_BINARY | _O_NOFOLLOW
    descriptor = os.open(_in(folder, path, temporary), flags, made_with, dir_fd=folder)
    with os.fdopen(descriptor, "wb") as file:
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _mode_of(folder: int | None, path: ConfinedPath) -> int | None:
    try:
        status = os.stat(_in(folder, path, path.absolute.name), dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return stat.S_IMODE(status.st_mode)


def _forget(folder: int | None, path: ConfinedPath, temporary: str) -> None:
    try:
        os.unlink(_in(folder, path, temporary), dir_fd=folder)
    except FileNotFoundError:
        return
