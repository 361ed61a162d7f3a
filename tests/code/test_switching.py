"""An answer is of one branch also while git replaces the files of another."""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cuedeck.code.engine import Code, View
from cuedeck.code.git.checkout import Elsewhere
from cuedeck.code.git.gitindex import staged_tree
from cuedeck.code.git.repository import Repository
from cuedeck.code.git.switching import is_switching

from .conftest import Repo

Open = Callable[[Path], Code]
FILES = 6


@pytest.fixture
def branches(repo: Repo) -> Repo:
    for number in range(FILES):
        repo.put(f"m{number}.py", "def of_main(): pass\n")
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    put(repo, "feat")
    repo.commit()
    repo.git("checkout", "-q", "main")
    return repo


def put(repo: Repo, branch: str) -> None:
    for number in range(FILES):
        repo.put(f"m{number}.py", f"def of_{branch}(): pass\n")


def seen(view: View) -> tuple[str, set[str]]:
    snapshot = view.snapshot
    return view.ref, {each.name for path in snapshot.files for each in snapshot.outline(path).definitions}


def test_the_index_tells_which_tree_it_was_made_of(branches: Repo) -> None:
    folder = branches.root / ".git"
    assert staged_tree(folder) == branches.git("rev-parse", "HEAD^{tree}")
    branches.put("TREE.py", "def new(): pass\n")
    branches.git("add", "TREE.py")
    assert staged_tree(folder) is None
    branches.git("commit", "-q", "-m", "new")
    assert staged_tree(folder) == branches.git("rev-parse", "HEAD^{tree}")
    (folder / "index").unlink()
    assert staged_tree(folder) is None


def test_a_switch_that_takes_long_is_waited_for(branches: Repo, open_code: Open) -> None:
    """Git on a busy machine: it holds its index, writes it, and moves HEAD, each some time later."""
    code = open_code(branches.root)
    assert seen(code.view()) == ("main", {"of_main"})
    folder = branches.root / ".git"
    shutil.copy(folder / "index", folder / "kept")
    branches.git("read-tree", "feat")
    shutil.move(folder / "index", folder / "next")
    shutil.move(folder / "kept", folder / "index")

    def switch() -> None:
        time.sleep(0.4)
        shutil.copyfile(folder / "next", folder / "index.lock")
        (folder / "index.lock").rename(folder / "index")
        time.sleep(0.3)
        (folder / "HEAD").write_text("ref: refs/heads/feat\n")

    (folder / "index.lock").touch()
    put(branches, "feat")
    switching = threading.Thread(target=switch)
    switching.start()
    try:
        assert seen(code.view("main")) == ("main", {"of_main"})
        assert seen(code.view()) == ("feat", {"of_feat"})
    finally:
        switching.join()


def refuse_commits(repo: Repo) -> None:
    hook = repo.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)


def commit_in_vain(repo: Repo) -> None:
    refuse_commits(repo)
    repo.git("add", "-A")
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("commit", "-q", "-m", "refused")


NO_SWITCHES: dict[str, Callable[[Repo], object]] = {
    "a commit that a hook refused": commit_in_vain,
    "a soft reset": lambda repo: (repo.commit(), repo.git("reset", "-q", "--soft", "HEAD~1")),
    "a merge without a commit": lambda repo: (
        repo.git("checkout", "-q", "-f", "HEAD"),
        repo.git("merge", "-q", "--squash", "feat"),
    ),
}


@pytest.mark.parametrize("kind", NO_SWITCHES)
def test_what_only_stages_files_is_not_waited_for(branches: Repo, open_code: Open, kind: str) -> None:
    code = open_code(branches.root)
    code.view()
    branches.put("m0.py", "def staged(): pass\n")
    NO_SWITCHES[kind](branches)
    assert staged_tree(branches.root / ".git") not in (None, branches.git("rev-parse", "HEAD^{tree}"))
    branches.put("m1.py", "def edited(): pass\n")
    begun = time.monotonic()
    ref, names = seen(code.view())
    assert time.monotonic() - begun < 1
    assert ref == "main"
    assert "edited" in names


def test_a_commit_that_came_since_head_moved_may_be_switched_to(branches: Repo, tmp_path: Path) -> None:
    """Its files are as new as those of a commit under way."""
    time.sleep(0.02)
    branches.git("worktree", "add", "-q", str(tmp_path / "other"), "feat")
    other = object.__new__(Repo)
    other.root = tmp_path / "other"
    repository = Repository.open(branches.root)
    assert repository is not None
    for number in range(2):
        other.put("m0.py", f"def newer{number}(): pass\n")
        other.commit()
    for target in ("feat", "feat~1"):
        branches.git("read-tree", target)
        assert is_switching(repository)
    branches.git("read-tree", "main")
    assert not is_switching(repository)


def test_files_that_another_question_saw_after_a_switch_are_not_the_branch_before_it(
    branches: Repo, open_code: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = open_code(branches.root)
    code.view()
    asked, switched = code.wanted, []

    def wanted(*arguments: Any) -> Any:
        found = asked(*arguments)
        if not switched:
            branches.git("checkout", "-q", "feat")
            switched.append(code.checkout.files())
        return found

    monkeypatch.setattr(code, "wanted", wanted)
    assert seen(code.view()) == ("feat", {"of_feat"})


def test_another_branch_of_the_same_files_is_no_switch_of_files(branches: Repo, open_code: Open) -> None:
    code = open_code(branches.root)
    code.view()
    branches.git("checkout", "-q", "-b", "same")
    assert seen(code.view()) == ("same", {"of_main"})
    branches.git("checkout", "-q", "--detach")
    assert seen(code.view())[1] == {"of_main"}


@pytest.mark.parametrize("between", [(), ("commit", "-q", "--allow-empty", "-m", "refused")])
def test_no_answer_is_of_another_branch_while_branches_are_switched(
    branches: Repo, open_code: Open, between: tuple[str, ...]
) -> None:
    code = open_code(branches.root)
    for ref in ("main", "feat"):
        code.view(ref)
    refuse_commits(branches)
    over = threading.Event()

    def churn() -> None:
        while not over.is_set():
            for branch in ("feat", "main"):
                subprocess.run(["git", "checkout", "-q", "-f", branch], cwd=branches.root, check=False)
                if between:
                    subprocess.run(["git", *between], cwd=branches.root, check=False, capture_output=True)

    switching = threading.Thread(target=churn)
    switching.start()
    try:
        until = time.monotonic() + 4
        while time.monotonic() < until:
            # On a machine that is too busy to read them in time, no answer is the right one.
            with suppress(Elsewhere):
                ref, names = seen(code.view())
                assert names == {f"of_{ref}"}
                assert seen(code.view("feat")) == ("feat", {"of_feat"})
                assert seen(code.view("main")) == ("main", {"of_main"})
    finally:
        over.set()
        switching.join()


def test_a_head_that_moves_while_it_is_looked_at_vouches_for_nothing(
    branches: Repo, open_code: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = open_code(branches.root)
    code.view()
    checkout, looks = code.checkout, iter(range(100))
    assert checkout.repository is not None
    head = checkout.repository.head()
    put(branches, "feat")
    checkout.files()
    monkeypatch.setattr(checkout, "_head", (None, None))

    def writing() -> bool:
        if next(looks):
            branches.git("symbolic-ref", "HEAD", "refs/heads/feat")
        return False

    monkeypatch.setattr(checkout, "_git_is_writing", writing)
    with pytest.raises(Elsewhere):
        checkout.require(head)
