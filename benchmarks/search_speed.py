"""How fast text is analysed, counted, searched for secrets and embedded, on a machine that is stated."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from cuedeck import secrets
from cuedeck.config.sections import SearchSection
from cuedeck.search.analyser import analyse
from cuedeck.search.embedder import open_embedder
from cuedeck.search.tokens import count_tokens

ROOT = Path(__file__).parents[1]


def sources(megabytes: float) -> list[str]:
    """The project's own files, then what is installed beside it, up to a size."""
    texts, size = [], 0
    for pattern in ("src/**/*.py", "docs/**/*.md", "tests/**/*.py", ".venv/lib/*/site-packages/*/**/*.py"):
        for path in sorted(ROOT.glob(pattern)):
            text = path.read_text(encoding="utf-8", errors="replace")
            texts.append(text)
            size += len(text)
            if size > megabytes * 1e6:
                return texts
    return texts


def rate(name: str, work: Callable[[str], object], texts: list[str]) -> str:
    """CPU megabytes per second, once through."""
    started = time.process_time()
    for text in texts:
        work(text)
    spent = time.process_time() - started
    return f"{name:28} {sum(map(len, texts)) / 1e6 / spent:8.1f} MB/s"


def embedding() -> list[str]:
    """Time to first vector, query latency, and background throughput."""
    opening = time.perf_counter()
    embedder = open_embedder(SearchSection(), ROOT)
    embedder.embed(["first"])
    loaded = time.perf_counter() - opening
    latencies = []
    for number in range(50):
        started = time.perf_counter()
        embedder.embed([f"where is the retry limit number {number} configured"])
        latencies.append(time.perf_counter() - started)
    lines = [
        f"{'model loaded and first vector':28} {loaded * 1000:8.0f} ms",
        f"{'query vector, p50':28} {statistics.median(latencies) * 1000:8.1f} ms",
    ]
    for words, count in ((45, 128), (180, 48)):
        texts = [f"{number} " + "a worker takes the next task " * (words // 6) for number in range(count)]
        started, cpu = time.perf_counter(), time.process_time()
        embedder.embed(texts)
        wall, spent = time.perf_counter() - started, time.process_time() - cpu
        lines.append(
            f"{f'{words}-word texts':28} {count / wall:8.0f} /s ({count / spent:.0f} per CPU second)"
        )
    return lines


def main() -> None:
    """Print every figure."""
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    texts = sources(6)
    count_tokens("load")
    print(rate("analyse", analyse, texts))
    print(rate("count tokens", count_tokens, texts))
    print(rate("find secrets", secrets.find, texts))
    for line in embedding():
        print(line)


if __name__ == "__main__":
    main()
