"""Which Python files of a workspace a person has trusted, by exact content, remembered outside of it."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path

from cuedeck.paths import confine_file, read_file


class TrustLedger:
    """A user's decisions: real path and SHA-256 of the content. Only a person at a terminal adds to it."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or _default_file()

    def trusts(self, path: Path, content: bytes) -> bool:
        """Whether this exact content was trusted at this place."""
        return self._read().get(str(path.resolve())) == _digest(content)

    def trust(self, root: Path, user_path: str) -> str:
        """Trust a file of the workspace as it is now; the digest that was recorded."""
        confined = confine_file(root, user_path)
        digest = _digest(read_file(confined).data)
        self._write(self._read() | {str(confined.absolute.resolve()): digest})
        return digest

    def revoke(self, path: Path) -> bool:
        """Forget a decision; whether there was one."""
        entries = self._read()
        found = entries.pop(str(path.resolve()), None) is not None
        if found:
            self._write(entries)
        return found

    def _read(self) -> dict[str, str]:
        try:
            entries = json.loads(self._file.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return (
            {str(path): str(digest) for path, digest in entries.items()} if isinstance(entries, dict) else {}
        )

    def _write(self, entries: dict[str, str]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, name = tempfile.mkstemp(dir=self._file.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump(entries, stream, indent=2, sort_keys=True)
        Path(name).replace(self._file)


def _default_file() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "cuedeck" / "trusted.json"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
