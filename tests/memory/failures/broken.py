"""Small programs broken on purpose, and what a person reads in the output of the tool that met them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Broken:
    """One broken program: its files, the command that shows the failure, and the expected reading."""

    name: str
    files: Mapping[str, str]
    command: str
    kind: str
    type: str | None = None
    message: str = ""
    path: str | None = None
    line: int | None = None
    test: str | None = None
    expected: str | None = None
    actual: str | None = None
    fixed: tuple[str, ...] = ()
    """Files that keep their lines in the shifted variant."""
    shift: int = 7

    def output(self, variant: str) -> str:
        """What the tool printed: ``a`` as it is, ``b`` elsewhere with ``shift`` lines above each file."""
        return (HERE / "outputs" / f"{self.name}.{variant}.txt").read_text()


def load() -> list[Broken]:
    """Every program of every language, in a stable order."""
    return [
        Broken(**program)
        for file in sorted((HERE / "programs").glob("*.toml"))
        for program in tomllib.loads(file.read_text())["program"]
    ]
