"""Vectors made behind the scenes."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from workflow_parts import eventually

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.search.embedder import NoEmbedder
from cuedeck.search.embedding_queue import EmbeddingQueue


class Lengths:
    """An embedder whose vector is the length of the text."""

    model = "lengths"
    unavailable: str | None = None

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.gate = threading.Event()
        self.gate.set()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.gate.wait(10)
        if self.unavailable:
            raise CueError(ErrorCode.EMBEDDING, self.unavailable)
        self.batches.append(len(texts))
        return np.array([[len(text)] for text in texts], np.float32)

    def try_embed(self, texts: Sequence[str], timeout: float) -> np.ndarray | None:
        return self.embed(texts)


class Shelf:
    """Texts by number, and the vectors that arrived."""

    def __init__(self, texts: Mapping[int, str]) -> None:
        self.texts = dict(texts)
        self.vectors: dict[int, float] = {}
        self.broken_loads = 0
        self.broken_keys: set[int] = set()

    def load(self, keys: Sequence[int]) -> dict[int, str]:
        if self.broken_loads:
            self.broken_loads -= 1
            raise OSError("database is locked")
        return {key: self.texts[key] for key in keys if key in self.texts}

    def store(self, vectors: Mapping[int, np.ndarray]) -> None:
        if self.broken_keys & vectors.keys():
            raise ValueError("cannot store this one")
        self.vectors.update({key: float(vector[0]) for key, vector in vectors.items()})


def queue_over(shelf: Shelf, embedder: object, **options: object) -> EmbeddingQueue[int]:
    return EmbeddingQueue(embedder, load=shelf.load, sink=shelf.store, back_off=0.01, **options)  # type: ignore[arg-type]


def test_everything_added_gets_its_vector_in_batches() -> None:
    shelf, embedder = Shelf({number: "x" * number for number in range(100)}), Lengths()
    queue = queue_over(shelf, embedder)
    queue.add(shelf.texts)
    assert queue.drain(10)
    assert shelf.vectors == {number: float(number) for number in range(100)}
    assert max(embedder.batches) == 32
    assert queue.pending == 0
    queue.close()


def test_adding_returns_at_once_and_pending_counts_what_is_missing() -> None:
    shelf, embedder = Shelf(dict.fromkeys(range(50), "x")), Lengths()
    embedder.gate.clear()
    queue = queue_over(shelf, embedder)
    started = time.monotonic()
    queue.add(range(50))
    queue.add(range(10))
    assert time.monotonic() - started < 1
    assert queue.pending == 50
    assert not queue.drain(0.05)
    embedder.gate.set()
    assert queue.drain(10)
    queue.close()


def test_the_model_goes_on_while_the_store_is_busy() -> None:
    shelf, embedder, free = Shelf(dict.fromkeys(range(96), "x")), Lengths(), threading.Event()

    def store_when_free(vectors: Mapping[int, np.ndarray]) -> None:
        free.wait(10)
        shelf.store(vectors)

    queue = EmbeddingQueue(embedder, load=shelf.load, sink=store_when_free)
    queue.add(shelf.texts)
    eventually(lambda: sum(embedder.batches) == 96)
    assert queue.pending == 96
    free.set()
    assert queue.drain(10)
    assert len(shelf.vectors) == 96
    queue.close()


def test_a_key_that_is_gone_is_forgotten() -> None:
    shelf = Shelf({1: "one"})
    queue = queue_over(shelf, Lengths())
    queue.add([1, 2, 3])
    assert queue.drain(10)
    assert shelf.vectors == {1: 3.0}
    queue.close()


def test_a_passing_failure_loses_nothing() -> None:
    shelf = Shelf(dict.fromkeys(range(40), "x"))
    shelf.broken_loads = 2
    queue = queue_over(shelf, Lengths())
    queue.add(shelf.texts)
    assert queue.drain(10)
    assert len(shelf.vectors) == 40
    queue.close()


def test_one_bad_key_does_not_spoil_the_others(caplog: pytest.LogCaptureFixture) -> None:
    shelf = Shelf(dict.fromkeys(range(20), "x"))
    shelf.broken_keys = {7}
    queue = queue_over(shelf, Lengths())
    queue.add(shelf.texts)
    assert queue.drain(10)
    assert shelf.vectors.keys() == set(range(20)) - {7}
    assert "No vector for 7" in caplog.text
    queue.close()


def test_what_changes_while_it_is_embedded_is_embedded_again() -> None:
    shelf, embedder = Shelf({1: "old"}), Lengths()
    embedder.gate.clear()
    queue = queue_over(shelf, embedder)
    queue.add([1])
    time.sleep(0.05)
    shelf.texts[1] = "newer text"
    queue.add([1])
    embedder.gate.set()
    assert queue.drain(10)
    assert shelf.vectors == {1: 10.0}
    queue.close()


def test_without_a_model_the_count_stays_true_and_nothing_runs() -> None:
    shelf = Shelf({1: "a", 2: "b"})
    queue = queue_over(shelf, NoEmbedder("not installed"))
    queue.add([1, 2])
    assert queue.pending == 2
    assert not queue.drain(0.05)
    queue.close()


def test_a_model_that_turns_out_broken_stops_the_work() -> None:
    shelf, embedder = Shelf({1: "a"}), Lengths()
    embedder.unavailable = None
    embedder.gate.clear()
    queue = queue_over(shelf, embedder)
    queue.add([1])
    embedder.unavailable = "does not load"
    embedder.gate.set()
    assert not queue.drain(5)
    assert queue.pending == 1
    queue.close()


def test_closing_stops_after_the_batch_at_hand() -> None:
    shelf, embedder = Shelf(dict.fromkeys(range(1000), "x")), Lengths()
    embedder.gate.clear()
    queue = queue_over(shelf, embedder)
    queue.add(shelf.texts)
    time.sleep(0.05)
    closer = threading.Thread(target=queue.close)
    closer.start()
    embedder.gate.set()
    closer.join(10)
    assert not closer.is_alive()
    assert len(shelf.vectors) <= 64
    queue.add([5000])
    assert 5000 not in shelf.vectors
