"""Storing, reading, changing, deleting and linking memories, on both stores."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from cuedeck.memory import feed
from cuedeck.memory.memories import Memories
from cuedeck.memory.model import Draft, MemoryType, Origin
from cuedeck.memory.query import Query
from cuedeck.model.clock import now_ms
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.search.embedder import Embedder
from cuedeck.store import memories as table
from cuedeck.store.changes import KEPT_MS
from cuedeck.store.protocol import Store
from cuedeck.store.schema.memories import MEMORY_VECTORS

from .conftest import ACTOR, knowledge

CACHE = "The cache is invalidated when the schema version changes"
CACHE_TOO = "We invalidate the cache on every schema version change"
BANANAS = "Bananas ripen faster next to apples"


def refused(call: Callable[[], Any]) -> CueError:
    with pytest.raises(CueError) as caught:
        call()
    return caught.value


def test_a_memory_keeps_every_field(memories: Memories) -> None:
    draft = Draft(
        MemoryType.DECISION,
        "Use WAL mode",
        title="Journal",
        metadata={"options": ["wal", "delete"], "chosen": "wal", "own": {"deep": [1, None, True, 0.5]}},
        tags=("project:x", "with, comma", "two words", "with, comma"),
        project="jacore",
        confidence=0.7,
        source_task="CA-TASK-001",
    )
    stored = memories.store(draft, actor=ACTOR).memory
    read, access, related = memories.read(stored.id, actor=ACTOR)
    assert (read.type, read.title, read.content, read.project) == (
        "decision",
        "Journal",
        "Use WAL mode",
        "jacore",
    )
    assert read.metadata == draft.metadata
    assert read.tags == ("project:x", "with, comma", "two words")
    assert (read.confidence, read.source_task, access.count, related) == (0.7, "CA-TASK-001", 1, [])


def test_similar_memories_are_linked_in_the_reply(memories: Memories) -> None:
    first = memories.store(knowledge(CACHE), actor=ACTOR)
    memories.store(knowledge(BANANAS), actor=ACTOR)
    second = memories.store(knowledge(CACHE_TOO), actor=ACTOR)
    assert first.links == ()
    assert [link.other(second.memory.id) for link in second.links] == [first.memory.id]
    assert 0.5 <= second.links[0].strength <= 1.0
    _, _, seen = memories.read(first.memory.id, actor=ACTOR)
    assert [one.memory.id for one in seen] == [second.memory.id]


def test_at_most_five_links_the_strongest(memories: Memories) -> None:
    for number in range(8):
        memories.store(knowledge(f"{CACHE}, case {number}"), actor=ACTOR)
    assert len(memories.store(knowledge(CACHE), actor=ACTOR).links) == 5


def test_a_repeated_call_is_stored_once_and_what_differs_is_not_lost(memories: Memories) -> None:
    first = memories.store(knowledge(CACHE, project="a", tags=("x", "y")), actor=ACTOR)
    again = memories.store(knowledge(CACHE, project="a", tags=("y", "x")), actor=ACTOR)
    assert again.duplicate and again.memory.id == first.memory.id
    other = memories.store(knowledge(CACHE, project="a", tags=("x",), title="Other title"), actor=ACTOR)
    assert not other.duplicate and other.memory.title == "Other title" and other.memory.tags == ("x",)


def test_a_memory_made_equal_by_an_update_stays_itself(memories: Memories) -> None:
    one = memories.store(knowledge(CACHE, tags=("a",)), actor=ACTOR).memory
    two = memories.store(knowledge(CACHE, tags=("b",)), actor=ACTOR).memory
    memories.update(two.id, {"tags": ("a",)}, actor=ACTOR)
    assert memories.store(knowledge(CACHE, tags=("a",)), actor=ACTOR).memory.id == one.id
    assert not memories.store(knowledge(CACHE, tags=("b",)), actor=ACTOR).duplicate


def test_another_project_or_type_is_another_memory(memories: Memories) -> None:
    first = memories.store(knowledge(CACHE, project="a"), actor=ACTOR)
    assert not memories.store(knowledge(CACHE, project="b"), actor=ACTOR).duplicate
    assert not memories.store(Draft(MemoryType.PATTERN, CACHE, project="a"), actor=ACTOR).duplicate
    memories.delete(first.memory.id, actor=ACTOR)
    fresh = memories.store(knowledge(CACHE, project="a"), actor=ACTOR)
    assert not fresh.duplicate and fresh.memory.id != first.memory.id


def test_simultaneous_duplicates_leave_one(memories: Memories) -> None:
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(memories.store(knowledge(CACHE), actor=ACTOR).memory.id))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(found)) == 1
    assert memories.stats()["total"] == 1


def test_secrets_are_masked_refused_or_allowed(make_memories: Callable[..., Memories]) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    stored = make_memories().store(knowledge(f"token {secret}", metadata={"note": secret}), actor=ACTOR)
    assert stored.masked == 2
    assert secret not in stored.memory.content and secret not in str(stored.memory.metadata)
    error = refused(lambda: make_memories(secrets="refuse").store(knowledge(f"my {secret}"), actor=ACTOR))
    assert error.code is ErrorCode.VALIDATION
    kept = make_memories(secrets="allow").store(knowledge(f"yes {secret}"), actor=ACTOR)
    assert secret in kept.memory.content and kept.masked == 0


def test_no_field_of_a_memory_or_a_link_holds_a_secret(make_memories: Callable[..., Memories]) -> None:
    secret, memories = "ghp_" + "a1B2c3D4e5" * 4, make_memories()
    draft = knowledge("a", title=secret, tags=(secret,), source_task=secret, metadata={"x": [secret]})
    one = memories.store(draft, actor=ACTOR).memory
    other = memories.store(knowledge("b"), actor=ACTOR).memory
    link = memories.link(one.id, other.id, reason=f"see {secret}", strength=0.5, actor=ACTOR)
    assert secret not in str(one) + str(link)


def test_update_merges_and_keeps_the_rest(memories: Memories) -> None:
    old = memories.store(knowledge(CACHE, tags=("a",), metadata={"x": 1, "y": {"z": 2}}), actor=ACTOR).memory
    memories.update(old.id, {"metadata": {"y": 3, "n": None}, "confidence": 0.25}, actor=ACTOR)
    new, _, _ = memories.read(old.id, actor=ACTOR)
    assert new.metadata == {"x": 1, "y": 3, "n": None}
    assert (new.content, new.tags, new.confidence) == (CACHE, ("a",), 0.25)
    assert new.updated_at >= old.updated_at and new.created_at == old.created_at


def test_new_content_gets_new_vector_and_links(memories: Memories) -> None:
    first = memories.store(knowledge(CACHE), actor=ACTOR).memory
    second = memories.store(knowledge(CACHE_TOO), actor=ACTOR).memory
    changed = memories.update(second.id, {"content": BANANAS}, actor=ACTOR)
    assert changed.complete and changed.links == ()
    assert memories.search(Query("apples and fruit")).hits[0].memory.id == second.id
    assert memories.read(first.id, actor=ACTOR)[2] == []


def test_new_tags_move_the_filters(memories: Memories) -> None:
    from cuedeck.memory.query import Filters

    one = memories.store(knowledge(CACHE, tags=("old",)), actor=ACTOR).memory
    memories.update(one.id, {"tags": ["new tag", "b"]}, actor=ACTOR)
    for text in ("schema version", "when do cached entries expire"):
        assert memories.search(Query(text, Filters(tags=("old",)))).total == 0
        assert memories.search(Query(text, Filters(tags=("b", "new tag")))).total == 1


def test_deleted_is_hidden_everywhere_at_once(memories: Memories) -> None:
    one = memories.store(knowledge(CACHE), actor=ACTOR).memory
    two = memories.store(knowledge(CACHE_TOO), actor=ACTOR).memory
    memories.delete(one.id, actor=ACTOR)
    assert [hit.memory.id for hit in memories.search(Query("schema cache")).hits] == [two.id]
    assert memories.read(two.id, actor=ACTOR)[2] == []
    assert memories.stats()["total"] == 1 and memories.stats()["total_links"] == 0
    for call in (
        lambda: memories.read(one.id, actor=ACTOR),
        lambda: memories.update(one.id, {"title": "x"}, actor=ACTOR),
        lambda: memories.delete(one.id, actor=ACTOR),
        lambda: memories.link(one.id, two.id, reason="", strength=0.5, actor=ACTOR),
    ):
        assert refused(call).code is ErrorCode.NOT_FOUND


def test_restore_brings_memory_and_links_back(memories: Memories) -> None:
    one = memories.store(knowledge(CACHE), actor=ACTOR).memory
    two = memories.store(knowledge(CACHE_TOO), actor=ACTOR).memory
    memories.delete(one.id, actor=ACTOR)
    memories.restore(one.id, actor=ACTOR)
    assert memories.completion.drain(20)
    assert [near.memory.id for near in memories.read(two.id, actor=ACTOR)[2]] == [one.id]
    assert memories.search(Query("cache invalidation", max_results=5)).total == 2
    assert memories.pending() == 0
    assert refused(lambda: memories.restore(one.id, actor=ACTOR)).code is ErrorCode.NOT_FOUND


def test_restore_does_not_make_a_duplicate(memories: Memories) -> None:
    one = memories.store(knowledge(CACHE), actor=ACTOR).memory
    memories.delete(one.id, actor=ACTOR)
    twin = memories.store(knowledge(CACHE), actor=ACTOR).memory
    error = refused(lambda: memories.restore(one.id, actor=ACTOR))
    assert error.code is ErrorCode.VALIDATION and twin.id in error.message


def test_forget_leaves_no_trace(memories: Memories, store: Store) -> None:
    one = memories.store(knowledge("my secret hobby is lockpicking"), actor=ACTOR).memory
    two = memories.store(knowledge("a hobby of mine is lockpicking"), actor=ACTOR).memory
    memories.update(one.id, {"title": "hobby"}, actor=ACTOR)
    memories.link(two.id, one.id, reason="same hobby", strength=1.0, actor=ACTOR)
    memories.forget(one.id, actor=ACTOR)
    left = feed.read(store.state, after=0, limit=1000)
    assert left and not [change for change in left if one.id in f"{change.id}{change.before}{change.after}"]
    assert refused(lambda: memories.peek(one.id)).code is ErrorCode.NOT_FOUND
    assert refused(lambda: memories.forget(one.id, actor=ACTOR)).code is ErrorCode.NOT_FOUND
    assert memories.search(Query("lockpicking")).total == 1


def test_memories_deleted_long_ago_are_purged(memories: Memories, store: Store) -> None:
    old = memories.store(knowledge(CACHE), actor=ACTOR).memory
    new = memories.store(knowledge(BANANAS), actor=ACTOR).memory
    for id in (old.id, new.id):
        memories.delete(id, actor=ACTOR)
    with store.state.write(actor=ACTOR) as session:
        table.change(session, old.id, {"deleted_at": now_ms() - KEPT_MS - 1})
    assert memories.purge(before=now_ms() - KEPT_MS) == 1
    assert refused(lambda: memories.restore(old.id, actor=ACTOR)).code is ErrorCode.NOT_FOUND
    assert memories.restore(new.id, actor=ACTOR).id == new.id


def test_manual_links_win_and_are_one_per_pair(memories: Memories) -> None:
    one = memories.store(knowledge(CACHE), actor=ACTOR).memory
    two = memories.store(knowledge(CACHE_TOO), actor=ACTOR).memory
    assert memories.stats()["total_links"] == 1
    made = memories.link(one.id, two.id, reason="same rule", strength=0.9, actor=ACTOR)
    assert (made.origin, memories.stats()["total_links"]) == (Origin.MANUAL, 1)
    memories.link(two.id, one.id, reason="the other way", strength=0.3, actor=ACTOR)
    (seen,) = memories.read(one.id, actor=ACTOR)[2]
    assert (seen.memory.id, seen.reason, seen.strength) == (two.id, "the other way", 0.3)
    memories.update(two.id, {"content": BANANAS}, actor=ACTOR)
    assert [near.reason for near in memories.read(one.id, actor=ACTOR)[2]] == ["the other way"]


def test_a_memory_is_not_linked_to_itself(memories: Memories) -> None:
    one = memories.store(knowledge(CACHE), actor=ACTOR).memory
    error = refused(lambda: memories.link(one.id, one.id, reason="", strength=0.5, actor=ACTOR))
    assert error.code is ErrorCode.VALIDATION


def test_the_graph_is_followed_to_depth_three_through_cycles(memories: Memories) -> None:
    texts = ("granite", "piano sonata", "tax return", "volleyball", "mitochondria")
    ids = [memories.store(knowledge(text), actor=ACTOR).memory.id for text in texts]
    for one, other in zip(ids, [*ids[1:], ids[0]], strict=True):
        memories.link(one, other, reason="next", strength=0.8, actor=ACTOR)
    for depth, expected in ((1, 2), (2, 4), (3, 4)):
        related = memories.read(ids[0], depth=depth, actor=ACTOR)[2]
        assert len(related) == expected and len({one.memory.id for one in related}) == expected
    for depth in (0, 4, -1):
        assert refused(lambda depth=depth: memories.read(ids[0], depth=depth, actor=ACTOR)).code is (
            ErrorCode.VALIDATION
        )


def test_only_a_hit_counts_as_access(memories: Memories) -> None:
    one = memories.store(knowledge(CACHE), actor=ACTOR).memory
    refused(lambda: memories.read("memory:nothing", actor=ACTOR))
    memories.search(Query("cache"))
    memories.peek(one.id)
    assert [memories.read(one.id, actor=ACTOR)[1].count for _ in range(3)] == [1, 2, 3]


def test_concurrent_updates_of_different_fields_both_stay(memories: Memories, store: Store) -> None:
    one = memories.store(knowledge(CACHE), actor=ACTOR).memory
    changes: list[dict[str, Any]] = [
        {"title": "T"},
        {"confidence": 0.1},
        {"tags": ["t"]},
        {"metadata": {"a": 1}},
    ]
    changes += [{"metadata": {"b": 2}}]
    threads = [
        threading.Thread(target=memories.update, args=(one.id, change), kwargs={"actor": f"agent-{number}"})
        for number, change in enumerate(changes)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    now = memories.peek(one.id)[0]
    assert (now.title, now.confidence, now.tags, now.metadata) == ("T", 0.1, ("t",), {"a": 1, "b": 2})
    actors = {change.actor for change in feed.read(store.state, after=0, limit=100) if change.op == "update"}
    assert actors == {f"agent-{number}" for number in range(5)}


def test_stats_are_exact(memories: Memories) -> None:
    memories.store(knowledge(CACHE, project="a", tags=("x", "y"), confidence=0.5), actor=ACTOR)
    memories.store(knowledge(BANANAS, project="b", tags=("x",)), actor=ACTOR)
    memories.store(Draft(MemoryType.PATTERN, "Retry with back-off", confidence=0.0), actor=ACTOR)
    stats = memories.stats()
    assert stats["total"] == 3 and stats["by_type"] == {"knowledge": 2, "pattern": 1}
    assert stats["by_project"] == {"a": 1, "b": 1} and stats["without_project"] == 1
    assert stats["by_tag"] == {"x": 2, "y": 1} and stats["avg_confidence"] == 0.5
    assert memories.stats(project="a")["total"] == 1
    assert memories.stats(type=MemoryType.PATTERN)["by_type"] == {"pattern": 1}
    assert memories.stats(project="nobody") | {"pending_embeddings": 0} == {
        "total": 0,
        "by_type": {},
        "by_project": {},
        "by_tag": {},
        "without_project": 0,
        "avg_confidence": 0.0,
        "total_links": 0,
        "pending_embeddings": 0,
    }


class Slow:
    """A model that lets somebody else write while it reads."""

    def __init__(self, real: Embedder, meanwhile: Callable[[], object]) -> None:
        self.real, self.meanwhile = real, meanwhile

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def try_embed(self, texts: Sequence[str], timeout: float) -> Any:
        self.meanwhile()
        return self.real.try_embed(texts, timeout)


def test_a_vector_of_a_text_that_changed_meanwhile_is_not_kept(
    make_memories: Callable[..., Memories], memories: Memories, embedder: Embedder, store: Store
) -> None:
    one = memories.store(knowledge(CACHE), actor=ACTOR).memory
    slow = make_memories(
        model=Slow(embedder, lambda: memories.update(one.id, {"title": "Bananas are yellow"}, actor="other"))
    )
    slow.update(one.id, {"content": BANANAS}, actor=ACTOR)
    assert slow.completion.drain(30)
    now = memories.peek(one.id)[0]
    assert (now.title, now.content) == ("Bananas are yellow", BANANAS)
    with store.state.read() as session:
        kept = session.vectors(MEMORY_VECTORS).get([now.rid], model=memories.model)[now.rid]
    assert float(kept @ embedder.embed([now.embedded_text])[0]) > 0.999
