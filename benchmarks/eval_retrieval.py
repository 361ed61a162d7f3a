"""Retrieval quality on prepared public sets, each mode beside the plain BM25 floor.

    EVAL_PREPARED=FOLDER python -m benchmarks.eval_retrieval [--groups a,b] [--not-groups a,b] SET...

A set is a folder with corpus.jsonl, queries.jsonl and gold.jsonl. None of the data is part of the project.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cuedeck.config.sections import SearchSection
from cuedeck.search.analyser import analyse, query_terms
from cuedeck.search.embedder import open_embedder
from cuedeck.search.fusion import reciprocal_rank, weighted_blend
from cuedeck.store.ddl import text_index
from cuedeck.store.protocol import TextRecord, TextSpec
from cuedeck.store.schema import DatabaseName, Migration
from cuedeck.store.sqlite.store import SqliteStore

DEPTH = 100
KEYWORD_DEPTH = 300
SPEC = TextSpec("evaluation", (("title", 2.0), ("body", 1.0)))


@dataclass(frozen=True)
class Item:
    """Something to find, or a question."""

    id: str
    text: str
    group: str
    title: str = ""


@dataclass(frozen=True)
class Collection:
    """A prepared set."""

    name: str
    corpus: list[Item]
    queries: list[Item]
    gold: dict[str, dict[str, int]]


def rows(path: Path) -> list[dict[str, object]]:
    """The objects of a JSON-lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def read(folder: Path, wanted: Callable[[str], bool]) -> Collection:
    """The set in a folder, restricted to some groups."""

    def items(name: str) -> list[Item]:
        found = [
            Item(
                str(row["id"]),
                str(row["text"]),
                str(row.get("group", "")),
                " ".join(str(row[key]) for key in ("title", "path") if row.get(key)),
            )
            for row in rows(folder / f"{name}.jsonl")
        ]
        return [item for item in found if wanted(item.group)]

    gold = {str(row["query_id"]): dict(row["relevant"]) for row in rows(folder / "gold.jsonl")}  # type: ignore[call-overload]
    return Collection(folder.name, items("corpus"), items("queries"), gold)


def plain_words(text: str) -> list[str]:
    """What a search without any language knowledge would index."""
    return re.findall(r"[^\W_]+", text.lower())


class Keyword:
    """BM25 of the real index over one group."""

    def __init__(self, items: Sequence[Item], tokens: Callable[[str], list[str]]) -> None:
        self._items = items
        self._folder = tempfile.TemporaryDirectory(prefix="cuedeck-bench-")
        folder = Path(self._folder.name)
        self._store = SqliteStore(root=folder, state_root=folder, busy_timeout=10.0, known=_schema)
        with self._store.index.write(actor="evaluation") as session:
            session.text(SPEC).put(
                TextRecord(number, {"title": tokens(item.title), "body": tokens(item.text)})
                for number, item in enumerate(items)
            )

    def search(self, terms: Sequence[str]) -> dict[str, float]:
        """Scores of the best items."""
        with self._store.index.read() as session:
            hits = session.text(SPEC).match(terms, limit=KEYWORD_DEPTH)
        return {self._items[hit.id].id: hit.score for hit in hits}


def _schema(database: DatabaseName) -> list[Migration]:
    return [Migration("index", "evaluation", 1, (text_index(SPEC),))] if database == "index" else []


def vectors(collection: Collection, cache: Path) -> dict[str, np.ndarray]:
    """Vectors of items and queries, kept beside the set because making them is slow."""
    embedder = open_embedder(SearchSection(), Path())
    texts = {f"{item.title}\n{item.text}".strip() for item in collection.corpus}
    texts |= {item.text for item in collection.queries}
    path = cache / f"vectors-{re.sub(r'[^A-Za-z0-9.-]', '_', embedder.model)}.npz"
    known: dict[str, np.ndarray] = {}
    if path.exists():
        stored = np.load(path, allow_pickle=False)
        known = dict(zip(stored["texts"].tolist(), stored["vectors"], strict=True))
    missing = sorted(texts - known.keys())
    for start in range(0, len(missing), 64):
        part = missing[start : start + 64]
        known.update(zip(part, embedder.embed(part), strict=True))
    if missing:
        np.savez(path, texts=np.array(list(known)), vectors=np.stack(list(known.values())))
    return known


Run = Mapping[str, Sequence[str]]


def runs(collection: Collection, known: Mapping[str, np.ndarray]) -> dict[str, Run]:
    """The ranking of every query, by mode."""
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in collection.corpus:
        groups[item.group].append(item)
    result: dict[str, dict[str, Sequence[str]]] = defaultdict(dict)
    for group, items in groups.items():
        floor, keyword = Keyword(items, plain_words), Keyword(items, analyse)
        matrix = np.stack([known[f"{item.title}\n{item.text}".strip()] for item in items])
        for query in (query for query in collection.queries if query.group == group):
            words = keyword.search(query_terms(query.text))
            cosines = matrix @ known[query.text]
            nearest = np.argsort(-cosines, kind="stable")[:DEPTH]
            meaning = {items[number].id: float(cosines[number]) for number in nearest}
            lists = {"keyword": list(words), "semantic": list(meaning)}
            by_id = {item.id: float(cosine) for item, cosine in zip(items, cosines, strict=True)}
            meaning |= {key: by_id[key] for key in words}
            result["plain bm25"][query.id] = list(floor.search(plain_words(query.text)))
            result["keyword"][query.id] = lists["keyword"]
            result["semantic"][query.id] = lists["semantic"]
            result["rrf 60"][query.id] = [one.key for one in reciprocal_rank(lists, order=str)]
            for weight in (0.5, 0.6, 0.7, 0.8):
                blend = weighted_blend(words, meaning, order=str, semantic_weight=weight)
                result[f"blend {weight}"][query.id] = [one.key for one in blend]
    return dict(result)


def score(collection: Collection, run: Run) -> dict[str, float]:
    """Recall at 5 and 10 and the mean reciprocal rank."""
    sums: dict[str, float] = defaultdict(float)
    queries = [query for query in collection.queries if collection.gold.get(query.id)]
    for query in queries:
        relevant, ranked = collection.gold[query.id], run[query.id]
        for depth in (5, 10):
            sums[f"recall@{depth}"] += len(relevant.keys() & set(ranked[:depth])) / len(relevant)
        sums["mrr"] += next((1 / rank for rank, one in enumerate(ranked, 1) if one in relevant), 0.0)
    return {name: total / len(queries) for name, total in sums.items()}


def report(collection: Collection, results: Mapping[str, Run]) -> Iterable[str]:
    """A table, one mode a line."""
    yield f"{collection.name}: {len(collection.corpus)} items, {len(collection.queries)} queries"
    for mode, run in results.items():
        figures = score(collection, run)
        yield "  " + "  ".join([f"{mode:12}", *(f"{name} {value:.3f}" for name, value in figures.items())])


def main() -> None:
    """Read the sets named on the command line and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--groups", default="")
    parser.add_argument("--not-groups", default="")
    chosen = parser.parse_args()
    prepared = os.environ.get("EVAL_PREPARED")
    if not prepared:
        sys.exit("EVAL_PREPARED names no folder of prepared sets; nothing to measure.")
    only, never = (set(filter(None, text.split(","))) for text in (chosen.groups, chosen.not_groups))
    for name in chosen.sets:
        folder = Path(prepared) / name
        collection = read(folder, lambda group: group not in never and (not only or group in only))
        for line in report(collection, runs(collection, vectors(collection, folder))):
            print(line)


if __name__ == "__main__":
    main()
