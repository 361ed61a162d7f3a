"""The space of a workspace's passages: learnt, stored, and used to rank."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cuedeck.config.sections import DocumentsSection
from cuedeck.documents import sections
from cuedeck.documents.engine import Documents
from cuedeck.documents.query import Mode, Query
from cuedeck.documents.space import Space
from cuedeck.store import documents as rows
from cuedeck.store.protocol import Store


def unit(vectors: Any) -> Any:
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)


def crowd(count: int, dimensions: int = 16) -> Any:
    """Vectors that mostly point the same way."""
    chance = np.random.default_rng(3)
    common = np.zeros(dimensions)
    common[0], common[1] = 4.0, 2.0
    wide = np.ones(dimensions)
    wide[1] = 6.0
    return unit(common + chance.standard_normal((count, dimensions)) * wide)


def test_a_direction_in_which_all_differ_counts_less() -> None:
    space = Space.of(crowd(500))
    steps = np.eye(16, dtype=np.float32)
    lengths = [1.0 - float(np.square(space.less @ step).sum()) for step in steps]
    assert 0.0 < min(lengths) == lengths[1]
    mean = space.mean
    assert space.cosines(np.stack([mean + steps[2]]), mean + steps[2])[0] == pytest.approx(1.0, abs=1e-4)
    assert space.cosines(np.stack([mean - steps[2]]), mean + steps[2])[0] == pytest.approx(-1.0, abs=1e-4)


def test_cosines_are_those_of_evened_out_vectors() -> None:
    vectors = crowd(400)
    space = Space.of(vectors)
    metric = np.eye(16) - space.less.T.astype(np.float64) @ space.less
    widths, directions = np.linalg.eigh(metric)
    turned = unit((vectors - space.mean) @ (directions * np.sqrt(widths)))
    found = space.cosines(vectors[:50], vectors[7])
    assert found == pytest.approx((turned[:50] @ turned[7]).tolist(), abs=1e-4)


def test_a_stored_space_comes_back_as_it_was() -> None:
    space = Space.of(crowd(300))
    again = Space.unpacked(space.packed(), 16)
    assert np.array_equal(again.mean, space.mean)
    assert np.array_equal(again.less, space.less)


def test_equal_passages_have_a_space_too() -> None:
    same = np.repeat(crowd(1), 300, axis=0)
    assert np.isfinite(Space.of(same).cosines(same[:2], same[0])).all()


class TopicEmbedder:
    """Every text points mostly the way of the first axis, and a little the way of its number."""

    model = "topics-1"
    unavailable = None

    def embed(self, texts: Sequence[str]) -> Any:
        return np.stack([self._vector(text) for text in texts])

    def try_embed(self, texts: Sequence[str], timeout: float) -> Any:
        return self.embed(texts)

    def _vector(self, text: str) -> Any:
        number = next(int(word[5:]) for word in text.split() if word.startswith("topic"))
        vector = np.random.default_rng(number).standard_normal(384) * 0.05
        vector[0] = 1.0
        return unit(vector)


def documents_of(store: Store, root: Path, embedder: Any) -> Documents:
    return Documents(root, store, embedder, DocumentsSection(), token_limit=1000)


def test_a_space_is_learnt_with_the_vectors_and_ranks(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cuedeck.documents.spaces.FEWEST", 20)
    for number in range(30):
        (tmp_path / f"{number}.md").write_text(f"topic{number}\n")
    documents = documents_of(store, tmp_path, TopicEmbedder())
    documents.refresh()
    assert documents.embed_pending(30) == 0
    with store.index.read() as session:
        assert rows.space_size(session, "topics-1/300") >= 20
    results = documents.search(Query("topic7", Mode.SEMANTIC))
    assert results.mode_used is Mode.SEMANTIC
    assert results.hits[0].path == "7.md"
    # Plain cosines are all alike here; in the space of the passages the others are as good as unrelated.
    assert results.hits[0].score > 0.9
    assert results.hits[1].score < 0.75
    documents.close()


def test_few_passages_have_no_space(store: Store, tmp_path: Path) -> None:
    (tmp_path / "1.md").write_text("topic1\n")
    documents = documents_of(store, tmp_path, TopicEmbedder())
    documents.refresh()
    assert documents.embed_pending(30) == 0
    with store.index.read() as session:
        assert rows.space_size(session, "topics-1/300") == 0
    assert documents.search(Query("topic1", Mode.SEMANTIC)).hits[0].path == "1.md"
    documents.close()


def test_vectors_of_passages_cut_otherwise_are_made_again(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "1.md").write_text("topic1 words and words.\n\n" * 60)
    monkeypatch.setattr(sections, "PASSAGE_BYTES", 200)
    documents = documents_of(store, tmp_path, TopicEmbedder())
    documents.refresh()
    assert documents.embed_pending(30) == 0
    monkeypatch.setattr(sections, "PASSAGE_BYTES", 700)
    assert documents.pending() > 0
    assert documents.embed_pending(30) == 0
    with store.index.read() as session:
        index = session.vectors(rows.DOCUMENT_VECTORS)
        assert index.count(model="topics-1/200") == 0
        assert index.count(model="topics-1/700") == 3
    documents.close()
