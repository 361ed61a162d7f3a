"""What is said outside the files of a project decides about them while it is served, as it does at first."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cuedeck.code.comparing import compare_refs
from cuedeck.code.engine import Code
from cuedeck.code.finding import find

from .conftest import Repo

Open = Callable[[Path], Code]


def files(code: Code) -> set[str]:
    return set(code.view().snapshot.files)


def edited(code: Code) -> set[str]:
    return {file.path for file in compare_refs(code, None, None, working_tree=True).files}


@pytest.fixture
def built(repo: Repo) -> Repo:
    repo.put("pkg/a.py", "def a(): pass\n")
    repo.commit()
    repo.put("pkg/build/b.py", "def b(): pass\n")
    return repo


def test_patterns_that_only_this_clone_has_count_as_soon_as_they_are_written(
    built: Repo, open_code: Open
) -> None:
    code, patterns = open_code(built.root), built.root / ".git" / "info" / "exclude"
    assert files(code) == {"pkg/a.py", "pkg/build/b.py"}
    patterns.write_text("build/\n")
    assert files(code) == {"pkg/a.py"}
    patterns.write_text("\n")
    assert files(code) == {"pkg/a.py", "pkg/build/b.py"}


def test_patterns_that_a_setting_names_count_as_soon_as_it_does(
    built: Repo, tmp_path: Path, open_code: Open
) -> None:
    code, patterns = open_code(built.root), tmp_path / "patterns"
    patterns.write_text("build/\n")
    assert files(code) == {"pkg/a.py", "pkg/build/b.py"}
    built.git("config", "core.excludesFile", str(patterns))
    assert files(code) == {"pkg/a.py"}
    patterns.write_text("a.py\n*/nothing\n")
    assert files(code) == {"pkg/a.py", "pkg/build/b.py"}


def test_patterns_above_a_workspace_count_as_soon_as_they_are_written(built: Repo, open_code: Open) -> None:
    code = open_code(built.root / "pkg")
    assert files(code) == {"a.py", "build/b.py"}
    built.put(".gitignore", "build/\n")
    assert files(code) == {"a.py"}


def test_a_workspace_inside_a_repository_may_become_one_of_its_own(built: Repo, open_code: Open) -> None:
    code = open_code(built.root / "pkg")
    assert code.view().ref == "main"
    inner = Repo(built.root / "pkg")
    inner.git("checkout", "-q", "-b", "other")
    assert (code.view().ref, files(code)) == ("other", {"a.py", "build/b.py"})
    shutil.rmtree(built.root / "pkg" / ".git")
    assert code.view().ref == "main"


def test_a_repository_inside_another_is_part_of_it_once_it_is_none(built: Repo, open_code: Open) -> None:
    Repo(built.root / "inner").put("c.py", "def c(): pass\n")
    code = open_code(built.root)
    assert files(code) == {"pkg/a.py", "pkg/build/b.py"}
    built.put("inner/d.py", "def d(): pass\n")
    assert files(code) == {"pkg/a.py", "pkg/build/b.py"}
    shutil.rmtree(built.root / "inner" / ".git")
    assert files(code) == {"pkg/a.py", "pkg/build/b.py", "inner/c.py", "inner/d.py"}
    built.put("inner/.git", "gitdir: ../elsewhere\n")
    assert files(code) == {"pkg/a.py", "pkg/build/b.py"}
    (built.root / "inner" / ".git").unlink()
    assert "inner/c.py" in files(code)


@pytest.mark.parametrize("workspace", ["", "pkg"])
def test_line_ends_are_converted_as_soon_as_an_attribute_says_so(
    built: Repo, open_code: Open, workspace: str
) -> None:
    shutil.rmtree(built.root / "pkg" / "build")
    built.put("pkg/a.py", "def a(): pass\r\n")
    code = open_code(built.root / workspace)
    assert {Path(path).name for path in edited(code)} == {"a.py"}
    built.put(".gitattributes", "*.py text\n")
    assert edited(code) == set()
    (built.root / ".gitattributes").unlink()
    assert {Path(path).name for path in edited(code)} == {"a.py"}
    built.git("config", "core.autocrlf", "true")
    assert edited(code) == set()


@pytest.mark.parametrize("option", ["--split-index", "--no-split-index"])
def test_line_ends_are_no_change_whatever_form_gits_index_has(
    repo: Repo, open_code: Open, option: str
) -> None:
    repo.put(".gitattributes", "lf.py text\n")
    repo.put("lf.py", "def lf(): pass\n")
    repo.put("crlf.py", "def crlf(): pass\r\n")
    repo.commit()
    repo.git("update-index", option)
    repo.put("lf.py", "def lf(): pass\r\n")
    os.utime(repo.root / "crlf.py")
    assert edited(open_code(repo.root)) == set()


@pytest.mark.parametrize("option", ["--split-index", "--no-split-index"])
def test_line_ends_that_git_stores_anew_are_no_change_of_the_file(
    repo: Repo, open_code: Open, option: str
) -> None:
    repo.put("a.py", "def a(): pass\r\n")
    repo.commit()
    repo.put(".gitattributes", "*.py text\n")
    repo.git("update-index", option)
    code = open_code(repo.root)
    assert "a.py" not in edited(code)
    repo.git("add", "--renormalize", ".")
    repo.commit()
    assert edited(code) == set()
    repo.put("b.py", "def b(): pass\r\n")
    assert edited(code) == {"b.py"}
    repo.commit()
    assert edited(code) == set()


def test_a_file_that_was_given_its_old_time_back_is_read_as_it_is(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    long_ago = 1_000_000_000
    os.utime(repo.root / "a.py", (long_ago, long_ago))
    repo.commit()
    code = open_code(repo.root)
    assert edited(code) == set()
    repo.put("a.py", "def six(): pass\n")
    os.utime(repo.root / "a.py", (long_ago, long_ago))
    assert edited(code) == edited(open_code(repo.root)) == {"a.py"}


def test_a_tag_that_is_called_as_the_branch_is_told_as_soon_as_there_is_one(
    repo: Repo, open_code: Open
) -> None:
    first = repo.commit()
    repo.commit()
    code = open_code(repo.root)
    assert code.view("main").warnings == []
    repo.git("tag", "main", first)
    assert ["refs/tags/main" in warning for warning in code.view("main").warnings] == [True]
    repo.git("tag", "-d", "main")
    assert code.view("main").warnings == []


def test_a_branch_has_its_own_changes_also_where_the_default_branch_was_taken_back(
    repo: Repo, open_code: Open
) -> None:
    repo.put("a.py", "def a(): pass\n")
    first = repo.commit()
    repo.put("b.py", "def b(): pass\n")
    repo.commit()
    code = open_code(repo.root)
    assert set(code.view().snapshot.files) == {"a.py", "b.py"}
    repo.git("checkout", "-q", "-b", "feat")
    repo.git("branch", "-q", "-f", "main", first)
    layers = {path: entry.layer for path, entry in code.view("feat").snapshot.files.items()}
    assert layers == {"a.py": "base", "b.py": "overlay"}


def test_a_project_file_that_changes_together_with_patterns_is_read_again(
    repo: Repo, open_code: Open
) -> None:
    repo.put("core/one.go", "package core\n\nfunc One() {}\n")
    repo.put("main.go", 'package main\n\nimport "new.org/m/core"\n\nfunc main() { core.One() }\n')
    repo.put("go.mod", "module old.org/m\n")
    repo.commit()
    code = open_code(repo.root)
    assert not find(code.view().snapshot, "core::One").references
    repo.put("go.mod", "module new.org/m\n")
    (repo.root / ".git" / "info" / "exclude").write_text("build/\n")
    assert find(code.view().snapshot, "core::One").references
