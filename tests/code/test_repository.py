"""Differences between commits, read from real repositories."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from cuedeck.code.engine import Code
from cuedeck.code.git.repository import Repository, TreeFile
from cuedeck.code.locating import locate
from cuedeck.store.protocol import Store


def git(root: Path, *arguments: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(root), *who, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.strip()


def commit(root: Path) -> str:
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "x")
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    return tmp_path


def opened(root: Path) -> Repository:
    found = Repository.open(root)
    assert found is not None
    return found


def test_a_delta_names_what_was_added_changed_and_removed_at_any_depth(root: Path) -> None:
    (root / "deep" / "er").mkdir(parents=True)
    (root / "same").mkdir()
    for path in ("a.py", "deep/er/b.py", "deep/er/c.py", "same/d.py"):
        (root / path).write_text(path)
    old = commit(root)
    (root / "a.py").unlink()
    (root / "deep" / "er" / "b.py").write_text("changed")
    (root / "deep" / "new.py").write_text("new")
    (root / "deep" / "notes.txt").write_text("no code")
    new = commit(root)
    repository = opened(root)
    delta = repository.delta(old, new)
    files = repository.files(new)[0]
    assert {path for path, file in delta.items() if file is None} == {"a.py", "deep/notes.txt"}
    assert {path: file for path, file in delta.items() if file is not None} == {
        path: files[path] for path in ("deep/er/b.py", "deep/new.py")
    }
    assert repository.delta(new, new) == {}


def test_a_file_that_becomes_a_folder_is_gone_and_its_files_are_there(root: Path) -> None:
    (root / "x.py").write_text("1")
    old = commit(root)
    (root / "x.py").unlink()
    (root / "x.py").mkdir()
    (root / "x.py" / "y.py").write_text("2")
    new = commit(root)
    delta = opened(root).delta(old, new)
    assert delta["x.py"] is None and isinstance(delta["x.py/y.py"], TreeFile)
    back = opened(root).delta(new, old)
    assert isinstance(back["x.py"], TreeFile) and back["x.py/y.py"] is None


def test_a_file_that_becomes_a_link_is_no_code_any_more(root: Path) -> None:
    (root / "x.py").write_text("1")
    old = commit(root)
    (root / "x.py").unlink()
    (root / "x.py").symlink_to("elsewhere.py")
    assert opened(root).delta(old, commit(root)) == {"x.py": None}


def test_a_delta_equals_the_difference_of_all_files(root: Path) -> None:
    script = "#!/bin/sh\necho hello\n"
    for n in range(12):
        (root / f"f{n % 3}").mkdir(exist_ok=True)
        (root / f"f{n % 3}" / f"m{n}.py").write_text(str(n))
    (root / "run").write_text(script)
    (root / "run").chmod(0o755)
    old = commit(root)
    (root / "f1" / "m1.py").write_text("other")
    (root / "f2" / "m2.py").rename(root / "f2" / "renamed.py")
    (root / "run").chmod(0o644)
    new = commit(root)
    repository = opened(root)
    mine, theirs = repository.files(old)[0], repository.files(new)[0]
    differing = {p: theirs.get(p) for p in mine.keys() | theirs.keys() if mine.get(p) != theirs.get(p)}
    assert repository.delta(old, new) == differing


def test_a_path_that_no_store_can_keep_is_left_out(root: Path, store: Store) -> None:
    (root / "near.py").write_text("def near(): ...\n")
    old = commit(root)
    chance = random.Random(3)
    parts = ["".join(map(chr, chance.choices(range(0x4E00, 0x9FFF), k=80))) for _ in range(12)]
    deep = root.joinpath(*parts)
    deep.mkdir(parents=True)
    (deep / "far.py").write_text("def far(): ...\n")
    (root / "new.py").write_text("def new(): ...\n")
    repository, new = opened(root), commit(root)
    files, skipped = repository.files(new)
    assert (sorted(files), [why for _, why in skipped]) == (["near.py", "new.py"], ["its path is too long"])
    assert sorted(repository.delta(old, new)) == ["new.py"]
    (deep / "farther.py").write_text("def farther(): ...\n")
    code = Code(root, store, workers=1)
    snapshot = code.view().snapshot
    assert [bool(locate(snapshot, name)) for name in ("near", "new", "far", "farther")] == [1, 1, 0, 0]
    code.close()


def test_a_folder_without_a_repository_may_be_looked_at_for_ever(tmp_path: Path) -> None:
    before = sys.getrefcount(None)
    for _ in range(1000):
        assert Repository.look(tmp_path) == (None, "")
    assert abs(sys.getrefcount(None) - before) < 100


def test_a_file_in_gits_place_that_names_no_folder_is_told_of(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("nothing of git's\n")
    found, why = Repository.look(tmp_path)
    assert found is None and "malformed" in why and str(tmp_path) + ":" not in why
