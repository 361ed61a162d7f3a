"""What git tracks is asked without running anything that a repository configures."""

from __future__ import annotations

import subprocess
from pathlib import Path

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
