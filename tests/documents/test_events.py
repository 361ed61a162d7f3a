from __future__ import annotations

import time
from pathlib import Path

import pytest

from cuedeck.documents.events import QUIET_MS, FileEvents
from cuedeck.store.protocol import Store


def happened(store: Store, *events: tuple[int, str, str]) -> FileEvents:
    """A log of what happened: milliseconds ago, file, event."""
    now = time.time_ns() // 1_000_000
    with store.index.write(actor="t") as session:
        for number, (ago, path, event) in enumerate(events):
            row = {"id": f"e{number}", "at": now - ago, "path": path, "event": event, "hash": f"h{number}"}
            session.insert("document_events", row)
    return FileEvents(store.index)


def told(events: FileEvents, *, limit: int = 100) -> list[tuple[str, str]]:
    """Everything that is settled, read in batches as triggers do."""
    found, position = [], 0
    while True:
        batch, reached = events.after(position, limit)
        found += [(event.path, event.event) for event in batch]
        if reached == position:
            return found
        position = reached


@pytest.mark.parametrize("limit", [1, 2, 100])
@pytest.mark.parametrize(
    ("kinds", "end"),
    [
        (["change", "change"], "change"),
        (["unlink", "add"], "change"),
        (["unlink", "add", "change"], "change"),
        (["add", "change", "change"], "add"),
        (["add", "unlink"], "unlink"),
        (["change", "unlink"], "unlink"),
    ],
)
def test_quick_changes_of_one_file_are_one_event(
    store: Store, kinds: list[str], end: str, limit: int
) -> None:
    old = 10 * QUIET_MS
    log = [(old - 100 * place, "a.md", kind) for place, kind in enumerate(kinds)]
    events = happened(store, (old, "b.md", "add"), *log, (old - 900, "c.md", "change"))
    assert told(events, limit=limit) == [("b.md", "add"), ("a.md", end), ("c.md", "change")]


def test_changes_further_apart_are_told_one_by_one(store: Store) -> None:
    events = happened(store, (9 * QUIET_MS, "a.md", "change"), (7 * QUIET_MS, "a.md", "change"))
    assert told(events) == [("a.md", "change")] * 2


def test_what_is_not_settled_waits_and_holds_back_what_came_after(store: Store) -> None:
    events = happened(store, (9 * QUIET_MS, "a.md", "change"), (0, "b.md", "change"), (0, "c.md", "add"))
    assert told(events) == [("a.md", "change")]


def test_events_from_before_the_clock_was_set_back_are_old(store: Store) -> None:
    hour = 3_600_000
    events = happened(store, (-hour, "a.md", "change"), (9 * QUIET_MS, "b.md", "change"))
    assert told(events) == [("a.md", "change"), ("b.md", "change")]


def test_a_file_taken_away_and_put_back_slowly_has_changed(store: Store, tmp_path: Path) -> None:
    log = happened(store, (9 * QUIET_MS, "a.md", "unlink"), (6 * QUIET_MS, "a.md", "add"))
    (tmp_path / "a.md").write_text("back")
    events = FileEvents(log._database, tmp_path)
    assert told(events) == told(events, limit=1) == [("a.md", "change")]


def test_a_file_that_stays_away_was_unlinked(store: Store, tmp_path: Path) -> None:
    log = happened(store, (9 * QUIET_MS, "a.md", "unlink"))
    assert told(FileEvents(log._database, tmp_path)) == [("a.md", "unlink")]
