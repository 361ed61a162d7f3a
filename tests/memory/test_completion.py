"""Memories whose vector did not come in time get it later, from any process, once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from cuedeck.memory.memories import Memories
from cuedeck.memory.query import Query
from cuedeck.search.embedder import Embedder, NoEmbedder
from cuedeck.store.protocol import Store
from cuedeck.store.schema.memories import MEMORY_VECTORS

from .conftest import ACTOR, knowledge

CACHE = "The cache is invalidated when the schema version changes"
CACHE_TOO = "We invalidate the cache on every schema version change"


class Renamed:
    """The same model under another name: what an upgraded one looks like."""

    def __init__(self, embedder: Embedder, name: str) -> None:
        self._embedder = embedder
        self.model = name
        self.unavailable = None
        self.late = False

    def embed(self, texts: Sequence[str]) -> Any:
        return self._embedder.embed(texts)

    def try_embed(self, texts: Sequence[str], timeout: float) -> Any:
        return None if self.late else self._embedder.try_embed(texts, timeout)


def vectors(store: Store, model: str) -> int:
    with store.state.read() as session:
        return session.vectors(MEMORY_VECTORS).count(model=model)


def test_a_slow_model_is_followed_up(make_memories: Callable[..., Memories], embedder: Embedder) -> None:
    slow = Renamed(embedder, "slow:1")
    memories = make_memories(model=slow)
    slow.late = True
    ids = [memories.store(knowledge(text), actor=ACTOR).memory.id for text in (CACHE, CACHE_TOO)]
    assert memories.search(Query("schema")).total == 2
    assert memories.completion.drain(20)
    assert memories.pending() == 0
    slow.late = False
    assert [near.memory.id for near in memories.read(ids[0], actor=ACTOR)[2]] == [ids[1]]


def test_what_was_stored_without_a_model_is_caught_up(
    make_memories: Callable[..., Memories], store: Store, embedder: Embedder
) -> None:
    before = make_memories(model=NoEmbedder("none yet"))
    one, two = (before.store(knowledge(text), actor=ACTOR).memory for text in (CACHE, CACHE_TOO))
    after = make_memories()
    assert after.pending() == 2 and after.completion.catch_up() == 2
    assert after.completion.drain(20)
    assert after.pending() == 0 and vectors(store, embedder.model) == 2
    assert [near.memory.id for near in after.read(one.id, actor=ACTOR)[2]] == [two.id]
    assert after.completion.catch_up() == 0


def test_another_model_reads_everything_again(
    make_memories: Callable[..., Memories], store: Store, embedder: Embedder
) -> None:
    make_memories().store(knowledge(CACHE), actor=ACTOR)
    upgraded = make_memories(model=Renamed(embedder, "upgraded:2"))
    assert upgraded.stats()["pending_embeddings"] == 1
    upgraded.completion.catch_up()
    assert upgraded.completion.drain(20)
    assert (vectors(store, "upgraded:2"), vectors(store, embedder.model)) == (1, 0)


def test_two_engines_completing_the_same_leave_one_result(
    make_memories: Callable[..., Memories], store: Store, embedder: Embedder
) -> None:
    plain = make_memories(model=NoEmbedder("none yet"))
    plain.store_many([knowledge(f"{CACHE} {number}") for number in range(40)], actor=ACTOR)
    engines = [make_memories(), make_memories()]
    threads = [threading.Thread(target=engine.completion.catch_up) for engine in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(engine.completion.drain(30) for engine in engines)
    assert plain.stats()["pending_embeddings"] == 40  # for the model that is not there
    assert engines[0].pending() == 0 and vectors(store, embedder.model) == 40
    with store.state.read() as session:
        rows = session.rows("SELECT from_id, to_id FROM memory_links")
    pairs = [frozenset(row.values()) for row in rows]
    assert len(pairs) == len(set(pairs)) > 0


def test_a_change_while_the_model_reads_is_not_lost(
    make_memories: Callable[..., Memories], embedder: Embedder
) -> None:
    reading, go_on = threading.Event(), threading.Event()

    class Paused(Renamed):
        def embed(self, texts: Sequence[str]) -> Any:
            reading.set()
            go_on.wait(20)
            return super().embed(texts)

    slow = Paused(embedder, "paused:1")
    slow.late = True
    memories = make_memories(model=slow)
    one = memories.store(knowledge(CACHE), actor=ACTOR).memory
    assert reading.wait(20)
    memories.update(one.id, {"content": "Bananas ripen next to apples"}, actor=ACTOR)
    go_on.set()
    assert memories.completion.drain(20) and memories.pending() == 0
    slow.late = False
    best = memories.search(Query("ripening fruit")).hits
    assert [hit.memory.id for hit in best] == [one.id]
