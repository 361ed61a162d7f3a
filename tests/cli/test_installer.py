"""``cue upgrade`` asks whoever owns the environment, and is calm without a network."""

from __future__ import annotations

import json
import sys
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path
from typing import Any

import pytest

from cuedeck.cli.installer import Installer, find_installer, upgrade
from cuedeck.model.errors import CueError


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("uv", "pipx"):
        (folder / name).write_text('#!/bin/sh\necho $0 "$@"\n')
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def dist(tmp_path: Path, installer: str = "pip", origin: dict[str, Any] | None = None) -> Distribution:
    folder = tmp_path / "cuedeck-1.dist-info"
    folder.mkdir()
    (folder / "INSTALLER").write_text(f"{installer}\n")
    if origin:
        (folder / "direct_url.json").write_text(json.dumps(origin))
    return PathDistribution(folder)


def test_uv_tool(tmp_path: Path, programs: Path) -> None:
    (tmp_path / "uv-receipt.toml").write_text("[tool]\n")
    found = find_installer(tmp_path, dist(tmp_path, "uv"))
    assert (found.name, found.command[1:]) == ("uv tool", ("tool", "upgrade", "cuedeck"))
    assert upgrade(found).said == f"{programs}/uv tool upgrade cuedeck"


def test_pipx(tmp_path: Path, programs: Path) -> None:
    (tmp_path / "pipx_metadata.json").write_text("{}")
    assert find_installer(tmp_path, dist(tmp_path)).command == (f"{programs}/pipx", "upgrade", "cuedeck")


def test_pip_and_uv_pip_in_an_environment(tmp_path: Path, programs: Path) -> None:
    assert find_installer(tmp_path, dist(tmp_path, "uv")).command[1:3] == ("pip", "install")
    (tmp_path / "other").mkdir()
    command = find_installer(tmp_path, dist(tmp_path / "other", "pip")).command
    assert command[:4] == (sys.executable, "-m", "pip", "install") and "--upgrade" in command


def test_a_checkout_is_not_upgraded(tmp_path: Path) -> None:
    origin = {"url": "file:///src/cuedeck", "dir_info": {"editable": True}}
    with pytest.raises(CueError, match="installed from /src/cuedeck"):
        find_installer(tmp_path, dist(tmp_path, "pip", origin))


def test_a_missing_installer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "pipx_metadata.json").write_text("{}")
    with pytest.raises(CueError, match="pipx, which is not on the PATH"):
        find_installer(tmp_path, dist(tmp_path))


@pytest.mark.parametrize(
    ("said", "code", "reached"),
    [
        ("error: Failed to fetch: dns error: failed to lookup address", 2, False),
        ("WARNING: Retrying ... NewConnectionError('... Network is unreachable')", 1, False),
        ("ERROR: No matching distribution found for cuedeck", 1, True),
        ("error: Permission denied", 1, True),
    ],
)
def test_offline_is_told_from_failure(tmp_path: Path, said: str, code: int, reached: bool) -> None:
    script = tmp_path / "installer"
    script.write_text(f"#!/bin/sh\ncat <<'E' >&2\n{said}\nE\nexit {code}\n")
    script.chmod(0o755)
    done = upgrade(Installer("test", (str(script),)))
    assert (done.reached, done.succeeded) == (reached, False)


def test_this_checkout_says_what_to_do(cue: Any) -> None:
    done = cue("upgrade")
    assert done.returncode == 1 and "Update that folder" in done.stderr
