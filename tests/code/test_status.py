"""What is said of the state of a ref: what was skipped in each of its layers, and whether it is current."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from cuedeck.code.engine import Code
from cuedeck.code.git.objects import NO_UTF8
from cuedeck.code.refs import status

from .conftest import Repo

Open = Callable[[Path], Code]
BINARY = b"def nothing():\0 pass\n"


def skipped(code: Code, ref: str | None = None) -> set[tuple[str, str]]:
    return set(status(code, ref, "").skipped)


def test_a_file_on_disk_that_cannot_be_read_is_named(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    code = open_code(repo.root)
    repo.put("b.py", BINARY)
    code.view()
    assert skipped(code) == {("b.py", "binary")}
    (repo.root / "b.py").unlink()
    code.view()
    assert skipped(code) == set()


def test_a_name_that_is_no_text_comes_and_goes_while_it_is_served(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    code = open_code(repo.root)
    code.view()
    nameless = os.fsencode(repo.root) + b"/b\xff.py"
    for _ in range(2):
        Path(os.fsdecode(nameless)).write_bytes(b"def two(): pass\n")
        assert list(code.view().snapshot.files) == ["a.py"]
        assert skipped(code) == {("b\ufffd.py", NO_UTF8)}
    Path(os.fsdecode(nameless)).unlink()
    assert list(code.view().snapshot.files) == ["a.py"]
    assert skipped(code) == set()


def test_a_file_that_was_mended_on_disk_is_no_longer_skipped(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BINARY)
    repo.commit()
    code = open_code(repo.root)
    code.view()
    assert skipped(code) == {("a.py", "binary")}
    repo.put("a.py", "def one(): pass\n")
    code.view()
    assert skipped(code) == set()


def test_a_branch_names_what_is_skipped_of_its_base_where_it_sees_it(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BINARY)
    repo.put("b.py", BINARY)
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    repo.put("b.py", "def two(): pass\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    code = open_code(repo.root)
    code.view("feat")
    assert skipped(code, "feat") == {("a.py", "binary")}
    assert skipped(code, "main") == {("a.py", "binary"), ("b.py", "binary")}


def test_an_edit_that_nobody_asked_about_is_not_indexed_yet(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    code = open_code(repo.root)
    code.view()
    assert status(code, None, "").freshness == "fresh"
    repo.put("a.py", "def two(): pass\n")
    assert status(code, None, "").freshness == "stale"
    code.view()
    assert status(code, None, "").freshness == "fresh"
    assert status(Code(repo.root, code.store), None, "").freshness == "fresh"


def test_an_edit_in_a_folder_without_git_is_not_indexed_yet(tmp_path: Path, open_code: Open) -> None:
    (tmp_path / "a.py").write_text("def one(): pass\n")
    code = open_code(tmp_path)
    code.view()
    (tmp_path / "b.py").write_text("def two(): pass\n")
    assert status(code, None, "").freshness == "stale"
    code.view()
    assert status(code, None, "").freshness == "fresh"


def test_what_stands_in_for_a_large_file_is_no_source(repo: Repo, open_code: Open) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12345\n"
    repo.put("a.py", pointer)
    repo.commit()
    code = open_code(repo.root)
    assert code.view().snapshot.outline("a.py").names == ()
    assert skipped(code) == {("a.py", "a Git LFS pointer")}
