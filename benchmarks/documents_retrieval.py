"""How well read_context finds documents: recall and rank on a prepared set, through the engine, over a floor.

documents_retrieval.py SET_FOLDER [--chunk BYTES] [--queries N]: SET_FOLDER holds corpus.jsonl,
queries.jsonl and gold.jsonl. Every corpus item becomes a file; every group of items a workspace of its own.
The floor is plain BM25 over whole items.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.eval_retrieval import Item, Keyword, plain_words
from cuedeck.documents import sections
from cuedeck.documents.query import Mode, Query
from cuedeck.workspace import Workspace


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def write_files(root: Path, items: list[dict[str, Any]]) -> dict[str, str]:
    names = {}
    for number, item in enumerate(items):
        # Neutral names: the set's ids must not give the answer away.
        name = re.sub(r"[^\w./ -]", "_", item.get("path") or f"{number:05d}.md")
        if not name.endswith(".md"):
            name += ".md"
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        title = f"# {item['title']}\n\n" if item.get("title") else ""
        target.write_text(title + item["text"], encoding="utf-8")
        names[name] = item["id"]
    return names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", type=Path)
    parser.add_argument("--chunk", type=int, default=sections.CHUNK_BYTES)
    parser.add_argument("--queries", type=int, default=10**9)
    parser.add_argument("--groups", nargs="*", help="Only these groups.")
    options = parser.parse_args()
    sections.CHUNK_BYTES = options.chunk
    groups: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for item in rows(options.set / "corpus.jsonl"):
        if options.groups and item.get("group") not in options.groups:
            continue
        groups[item.get("group")].append(item)
    gold = {row["query_id"]: set(row["relevant"]) for row in rows(options.set / "gold.jsonl")}
    queries = defaultdict(list)
    for query in list(rows(options.set / "queries.jsonl"))[:: max(1, len(gold) // options.queries)]:
        queries[query.get("group")].append(query)
    totals: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    spent: dict[str, float] = defaultdict(float)
    for group, items in sorted(groups.items(), key=str):
        floor = Keyword(
            [Item(item["id"], item["text"], "", item.get("title") or "") for item in items], plain_words
        )
        for query in queries[group]:
            started = time.perf_counter()
            ranked = list(floor.search(plain_words(query["text"])))
            spent["floor"] += time.perf_counter() - started
            totals["floor"].append(score(ranked, gold[query["id"]]))
        with tempfile.TemporaryDirectory() as folder:
            names = write_files(Path(folder), items)
            with Workspace.open(folder) as workspace:
                workspace.documents.refresh()
                left = workspace.documents.embed_pending(3600)
                print(f"{group}: {len(items)} files, {left} chunks without a vector", flush=True)
                for mode in Mode:
                    for query in queries[group]:
                        started = time.perf_counter()
                        found = workspace.documents.search(Query(query["text"][:200], mode, limit=10))
                        spent[mode.value] += time.perf_counter() - started
                        ranked = [names[hit.path] for hit in found.hits]
                        totals[mode.value].append(score(ranked, gold[query["id"]]))
    for name, scores in totals.items():
        recall5, recall10, rank = (sum(part) / len(scores) for part in zip(*scores, strict=True))
        each = spent[name] / len(scores) * 1000
        print(f"{name:9s} n={len(scores)} R@5={recall5:.3f} R@10={recall10:.3f} MRR={rank:.3f}")
        print(f"          {each:.1f} ms each")


def score(ranked: list[str], relevant: set[str]) -> tuple[float, float, float]:
    first = next((1 / place for place, name in enumerate(ranked, 1) if name in relevant), 0.0)
    within = [len(relevant.intersection(ranked[:k])) / len(relevant) for k in (5, 10)]
    return within[0], within[1], first


if __name__ == "__main__":
    main()
