"""How fast the documents engine is: cold index, one edit, read_context, vault queries, memory over edits.

documents_bench.py VAULT... [--files N] [--times N] [--edits N]: each VAULT is a folder of markdown notes;
they are copied into one, of at most N notes. Beside wall times, which a busy machine inflates, stands
the processor time of this process.
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
from pathlib import Path

from cuedeck.documents.query import Mode, Query
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
        while not documents.freshness.watching and documents.freshness.trouble is None:
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


if __name__ == "__main__":
    main()
