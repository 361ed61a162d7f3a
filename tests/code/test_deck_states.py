"""The code deck where what it serves is unfinished, damaged or no longer what it was."""

from __future__ import annotations

import os
import subprocess
from typing import Any

import pytest

from cuedeck.model.errors import CueError, ErrorCode

from .conftest import Ask, Repo


def test_one_ref_is_the_default_also_when_another_was_before(ask: Ask, repo: Repo) -> None:
    assert ask("list_refs")["refs"][0]["is_default"] is True
    repo.git("update-ref", "refs/remotes/origin/develop", "HEAD")
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
    repo.git("checkout", "-q", "-b", "develop")
    ask("locate_symbol", name="check")
    refs = ask("list_refs")["refs"]
    assert [(ref["ref"], ref["is_default"]) for ref in refs] == [("develop", True), ("main", False)]


def test_an_index_damaged_while_it_is_served_is_built_again_within_the_call(ask: Ask, repo: Repo) -> None:
    before = ask("find_references", symbol_name="check")
    index = repo.root / ".cuedeck" / ".cache" / "index.db"
    index.with_name("index.db-wal").write_bytes(b"")
    assert ask("search_code", query="check")["results"]
    assert ask("find_references", symbol_name="check") == before
    assert list(index.parent.glob("index.db.damaged-*"))


def test_a_merge_that_is_not_finished_is_told_until_it_is(ask: Ask, repo: Repo) -> None:
    repo.put(".gitignore", "build/\n")
    repo.put("build/made.py", "def made(): return 0\n")
    repo.git("add", "-f", "build/made.py")
    repo.commit()
    repo.git("checkout", "-q", "-b", "theirs")
    repo.put("build/made.py", "def made(): return 1\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.put("build/made.py", "def made(): return 2\n")
    repo.commit()
    assert "warnings" not in ask("locate_symbol", name="made")["metadata"]
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("merge", "-q", "theirs")
    both = ask("locate_symbol", name="made", kind="fn")
    assert len(both["results"]) == 2
    assert both["metadata"]["warnings"] == ["a merge is not finished in build/made.py"]
    assert "warnings" not in ask("locate_symbol", name="made", ref="theirs")["metadata"]
    repo.git("add", "-f", "build/made.py")
    assert "warnings" not in ask("locate_symbol", name="made")["metadata"]


def test_why_indexing_failed_is_in_the_status(ask: Ask, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise CueError(ErrorCode.REF_NOT_INDEXED, "This clone does not hold every folder")

    monkeypatch.setattr("cuedeck.code.engine.Indexer.index_commit", fail)
    with pytest.raises(CueError):
        ask("index_repo")
    told = ask("index_status")
    assert (told["status"], told["metadata"]["indexing_status"]) == ("failed", "failed")
    assert told["metadata"]["warnings"] == ["This clone does not hold every folder"]


def test_code_is_found_where_the_state_cannot_be_opened(ask: Ask, repo: Repo) -> None:
    folder = repo.root / ".cuedeck"
    folder.mkdir(exist_ok=True)
    (folder / "state.db").write_bytes(b"no database" * 1000)
    found = ask("locate_symbol", name="check")
    assert found["results"]
    (warning,) = found["metadata"]["warnings"]
    assert warning.startswith("which memories cite it is not known: state.db")


def test_every_tool_says_that_the_ref_that_was_switched_to_is_gone(ask: Ask, repo: Repo) -> None:
    repo.git("branch", "feat")
    ask("index_repo", ref="feat")
    ask("switch_ref", ref="feat")
    repo.git("branch", "-q", "-D", "feat")
    gone = ["feat, which was switched to, is gone; this is main"]
    for tool, arguments in {
        "list_refs": {},
        "index_status": {},
        "index_repo": {},
        "search_code": {"query": "check"},
        "locate_symbol": {"name": "check"},
        "get_file_outline": {"path": "web.py"},
        "get_call_graph": {"symbol_name": "check"},
        "find_references": {"symbol_name": "check"},
        "diff_context": {"base_ref": "HEAD"},
        "explain_ranking": {"query": "login", "result_path": "web.py", "result_line_start": 3},
    }.items():
        told = ask(tool, **arguments)["metadata"]
        assert (told["ref"], told.get("warnings", [])[:1]) == ("main", gone), tool
    for tool, arguments in {
        "find_references": {"symbol_name": "not_there"},
        "get_call_graph": {"symbol_name": "not_there"},
        "get_file_outline": {"path": "not_there.py"},
    }.items():
        with pytest.raises(CueError) as refused:
            ask(tool, **arguments)
        assert str(refused.value.hint).startswith(f"{gone[0]}. "), tool


def test_a_switch_to_what_is_checked_out_says_whether_the_files_on_disk_are_indexed(
    ask: Ask, repo: Repo
) -> None:
    ask("index_repo")
    assert ask("switch_ref", ref="main")["metadata"]["freshness_status"] == "fresh"
    repo.put("web.py", "def logout(): pass\n")
    assert ask("switch_ref", ref="main")["metadata"]["freshness_status"] == "stale"
    ask("locate_symbol", name="logout")
    assert ask("switch_ref", ref="main")["metadata"]["freshness_status"] == "fresh"
    assert ask("list_refs")["metadata"]["freshness_status"] == "fresh"


def test_an_outline_of_a_file_that_only_another_ref_has_says_so(ask: Ask, repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "feat")
    repo.git("rm", "-q", "web.py")
    repo.commit()
    repo.git("checkout", "-q", "main")
    with pytest.raises(CueError) as refused:
        ask("get_file_outline", path="web.py", ref="feat")
    assert str(refused.value.hint).startswith("It is on disk, where feat is not checked out. ")


def test_an_outline_of_a_file_whose_name_is_no_text_says_so(ask: Ask, repo: Repo) -> None:
    (repo.root / os.fsdecode(b"caf\xe9.py")).write_text("x = 1\n")
    with pytest.raises(CueError) as refused:
        ask("get_file_outline", path="caf\ufffd.py")
    assert str(refused.value.hint).startswith("It was left out: its name is not UTF-8. ")


def test_an_empty_language_or_kind_is_none(ask: Ask) -> None:
    for empty in ({"language": ""}, {"kind": ""}):
        assert ask("search_code", query="check", **empty) == ask("search_code", query="check")
        assert ask("locate_symbol", name="check", **empty) == ask("locate_symbol", name="check")
