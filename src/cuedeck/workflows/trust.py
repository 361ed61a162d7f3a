"""Which Python files of a workspace a person has trusted, by exact content, remembered outside of it."""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import AbstractContextManager
from pathlib import Path

from cuedeck.config.load import user_folder
from cuedeck.lock import file_lock
from cuedeck.model.errors import invalid
from cuedeck.paths import ConfinedPath, confine_file, read_file, replace_file

_LOADED = re.compile(r"\.cuedeck/workflows/[^/]+\.py")

_LOCK_SECONDS = 10.0


class TrustLedger:
    """A user's decisions: real path and SHA-256 of the content. Only a person at a terminal adds to it."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or _default_file()

    def trusts(self, path: Path, content: bytes) -> bool:
        """Whether this exact content was trusted at this place."""
        return self._read().get(str(path.resolve())) == _digest(content)

    def trust(self, root: Path, user_path: str) -> str:
        """Trust a file of the workspace as it is now; the digest that was recorded."""
        confined = confine_file(root, _of_workspace(root, user_path))
        if not _LOADED.fullmatch(confined.relative):
            raise invalid("file", "a Python file in .cuedeck/workflows", user_path)
        digest = _digest(read_file(confined).data)
        with self._alone():
            self._write(self._read() | {str(confined.absolute.resolve()): digest})
        return digest

    def revoke(self, root: Path, user_path: str) -> bool:
        """Forget a decision; whether there was one."""
        path = (root / _of_workspace(root, user_path)).resolve()
        with self._alone():
            entries = self._read()
            found = entries.pop(str(path), None) is not None
            if found:
                self._write(entries)
        return found

    def _alone(self) -> AbstractContextManager[None]:
        """Keeps another process from writing what it read before us."""
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return file_lock(self._beside(".lock"), timeout=_LOCK_SECONDS)

    def _beside(self, suffix: str = "") -> ConfinedPath:
        file = self._file.with_name(self._file.name + suffix)
        return ConfinedPath(file.name, file, file.parent)

    def _read(self) -> dict[str, str]:
        try:
            entries = json.loads(self._file.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return (
            {str(path): str(digest) for path, digest in entries.items()} if isinstance(entries, dict) else {}
        )

    def _write(self, entries: dict[str, str]) -> None:
        replace_file(self._beside(), json.dumps(entries, indent=2, sort_keys=True).encode(), new_mode=0o600)


def _of_workspace(root: Path, user_path: str) -> str:
    """A file named from the workspace's root, from the current folder or in full, as a workspace path."""
    for place in (root / user_path, Path(user_path).absolute()):
        if place.exists() and place.resolve().is_relative_to(root.resolve()):
            return place.resolve().relative_to(root.resolve()).as_posix()
    return user_path


def _default_file() -> Path:
    return user_folder("XDG_DATA_HOME", ".local/share", os.environ) / "trusted.json"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
