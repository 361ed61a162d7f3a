"""Commands run as a user runs them: a real process in a folder of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from clean_environ import clean_environ, listened_to, stand_by
from short_folder import short_folder

CUE = str(Path(sys.executable).with_name("cue"))
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / ".git").mkdir()  # the workspace ends here, whatever is above
    return folder


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    kept = clean_environ()
    runtime = short_folder()
    home = tmp_path / "home"
    home.mkdir()
    made = {
        **kept,
        "XDG_RUNTIME_DIR": str(runtime),
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
    }
    stand_by(made)
    return made


@pytest.fixture
def cue(folder: Path, environ: dict[str, str]) -> Iterator[Run]:
    """Run a command in the workspace; a daemon that it started is stopped afterwards."""

    def run(*arguments: str, program: str = CUE, **settings: Any) -> subprocess.CompletedProcess[str]:
        usual = {"cwd": folder, "env": environ, "capture_output": True, "text": True, "timeout": 100}
        return subprocess.run([program, *arguments], **{**usual, **settings})

    yield run
    if listened_to(environ):
        run("daemon", "stop")
