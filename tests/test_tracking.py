"""What a clone may have brought along, asked without running anything that its repository configures."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cuedeck.config import load_config
from cuedeck.model.errors import CueError
from cuedeck.store import open_store
from cuedeck.tracking import tracked_by_git


def git(folder: Path, *arguments: str) -> str:
    settings = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    told = subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True)
    return told.stdout.decode().strip()


def test_no_remote_is_asked_for_objects_that_are_missing(tmp_path: Path) -> None:
    origin, clone, mark = tmp_path / "origin", tmp_path / "clone", tmp_path / "ran"
    for name in ("kept", "left-out"):
        (origin / name).mkdir(parents=True)
        (origin / name / "file").write_text(name)
    git(origin, "init", "-q")
    git(origin, "add", ".")
    git(origin, "commit", "-qm", "first")
    git(tmp_path, "clone", "-q", "--no-checkout", str(origin), str(clone))
    git(clone, "sparse-checkout", "init", "--cone", "--sparse-index")
    git(clone, "sparse-checkout", "set", "kept")
    git(clone, "checkout", "-q")
    state = clone / ".cuedeck" / "state.db"
    state.parent.mkdir()
    state.touch()
    missing = git(clone, "rev-parse", "HEAD:left-out")
    (clone / ".git" / "objects" / missing[:2] / missing[2:]).unlink()
    git(clone, "config", "core.repositoryformatversion", "1")
    git(clone, "config", "extensions.partialClone", "origin")
    git(clone, "config", "remote.origin.promisor", "true")
    git(clone, "config", "remote.origin.uploadpack", f"touch '{mark}'; false")

    assert not tracked_by_git(clone, state)
    assert not mark.exists()
    git(clone, "add", "-f", ".cuedeck/state.db", "--sparse")
    assert tracked_by_git(clone, state)
    assert not mark.exists()


@pytest.mark.parametrize("option", ["index.version=2", "index.version=4"])
def test_a_clone_cannot_lead_us_to_settings_of_its_own(tmp_path: Path, option: str) -> None:
    (tmp_path / "docs").mkdir()
    settings = tmp_path / "docs" / "config.toml"
    settings.write_text("[store]\nurl = 'postgresql://elsewhere.example/x'\n")
    (tmp_path / ".cuedeck").symlink_to("docs")
    git(tmp_path, "init", "-q")
    assert load_config(tmp_path, environ={}).store.url is not None
    git(tmp_path, "-c", option, "add", ".cuedeck")
    with pytest.raises(CueError, match=r"'store.url' is not taken"):
        load_config(tmp_path, environ={})
    git(tmp_path, "-c", option, "rm", "-q", "--cached", ".cuedeck")
    assert load_config(tmp_path, environ={}).store.url is not None
    git(tmp_path, "-c", option, "add", "docs/config.toml")
    with pytest.raises(CueError, match=r"'store.url' is not taken"):
        load_config(tmp_path, environ={})


def test_a_state_behind_a_link_of_the_clone_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / ".cuedeck").symlink_to("docs")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".cuedeck")
    store = open_store(None, root=tmp_path, workspace_id="w")
    with pytest.raises(CueError, match="will not be opened"), store.state.read():
        pass
    store.close()
    assert not list((tmp_path / "docs").iterdir())


def test_a_link_into_a_submodule_is_not_trusted(tmp_path: Path) -> None:
    deep = tmp_path / "module" / "a" / "b"
    deep.mkdir(parents=True)
    git(tmp_path / "module", "init", "-q")
    git(tmp_path, "init", "-q")
    (deep / "state.db").touch()
    (tmp_path / ".cuedeck").symlink_to("module/a/b")
    assert tracked_by_git(tmp_path, tmp_path / ".cuedeck" / "state.db")


@pytest.mark.parametrize("option", ["index.version=2", "index.version=4"])
def test_what_goes_with_a_file_counts_as_the_file(tmp_path: Path, option: str) -> None:
    folder = tmp_path / "[docs]"
    folder.mkdir()
    (tmp_path / ".cuedeck").symlink_to("[docs]")
    git(tmp_path, "init", "-q")
    (folder / "other").touch()
    git(tmp_path, "-c", option, "add", "[[]docs]/other")
    state = tmp_path / ".cuedeck" / "state.db"
    assert not tracked_by_git(tmp_path, state)
    (folder / "state.db-wal").touch()
    git(tmp_path, "-c", option, "add", "[[]docs]/state.db-wal")
    assert tracked_by_git(tmp_path, state)


@pytest.mark.parametrize("emptied", [b"", bytes(4096)])
def test_an_index_that_a_loss_of_power_emptied_lists_nothing(tmp_path: Path, emptied: bytes) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".git" / "index").write_bytes(emptied)
    assert not tracked_by_git(tmp_path, tmp_path / ".cuedeck" / "state.db")
    open_store(None, root=tmp_path, workspace_id="t").close()
