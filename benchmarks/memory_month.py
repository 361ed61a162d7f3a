"""A month of an agent's failures: how often the recommended approach works, and how often it says it will.

    python benchmarks/memory_month.py [--months 2] [--first 10]

Thirty real failures recur for 300 episodes, some in tests of other names. Each has approaches of a hidden
chance of success; some fixes are flaky, some stop working in the middle of the month, some help in part only,
and every approach is told in two wordings. Before each episode guidance is asked for and mostly followed.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "memory" / "failures"))

from broken import Broken, load

from cuedeck.config.sections import MemorySection, SearchSection
from cuedeck.memory import lessons
from cuedeck.memory.episodes import Outcome
from cuedeck.memory.memories import Memories
from cuedeck.memory.model import Draft, MemoryType
from cuedeck.memory.reflection import Attempt
from cuedeck.search.embedder import open_embedder
from cuedeck.store import open_store

WORDINGS = (
    ("Pin {} to the version of last week", "pinned {} at the version from last week"),
    ("Add a guard for a missing {} before it is used", "guard against a missing {} before using it"),
    ("Increase the timeout of {}", "raised {}'s timeout"),
    ("Clear the cache of {} and rebuild", "rebuild after clearing {}'s cache"),
    ("Rewrite {} without recursion", "{} rewritten without recursion"),
    ("Mock {} in the test", "the test mocks {} now"),
)
NOUNS = (
    "parser",
    "session",
    "ledger",
    "router",
    "cursor",
    "invoice",
    "socket",
    "planner",
    "archive",
    "tunnel",
)
TASKS = ("speed up the report", "migrate the billing", "fix the flaky login", "add an export", "upgrade")
MODELS = {"haiku": 0.3, "sonnet": 0.45, "opus": 0.6}
EPISODES, PROBLEMS, APPROACHES = 300, 30, 5
# What an approach to another problem does for this one.
ELSEWHERE = 0.03


@dataclass(frozen=True, slots=True)
class Problem:
    """A failure and what helps against it."""

    case: Broken
    noun: str
    wordings: tuple[tuple[str, str], ...]
    chances: tuple[float, ...]
    drifts: bool

    def chance(self, approach: int, late: bool) -> float:
        return self.chances[(approach + (self.drifts and late)) % APPROACHES]


def problem(case: Broken, dice: random.Random) -> Problem:
    kind = dice.random()
    chances = (dice.betavariate(8, 1.5), *(dice.betavariate(1, 6) for _ in range(APPROACHES - 1)))
    flaky = (0.5,) * APPROACHES
    wordings = tuple(dice.sample(WORDINGS, APPROACHES))
    return Problem(case, dice.choice(NOUNS), wordings, flaky if kind < 0.15 else chances, 0.15 <= kind < 0.25)


def output(case: Broken, dice: random.Random) -> str:
    """What the tool printed, here or elsewhere, sometimes in a test of another name."""
    text = case.output(dice.choice("ab"))
    name = re.split(r"\W", case.test or "")[-1]
    if len(name) < 4 or dice.random() < 0.75:
        return text
    return re.sub(rf"\b{name}\b", f"{name}_again", text)


def month(memories: Memories, seed: int) -> list[tuple[float, float]]:
    """What guidance said of the approach it recommended, and that approach's true chance."""
    dice = random.Random(seed)
    cases = [case for case in load() if case.kind == "test_failure" and case.test]
    problems = [problem(case, dice) for case in dice.sample(cases, PROBLEMS)]
    told: dict[str, tuple[Problem, int]] = {}
    said: list[tuple[float, float]] = []
    for number in range(EPISODES):
        late = number > EPISODES // 2
        often = min(int(dice.paretovariate(1.0)) - 1, PROBLEMS - 1)
        now = problems[often if dice.random() < 0.6 else dice.randrange(PROBLEMS)]
        text, task = output(now.case, dice), dice.choice(TASKS)
        advice = lessons.improved_attempt(memories, task, "", text)
        named = re.match(r"Do what (memory:\w+) did", advice["recommended_approach"])
        known = told.get(named[1]) if named else None
        if known:
            said.append(
                (advice["confidence"], known[0].chance(known[1], late) if known[0] is now else ELSEWHERE)
            )
        model = dice.choice(list(MODELS))
        if known and known[0] is now and advice["confidence"] > 0.3 and dice.random() < 0.85:
            approach = known[1]
        elif dice.random() < MODELS[model]:
            approach = max(range(APPROACHES), key=lambda one: now.chance(one, late))
        else:
            approach = dice.randrange(APPROACHES)
        good = dice.random() < now.chance(approach, late)
        words = dice.choice(now.wordings[approach]).format(now.noun)
        told[tell(memories, task, text, words, model, good, dice)] = (now, approach)
    return said


def tell(
    memories: Memories, task: str, text: str, words: str, model: str, good: bool, dice: random.Random
) -> str:
    """Record how an episode ended; the id of what was recorded."""
    if not good and dice.random() < 0.15:
        metadata = {"task": task, "approach": words, "outcome": "partial: 2 of 3 pass", "feedback": text}
        content = f"{task}: {words} {dice.random()}"
        return memories.store(Draft(MemoryType.EPISODE, content, metadata=metadata), actor="month").memory.id
    outcome = Outcome.SUCCESS if good else Outcome.FAILURE
    attempt = Attempt("", text, task=task, approach=words, model_used=model, outcome=outcome)
    return lessons.reflect(memories, attempt, actor="month")[0].memory.id


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--months", type=int, default=2)
    parser.add_argument("--first", type=int, default=10)
    chosen = parser.parse_args()
    embedder = open_embedder(SearchSection(), Path())
    said: list[tuple[float, float]] = []
    for seed in range(chosen.first, chosen.first + chosen.months):
        with tempfile.TemporaryDirectory() as folder:
            store = open_store(None, root=Path(folder), workspace_id="month")
            memories = Memories(store, embedder, MemorySection())
            said += month(memories, seed)
            memories.close()
            store.close()
    print(f"{EPISODES * chosen.months} episodes, {len(said)} with a recommended approach")
    print(f"it works in {mean(true for _, true in said):.2f}; said {mean(one for one, _ in said):.2f}")
    print(f"mean square of the difference: {mean((one - true) ** 2 for one, true in said):.4f}")
    steps: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for one in said:
        steps[min(9, int(one[0] * 10))].append(one)
    for step, some in sorted(steps.items()):
        shown = f"said {mean(one for one, _ in some):.2f}, works in {mean(true for _, true in some):.2f}"
        print(f"  {step / 10:.1f} to {step / 10 + 0.1:.1f}: {shown} ({len(some)} times)")


if __name__ == "__main__":
    main()
