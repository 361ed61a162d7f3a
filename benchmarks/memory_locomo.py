"""Memory search on LoCoMo: turns as memories, questions as searches, through the real engine.

    EVAL_PREPARED=FOLDER python -m benchmarks.memory_locomo [--groups a,b] [--not-groups a,b]

The data is not part of the project. Conversations 26, 30 and 41 were developed on; the others are held out.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from benchmarks.eval_retrieval import Collection, Item, Keyword, plain_words, read, score
from benchmarks.memory_speed import caught_up, rate
from cuedeck.config.sections import MemorySection, SearchSection
from cuedeck.memory.memories import Memories
from cuedeck.memory.model import Draft, MemoryType
from cuedeck.memory.query import Filters, Fusion, Query
from cuedeck.search.embedder import Embedder, NoEmbedder, open_embedder
from cuedeck.search.stopwords import STOP_WORDS
from cuedeck.store import open_store

BATCH = 500


def loaded_model() -> Embedder:
    """The default model, ready to answer."""
    model = open_embedder(SearchSection(), Path())
    model.embed(["loaded"])
    return model


def ingest(memories: Memories, collection: Collection) -> dict[str, str]:
    """Every turn as a memory of its conversation; the item of each memory id."""
    items: dict[str, str] = {}
    for start in range(0, len(collection.corpus), BATCH):
        part = collection.corpus[start : start + BATCH]
        drafts = [Draft(MemoryType.EPISODE, item.text, project=item.group) for item in part]
        for item, stored in zip(part, memories.store_many(drafts, actor="benchmark"), strict=True):
            items.setdefault(stored.memory.id, item.id)
    memories.completion.drain(3600)
    return items


def ranking(
    memories: Memories, collection: Collection, items: dict[str, str], fusion: Fusion
) -> dict[str, list[str]]:
    """The turns found for each question, best first."""
    run: dict[str, list[str]] = {}
    for query in collection.queries:
        asked = Query(query.text, Filters(project=query.group), max_results=10, fusion=fusion)
        run[query.id] = [items[hit.memory.id] for hit in memories.search(asked).hits]
    return run


def grep(collection: Collection) -> dict[str, list[str]]:
    """Turns by how many of a question's words they contain, as somebody with grep would look."""
    words = {item.id: set(_words(item.text)) for item in collection.corpus}
    run: dict[str, list[str]] = {}
    for query in collection.queries:
        asked = {word for word in _words(query.text) if len(word) > 3}
        own = [item.id for item in collection.corpus if item.group == query.group and asked & words[item.id]]
        run[query.id] = sorted(own, key=lambda id: (-len(asked & words[id]), id))[:10]
    return run


def plain_bm25(collection: Collection) -> dict[str, list[str]]:
    """The floor: BM25 over words without stop words, unstemmed, inside the question's conversation."""
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in collection.corpus:
        groups[item.group].append(item)
    indexes = {group: Keyword(items, _telling_words) for group, items in groups.items()}
    return {
        query.id: list(indexes[query.group].search(_telling_words(query.text)))[:10]
        for query in collection.queries
    }


def _telling_words(text: str) -> list[str]:
    return [word for word in plain_words(text) if word not in STOP_WORDS]


def _words(text: str) -> Iterable[str]:
    return re.findall(r"\w+", text.lower())


def main() -> None:
    """Ingest, ask, and print one row per way of ranking."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", default="")
    parser.add_argument("--not-groups", default="conv-26,conv-30,conv-41")
    chosen = parser.parse_args()
    prepared = os.environ.get("EVAL_PREPARED")
    if not prepared:
        sys.exit("EVAL_PREPARED names no folder of prepared sets; nothing to measure.")
    only, never = (set(filter(None, text.split(","))) for text in (chosen.groups, chosen.not_groups))
    wanted = read(Path(prepared) / "locomo", lambda group: group in only if only else group not in never)
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(None, root=Path(folder), workspace_id="locomo")
        texts, model = [item.text for item in wanted.corpus], loaded_model()
        print("vectors by the model alone:", rate(len(texts), lambda: model.embed(texts)))
        # Another one, which has not seen the texts.
        memories = Memories(store, loaded_model(), MemorySection())
        items: dict[str, str] = {}
        complete = rate(len(texts), lambda: items.update(ingest(memories, wanted)))
        print("turns stored, with vectors and links:", complete)
        _queue_alone(wanted)
        words_only = Memories(store, NoEmbedder("keywords only"), MemorySection())
        print(f"{len(items)} memories, {len(wanted.queries)} questions, {memories.pending()} without vector")
        runs = {
            "grep": grep(wanted),
            "plain BM25": plain_bm25(wanted),
            "keyword": ranking(words_only, wanted, items, Fusion.RRF),
            "rrf (default)": ranking(memories, wanted, items, Fusion.RRF),
            "blend": ranking(memories, wanted, items, Fusion.BLEND),
        }
        for name, run in runs.items():
            figures = score(wanted, run)
            print(f"{name:14}", *(f"{key} {value:.3f}" for key, value in figures.items()))
        memories.close()
        store.close()


def _queue_alone(wanted: Collection) -> None:
    """How fast turns are stored without a model, and how fast the queue completes them afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(None, root=Path(folder), workspace_id="queue")
        plain = Memories(store, NoEmbedder("stored first"), MemorySection())
        print("turns stored:", rate(len(wanted.corpus), lambda: ingest(plain, wanted)))
        late = Memories(store, loaded_model(), MemorySection())
        print("vectors made, written and linked:", rate(len(wanted.corpus), lambda: caught_up(late)))
        late.close()
        store.close()


if __name__ == "__main__":
    main()
