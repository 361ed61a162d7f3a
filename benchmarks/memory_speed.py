"""How fast memories are stored and found when there are many.

    python -m benchmarks.memory_speed [--memories 100000] [--queries 200]

Texts are synthetic (Zipf vocabulary, 50 to 110 words). Stored vectors are made up, so that filling takes
minutes: one in fifty lies around what the model makes of such questions, the others lie anywhere; questions
are embedded by the real model.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cuedeck.config.sections import MemorySection, SearchSection
from cuedeck.memory.drafts import drafted
from cuedeck.memory.memories import Memories
from cuedeck.memory.model import Draft, MemoryType
from cuedeck.memory.query import Filters, Fusion, Query
from cuedeck.memory.records import content_hash, scope_of
from cuedeck.search.embedder import Embedder, NoEmbedder, open_embedder
from cuedeck.store import memories as table
from cuedeck.store import open_store
from cuedeck.store.protocol import VectorRecord
from cuedeck.store.schema.memories import MEMORY_VECTORS

PROJECTS = 20
BATCH = 1000
VOCABULARY = 40_000
ENGLISH = (
    "the server keeps its state in one file and a reader never waits for a writer when we deploy the build "
    "we check that every test has passed because a change of the schema needs a new index before the query "
    "plan is any good users asked for search by meaning so the model reads each note once and stores it"
)


class Texts:
    """Made-up texts and vectors, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._numbers = np.random.default_rng(seed)
        letters = random.Random(seed)
        self._words = [
            "".join(letters.choices("abcdefghijklmnoprstuvw", k=letters.randint(4, 9)))
            for _ in range(VOCABULARY)
        ]
        weights = 1.0 / np.arange(1, VOCABULARY + 1) ** 1.05
        self._shares = np.cumsum(weights / weights.sum())
        self._centres = self._numbers.normal(size=(400, 384)).astype(np.float32)

    def gather_around(self, model: Embedder) -> None:
        """Let a few clusters lie where the model puts questions; made-up words all lie close together."""
        near = len(self._centres) // 50
        self._centres[:near] = model.embed([self.question() for _ in range(near)]) * np.sqrt(384)

    def draft(self) -> Draft:
        count = int(self._numbers.integers(50, 110))
        chosen = np.minimum(np.searchsorted(self._shares, self._numbers.random(count)), VOCABULARY - 1)
        project = f"project{int(self._numbers.integers(PROJECTS))}"
        return Draft(MemoryType.KNOWLEDGE, " ".join(self._words[index] for index in chosen), project=project)

    def sentence(self) -> Draft:
        """English words, for the model reads made-up ones letter by letter."""
        chosen = self._numbers.choice(ENGLISH.split(), size=45)
        return Draft(MemoryType.KNOWLEDGE, " ".join(chosen.tolist()))

    def vectors(self, count: int) -> Any:
        made = self._centres[self._numbers.integers(400, size=count)] + 0.9 * self._numbers.normal(
            size=(count, 384)
        )
        return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)

    def question(self) -> str:
        return " ".join(self._words[int(index)] for index in self._numbers.integers(200, 4000, size=3))


class Clustered:
    """Answers at once with made-up vectors, so that only the engine is measured."""

    unavailable = None

    def __init__(self, texts: Texts, model: str) -> None:
        self._texts, self.model = texts, model

    def embed(self, texts: Sequence[str]) -> Any:
        return self._texts.vectors(len(texts))

    def try_embed(self, texts: Sequence[str], timeout: float) -> Any:
        return self.embed(texts)


def fill(memories: Memories, texts: Texts, count: int) -> None:
    """Store so many memories in batches, full text, vectors and change log included."""
    for start in range(0, count, BATCH):
        size = min(BATCH, count - start)
        vectors = texts.vectors(size)
        with memories.state.write(actor="fill") as session:
            added = [memories.add(session, drafted(texts.draft()), None)[0] for _ in range(size)]
            session.vectors(MEMORY_VECTORS).put(
                VectorRecord(one.rid, memories.model, vector, scope_of(one))
                for one, vector in zip(added, vectors, strict=True)
            )
            table.set_embedded(session, memories.model, {one.id: content_hash(one) for one in added})


def rate(count: int, work: Callable[[], object]) -> str:
    """How many a second, by wall clock and by processor time."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return (
        f"{count / (time.perf_counter() - wall):.0f}/s wall, {count / (time.process_time() - cpu):.0f}/s cpu"
    )


def timed(calls: Sequence[Callable[[], object]]) -> str:
    """Median and 95th percentile in milliseconds, by wall clock and by processor time."""
    walls, works = [], []
    for call in calls:
        wall, cpu = time.perf_counter(), time.process_time()
        call()
        walls.append((time.perf_counter() - wall) * 1000)
        works.append((time.process_time() - cpu) * 1000)
    late = sorted(walls)[int(len(walls) * 0.95)]
    wall, work = statistics.median(walls), statistics.median(works)
    return f"p50 {wall:6.1f} ms  p95 {late:6.1f} ms  cpu p50 {work:6.1f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    chosen = parser.parse_args()
    texts = Texts(1)
    real = open_embedder(SearchSection(), Path())
    texts.gather_around(real)
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(None, root=Path(folder), workspace_id="speed")
        memories = Memories(store, real, MemorySection())
        print(
            f"fill in batches of {BATCH}:",
            rate(chosen.memories, lambda: fill(memories, texts, chosen.memories)),
        )
        memories.search(Query(texts.question()))
        for fusion in Fusion:
            for name, filters in (("one project", Filters(project="project3")), ("everything", Filters())):
                # New questions each time, so that the model reads each of them.
                asked = [Query(texts.question(), filters, fusion=fusion) for _ in range(chosen.queries)]
                calls = [lambda query=query: memories.search(query) for query in asked]
                print(f"search {fusion}, {name:12} {timed(calls)}")
        _storing(memories, store, texts)
        memories.close()
        store.close()


def _storing(memories: Memories, store: Any, texts: Texts) -> None:
    """Single and bulk storing on top of what is there, and how fast vectors and links follow."""
    for name, draft in (("letters", texts.draft), ("English", texts.sentence)):
        made = [draft() for _ in range(50)]
        singles = [lambda one=one: memories.store(one, actor="one") for one in made]
        print(f"store {name}, model included   {timed(singles)}")
    plain = Memories(store, NoEmbedder("bulk"), MemorySection())
    drafts = [texts.draft() for _ in range(1000)]
    print("bulk ingest:", rate(1000, lambda: plain.store_many(drafts, actor="bulk")))
    linking = Memories(store, Clustered(texts, memories.model), MemorySection())
    print("vectors written and linked, without the model:", rate(1000, lambda: caught_up(linking)))
    plain.store_many([texts.sentence() for _ in range(1000)], actor="bulk")
    print("vectors made, written and linked:", rate(1000, lambda: caught_up(memories)))
    linking.close()


def caught_up(memories: Memories) -> None:
    """Give everything its vector and links."""
    memories.completion.catch_up()
    memories.completion.drain(3600)


if __name__ == "__main__":
    main()
