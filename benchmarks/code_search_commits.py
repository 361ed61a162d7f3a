"""Subjects of a repository's commits as questions to search_code; the files that each changed are right.

    python -m benchmarks.code_search_commits PATH/TO/CLONE [--questions 200] [--modes keyword,semantic,hybrid]

People's words about code they know, on any repository with history. Mean reciprocal rank of the first right
file among ten, and how often it stands first. Questions are commits without merges that changed one to three
files of code which are still there, tests apart. The folder gets a ``.cuedeck``, as any workspace, with a
vector for each symbol.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.code_search_quality import embed
from cuedeck.code.locating import is_test
from cuedeck.code.search.ranking import Query
from cuedeck.code.search.searching import search
from cuedeck.workspace import Workspace

Question = tuple[str, frozenset[str]]
_COMMITS = 3000
_MOST_FILES = 3
_FEWEST_WORDS = 3
_FILES = 10
_HITS = 30
# Numbers of issues, and what conventional commits put in front.
_NOT_WORDS = re.compile(r"\(?#\d+\)?|^\w+(\([^)]*\))?!?:\s*")


def questions(workspace: Workspace, count: int) -> list[Question]:
    """A sample of the history, the same at every run."""
    here = workspace.code.view().snapshot.files
    log = subprocess.run(
        ["git", "log", "--no-merges", f"-n{_COMMITS}", "--name-only", "-z", "--format=%x01%s"],
        cwd=workspace.root,
        capture_output=True,
        check=True,
    ).stdout.decode("utf-8", "replace")
    found = []
    for commit in log.split("\x01")[1:]:
        subject, _, names = commit.partition("\0")
        asked = _NOT_WORDS.sub("", subject).strip()
        changed = frozenset(p for p in names.strip("\n\0").split("\0") if p in here and not is_test(p))
        if len(asked.split()) >= _FEWEST_WORDS and 1 <= len(changed) <= _MOST_FILES:
            found.append((asked, changed))
    return random.Random(5).sample(found, min(count, len(found)))


def ranks(workspace: Workspace, asked: Sequence[Question], mode: str) -> list[float]:
    """One by the rank of the first right file, 0 where it is not among the first."""
    found = []
    for text, right in asked:
        view = workspace.code.view()
        results = search(view, Query(text), limit=_HITS, mode=mode, vectors=workspace.symbol_vectors)
        if results.mode != mode:
            raise SystemExit(f"asked for {mode}, answered by {results.mode}: {view.warnings}")
        files = list(dict.fromkeys(hit.scored.record.path for hit in results.hits))[:_FILES]
        found.append(next((1 / rank for rank, path in enumerate(files, 1) if path in right), 0.0))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--modes", default="keyword,semantic,hybrid")
    options = parser.parse_args()
    with Workspace.open(options.repository.resolve(), environ=os.environ) as workspace:
        workspace.code.index(workspace.code.wanted(None))
        asked = questions(workspace, options.questions)
        print(f"{options.repository.name}: {len(asked)} questions")
        if not asked:
            return 1
        if options.modes != "keyword":
            embed(workspace)
        for mode in options.modes.split(","):
            got = ranks(workspace, asked, mode)
            print(f"  {mode}: MRR {sum(got) / len(got):.3f}, first {got.count(1.0) / len(got):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
