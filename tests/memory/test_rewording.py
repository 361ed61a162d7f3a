"""Memories are found again when the store has lost what they are found by."""

from __future__ import annotations

from collections.abc import Callable

from cuedeck.memory.memories import Memories
from cuedeck.memory.model import Draft, MemoryType
from cuedeck.memory.query import Query
from cuedeck.search.embedder import NoEmbedder
from cuedeck.store.protocol import Store
from cuedeck.store.schema.memories import MEMORY_TEXT
from cuedeck.store.text import text_tables


def test_memories_are_given_their_words_again(
    store: Store, without_model: Memories, make_memories: Callable[..., Memories]
) -> None:
    drafts = [Draft(MemoryType.KNOWLEDGE, f"walrus number {each}") for each in range(20)]
    gone, *kept = [one.memory.id for one in without_model.store_many(drafts, actor="me")]
    without_model.delete(gone, actor="me")
    with store.state.write(actor="me") as session:
        for table in text_tables(MEMORY_TEXT):
            session.run(f"DELETE FROM {table.name}")
    assert without_model.search(Query("walrus")).total == 0
    for _ in range(2):
        again = make_memories(model=NoEmbedder("There is no model in this test."))
        assert {hit.memory.id for hit in again.search(Query("walrus", max_results=50)).hits} == set(kept)
