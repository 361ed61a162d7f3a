"""list_tasks and update_task on 5,000 cards: the contract allows 20 and 30 ms (median)."""

from __future__ import annotations

import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cuedeck.mcp.decks.context_cards import TOOLS
from cuedeck.mcp.tool import Call
from cuedeck.mcp.validation import validated
from cuedeck.model.principal import ANONYMOUS
from cuedeck.workspace import Workspace

CARDS = 5_000
ROUNDS = 60
BY_NAME = {tool.name: tool for tool in TOOLS}


def write_cards(root: Path) -> list[str]:
    """Cards as `cue card new` makes them, with dependencies on earlier ones."""
    chance = random.Random(3)
    folder = root / ".cuedeck" / "cards"
    folder.mkdir(parents=True)
    ids: list[str] = []
    for number in range(CARDS):
        card_id = f"t{number:05}"
        needs = ", ".join(chance.sample(ids[-50:], min(2, len(ids))))
        (folder / f"{card_id}.md").write_text(
            f"---\ntitle: 'Task {number}: do it'\nstatus: {chance.choice(['todo', 'active', 'done'])}\n"
            f"priority: {chance.choice(['low', 'medium', 'high'])}\nassignee: '@dev{number % 7}'\n"
            f"tags: [area{number % 11}, web]\ndepends_on: [{needs}]\nrefs: []\n"
            f"created: 2026-01-{number % 28 + 1:02}T10:00:00.000Z\nupdated: 2026-02-01T10:00:00.000Z\n---\n\n"
            f"# Task {number}\n\n## Description\n\n{'word ' * 60}\n"
        )
        ids.append(card_id)
    return ids


def timed(action: Callable[[], object]) -> float:
    """Milliseconds."""
    started = time.perf_counter()
    action()
    return (time.perf_counter() - started) * 1000


def main() -> None:
    """Print the cold time, then medians and 95th percentiles."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        ids = write_cards(root)
        time.sleep(0.1)
        workspace = Workspace.open(root)

        def call(name: str, **arguments: Any) -> str:
            tool = BY_NAME[name]
            answer = tool.handler(Call(workspace, ANONYMOUS, validated(tool.arguments, arguments)))
            return json.dumps(answer.value, ensure_ascii=False)

        print(
            f"{CARDS} cards, first list_tasks (reads every file): {timed(lambda: call('list_tasks')):.0f} ms"
        )
        chance = random.Random(5)
        actions: dict[str, Callable[[], object]] = {
            "list_tasks, active and high (goal 20)": lambda: call(
                "list_tasks", status="active", priority="high"
            ),
            "list_tasks, everything (goal 20)": lambda: call("list_tasks"),
            "update_task (goal 30)": lambda: call(
                "update_task", id=chance.choice(ids), updates={"status": chance.choice(["todo", "active"])}
            ),
            "update_task with a note": lambda: call(
                "update_task", id=chance.choice(ids), updates={"notes": "went well"}
            ),
            "validate_task_graph": lambda: call("validate_task_graph"),
            "create_task with a dependency": lambda: call("create_task", title="New", depends_on=[ids[0]]),
        }
        for name, action in actions.items():
            times = sorted(timed(action) for _ in range(ROUNDS))
            print(f"{name}: p50 {statistics.median(times):.1f} ms, p95 {times[int(ROUNDS * 0.95)]:.1f} ms")


if __name__ == "__main__":
    main()
