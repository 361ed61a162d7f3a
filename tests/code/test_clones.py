"""Clones that do not hold everything, made by the git program: shallow, sparse, partial."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cuedeck.code.comparing import compare_refs
from cuedeck.code.engine import Code
from cuedeck.code.finding import find
from cuedeck.code.refs import listed
from cuedeck.model.errors import CueError, ErrorCode

from .conftest import Repo

Open = Callable[[Path], Code]


@pytest.fixture
def origin(repo: Repo) -> Repo:
    repo.put("lib/a.py", "def greet():\n    return 1\n")
    repo.put("app/b.py", "from lib.a import greet\n\n\ndef run():\n    return greet()\n")
    repo.commit("first")
    repo.put("lib/a.py", "def greet():\n    return 2\n")
    repo.put("old.py", "def gone():\n    pass\n")
    repo.commit("second")
    (repo.root / "old.py").unlink()
    repo.commit("third")
    repo.git("config", "uploadpack.allowFilter", "true")
    return repo


def clone(origin: Repo, place: Path, *options: str) -> Repo:
    origin.git("clone", "-q", *options, f"file://{origin.root}", str(place))
    cloned = object.__new__(Repo)
    cloned.root = place
    return cloned


def referring(code: Code, name: str, ref: str | None = None) -> set[tuple[str, int]]:
    answer = find(code.view(ref).snapshot, name)
    return {(site.path, site.line) for site in answer.sites(answer.references)}


def test_a_shallow_clone_answers_for_what_it_has(origin: Repo, tmp_path: Path, open_code: Open) -> None:
    shallow = clone(origin, tmp_path / "shallow", "--depth", "1")
    code = open_code(shallow.root)
    assert ("app/b.py", 5) in referring(code, "greet")
    with pytest.raises(CueError):
        code.view("HEAD~1")
    assert ("app/b.py", 5) in referring(code, "greet", "main")


@pytest.mark.parametrize("says", ["true", "false"])
def test_a_bare_repository_answers_for_its_refs_whatever_its_configuration_says(
    origin: Repo, tmp_path: Path, open_code: Open, says: str
) -> None:
    bare = clone(origin, tmp_path / "bare", "--bare")
    bare.git("config", "core.bare", says)
    code = open_code(bare.root)
    assert referring(code, "greet") == referring(code, "greet", "main") == {("app/b.py", 1), ("app/b.py", 5)}
    assert "old.py" in code.view("HEAD~1").snapshot.files
    assert [file.path for file in compare_refs(code, "HEAD~1", "HEAD").files] == ["old.py"]
    with pytest.raises(CueError, match="what is checked out"):
        compare_refs(code, "HEAD~1", None, working_tree=True)


@pytest.mark.parametrize("in_worktree", [False, True])
def test_history_that_comes_into_a_shallow_clone_counts(
    origin: Repo, tmp_path: Path, open_code: Open, in_worktree: bool
) -> None:
    origin.git("checkout", "-q", "-b", "feat", "HEAD~1")
    origin.put("app/c.py", "def more():\n    pass\n")
    origin.commit("fourth")
    shallow = clone(origin, tmp_path / "shallow", "--depth", "1", "--no-single-branch")
    shallow.git("worktree", "add", "-q", str(tmp_path / "other"))
    code = open_code(tmp_path / "other" if in_worktree else shallow.root)
    with pytest.raises(CueError, match="no commit in common") as caught:
        compare_refs(code, "origin/main", "feat")
    assert "--unshallow" in str(caught.value.hint)
    shallow.git("fetch", "-q", "--unshallow")
    assert [file.path for file in compare_refs(code, "origin/main", "feat").files] == ["app/c.py"]


@pytest.mark.parametrize("options", [(), ("--sparse-index",)])
def test_a_sparse_checkout_is_the_committed_tree_but_for_what_changed(
    origin: Repo, tmp_path: Path, open_code: Open, options: tuple[str, ...]
) -> None:
    sparse = clone(origin, tmp_path / "sparse", "--sparse")
    sparse.git("sparse-checkout", "set", *options, "app")
    assert not (sparse.root / "lib").exists()
    code = open_code(sparse.root)
    assert ("app/b.py", 5) in referring(code, "greet")
    sparse.put("app/c.py", "from lib.a import greet\n\ngreet()\n")
    assert {("app/b.py", 5), ("app/c.py", 3)} <= referring(code, "greet")
    sparse.git("sparse-checkout", "disable")
    assert {("app/b.py", 5), ("app/c.py", 3)} <= referring(code, "greet")
    (sparse.root / "lib" / "a.py").unlink()
    with pytest.raises(CueError, match="no symbol greet"):
        referring(code, "greet")


def test_what_a_sparse_checkout_leaves_out_is_compared_by_its_text(
    origin: Repo, tmp_path: Path, open_code: Open
) -> None:
    body = "    total = 0\n    for one in items:\n        total += one.price * one.count\n    return total\n"
    origin.put("lib/sums.py", f"def laid_out(a, b):\n    return a + b\n\ndef moving(items):\n{body}")
    origin.commit("fourth")
    origin.put("lib/sums.py", "def laid_out(\n    a,\n    b\n):\n    return a + b\n")
    origin.put("lib/other.py", f"def moved(items, start):\n{body}")
    origin.commit("fifth")
    sparse = clone(origin, tmp_path / "sparse", "--sparse")
    assert not (sparse.root / "lib").exists()
    code, whole = open_code(sparse.root), compare_refs(open_code(origin.root), "HEAD~1", None)
    for working_tree in (True, False):
        part = compare_refs(code, "HEAD~1", None, working_tree=working_tree)
        assert part.changes == whole.changes
        assert {c.shown.name for c in part.changes if c.formatting_only} == {"laid_out"}


def test_a_partial_clone_is_never_asked_to_fetch(origin: Repo, tmp_path: Path, open_code: Open) -> None:
    partial = clone(origin, tmp_path / "partial", "--filter=blob:none")
    # Were anything fetched, it would have to come from here.
    origin.root.rename(tmp_path / "unreachable")
    code = open_code(partial.root)
    assert ("app/b.py", 5) in referring(code, "greet")
    first = partial.git("rev-parse", "HEAD~2")
    assert code.view(first).snapshot.files.keys() == {"lib/a.py", "app/b.py"}
    assert ("lib/a.py", "not in this clone") in code.problems(code.wanted(first))
    assert referring(code, "run", first) is not None
    changes = compare_refs(code, first, "HEAD")
    assert {file.path for file in changes.files} == {"lib/a.py"}


@pytest.mark.parametrize("again", [False, True])
def test_what_comes_into_a_partial_clone_is_read(
    origin: Repo, tmp_path: Path, open_code: Open, again: bool
) -> None:
    partial = clone(origin, tmp_path / "partial", "--filter=blob:none")
    code = open_code(partial.root)
    first = partial.git("rev-parse", "HEAD~2")
    assert code.view(first).completeness == "partial"
    assert compare_refs(code, first, "HEAD").incomplete
    if again:
        code = Code(partial.root, code.store, workers=1)
    partial.git("cat-file", "-p", f"{first}:lib/a.py")
    assert {change.shown.name for change in compare_refs(code, first, "HEAD").changes} == {"greet"}
    assert (code.view(first).completeness, code.view(first).warnings) == ("complete", [])
    assert ("app/b.py", 5) in referring(code, "greet", first)
    code.close()


def test_a_branch_of_a_partial_clone_is_whole_once_it_is_checked_out(
    origin: Repo, tmp_path: Path, open_code: Open
) -> None:
    partial = clone(origin, tmp_path / "partial", "--filter=blob:none")
    code = open_code(partial.root)
    assert code.view("HEAD~1").completeness == "partial"
    partial.git("checkout", "-q", "HEAD~1")
    assert code.view().completeness == "complete"
    assert find(code.view().snapshot, "gone").symbol.path == "old.py"


def test_of_a_file_whose_one_side_is_missing_no_symbol_is_called_added(
    origin: Repo, tmp_path: Path, open_code: Open
) -> None:
    partial = clone(origin, tmp_path / "partial", "--filter=blob:none")
    origin.root.rename(tmp_path / "unreachable")
    found = compare_refs(open_code(partial.root), "HEAD~2", "HEAD")
    assert [(file.path, file.change) for file in found.files] == [("lib/a.py", "modified")]
    assert found.changes == ()
    assert found.unread == (("lib/a.py", "not in this clone"),)
    assert found.incomplete


def test_files_that_moved_are_listed_where_their_blobs_are_missing(
    origin: Repo, tmp_path: Path, open_code: Open
) -> None:
    origin.git("mv", "lib/a.py", "lib/moved.py")
    origin.put("app/b.py", "")
    origin.git("mv", "app/b.py", "app/edited.py")
    origin.put("app/edited.py", "from lib.moved import greet\n\n\ndef run():\n    return greet()\n")
    origin.commit("fourth")
    partial = clone(origin, tmp_path / "partial", "--filter=blob:none")
    origin.root.rename(tmp_path / "unreachable")
    found = compare_refs(open_code(partial.root), "HEAD~1", "HEAD")
    assert [(file.path, file.change, file.old_path) for file in found.files] == [
        ("app/b.py", "deleted", "app/b.py"),
        ("app/edited.py", "added", "app/edited.py"),
        ("lib/moved.py", "renamed", "lib/a.py"),
    ]


def test_a_commit_whose_folders_are_missing_is_not_indexed(
    origin: Repo, tmp_path: Path, open_code: Open
) -> None:
    treeless = clone(origin, tmp_path / "treeless", "--filter=tree:0")
    origin.root.rename(tmp_path / "unreachable")
    code = open_code(treeless.root)
    assert ("app/b.py", 5) in referring(code, "greet")
    for ask in (lambda: code.view("HEAD~2"), lambda: compare_refs(code, "HEAD~2", "HEAD")):
        with pytest.raises(CueError, match="does not hold every folder of") as caught:
            ask()
        assert caught.value.code is ErrorCode.REF_NOT_INDEXED


def test_a_missing_folder_of_a_commit_is_named_and_the_rest_answers(
    origin: Repo, tmp_path: Path, open_code: Open
) -> None:
    top_only = clone(origin, tmp_path / "top", "--filter=tree:1", "--no-checkout")
    top_only.git("read-tree", "--empty")
    origin.root.rename(tmp_path / "unreachable")
    code = open_code(top_only.root)
    code.index(code.wanted("HEAD"))
    assert {("lib/", "not in this clone"), ("app/", "not in this clone")} <= set(
        code.problems(code.wanted("HEAD"))
    )


def test_a_clone_that_checked_nothing_out_answers_for_its_commits(
    origin: Repo, tmp_path: Path, open_code: Open
) -> None:
    clone(origin, tmp_path / "later", "--no-checkout")
    code = open_code(tmp_path / "later")
    assert ("app/b.py", 5) in referring(code, "greet")
    assert {entry.layer for entry in code.view().snapshot.files.values()} == {"base"}
    later = object.__new__(Repo)
    later.root = tmp_path / "later"
    later.git("checkout", "-q", "main")
    later.put("new.py", "def fresh(): pass\n")
    assert "new.py" in code.view().snapshot.files


def test_a_checkout_that_ended_half_way_is_what_stands_on_disk(
    origin: Repo, tmp_path: Path, open_code: Open
) -> None:
    half = clone(origin, tmp_path / "half")
    (half.root / ".git/index").unlink()
    code = open_code(half.root)
    assert ("app/b.py", 5) in referring(code, "greet")
    half.put("lib/a.py", "def greet():\n    return 3\n\n\ndef fresh():\n    pass\n")
    assert find(code.view().snapshot, "fresh").symbol.line_start == 5


@pytest.mark.parametrize("told", [True, False])
def test_the_base_of_a_clone_of_one_branch_is_the_default_branch_as_fetched(
    origin: Repo, tmp_path: Path, open_code: Open, told: bool
) -> None:
    origin.git("branch", "feat")
    origin.git("checkout", "-q", "feat")
    origin.put("new.py", "def new(): pass\n")
    origin.commit()
    origin.git("checkout", "-q", "main")
    cloned = clone(origin, tmp_path / "clone", "-b", "feat")
    if not told:  # as a fetch without a clone leaves it
        cloned.git("symbolic-ref", "-d", "refs/remotes/origin/HEAD")
    code = open_code(cloned.root)
    found = compare_refs(code, None, None)
    assert (found.base, found.head) == ("main", "feat")
    assert [file.path for file in found.files] == ["new.py"]
    assert code.view().snapshot.files["new.py"].layer == "overlay"
    assert [row.name for row in listed(code)] == ["main", "feat"]
    cloned.git("branch", "main", "origin/main~1")
    assert len(compare_refs(code, None, None).files) > 1


def test_a_checkout_without_branches_asks_for_the_base(origin: Repo, tmp_path: Path, open_code: Open) -> None:
    bare = Repo(tmp_path / "fetched")
    bare.git("fetch", "-q", f"file://{origin.root}", "main")
    bare.git("checkout", "-q", "FETCH_HEAD")
    with pytest.raises(CueError) as refused:
        compare_refs(open_code(bare.root), None, None)
    assert refused.value.code is ErrorCode.REF_NOT_INDEXED
    assert "base_ref" in str(refused.value.hint)
