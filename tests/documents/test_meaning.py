"""Search by meaning: vectors follow edits, filters hold, and the answer says what it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cuedeck.config.sections import DocumentsSection
from cuedeck.documents.engine import Documents
from cuedeck.documents.query import Filters, Mode, Query
from cuedeck.documents.search import NOTHING_NEAR
from cuedeck.store import documents as rows
from cuedeck.store.protocol import Store

SYNONYMS = {"car": "auto", "automobile": "auto", "cars": "auto", "feline": "cat", "kitten": "cat"}


class WordEmbedder:
    """A tiny model: texts that share words, or synonyms, point the same way."""

    model = "words-1"
    unavailable = None

    def __init__(self) -> None:
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str]) -> Any:
        self.seen += texts
        return np.stack([self._vector(text) for text in texts])

    def try_embed(self, texts: Sequence[str], timeout: float) -> Any:
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Any:
        total = np.zeros(384, np.float32)
        for word in text.lower().split():
            seed = int.from_bytes(sha256(SYNONYMS.get(word, word).encode()).digest()[:4], "big")
            total += np.random.default_rng(seed).standard_normal(384).astype(np.float32)
        return total / (np.linalg.norm(total) or 1.0)


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def documents(store: Store, embedder: WordEmbedder, tmp_path: Path) -> Iterator[Documents]:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "one.md").write_text("---\ntags: [wheels]\n---\nautomobile repair\n")
    (root / "two.md").write_text("kitten food\n")
    made = Documents(root, store, embedder, DocumentsSection(), token_limit=1000)
    yield made
    made.close()


def paths(documents: Documents, text: str, mode: Mode, **filters: Any) -> list[str]:
    return [hit.path for hit in documents.search(Query(text, mode, Filters(**filters))).hits]


def test_before_there_are_vectors_keywords_answer(documents: Documents) -> None:
    results = documents.search(Query("repair"))
    assert ([hit.path for hit in results.hits], results.mode_used) == (["one.md"], Mode.KEYWORD)
    assert results.pending == 2
    assert results.why is not None


def test_meaning_finds_what_words_do_not(documents: Documents) -> None:
    documents.refresh()
    assert documents.embed_pending(30) == 0
    assert paths(documents, "car", Mode.KEYWORD) == []
    assert paths(documents, "car", Mode.SEMANTIC)[0] == "one.md"
    assert paths(documents, "feline", Mode.HYBRID)[0] == "two.md"
    assert paths(documents, "feline", Mode.SEMANTIC, tags=("wheels",)) == ["one.md"]


def test_hybrid_finds_nothing_for_words_that_occur_nowhere_and_mean_nothing_here(
    documents: Documents,
) -> None:
    documents.refresh()
    documents.embed_pending(30)
    nothing = documents.search(Query("zzqx flarn"))
    assert (nothing.hits, nothing.mode_used, nothing.why) == ((), Mode.HYBRID, NOTHING_NEAR)
    assert paths(documents, "zzqx kitten flarn borogove wibble", Mode.HYBRID)[0] == "two.md"
    assert len(paths(documents, "zzqx flarn", Mode.SEMANTIC)) == 2


def test_of_equally_near_notes_the_one_with_the_words_themselves_is_first(documents: Documents) -> None:
    (documents.root / "1.md").write_text("cars paint\n")
    (documents.root / "2.md").write_text("automobile paint\n")
    documents.refresh()
    documents.embed_pending(30)
    query = Query("automobile paint", Mode.SEMANTIC)
    results = documents.search(query)
    parts = {hit.path: dict(hit.parts) for hit in results.hits}
    assert [hit.path for hit in results.hits[:2]] == ["2.md", "1.md"]
    assert parts["2.md"]["semantic"] == pytest.approx(parts["1.md"]["semantic"])
    assert parts["2.md"]["words"] > parts["1.md"]["words"] > parts["two.md"]["words"] == 0.0
    for hit, explained in zip(results.hits, documents.explain(query, results), strict=True):
        assert sum(dict(hit.parts).values()) == hit.score == explained["value"] <= 1.0


def test_a_blank_query_means_nothing(documents: Documents) -> None:
    documents.refresh()
    documents.embed_pending(30)
    results = documents.search(Query(" \t "))
    assert (results.hits, results.mode_used) == ((), Mode.KEYWORD)
    assert results.why is not None


def test_hybrid_is_seven_parts_meaning_and_three_parts_words(documents: Documents) -> None:
    documents.refresh()
    documents.embed_pending(30)
    results = documents.search(Query("automobile repair"))
    first = results.hits[0]
    parts = dict(first.parts)
    assert first.path == "one.md"
    assert parts["keyword"] == pytest.approx(0.3)
    assert 0 < parts["semantic"] <= 0.7
    assert sum(parts.values()) == pytest.approx(first.score)
    explained = documents.explain(Query("automobile repair"), results)[0]
    assert explained["value"] == pytest.approx(first.score)


def test_what_has_no_vector_yet_is_ranked_by_its_words(documents: Documents) -> None:
    documents.refresh()
    documents.embed_pending(30)
    for n in range(5):
        (documents.root / f"new{n}.md").write_text(f"{'gearbox ' * (n + 1)}of something else {n}\n")
    documents.refresh()
    results = documents.search(Query("gearbox"))
    assert (results.mode_used, results.pending) == (Mode.HYBRID, 5)
    assert {hit.path for hit in results.hits[:3]} <= {f"new{n}.md" for n in range(5)}
    first = results.hits[0]
    assert dict(first.parts) == {"keyword": first.score} and 0.3 < first.score < 1.0
    assert documents.explain(Query("gearbox"), results)[0]["value"] == pytest.approx(first.score)
    assert paths(documents, "automobile repair gearbox", Mode.HYBRID)[0] == "one.md"
    few = documents.search(Query("gearbox", Mode.SEMANTIC))
    assert few.mode_used is Mode.KEYWORD and few.why is not None
    documents.embed_pending(30)
    assert documents.search(Query("gearbox", Mode.SEMANTIC)).mode_used is Mode.SEMANTIC
    assert dict(documents.search(Query("gearbox")).hits[0].parts)["keyword"] == pytest.approx(0.3)


def test_documentation_gets_its_vectors_before_source(documents: Documents, store: Store) -> None:
    for name in ("a", "p", "z"):
        (documents.root / f"{name}.py").write_text(f"def {name}():\n    return 1\n")
    documents.refresh()
    with store.index.read() as session:
        chunks = rows.without_vector(session, "words-1")
        homes = rows.homes(session, chunks)
        paths = {each.rid: each.path for each in rows.documents_by_id(session, set(homes.values())).values()}
    assert [paths[homes[chunk]].split(".")[1] for chunk in chunks] == ["md", "md", "py", "py", "py"]


def test_an_edit_embeds_only_what_it_changed(documents: Documents, embedder: WordEmbedder) -> None:
    sections = [f"## Part {n}\n\nwords of part {n}\n\n" for n in range(8)]
    (documents.root / "long.md").write_text("".join(sections))
    documents.refresh()
    documents.embed_pending(30)
    embedder.seen.clear()
    sections[4] = "## Part 4\n\nsomething about zebras\n\n"
    (documents.root / "long.md").write_text("".join(sections))
    documents.refresh()
    assert documents.embed_pending(30) == 0
    assert len(embedder.seen) == 1
    assert "zebras" in embedder.seen[0]
    assert paths(documents, "zebras", Mode.SEMANTIC)[0] == "long.md"


def test_a_new_tag_filters_vectors_that_were_there(documents: Documents, embedder: WordEmbedder) -> None:
    documents.refresh()
    documents.embed_pending(30)
    embedder.seen.clear()
    (documents.root / "two.md").write_text("---\ntags: [pets]\n---\nkitten food\n")
    documents.refresh()
    documents.embed_pending(30)
    assert paths(documents, "cat", Mode.SEMANTIC, tags=("pets",)) == ["two.md"]
    (documents.root / "two.md").unlink()
    documents.refresh()
    assert paths(documents, "cat", Mode.SEMANTIC) == ["one.md"]


def test_long_text_is_found_by_any_of_its_passages(documents: Documents) -> None:
    filler = "\n\n".join(f"plain filler line number {n} goes here" for n in range(30))
    wanted = "quokka " * 60
    (documents.root / "long.md").write_text(f"{filler}\n\n{wanted}\n\n{filler}\n")
    documents.refresh()
    documents.embed_pending(30)
    assert paths(documents, "quokka", Mode.SEMANTIC)[0] == "long.md"
