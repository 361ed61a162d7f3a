"""Workflows and sources that tests of the engine share."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cuedeck.documents.events import FileEvent
from cuedeck.store.protocol import Store
from cuedeck.workflows.engine import WorkflowEngine
from cuedeck.workflows.model import Workflow
from cuedeck.workflows.registry import Registry


@dataclass
class RecordedFiles:
    """A list of file events in place of the documents index."""

    events: list[FileEvent] = field(default_factory=list)
    name: str = "index-1"

    def source(self) -> str:
        return self.name

    def latest(self, before_ms: int | None = None) -> int:
        return self.events[-1].seq if self.events else 0

    def after(self, seq: int, limit: int) -> tuple[list[FileEvent], int]:
        found = [event for event in self.events if event.seq > seq][:limit]
        return found, found[-1].seq if found else seq


class StoreOnly:
    """What the engine needs of a workspace when its workflows use no other engine."""

    def __init__(self, store: Store, opened_ms: int | None) -> None:
        self.store = store
        self.root = Path()
        self.opened_ns = time.time_ns() if opened_ms is None else opened_ms * 1_000_000


@contextmanager
def engine_with(
    store: Store,
    *workflows: Workflow,
    files: RecordedFiles | None = None,
    workers: int = 2,
    settings: Any = None,
    opened_ms: int | None = None,
) -> Iterator[WorkflowEngine]:
    engine = WorkflowEngine(
        StoreOnly(store, opened_ms),  # type: ignore[arg-type]
        Registry([lambda: workflows], lambda: settings or {}),
        files or RecordedFiles(),  # type: ignore[arg-type]
        workers=workers,
    )
    try:
        yield engine
    finally:
        engine.close()


def eventually(check: Callable[[], Any], *, seconds: float = 10.0) -> Any:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = check()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError("it did not happen in time")
