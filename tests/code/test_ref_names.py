"""Names of refs that git would read otherwise, and what is said of those it does not know."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pygit2
import pytest

from cuedeck.code.comparing import compare_refs
from cuedeck.code.engine import Code
from cuedeck.code.pruning import prune
from cuedeck.code.refs import status, switch
from cuedeck.model.errors import CueError, ErrorCode

from .conftest import Repo

Open = Callable[[Path], Code]


def names(code: Code, ref: str | None = None) -> set[str]:
    snapshot = code.view(ref).snapshot
    return {definition.name for path in snapshot.files for definition in snapshot.outline(path).definitions}


def refused(code: Code, ref: str) -> CueError:
    with pytest.raises(CueError) as refusal:
        code.view(ref)
    return refusal.value


@pytest.mark.parametrize("name", ["/main", "//main", "refs/heads//main", "/heads/main", "tags//v1"])
def test_a_name_with_a_slash_too_many_is_none(repo: Repo, open_code: Open, name: str) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    repo.git("tag", "v1")
    assert refused(open_code(repo.root), name).code is ErrorCode.REF_NOT_INDEXED


def test_a_whole_id_is_the_commit_even_where_a_branch_is_called_so(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    first = repo.commit()
    repo.put("a.py", "def two(): pass\n")
    repo.commit()
    repo.git("update-ref", f"refs/heads/{first}", "main")
    code = open_code(repo.root)
    assert names(code, first) == {"one"}
    assert names(code, f"refs/heads/{first}") == {"two"}
    assert any("is a commit and a branch" in warning for warning in code.view(first).warnings)


def test_an_empty_ref_is_no_ref(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    assert refused(open_code(repo.root), "").code is ErrorCode.VALIDATION


def test_the_beginning_of_several_ids_is_said_to_be_one(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    objects = pygit2.Repository(str(repo.root))
    begun: set[str] = set()
    for number in count():
        shared = str(objects.create_blob(b"%d" % number))[:4]
        if shared in begun:
            break
        begun.add(shared)
    error = refused(open_code(repo.root), shared)
    assert error.code is ErrorCode.REF_NOT_INDEXED
    assert "several ids" in error.message
    # Git takes nothing shorter than four characters for the beginning of an id.
    assert "There is no branch" in refused(open_code(repo.root), shared[:1]).message


def test_a_mistyped_ref_is_told_the_nearest_and_a_range_who_compares_it(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    repo.git("branch", "feature/login")
    repo.git("tag", "v1.10.0")
    code = open_code(repo.root)
    for asked, meant in (("MAIN", "main"), ("feature/logn", "feature/login"), ("1.10.0", "v1.10.0")):
        error = refused(code, asked)
        assert error.data["nearest"] == [meant]
        assert error.hint is not None and error.hint.startswith(f"Did you mean {meant}? ")
    assert "diff_context" in str(refused(code, "main..v1.10.0").hint)
    assert "nearest" not in refused(code, "zzzz").data


def test_a_shallow_clone_says_how_to_get_what_is_older(repo: Repo, tmp_path: Path, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    repo.put("a.py", "def two(): pass\n")
    repo.commit()
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.root}", str(tmp_path / "shallow"))
    code = open_code(tmp_path / "shallow")
    for older in ("HEAD~1", "main~1", "main^"):
        assert "shallow" in refused(code, older).hint


def test_pruning_does_not_lead_a_caller_to_another_ref(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    repo.put("a.py", "def two(): pass\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    code = open_code(repo.root)
    code.view("feat")
    switch(code, "feat", "me")
    assert [verdict.ref for verdict in prune(code, 0).removed] == ["feat"]
    assert code.view(None, "me").ref == "feat"


def test_pruning_where_git_is_gone_removes_nothing_and_says_so(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    repo.put("b.py", "def two(): pass\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    code = open_code(repo.root)
    code.view("feat")
    (repo.root / ".git").rename(repo.root.parent / "away")
    plain = Code(repo.root, code.store, workers=1)
    done = prune(plain, 0)
    plain.close()
    assert not done.removed
    assert {verdict.reason for verdict in done.kept} == {"there is no git repository here to ask"}


def test_a_caller_whose_branch_is_gone_is_told(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    repo.git("branch", "feat")
    code = open_code(repo.root)
    code.view("feat")
    switch(code, "feat", "me")
    assert code.view(None, "me").warnings == []
    repo.git("branch", "-q", "-D", "feat")
    assert code.view(None, "me").warnings == ["feat, which was switched to, is gone; this is main"]
    assert status(code, None, "me").warnings == ("feat, which was switched to, is gone; this is main",)
    assert code.view(None, "other").warnings == []
    assert status(code, None, "other").warnings == ()


def test_a_branch_that_is_called_as_what_is_checked_out_is_named_in_full(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    first = repo.commit()
    repo.git("update-ref", "refs/heads/HEAD", first)
    repo.put("a.py", "def two(): pass\n")
    repo.commit()
    code = open_code(repo.root)
    assert names(code, "HEAD") == {"two"}
    assert names(code, "refs/heads/HEAD") == {"one"}
    assert code.view("refs/heads/HEAD").ref == "refs/heads/HEAD"
    switch(code, "refs/heads/HEAD", "me")
    assert code.view(None, "me").ref == "refs/heads/HEAD"


def test_what_is_no_commit_is_told_what_it_is(repo: Repo, open_code: Open) -> None:
    repo.put("src/a.py", "def one(): pass\n")
    repo.commit()
    repo.git("tag", "folder", "HEAD^{tree}")
    repo.git("tag", "-a", "-m", "why", "told", "HEAD:src/a.py")
    code = open_code(repo.root)
    assert refused(code, "folder").message == "folder is a folder and not a commit"
    assert refused(code, "told").message == "told is a tag of a folder or file and not a commit"
    assert refused(code, "HEAD:src/a.py").message == "HEAD:src/a.py is a file and not a commit"
    assert "nearest" not in refused(code, "folder").data


def test_a_branch_that_looks_like_an_option_is_reached_by_its_full_name(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    repo.git("update-ref", "refs/heads/--help", "HEAD")
    code = open_code(repo.root)
    assert refused(code, "--help").data["nearest"] == ["refs/heads/--help"]
    assert names(code, "refs/heads/--help") == {"one"}


def test_an_empty_side_of_a_comparison_is_named(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    with pytest.raises(CueError) as refusal:
        compare_refs(open_code(repo.root), "main", "")
    assert refusal.value.data["field"] == "head_ref"


def test_a_branch_whose_commit_is_missing_is_said_to_be_one(repo: Repo, open_code: Open) -> None:
    repo.commit()
    (repo.root / ".git" / "refs" / "heads" / "torn").write_text("f" * 40 + "\n")
    with pytest.raises(CueError, match="torn names a commit that is not in this repository") as error:
        open_code(repo.root).view("torn")
    assert error.value.code is ErrorCode.REF_NOT_INDEXED


def test_a_branch_whose_name_is_not_utf8_is_answered_by_its_commit(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def a(): pass\n")
    first = repo.commit()
    repo.git("checkout", "-q", "-b", os.fsdecode(b"\xff"))
    repo.put("b.py", "def b(): pass\n")
    view = open_code(repo.root).view()
    assert (view.ref, set(view.snapshot.files)) == (first, {"a.py", "b.py"})
    repo.git("branch", "-q", "-D", "main")
    assert open_code(repo.root).view().ref == first


def test_a_folder_without_git_says_that_it_has_no_refs(tmp_path: Path, open_code: Open) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(CueError, match="This folder is not a git repository") as error:
        open_code(tmp_path / "plain").view("main")
    assert (error.value.code, error.value.data) == (ErrorCode.REF_NOT_INDEXED, {"ref": "main"})
