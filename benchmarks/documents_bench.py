"""How fast the documents engine is: cold index, one edit, read_context, vault queries, memory over edits.

documents_bench.py VAULT... [--files N] [--sections N] [--times N] [--edits N]: each VAULT is a folder of
markdown notes; they are copied into one, of at most N notes. Beside wall times, which a busy machine
inflates, stands the processor time of this process. Queries by meaning are embedded by the real model; the
vectors they are compared with are sums of random vectors of words, which cost as much to search.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cuedeck.documents.engine import Documents
from cuedeck.documents.markdown import parse_markdown
from cuedeck.documents.query import Mode, Query, Results
from cuedeck.documents.sections import CHUNK_BYTES, sections_of
from cuedeck.store import documents as rows
from cuedeck.store.protocol import Database
from cuedeck.store.vault import VaultFilter
from cuedeck.workspace import Workspace

QUERIES = [
    "create a vault",
    "publish site settings",
    "sync encryption",
    "keyboard shortcuts",
    "embed an image",
]


def timed(what: str, times: int, action: Callable[[int], object]) -> None:
    spent, worked = [], []
    for n in range(times):
        started, cpu = time.perf_counter(), time.process_time()
        action(n)
        spent.append((time.perf_counter() - started) * 1000)
        worked.append((time.process_time() - cpu) * 1000)
    spent.sort()
    p95 = spent[min(len(spent) - 1, int(len(spent) * 0.95))]
    print(
        f"{what:44s} p50 {statistics.median(spent):8.2f} ms   p95 {p95:8.2f} ms   "
        f"CPU p50 {statistics.median(worked):6.2f} ms   n={times}",
        flush=True,
    )


def cold(root: Path) -> None:
    shutil.rmtree(root / ".cuedeck", ignore_errors=True)
    before, cpu = time.perf_counter(), _cpu()
    with Workspace.open(root) as workspace:
        added = len(workspace.documents.refresh().added)
        spent = time.perf_counter() - before
    print(f"cold index: {added} files in {spent:.2f} s, {added / spent:.0f}/s; {_cpu() - cpu:.2f} s of CPU")


def _cpu() -> float:
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


def resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def queries(root: Path, times: int) -> None:
    with Workspace.open(root, environ={"CUEDECK_SEARCH__ENABLED": "false"}) as workspace:
        documents = workspace.documents
        documents.start()
        while not documents.freshness.watching and not documents.freshness.problems():
            time.sleep(0.05)
        documents.freshness.ensure()
        notes = [path for path in documents.index.markdown_paths() if not path.startswith(".")]
        count = len(notes)
        ask = lambda n: documents.search(Query(QUERIES[n % len(QUERIES)], Mode.KEYWORD))  # noqa: E731
        timed(f"read_context keyword, {count} files", times, ask)
        timed(
            f"query_files, {count} files",
            times,
            lambda n: documents.vault.files(VaultFilter(), limit=50, offset=n),
        )
        timed(f"get_file, {count} files", times, lambda n: documents.vault.file(notes[n * 7919 % count]))
        timed(
            f"search_tags, {count} files",
            times,
            lambda n: documents.vault.files(VaultFilter(tag="tag"), limit=100),
        )
        timed(f"get_stats, {count} files", min(times, 20), lambda n: documents.vault.statistics())
        timed(f"read_doc, {count} files", times, lambda n: documents.read(notes[n * 31 % count]))

        def edit(n: int) -> None:
            word = f"quokka{n:06d}x"
            with (root / notes[n * 17 % count]).open("a") as file:
                file.write(f"\n{word}\n")
            assert documents.search(Query(word, Mode.KEYWORD)).hits, word

        timed(f"one edit, from save to answer, {count} files", times, edit)


def word_vector(text: str, words: Any) -> Any:
    """A stand-in for the model: texts that share words lie near each other."""
    total = words[[hash(word) % len(words) for word in text.split()] or [0]].sum(axis=0)
    return total / np.linalg.norm(total)


def fill_vectors(documents: Documents, database: Database) -> tuple[int, int]:
    words = np.random.default_rng(1).standard_normal((20_000, 384)).astype(np.float32)
    with database.read() as session:
        chunks = rows.without_vector(session, "none")
    made = 0
    for start in range(0, len(chunks), 500):
        texts = documents._texts(chunks[start : start + 500])
        documents._store_vectors({key: word_vector(text, words) for key, text in texts.items()})
        made += len(texts)
    return len(chunks), made


def by_meaning(documents: Documents, mode: Mode, number: int) -> Results:
    """One query, numbered so that its vector is not remembered from the one before."""
    return documents.search(Query(f"{QUERIES[number % len(QUERIES)]} {number}", mode), budget=30)


def meaning(root: Path, times: int) -> None:
    with Workspace.open(root) as workspace:
        documents = workspace.documents
        if workspace.embedder.unavailable is not None:
            print(f"semantic and hybrid: not measured. {workspace.embedder.unavailable}")
            return
        documents.refresh()
        sections, passages = fill_vectors(documents, workspace.store.index)
        documents.start()
        while not documents.freshness.watching and not documents.freshness.problems():
            time.sleep(0.05)
        for mode in (Mode.SEMANTIC, Mode.HYBRID):
            ask = partial(by_meaning, documents, mode)
            assert ask(times).mode_used is mode
            timed(f"read_context {mode.value}, {sections} sections, {passages} passages", times, ask)


def memory(root: Path, edits: int) -> None:
    with Workspace.open(root, environ={"CUEDECK_SEARCH__ENABLED": "false"}) as workspace:
        documents = workspace.documents
        documents.refresh()
        chance = random.Random(1)
        notes = documents.index.markdown_paths()[:200]
        sizes = []
        for n in range(edits):
            path = chance.choice(notes)
            (root / path).write_text(
                f"# Edit {n}\n\nsome words {n % 977} [[{chance.choice(notes)}]] #t{n % 50}\n" * 5
            )
            documents.index.refresh_paths([path])
            if n % max(1, edits // 10) == 0:
                sizes.append(round(resident(), 1))
        print(f"memory over {edits} edits, MB: {sizes} -> {resident():.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vaults", type=Path, nargs="+")
    parser.add_argument("--files", type=int, default=10**9)
    parser.add_argument("--sections", type=int, default=10_000, help="For queries by meaning, about so many.")
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--edits", type=int, default=2000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole"
        for vault in options.vaults:
            ignored = shutil.ignore_patterns(".git", ".cuedeck")
            shutil.copytree(vault, whole / vault.name, ignore=ignored)
        for path in sorted(whole.rglob("*.md"))[options.files :]:
            path.unlink()
        cold(whole)
        queries(whole, options.times)
        small = Path(folder) / "small"
        for path in sorted(whole.rglob("*.md"))[:500]:
            target = small / path.relative_to(whole)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        queries(small, options.times)
        memory(small, options.edits)
        meaning(part_of(whole, Path(folder) / "part", options.sections), options.times)


def part_of(whole: Path, part: Path, sections: int) -> Path:
    """So many notes of the vault that they have about so many sections."""
    left = sections
    for path in sorted(whole.rglob("*.md")):
        data = path.read_bytes()
        text = data.decode("utf-8", "replace")
        parsed = parse_markdown(text)
        size = len(text.encode())
        left -= sum(
            -(-(each.end - each.start) // CHUNK_BYTES) for each in sections_of(parsed, size) if each.end
        )
        if left < 0:
            break
        target = part / path.relative_to(whole)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return part


if __name__ == "__main__":
    main()
