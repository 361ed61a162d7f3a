"""What decides from outside a workspace's folders which of its files count, and how git stores them.

Inside them the files themselves are watched; these few are looked at whenever something is asked.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

_RULES: Final = (".gitignore", ".gitattributes")

Seen = tuple[tuple[int, int, int] | None, ...]


def deciding(repository: Any, common: Path, root: Path) -> tuple[str, ...]:
    """Settings, patterns and attributes of a repository, and the place of one that would be nearer."""
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or Path("~/.config").expanduser()) / "git"
    config = repository.config
    found = [
        common / "config",
        Path(repository.path, "config.worktree"),
        Path("~/.gitconfig").expanduser(),
        settings / "config",
        common / "info" / "exclude",
        common / "info" / "attributes",
        _named(config, "core.excludesFile", settings / "ignore"),
        _named(config, "core.attributesFile", settings / "attributes"),
    ]
    if any(entry.name.endswith(".promisor") for entry in config):
        found.append(common / "objects" / "pack")  # where what a partial clone lacks would come
    folder, top = root.resolve(), Path(repository.workdir or root).resolve()
    while folder != top and top in folder.parents:
        found.append(folder / ".git")
        folder = folder.parent
        found += [folder / name for name in _RULES]
    return tuple(map(str, found))


def seen(files: tuple[str, ...]) -> Seen:
    """What is another value once any of these files came, went or was written."""
    return tuple(map(_stamp, files))


def _named(config: Any, setting: str, default: Path) -> Path:
    return Path(os.path.expanduser(config[setting])) if setting in config else default  # noqa: PTH111


def _stamp(file: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(file)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    if file.endswith("/.git"):  # a repository, of which only its being there counts
        return 0, 0, status.st_ino
    return status.st_mtime_ns, status.st_size, status.st_ino
