"""Speed and size of the code engine on one repository.

    python benchmarks/code_bench.py PATH/TO/CLONE [--second REF] [--symbols 300] [--index]

CPU time with one worker (wall time means little on a shared machine); ctags and ripgrep run beside it
where they are installed, and so does indexing in Python where the accelerator is.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cuedeck.code.comparing import compare_refs
from cuedeck.code.engine import Code
from cuedeck.code.finding import find
from cuedeck.code.search.ranking import Query
from cuedeck.code.search.searching import search
from cuedeck.housekeeping import collect_seldom
from cuedeck.native import native
from cuedeck.store import open_store

EDITS = 60


def cpu(action: Callable[[], Any]) -> tuple[float, Any]:
    started = time.process_time()
    found = action()
    return time.process_time() - started, found


def spread(name: str, milliseconds: list[float]) -> None:
    ordered = sorted(milliseconds)
    p95 = ordered[int(len(ordered) * 0.95)]
    print(f"{name}: p50 {statistics.median(ordered):.2f} ms, p95 {p95:.2f} ms, worst {ordered[-1]:.1f} ms")


def timed(action: Callable[[], Any]) -> float:
    started = time.process_time()
    action()
    return (time.process_time() - started) * 1e3


def beside(root: Path) -> None:
    for name, command in (
        ("ctags", ["ctags", "-R", "-f", "/dev/null", "."]),
        ("ripgrep", ["rg", "-j1", "-c", "zzzznothing", "."]),
    ):
        if shutil.which(command[0]):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, cwd=root, capture_output=True, check=False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            print(f"{name}: {after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.2f} CPU s")


def in_python(root: Path) -> None:
    """The full index without the accelerator, where there is one."""
    if native() is not None:
        sys.stdout.flush()
        command = [sys.executable, "-m", "benchmarks.code_bench", str(root), "--index"]
        subprocess.run(command, env={**os.environ, "CUEDECK_NATIVE": "off"}, check=True)


def sizes(code: Code, when: str) -> None:
    """The database beside the source of every blob whose facts it holds."""
    with code.store.index.read() as session:
        pages = session.value(
            "SELECT page_count - freelist_count FROM pragma_page_count, pragma_freelist_count"
        )
        size = session.value("SELECT page_size FROM pragma_page_size")
        total = session.value("SELECT sum(size) FROM code_blobs")
    stored = pages * size
    print(f"database {when}: {stored / 1e6:.1f} MB for {total / 1e6:.1f} MB of source: {stored / total:.2f}x")


def main() -> int:
    collect_seldom()  # as every serving process does
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--second", default="HEAD~50")
    parser.add_argument("--symbols", type=int, default=300)
    parser.add_argument("--index", action="store_true", help="nothing but the full index")
    options = parser.parse_args()
    root = options.repository.resolve()
    random.seed(3)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        code = Code(root, open_store(None, root=folder, workspace_id="benchmark"), workers=1)
        seconds, done = cpu(lambda: code.index(code.wanted(None)))
        how = "in Python" if native() is None else "with the accelerator"
        read = f"{root.name}: {done.files} files, {done.symbols} symbols"
        print(f"{read}, full index {how} {seconds:.2f} CPU s")
        if options.index:
            return 0
        sizes(code, "with one ref")
        in_python(root)
        beside(root)
        seconds, _ = cpu(lambda: code.view("HEAD~1"))
        print(f"HEAD~1: {seconds:.3f} CPU s")
        before = code.indexer()
        commit = code.wanted(options.second).commit or ""
        missing = len(before.missing(code.repository.files(commit)[0].values())) if code.repository else 0
        seconds, _ = cpu(lambda: code.view(options.second))
        print(f"{options.second}: {missing} new blobs, {seconds:.2f} CPU s")
        compare_refs(code, options.second, "HEAD")
        found = compare_refs(code, options.second, "HEAD")
        spread(
            f"diff_context over {len(found.files)} files, {len(found.changes)} changes",
            [timed(lambda: compare_refs(code, options.second, "HEAD")) for _ in range(9)],
        )
        view = code.view()
        spread("view, nothing changed", [timed(code.view) for _ in range(200)])
        records = [
            view.snapshot.symbols(path).record(n)
            for path in random.sample(list(view.snapshot.files), min(200, len(view.snapshot.files)))
            for n in range(len(view.snapshot.outline(path).definitions))
        ]
        chosen = random.sample(records, min(options.symbols, len(records)))

        def ask(record: Any) -> None:
            snapshot = code.view().snapshot
            answer = find(snapshot, record.name, path=record.path, line=record.line_start)
            list(answer.sites(answer.references[:20]))

        def asked_anew(record: Any) -> float:
            # Whole answers are kept as well; what is timed is making them.
            found = code.view().snapshot._found
            found.drop(key for key in found if key[0] == "references")
            return timed(lambda: ask(record))

        spread("find_references, first touch", [asked_anew(record) for record in chosen])
        spread("find_references, warm", [asked_anew(record) for record in chosen])
        queries = [
            " ".join(r.qualified_name.replace("::", " ").replace("_", " ").split()[-3:]) for r in chosen
        ]
        for query in queries[:20]:
            search(view, Query(query), limit=10)
        spread("search_code", [timed(lambda q=q: search(code.view(), Query(q), limit=10)) for q in queries])
        edits(code, root, [path for path in view.snapshot.files if path.endswith(".py")], chosen)
        print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
        sizes(code, "with both refs and the edits")
        code.close()
        code.store.close()
    return 0


def edits(code: Code, root: Path, paths: list[str], asked: list[Any]) -> None:
    """From saving one file to an answer that knows it, and to one about something else asked before.

    Every file is put back; the first edit, which loads what indexing needs, counts.
    """
    took, others = [], []
    for path in random.sample(paths, min(EDITS, len(paths))):
        file = root / path
        kept = file.read_bytes()
        record = random.choice(asked)
        try:
            file.write_bytes(kept + b"\n\ndef freshly_written_name():\n    pass\n")
            took.append(timed(lambda: find(code.view().snapshot, "freshly_written_name")))
            others.append(timed(lambda r=record: find(code.view().snapshot, r.name, path=r.path)))
        finally:
            file.write_bytes(kept)
    if took:
        spread("edit to answer", took)
        spread("find_references after an edit elsewhere", others)


if __name__ == "__main__":
    sys.exit(main())
