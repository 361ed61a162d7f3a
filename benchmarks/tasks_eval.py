"""Ready sets, dangling dependencies and cycles on real exports, against an oracle made without CueDeck.

Reads `*.jsonl` (neutral tasks) and `*.oracle.json` from the folder `tasks` in EVAL_PREPARED; says so when it
is not there. Each set is judged twice: by the graph alone, and after an import into cards.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from cuedeck.graph import dependency_graph, find_cycle, find_cycles, ready
from cuedeck.tasks.cards import Cards
from cuedeck.tasks.imports.foreign import ForeignStatus, ForeignTask, ForeignTasks
from cuedeck.tasks.imports.targets import into_cards

OPEN = {"open", "To Do", "todo"}
DONE = {"closed", "tombstone", "Done", "done"}


def judge(name: str, tasks: list[dict[str, Any]], oracle: dict[str, Any]) -> bool:
    """Print one line per judgement; whether all were equal."""
    graph = dependency_graph((task["id"], task["depends_on"]) for task in tasks)
    open_ = [task["id"] for task in tasks if task["status"] in OPEN]
    done = [task["id"] for task in tasks if task["status"] in DONE]
    found = sorted(ready(graph, done=done, open_=open_))
    checks = {
        "ready": found == oracle["ready"],
        "dangling": sum(map(len, graph.missing.values())) == oracle["dangling"],
        "cycles": (find_cycle(graph) is not None) == bool(oracle["back_edges"]),
        "cards ready": cards_ready(tasks) == oracle["ready"],
    }
    cycles = len(find_cycles(graph))
    counts = f"{len(tasks)} tasks, {len(found)} ready, {oracle['dangling']} dangling, {cycles} cycles"
    print(f"{name}: {counts}: {checks}")
    return all(checks.values())


def cards_ready(tasks: list[dict[str, Any]]) -> list[str]:
    """The ready set after an import, in the export's ids; only what the oracle calls open is compared."""
    foreign = tuple(
        ForeignTask(
            task["id"],
            task["title"] or task["id"],
            status=status_of(task["status"]),
            depends_on=tuple(task["depends_on"]),
        )
        for task in tasks
    )
    with tempfile.TemporaryDirectory() as folder:
        cards = Cards(Path(folder))
        into_cards(cards, ForeignTasks("eval", foreign), dry_run=False)
        found = [card.source or "" for card in cards.snapshot().ready()]
    open_ = {task["id"] for task in tasks if task["status"] in OPEN}
    return sorted({source.removeprefix("eval:") for source in found} & open_)


def status_of(written: str | None) -> ForeignStatus:
    """The oracle's two lists; everything else is work in progress."""
    if written in DONE:
        return ForeignStatus.DONE
    return ForeignStatus.OPEN if written in OPEN else ForeignStatus.ACTIVE


def main() -> int:
    """Judge every set; 1 when one differs."""
    folder = Path(os.environ.get("EVAL_PREPARED", "")) / "tasks"
    sets = sorted(folder.glob("*.jsonl"))
    if not sets:
        print("EVAL_PREPARED names no prepared task sets; nothing was judged")
        return 0
    equal = True
    for path in sets:
        tasks = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        oracle = json.loads(path.with_suffix("").with_suffix(".oracle.json").read_text(encoding="utf-8"))
        equal &= judge(path.stem, tasks, oracle)
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
