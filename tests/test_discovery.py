from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cuedeck import Workspace
from cuedeck.discovery import find_root, main_checkout, workspace_identity
from cuedeck.model.errors import CueError


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "main"
    folder.mkdir()
    git(folder, "init", "-b", "main")
    (folder / "a.md").write_text("# A\n")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "one")
    return folder


def test_the_nearest_workspace_wins_over_the_git_root(repository: Path) -> None:
    deep = repository / "x" / "y"
    deep.mkdir(parents=True)
    assert find_root(deep) == repository
    (repository / "x" / ".cuedeck").mkdir()
    assert find_root(deep) == repository / "x"


def test_a_plain_folder_is_its_own_workspace(tmp_path: Path) -> None:
    assert find_root(tmp_path) == tmp_path


def test_the_root_of_the_file_system_is_no_workspace(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    really = Path.is_dir
    monkeypatch.setattr(Path, "is_dir", lambda path: path == Path("/.cuedeck") or really(path))
    assert find_root(tmp_path) == tmp_path
    with pytest.raises(CueError, match="/ is the root of the file system, not a project"):
        Workspace.open("/")


@pytest.mark.parametrize("name", ["missing", "file", "\0"])
def test_what_is_no_folder_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CueError, match="There is no folder"):
        find_root(tmp_path / name)


def test_a_worktree_shares_the_main_checkout(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-b", "side", str(tmp_path / "side"))
    assert main_checkout(tmp_path / "side") == repository
    assert main_checkout(repository) == repository
    assert workspace_identity(tmp_path / "side") != ""


def test_a_forged_worktree_marker_shares_nothing(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-b", "side", str(tmp_path / "side"))
    thief = tmp_path / "thief"
    thief.mkdir()
    (thief / ".git").write_text((tmp_path / "side" / ".git").read_text())
    assert main_checkout(thief) == thief


def test_clones_of_one_repository_agree_on_its_name(repository: Path, tmp_path: Path) -> None:
    names = set()
    for number, url in enumerate(
        ["https://u:p@example.org/o/r.git", "git@example.org:o/r", "ssh://git@example.org/o/r/"]
    ):
        folder = tmp_path / f"clone{number}"
        subprocess.run(["git", "clone", "-q", str(repository), str(folder)], check=True)
        git(folder, "remote", "set-url", "origin", url)
        names.add(workspace_identity(folder))
    assert len(names) == 1
