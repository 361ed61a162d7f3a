"""The change feed: in order, without gaps, across processes, replayable."""

from __future__ import annotations

import threading

from cuedeck.memory import feed
from cuedeck.memory.memories import Memories
from cuedeck.store.protocol import Change, Store

from .conftest import ACTOR, knowledge


def test_the_feed_tells_who_when_before_and_after(memories: Memories, store: Store) -> None:
    one = memories.store(knowledge("first words"), actor="ann").memory
    memories.update(one.id, {"title": "A title"}, actor="bob")
    memories.delete(one.id, actor="cid")
    memories.restore(one.id, actor="dee")
    seen = feed.read(store.state, after=0, limit=100)
    assert [(change.actor, change.op, change.id) for change in seen] == [
        ("ann", "insert", one.id),
        ("bob", "update", one.id),
        ("cid", "delete", one.id),
        ("dee", "restore", one.id),
    ]
    assert seen[0].before is None and seen[0].after and seen[0].after["content"] == "first words"
    assert seen[1].before and seen[1].after
    assert (seen[1].before["title"], seen[1].after["title"]) == (None, "A title")
    assert [change.seq for change in seen] == sorted({change.seq for change in seen})
    assert feed.as_line(seen[1]).endswith(f"update   {one.id}  title")


def test_reading_leaves_no_change(memories: Memories, store: Store) -> None:
    one = memories.store(knowledge("first words"), actor=ACTOR).memory
    before = feed.read(store.state, after=0, limit=100)
    memories.read(one.id, actor=ACTOR)
    assert feed.read(store.state, after=0, limit=100) == before


def test_following_sees_what_happens_later(memories: Memories, store: Store) -> None:
    seen: list[Change] = []
    memories.store(knowledge("before"), actor=ACTOR)

    def watch() -> None:
        for change in feed.follow(store.state, after=0, timeout=5.0):
            seen.append(change)
            if len(seen) == 3:
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    for text in ("piano", "granite"):
        memories.store(knowledge(text), actor=ACTOR)
    watcher.join(20)
    assert [change.after["content"] for change in seen if change.after] == ["before", "piano", "granite"]
