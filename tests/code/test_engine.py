"""Many at once: questions while refs are indexed, and writers that drop what others are about to list."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cuedeck.code.comparing import compare_refs
from cuedeck.code.engine import Code
from cuedeck.code.finding import find
from cuedeck.code.git.checkout import Checkout
from cuedeck.code.git.repository import Ref
from cuedeck.code.indexing import Indexed, Indexer
from cuedeck.code.snapshot import Outdated
from cuedeck.model.errors import CueError
from cuedeck.store import code as table

from .conftest import Repo

Open = Callable[[Path], Code]


@pytest.fixture
def held_up(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Indexing of the branch ``slow`` does not end before the event is set."""
    go_on = threading.Event()
    index_commit = Indexer.index_commit

    def slowly(self: Indexer, ref: Ref, *rest: Any, **options: Any) -> Indexed:
        if ref.name == "slow":
            assert go_on.wait(30)
        return index_commit(self, ref, *rest, **options)

    monkeypatch.setattr(Indexer, "index_commit", slowly)
    monkeypatch.setattr("cuedeck.code.engine._FIRST_ANSWER_SECONDS", 0.3)
    yield go_on
    go_on.set()


def test_who_asks_while_a_ref_is_indexed_is_told_so_or_answered(
    repo: Repo, open_code: Open, held_up: threading.Event
) -> None:
    repo.write(a_dot_py="def one(): pass\n")
    repo.commit()
    repo.git("branch", "slow")
    code = open_code(repo.root)
    code.view()
    job = code.start(code.wanted("slow"))
    with pytest.raises(CueError, match="is being indexed"):
        code.view("slow")
    repo.write(a_dot_py="def two(): pass\n")
    assert "two" in {d.name for d in code.view().snapshot.outline("a.py").definitions}
    repo.git("branch", "small")
    assert set(code.view("small").snapshot.files) == {"a.py"}
    held_up.set()
    job.thread.join(30)
    assert set(code.view("slow").snapshot.files) == {"a.py"}


def test_facts_that_another_dropped_before_they_were_listed_are_stored_again(
    repo: Repo, open_code: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write(a_dot_py="def one(): pass\n")
    repo.commit()
    code = open_code(repo.root)
    ensure = Indexer.ensure
    dropped: list[int] = []

    def ensured(self: Indexer, *files: Any, **options: Any) -> int:
        count = ensure(self, *files, **options)
        if count and not dropped:
            with code.store.index.write(actor="other") as session:
                dropped.extend(table.unreferenced(session))
                table.drop_blobs(session, dropped)
        return count

    monkeypatch.setattr(Indexer, "ensure", ensured)
    assert set(code.view().snapshot.files) == {"a.py"}
    assert dropped


@pytest.fixture
def written_meanwhile(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What happens, one after the other, when a file has been looked at and is about to be read."""
    waiting: list[Callable[[], object]] = []
    read_blob = Checkout.read_blob

    def slowly(self: Checkout, path: str, oid: str) -> bytes | None:
        if waiting:
            waiting.pop(0)()
        return read_blob(self, path, oid)

    monkeypatch.setattr(Checkout, "read_blob", slowly)
    return waiting


def names(code: Code) -> set[str]:
    return {definition.name for definition in code.view().snapshot.outline("a.py").definitions}


@pytest.mark.parametrize("with_git", [True, False])
def test_a_file_written_between_being_looked_at_and_being_read_is_read_as_it_is_then(
    repo: Repo, open_code: Open, written_meanwhile: list[Callable[[], object]], with_git: bool, tmp_path: Path
) -> None:
    root = repo.root if with_git else tmp_path / "plain"
    root.mkdir(exist_ok=True)
    file = root / "a.py"
    file.write_text("def one(): pass\n")
    if with_git:
        repo.commit()
    code = open_code(root)
    assert names(code) == {"one"}
    file.write_text("def two(): pass\n")
    written_meanwhile += [lambda: file.write_text("def three(): pass\n")] * 2
    assert names(code) == {"three"}
    # What was missed the first time is not remembered as unreadable.
    file.write_text("def two(): pass\n")
    assert names(code) == {"two"}


def test_a_comparison_with_a_file_written_meanwhile_has_it_as_it_is_then(
    repo: Repo, open_code: Open, written_meanwhile: list[Callable[[], object]]
) -> None:
    repo.write(a_dot_py="def one(): pass\n")
    repo.commit()
    code = open_code(repo.root)
    code.view()
    repo.write(a_dot_py="def two(): pass\n")
    written_meanwhile.append(lambda: repo.write(a_dot_py="def three(): pass\n"))
    found = compare_refs(code, None, None, working_tree=True)
    assert {change.shown.name for change in found.changes} == {"one", "three"}


def test_a_file_that_never_stands_still_is_said_to_be_busy(
    repo: Repo, open_code: Open, written_meanwhile: list[Callable[[], object]]
) -> None:
    repo.write(a_dot_py="def one(): pass\n")
    repo.commit()
    code = open_code(repo.root)
    code.view()
    repo.write(a_dot_py="def two(): pass\n")
    written_meanwhile += [
        lambda number=number: repo.write(a_dot_py=f"def f{number}(): pass\n")  # type: ignore[misc]
        for number in range(100)
    ]
    with pytest.raises(CueError, match="changed by too many at once"):
        code.view()


def test_a_state_whose_files_were_written_since_says_so_instead_of_naming_too_few(
    repo: Repo, open_code: Open
) -> None:
    repo.write(a_dot_py="def one(): pass\n")
    repo.commit()
    code = open_code(repo.root)
    repo.write(a_dot_py="def one(): return 1\n")
    before = code.view().snapshot
    assert list(before.files_defining("one")) == ["a.py"]
    with code.store.index.write(actor="other") as session:
        table.touch_ref(session, "main", 1)
    assert not before.files_defining("unheard")
    repo.write(a_dot_py="def one(): return 2\n")
    assert list(code.view().snapshot.files_defining("one")) == ["a.py"]
    with pytest.raises(Outdated):
        before.files_defining("two")
    with pytest.raises(Outdated):
        _ = before.lexicon


def test_a_file_that_was_emptied_to_be_written_is_waited_for(
    repo: Repo, open_code: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write(a_dot_py="def one(): pass\n")
    repo.commit()
    code = open_code(repo.root)
    code.view()
    monkeypatch.setattr("cuedeck.code.git.checkout._EMPTIED_SECONDS", 20.0)
    repo.write(a_dot_py="")
    writing = threading.Timer(0.1, lambda: repo.write(a_dot_py="def two(): pass\n"))
    writing.start()
    assert names(code) == {"two"}
    writing.join()


def test_a_file_that_stays_empty_is_empty(repo: Repo, open_code: Open) -> None:
    repo.write(a_dot_py="def one(): pass\n")
    repo.commit()
    code = open_code(repo.root)
    code.view()
    repo.write(a_dot_py="")
    assert names(code) == set()


def test_finished_jobs_are_forgotten_when_there_are_many(
    repo: Repo, open_code: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write(a_dot_py="def one(): pass\n")
    repo.commit()
    monkeypatch.setattr("cuedeck.code.engine._JOBS", 2)
    code = open_code(repo.root)
    for number in range(4):
        repo.git("tag", f"v{number}")
        code.start(code.wanted(f"v{number}")).thread.join(30)
    assert code.job("v0") is None
    assert code.job("v3") is not None


def test_refs_forget_what_they_worked_out_when_all_of_it_takes_too_much(
    repo: Repo, open_code: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write(a_dot_py="def one(): pass\n\none()\n")
    repo.commit()
    repo.git("branch", "side")
    code = open_code(repo.root)
    first, second = code.view().snapshot, code.view("side").snapshot
    expected = find(first, "one").references
    assert find(second, "one").references == expected
    assert first.weight
    monkeypatch.setattr("cuedeck.code.engine._WORKED_OUT_BYTES", 0)
    assert code.view("side").snapshot is second
    assert first.weight == 0
    assert second.weight
    assert code.view().snapshot is first
    assert find(first, "one").references == expected


def test_an_earlier_state_of_a_ref_is_let_go_at_once(repo: Repo, open_code: Open) -> None:
    repo.write(a_dot_py="def one(): pass\n")
    repo.commit()
    code = open_code(repo.root)
    before = code.view().snapshot
    assert before.lexicon.where.paths == [["a.py"]]
    repo.write(a_dot_py="def two(): pass\n")
    assert code.view().snapshot.places is before.places
    assert before.weight == 0


def test_what_is_said_about_one_answer_is_not_said_about_the_next(repo: Repo, open_code: Open) -> None:
    code = open_code(repo.root)
    for _ in range(3):
        view = code.view()
        assert view.warnings == []
        view.warnings.append("the limit was too high")


def test_a_ref_is_known_to_be_used_however_little_changes(
    repo: Repo, open_code: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = open_code(repo.root)
    code.view()
    name = code.view().ref
    later = stored_ref(code, name).accessed_at + 120_000
    monkeypatch.setattr("cuedeck.code.engine.now_ms", lambda: later)
    code.view()
    assert stored_ref(code, name).accessed_at == later


def stored_ref(code: Code, name: str) -> table.RefRow:
    with code.store.index.read() as session:
        row = table.ref(session, name)
    assert row is not None
    return row
