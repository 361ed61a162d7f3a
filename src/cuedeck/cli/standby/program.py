"""The program that a standby has loaded, and whether it is still the one on disk."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import cuedeck
from cuedeck.cli import main, summaries
from cuedeck.inotify import CLOSE_WRITE, CREATE, DELETE, DELETE_SELF, MOVE_SELF, MOVED_FROM, MOVED_TO, Inotify

_CHANGES = CLOSE_WRITE | CREATE | DELETE | DELETE_SELF | MOVE_SELF | MOVED_FROM | MOVED_TO
_PACKAGE = Path(cuedeck.__file__).parent

# What serves or watches, and what starts threads when it is loaded: no command that ends soon needs it.
_LEFT_OUT = ("cuedeck.mcp", "cuedeck.web", "cuedeck.daemon", "cuedeck.cli.http", "cuedeck.search.encoder")
# What commands import on first use, beside our own modules.
_ON_FIRST_USE = (
    "apsw",
    "click._textwrap",
    "cuedeck.daemon.control",
    "cuedeck.daemon.dial",
    "cuedeck.daemon.protocol",
    "cuedeck.daemon.standing_by",
    "cuedeck_minilm",
    "encodings.utf_8_sig",
    "numpy",
    "pathspec",
    "pygit2",
    "rich._emoji_codes",
    "rich.console",
    "rich.progress",
    "rich.table",
    "ruamel.yaml",
    "simsimd",
    "toktok",
    "yaml",
)


def load() -> None:
    """Import what commands import."""
    for name in (*_own_modules(str(_PACKAGE), "cuedeck"), *_ON_FIRST_USE):
        if find_spec(name.partition(".")[0]):
            importlib.import_module(name)


def rehearse() -> None:
    """Compute what every process computes alike on first use, from the program alone."""
    from cuedeck.documents.ignore import IgnoreRules
    from cuedeck.store.schema import migrations
    from cuedeck.workflows.python import offered_by_packages

    for name in summaries():
        main([name, "--help"])  # into nowhere
    for migration in (*migrations("state"), *migrations("index")):
        assert migration.digest
    IgnoreRules(Path(os.devnull)).rules_for("", ())
    offered_by_packages()


def _own_modules(folder: str, package: str) -> Iterator[str]:
    for found in pkgutil.iter_modules([folder]):
        name = f"{package}.{found.name}"
        if found.name != "__main__" and name not in _LEFT_OUT:
            yield name
            if found.ispkg:
                yield from _own_modules(f"{folder}/{found.name}", name)


class Program:
    """Notices when a module or an installed package changes."""

    def __init__(self) -> None:
        self._inotify = Inotify()
        self._changed = False
        self._elsewhere: set[int] = set()
        for folder in (_PACKAGE, *(each for each in _PACKAGE.rglob("*") if each.is_dir())):
            if folder.name != "__pycache__":
                self._inotify.add(folder, _CHANGES)
        for folder in map(Path, sys.path):
            if folder.name in ("site-packages", "dist-packages") and folder.is_dir():
                self._inotify.add(folder, _CHANGES)

    @property
    def descriptor(self) -> int:
        """Readable when something has happened."""
        return self._inotify.descriptor

    def wake_for(self, folder: str) -> None:
        """Be readable also when something happens in a folder that is not the program's."""
        self._elsewhere.add(self._inotify.add(folder, _CHANGES))

    def has_changed(self) -> bool:
        """Whether what was loaded may no longer be what a new process would load."""
        self._changed = self._changed or any(
            event.watch not in self._elsewhere and event.name != "__pycache__"
            for event in self._inotify.events()
        )
        return self._changed

    def forget(self) -> None:
        """Stop looking."""
        self._inotify.close()


def is_single_threaded() -> bool:
    """Whether this process can be forked without losing a thread of some library."""
    return len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208
