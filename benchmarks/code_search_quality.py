"""Quality of search_code on a prepared set of functions and questions, each mode beside the BM25 floor.

    EVAL_PREPARED=FOLDER python -m benchmarks.code_search_quality [--modes keyword,hybrid] SET...

Every item of the corpus becomes a file of a repository made for the purpose, so that what is measured is
the tool's own answer. None of the data is part of the project.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.eval_retrieval import Collection, Keyword, plain_words, read, score
from cuedeck.code.search.ranking import Query
from cuedeck.code.search.searching import search
from cuedeck.workspace import Workspace

DEPTH = 100


def repository(corpus: Collection, folder: Path) -> dict[str, str]:
    """A committed repository with one file for each item; the item of each path."""
    paths = {}
    for number, item in enumerate(corpus.corpus):
        path = f"part{number % 60:02d}/f{number}.py"
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(item.text + "\n", encoding="utf-8")
        paths[path] = item.id
    for command in (
        ["init", "-q", "-b", "main"],
        ["add", "."],
        ["-c", "user.name=b", "-c", "user.email=b@example.com", "commit", "-qm", "corpus"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return paths


def scores(corpus: Collection, runs: Mapping[str, Sequence[str]]) -> str:
    """Recall and mean reciprocal rank in a line."""
    return ", ".join(f"{name} {value:.3f}" for name, value in score(corpus, runs).items())


def floor(corpus: Collection) -> dict[str, list[str]]:
    """What a search without any knowledge of code answers."""
    index = Keyword(corpus.corpus, plain_words)
    return {query.id: list(index.search(plain_words(query.text)))[:DEPTH] for query in corpus.queries}


def asked(
    workspace: Workspace, corpus: Collection, paths: Mapping[str, str], mode: str
) -> tuple[dict[str, list[str]], float]:
    """The ranked items of every question, and the mean CPU milliseconds of one."""
    runs: dict[str, list[str]] = {}
    started = time.process_time()
    for query in corpus.queries:
        view = workspace.code.view()
        found = search(view, Query(query.text), limit=DEPTH, mode=mode, vectors=workspace.symbol_vectors)
        if found.mode != mode:
            raise SystemExit(f"asked for {mode}, answered by {found.mode}: {view.warnings}")
        runs[query.id] = list(dict.fromkeys(paths[hit.scored.record.path] for hit in found.hits))
    return runs, (time.process_time() - started) * 1e3 / len(corpus.queries)


def embed(workspace: Workspace) -> None:
    """Make every vector, as a serving process does in the background."""
    started = time.process_time()
    snapshot = workspace.code.view().snapshot
    workspace.symbol_vectors.follow(snapshot)
    count = workspace.symbol_vectors.pending(snapshot)
    workspace.symbol_vectors.wait(snapshot, 3600.0)
    print(f"  {count} vectors: {(time.process_time() - started) * 1e3 / max(1, count):.1f} CPU ms each")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--modes", default="keyword,semantic,hybrid")
    options = parser.parse_args()
    for name in options.sets:
        corpus = read(Path(os.environ["EVAL_PREPARED"]) / name, lambda _group: True)
        print(f"{name}: {len(corpus.corpus)} functions, {len(corpus.queries)} questions")
        print(f"  plain BM25 floor: {scores(corpus, floor(corpus))}")
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            paths = repository(corpus, root)
            with Workspace.open(root, environ=os.environ) as workspace:
                workspace.code.index(workspace.code.wanted(None))
                if options.modes != "keyword":
                    embed(workspace)
                for mode in options.modes.split(","):
                    runs, milliseconds = asked(workspace, corpus, paths, mode)
                    print(f"  {mode}: {scores(corpus, runs)} ({milliseconds:.1f} CPU ms a question)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
