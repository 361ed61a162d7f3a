"""Hints from the operating system about what changed on disk; the index decides what they mean."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


@dataclass(slots=True)
class Dirty:
    """What may have changed: files, folders whose content is in doubt, or everything."""

    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    everything: bool = False

    @property
    def anything(self) -> bool:
        return bool(self.files or self.folders or self.everything)


class Hints(Protocol):
    """A source of hints over the folders it was told to watch."""

    def watch(self, folders: frozenset[str]) -> None:
        """Watch exactly these folders, each without those below it; raises OSError at a limit."""

    def wait(self, timeout: float) -> bool:
        """Block until there is something to drain or the time is up."""

    def drain(self) -> Dirty:
        """Everything reported up to now, without waiting."""

    def interrupt(self) -> None:
        """End every wait, now and from now on."""

    def close(self) -> None:
        """Stop watching."""


def open_hints(root: Path) -> Hints:
    """The best source this system has; raises OSError when there is none."""
    if sys.platform == "linux":
        from cuedeck.documents.inotify import InotifyHints

        return InotifyHints(root)
    from cuedeck.documents.watchfiles_hints import WatchfilesHints

    return WatchfilesHints(root)
