"""Replays real failures: is the episode that solved the same one found first, and how sure is the guidance?

    python benchmarks/memory_replay.py [--solved 0.6]

Every program of tests/memory/failures fails once; some are solved. Then each fails again elsewhere, with
other paths and lines, and guidance is asked for.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "memory" / "failures"))

from broken import Broken, load

from cuedeck.config.sections import MemorySection, SearchSection
from cuedeck.memory import lessons
from cuedeck.memory.episodes import Outcome
from cuedeck.memory.memories import Memories
from cuedeck.memory.reflection import Attempt
from cuedeck.search.embedder import open_embedder
from cuedeck.store import open_store


def play(memories: Memories, cases: list[Broken], solved: set[str]) -> dict[str, str]:
    """Let everything fail, and some be solved; the ids of the solutions."""
    solutions: dict[str, str] = {}
    for number, case in enumerate(cases):
        task = f"repair module {number % 9}"
        tried = Attempt("", case.output("a"), task=task, approach="guess")
        lessons.reflect(memories, tried, actor="replay")
        if case.name in solved:
            fixed = Attempt(
                "", case.output("a"), task=task, approach=f"fix {number}", outcome=Outcome.SUCCESS
            )
            solutions[case.name] = lessons.reflect(memories, fixed, actor="replay")[0].memory.id
    return solutions


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--solved", type=float, default=0.6)
    chosen = parser.parse_args()
    cases = load()
    solved = {case.name for case in random.Random(3).sample(cases, int(len(cases) * chosen.solved))}
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(None, root=Path(folder), workspace_id="replay")
        memories = Memories(store, open_embedder(SearchSection(), Path()), MemorySection())
        solutions = play(memories, cases, solved)
        first, sure, unsure = 0, [], []
        for case in cases:
            advice = lessons.improved_attempt(memories, "repair what broke", "", case.output("b"))
            best = advice["similar_episodes"][0]["id"] if advice["similar_episodes"] else None
            if case.name in solved:
                first += best == solutions[case.name]
                sure.append(advice["confidence"])
            else:
                unsure.append(advice["confidence"])
        memories.close()
        store.close()
    print(f"{len(cases)} failures, {len(solved)} solved before")
    print(f"the solution of the same failure comes first: {first / len(solved):.3f}")
    print(f"mean confidence where it was solved: {sum(sure) / len(sure):.2f}")
    print(f"mean confidence where it was not: {sum(unsure) / len(unsure):.2f}")


if __name__ == "__main__":
    main()
