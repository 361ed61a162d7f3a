"""Token counts are made once for each content and kept with the index."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from cuedeck.documents import token_counts
from cuedeck.documents.index import DocumentIndex
from cuedeck.documents.query import Mode, Query
from cuedeck.search.tokens import count_tokens
from cuedeck.store import documents as rows
from cuedeck.store.protocol import Store
from cuedeck.workspace import Workspace


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    texts: list[str] = []

    def count(text: str) -> int:
        texts.append(text)
        return count_tokens(text)

    monkeypatch.setattr(token_counts, "count_tokens", count)
    return texts


def tokens(root: Path, query: str) -> dict[str, int]:
    with Workspace.open(root) as workspace:
        hits = workspace.documents.search(Query(query, Mode.KEYWORD)).hits
    return {hit.path: hit.tokens for hit in hits}


def test_another_process_does_not_count_again(tmp_path: Path, counted: list[str]) -> None:
    (tmp_path / "a.md").write_text("# Otter\n\nan otter swims\n")
    expected = {"a.md": count_tokens("# Otter\n\nan otter swims\n")}
    assert tokens(tmp_path, "otter") == expected
    assert tokens(tmp_path, "swim") == expected
    assert len(counted) == 1


def test_changed_content_is_counted_anew_and_moved_content_is_not(tmp_path: Path, counted: list[str]) -> None:
    note = tmp_path / "a.md"
    note.write_text("# Otter\n")
    tokens(tmp_path, "otter")
    note.rename(tmp_path / "b.md")
    assert tokens(tmp_path, "otter") == {"b.md": count_tokens("# Otter\n")}
    (tmp_path / "b.md").write_text("# Otter in the river\n")
    assert tokens(tmp_path, "otter") == {"b.md": count_tokens("# Otter in the river\n")}
    assert counted == ["# Otter\n", "# Otter in the river\n"]


def test_a_note_that_has_grown_beyond_memory_is_passed_over(tmp_path: Path, counted: list[str]) -> None:
    for name in ("otter", "badger"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n")
    with Workspace.open(tmp_path) as workspace:
        workspace.documents.search(Query("otter", Mode.KEYWORD))
        os.truncate(tmp_path / "badger.md", 1 << 40)
        workspace.documents.token_counts.complete(10.0)
    assert counted == ["# otter\n"]


def test_what_a_question_did_not_need_is_counted_only_with_the_tokeniser_at_hand(
    tmp_path: Path, counted: list[str]
) -> None:
    for name in ("otter", "badger", "heron"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    with Workspace.open(tmp_path) as workspace:
        documents = workspace.documents
        documents.token_counts.complete(10.0)
        assert counted == []
        documents.search(Query("otter", Mode.KEYWORD))
        documents.token_counts.complete(10.0)
    assert sorted(counted) == ["# badger\n", "# heron\n", "# otter\n"]


def test_counts_are_kept_by_content_and_the_oldest_go_first(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "TOKENS_KEPT", 2)
    monkeypatch.setattr(rows, "TOKENS_SWEPT", 1)
    (tmp_path / "a.md").write_text("still there")
    DocumentIndex(tmp_path, store.index).refresh()
    current = hashlib.sha256(b"still there").hexdigest()
    with store.index.write(actor="test") as session:
        rows.put_token_counts(session, {current: 7})
    digests = [hashlib.sha256(name.encode()).hexdigest() for name in "abc"]
    with store.index.write(actor="test") as session:
        rows.put_token_counts(session, dict(zip(digests[:2], (1, 2), strict=True)))
        rows.put_token_counts(session, {digests[2]: 3})
        assert rows.token_counts(session, digests) == {digests[1]: 2, digests[2]: 3}
        rows.put_token_counts(session, {digests[2]: 3})
        assert rows.token_counts(session, [*digests[2:], current]) == {digests[2]: 3, current: 7}
