"""Speed of search_code on one repository, by keyword and by meaning.

    python -m benchmarks.code_search PATH/TO/CLONE [--second HEAD~50] [--queries 300] [--vectors 50000]

CPU milliseconds of one call. Making that many real vectors takes long, so vectors with the lengths and the
crowding of real ones stand in for them: what is timed is the search, not its quality.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cuedeck.code.engine import Code
from cuedeck.code.search.ranking import Query
from cuedeck.code.search.searching import search
from cuedeck.code.search.vectors import SymbolVectors
from cuedeck.store import open_store
from cuedeck.store.protocol import VectorRecord
from cuedeck.store.schema.code import CODE_VECTORS

CLUSTERS = 400


class StandIn:
    """Vectors in crowds, as texts about the same things have them."""

    model = "stand-in"
    dimensions = 384
    unavailable = None

    def __init__(self) -> None:
        self._random = np.random.default_rng(7)
        self._centres = self._random.standard_normal((CLUSTERS, self.dimensions))

    def embed(self, texts: Sequence[str]) -> Any:
        chosen = self._centres[self._random.integers(0, CLUSTERS, len(texts))]
        found = chosen + 1.2 * self._random.standard_normal(chosen.shape)
        return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)

    def try_embed(self, texts: Sequence[str], timeout: float) -> Any:
        return self.embed(texts)


def spread(name: str, ask: Callable[[str], Any], queries: Sequence[str]) -> None:
    """The middle, the slow and the slowest of one kind of question."""
    took = []
    for query in queries:
        started = time.process_time()
        ask(query)
        took.append((time.process_time() - started) * 1e3)
    took.sort()
    slow = took[int(len(took) * 0.95)]
    print(f"{name}: p50 {statistics.median(took):.2f} ms, p95 {slow:.2f} ms, worst {took[-1]:.1f} ms")


def asked_for(code: Code, count: int) -> list[str]:
    """Questions made of the last words of qualified names, as somebody types them who half remembers."""
    snapshot = code.view().snapshot
    paths = random.sample(list(snapshot.files), min(200, len(snapshot.files)))
    names = [
        snapshot.symbols(path).qualified(number)
        for path in paths
        for number in range(len(snapshot.outline(path).definitions))
    ]
    chosen = random.sample(names, min(count, len(names)))
    return [" ".join(name.replace("::", " ").replace("_", " ").split()[-3:]) for name in chosen]


def fill(code: Code, vectors: SymbolVectors, embedder: StandIn) -> int:
    """Give every symbol that is to have one a vector."""
    keys = vectors._chosen(code.view().snapshot)
    with code.store.index.write(actor="benchmark") as session:
        made = zip(keys, embedder.embed([""] * len(keys)), strict=True)
        session.vectors(CODE_VECTORS).put(VectorRecord(key, embedder.model, vector) for key, vector in made)
    return len(keys)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--second", default="HEAD~50")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--vectors", type=int, default=50_000)
    options = parser.parse_args()
    random.seed(3)
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(None, root=Path(folder), workspace_id="benchmark")
        code = Code(options.repository.resolve(), store)
        done = code.index(code.wanted(None))
        code.view(options.second)
        print(f"{options.repository.name}: {done.files} files, {done.symbols} symbols")
        queries = asked_for(code, options.queries)
        names = [query.split()[-1] for query in queries]

        def keyword(query: str, ref: str | None = None) -> None:
            search(code.view(ref), Query(query), limit=10)

        spread("keyword, first touch", keyword, queries)
        spread("keyword, warm", keyword, queries)
        spread("one word", keyword, names)
        spread(f"keyword on {options.second}", lambda q: keyword(q, options.second), queries)
        embedder = StandIn()
        vectors = SymbolVectors(code, embedder, options.vectors)
        print(f"{fill(code, vectors, embedder)} vectors")
        for mode in ("semantic", "hybrid"):
            search(code.view(), Query("warm up"), limit=10, mode=mode, vectors=vectors)
            spread(
                mode,
                lambda q, m=mode: search(code.view(), Query(q), limit=10, mode=m, vectors=vectors),
                queries,
            )
        vectors.close()
        code.close()
        store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
