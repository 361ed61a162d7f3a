"""Many at once: questions while refs are indexed, and writers that drop what others are about to list."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cuedeck.code.engine import Code
from cuedeck.code.indexing import Indexed, Indexer
from cuedeck.code.repository import Ref
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
