"""Making a folder a workspace: ``.cuedeck/``, its settings, and what git should not see."""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass
from pathlib import Path

from cuedeck.cli.atomic import write_atomically
from cuedeck.discovery import FOLDER, check_project
from cuedeck.paths import confine

IGNORED = (".cuedeck/.cache/", ".cuedeck/backups/", ".cuedeck/state.db*", ".cuedeck/SCENE.md")

SETTINGS = """\
# Settings of this CueDeck workspace; docs/reference/settings.md of CueDeck lists every key.

# [core]
# token_limit = 32000

# [documents]
# ignore = ["vendor/", "*.min.js"]
"""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that ``cue init`` looked at: its path in the workspace, and created, changed or kept."""

    path: str
    outcome: str


def initialise(root: Path, *, force: bool = False) -> list[Step]:
    """Create what is missing; ``force`` also puts the default settings back, keeping a copy of the old."""
    check_project(root)
    return [*make_folders(root), _settings(root, force), ignore_in_git(root)]


def make_folders(root: Path) -> list[Step]:
    """The folders that people keep files in."""
    return [_folder(root, f"{FOLDER}/{name}") for name in ("cards", "docs")]


def _folder(root: Path, path: str) -> Step:
    if (root / path).is_dir():
        return Step(f"{path}/", "kept")
    (root / path).mkdir(parents=True)
    return Step(f"{path}/", "created")


def _settings(root: Path, force: bool) -> Step:
    name = f"{FOLDER}/config.toml"
    path = root / name
    if not os.path.lexists(path):
        write_atomically(path, SETTINGS.encode())
        return Step(name, "created")
    if not force or path.read_bytes() == SETTINGS.encode():
        return Step(name, "kept")
    old = _unused(path.with_suffix(".toml.old"))
    write_atomically(old, path.read_bytes())
    write_atomically(path, SETTINGS.encode())
    return Step(name, f"replaced; the old one is {old.name}")


def _unused(path: Path) -> Path:
    others = (path.with_name(f"{path.name}.{number}") for number in itertools.count(2))
    return next(each for each in itertools.chain([path], others) if not os.path.lexists(each))


def ignore_in_git(root: Path) -> Step:
    """Append what is missing, in the file's own line endings, and change no byte that is there."""
    path = confine(root, ".gitignore").absolute
    before = path.read_bytes() if path.exists() else b""
    after = with_ignored(before)
    if after == before:
        return Step(".gitignore", "kept")
    write_atomically(path, after)
    return Step(".gitignore", "changed" if before else "created")


def with_ignored(text: bytes) -> bytes:
    """The content of a ``.gitignore`` that also keeps our state and cache out of git."""
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    present = {line.strip().lstrip(b"/") for line in text.splitlines()}
    missing = [line.encode() for line in IGNORED if line.encode() not in present]
    if not missing or present & {b".cuedeck", b".cuedeck/"}:
        return text
    gap = b"" if not text or text.endswith(b"\n") else newline
    return text + gap + newline.join([*missing, b""])
