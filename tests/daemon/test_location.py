"""Where the daemon's files are, and which workspace is meant."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from short_folder import short_folder

from cuedeck.daemon.location import LONGEST_SOCKET_PATH, Address, NoDaemon, workspace_root
from cuedeck.discovery import find_root


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = short_folder()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


def test_the_folder_is_made_private(runtime: Path) -> None:
    address = Address("/some/work")
    assert Path(address.socket).parent == runtime / "cuedeck"
    assert stat.S_IMODE((runtime / "cuedeck").stat().st_mode) == 0o700
    (runtime / "cuedeck").chmod(0o755)
    Address("/some/work")
    assert stat.S_IMODE((runtime / "cuedeck").stat().st_mode) == 0o700


def test_each_workspace_has_its_own_files(runtime: Path) -> None:
    sockets = {Address(f"/some/{number}").socket for number in range(2000)}
    assert len(sockets) == 2000
    assert Address("/some/1").socket == Address("/some/1").socket


def test_a_folder_that_somebody_planted_is_not_used(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = short_folder()
    (elsewhere / "theirs").mkdir(mode=0o700)
    (runtime / "cuedeck").symlink_to(elsewhere / "theirs")
    monkeypatch.setenv("TMPDIR", str(elsewhere))
    assert Path(Address("/w").socket).parent == elsewhere / f"cuedeck-{os.getuid()}"


def test_a_path_too_long_for_a_socket_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / ("x" * 120)
    deep.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    socket = Address("/w").socket
    assert not socket.startswith(str(deep)) and len(socket) <= LONGEST_SOCKET_PATH


def test_a_folder_that_depends_on_where_one_stands_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", "run")
    monkeypatch.setenv("TMPDIR", ".")
    assert Path(Address("/w").socket).is_absolute()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["run"]


def test_no_place_at_all_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cuedeck.daemon.location._candidates", lambda: ["/proc/nowhere"])
    with pytest.raises(NoDaemon, match="/proc/nowhere cannot be created"):
        Address("/w")


def test_it_agrees_with_discovery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a/.cuedeck").mkdir(parents=True)
    (tmp_path / "a/b/c").mkdir(parents=True)
    (tmp_path / "g/.git").mkdir(parents=True)
    (tmp_path / "g/h").mkdir()
    (tmp_path / "a/b/.git").write_text("gitdir: elsewhere")
    (tmp_path / "link").symlink_to(tmp_path / "a/b")
    for folder in ("a", "a/b/c", "g", "g/h", "link"):
        monkeypatch.chdir(tmp_path / folder)
        assert workspace_root() == str(find_root(Path.cwd())), folder


def test_a_named_folder_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".cuedeck").mkdir()
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    assert workspace_root("sub") == str(tmp_path / "sub")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert workspace_root("~/sub") == str(tmp_path / "sub")
