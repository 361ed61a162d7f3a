"""Whether the workspace's folder is complete, private where it must be, and kept out of git."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from cuedeck.cli.setup import IGNORED, ignore_in_git, make_folders, with_ignored
from cuedeck.discovery import FOLDER, main_checkout
from cuedeck.model.finding import Finding, Status, passed
from cuedeck.store.sqlite.place import index_file
from cuedeck.tracking import in_checkout, index_names, kept_out_of_git, listed_by_git


def check(root: Path) -> Iterator[Finding]:
    """Everything about ``.cuedeck/`` that needs no database."""
    yield _layout(root)
    yield _writable(root)
    yield from _private(root)
    yield from _tracked(root)
    yield from _ignored(root)
    yield from _leftovers(root)


def _layout(root: Path) -> Finding:
    missing = [name for name in ("cards", "docs") if not (root / FOLDER / name).is_dir()]
    if not missing:
        return passed("layout", f"{FOLDER}/ is complete.")
    return Finding(
        "layout",
        Status.WARN,
        f"{FOLDER}/ has no {' and no '.join(missing)} folder.",
        fix="cue init",
        repair=lambda: f"{', '.join(step.path for step in make_folders(root))} are there",
    )


def _writable(root: Path) -> Finding:
    folder = root / FOLDER if (root / FOLDER).is_dir() else root
    if os.access(folder, os.W_OK | os.X_OK):
        return passed("permissions", "The workspace can be written.")
    return Finding(
        "permissions",
        Status.FAIL,
        f"{folder} cannot be written by you{_where_instead(root)}.",
        fix=f"chmod u+rwx {folder}; until then tools that change something fail.",
    )


def _where_instead(root: Path) -> str:
    kept = index_file(root)
    return "" if kept.is_relative_to(root) else f"; the index is kept in {kept.parent}"


def _private(root: Path) -> Iterator[Finding]:
    for path, status in _found(main_checkout(root) / FOLDER, "state.db*"):
        mode = stat.S_IMODE(status.st_mode)
        if os.name == "posix" and mode & 0o077:
            yield Finding(
                "private state",
                Status.FAIL,
                f"Others can read {path.name} (mode {mode:04o}).",
                file=f"{FOLDER}/{path.name}",
                fix=f"chmod 600 {FOLDER}/{path.name}",
                repair=partial(_make_private, path),
            )


def _found(folder: Path, pattern: str) -> Iterator[tuple[Path, os.stat_result]]:
    """What is there; SQLite's own files, and those of an import, go when whoever uses them ends."""
    for path in sorted(folder.glob(pattern)):
        try:
            status = path.lstat()
        except FileNotFoundError:
            continue
        yield path, status


def _make_private(path: Path) -> str:
    path.chmod(0o600)
    return f"{path.name} is private now"


def _tracked(root: Path) -> Iterator[Finding]:
    if not in_checkout(root):
        return
    state, cache = f"{FOLDER}/state.db", f"{FOLDER}/.cache"
    # To start git takes longer than to see that its index does not name them.
    named = index_names(root, state.encode(), cache.encode())
    tracked = [] if named is False else listed_by_git(root, f"{state}*", cache)
    if tracked is None:
        return
    if not tracked:
        yield passed("state in git", "Git does not track the state.")
    for name in tracked:
        yield Finding(
            "state in git",
            Status.FAIL,
            f"Git tracks {name}; a clone could plant a state nobody here wrote, so it is refused.",
            file=name,
            fix=f"git rm --cached {name}",
        )


def _ignored(root: Path) -> Iterator[Finding]:
    if not (root / ".git").exists():
        return
    path = root / ".gitignore"
    before = path.read_bytes() if path.exists() else b""
    if with_ignored(before) == before or kept_out_of_git(root / FOLDER):
        yield passed("git ignore", "State and cache are ignored by git.")
        return
    yield Finding(
        "git ignore",
        Status.WARN,
        f".gitignore does not name {', '.join(IGNORED)}.",
        fix="cue init",
        repair=lambda: f".gitignore {ignore_in_git(root).outcome}",
    )


def _leftovers(root: Path) -> Iterator[Finding]:
    staged = _found(root / FOLDER / ".cache", "staging-*")
    # A younger one may be of an import that still runs.
    old = [path for path, status in staged if status.st_mtime < time.time() - 3600]
    for path in sorted([*(root / FOLDER).glob(".cache.removed-*"), *old]):
        yield Finding(
            "leftovers",
            Status.WARN,
            f"An interrupted clean, export or import left {path.name}.",
            fix=f"rm -r {path.relative_to(root)}",
            repair=partial(_discard, path),
        )


def _discard(path: Path) -> str:
    import shutil

    shutil.rmtree(path)
    return f"removed {path.name}"
