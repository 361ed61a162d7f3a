"""A memory engine over a real store of either kind, with the real model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cuedeck.config.sections import MemorySection, SearchSection
from cuedeck.memory.memories import Memories
from cuedeck.memory.model import Draft, MemoryType
from cuedeck.search.embedder import Embedder, NoEmbedder, open_embedder
from cuedeck.store.protocol import Store

ACTOR = "test"


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The installed model, loaded once."""
    return open_embedder(SearchSection(), Path())


@pytest.fixture
def make_memories(store: Store, embedder: Embedder) -> Iterator[Callable[..., Memories]]:
    """Engines over one store, closed at the end."""
    opened: list[Memories] = []

    def make(*, model: Embedder | None = None, **settings: object) -> Memories:
        made = Memories(store, model or embedder, MemorySection(**settings))  # type: ignore[arg-type]
        opened.append(made)
        return made

    yield make
    for memories in opened:
        memories.close()


@pytest.fixture
def memories(make_memories: Callable[..., Memories]) -> Memories:
    return make_memories()


@pytest.fixture
def without_model(make_memories: Callable[..., Memories]) -> Memories:
    return make_memories(model=NoEmbedder("There is no model in this test."))


def knowledge(content: str, **more: object) -> Draft:
    return Draft(MemoryType.KNOWLEDGE, content, **more)  # type: ignore[arg-type]
