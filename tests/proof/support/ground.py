"""One project with an environment of its own, and everything that is started on it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from clean_environ import listened_to, stand_by
from outside import CUE, USER, Deck, Door, Http, Stdio, environment
from project import make_project


class Ground:
    """One project and everything that was started on it."""

    def __init__(self, base: Path) -> None:
        self.root = make_project(base / "work")
        self.environ = environment(base, CUEDECK_LIMITS__ENABLED="false", CUEDECK_USER=USER)
        stand_by(self.environ)
        self._doors: list[Door] = []

    def door(self, kind: str, *options: str, **overrides: str) -> Door:
        """Through the daemon, into a process of its own, or over HTTP."""
        environ = {**self.environ, **overrides}
        door: Door
        if kind == "http":
            door = Http(self.root, environ, *options)
        else:
            door = Stdio(self.root, environ, *options, *(["--no-daemon"] if kind == "process" else []))
        self._doors.append(door)
        return door

    def stdio(self, *options: str, version: str = "2025-11-25") -> Stdio:
        """A client whose raw lines matter."""
        door = Stdio(self.root, self.environ, *options, version=version)
        self._doors.append(door)
        return door

    def deck(self, kind: str, name: str) -> Deck:
        """One deck under its bare names."""
        return Deck(self.door(kind, "--decks", name))

    def cue(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [CUE, *arguments], cwd=self.root, env=self.environ, capture_output=True, text=True, timeout=100
        )

    def close(self) -> None:
        for door in self._doors:
            door.close()
        if listened_to(self.environ):
            self.cue("daemon", "stop")
