"""Which task is next, and why there may be none."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from cuedeck.store.protocol import Row
from cuedeck.tasks.agent_task import AgentTask
from cuedeck.tasks.files import Held

EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class NextTask:
    """One task, or the reason why there is none."""

    task: AgentTask | None
    reason: str | None


def holders(working: Sequence[Row]) -> Callable[[str], str | None]:
    """What says why a task with such ``files_exclusive`` must wait, if it must; many tasks have the same."""
    held = Held(json.loads(other["files_exclusive"]) for other in working)

    @cache
    def held_back(files_exclusive: str) -> str | None:
        found = held.collision(json.loads(files_exclusive))
        if found is None:
            return None
        other, path = working[found[0]], found[1]
        holder = f" ({other['agent']})" if other["agent"] else ""
        return f"{path} is held by {other['id']}{holder}"

    return held_back


def nothing_to_do(
    tally: Sequence[Row], waiting: tuple[int, Sequence[Row]], held: Sequence[tuple[str, str]]
) -> str:
    """One sentence that says what stands in the way."""
    counts: dict[str, int] = {}
    for row in tally:
        counts[row["status"]] = counts.get(row["status"], 0) + row["tasks"]
    if not counts:
        return "There are no tasks."
    if counts.keys() == {"done"}:
        return f"All {counts['done']} tasks are done."
    parts: list[str] = []
    if held:
        shown = [f"{task_id}: {why}" for task_id, why in held[:EXAMPLES]]
        parts.append(f"{len(held)} held back by files in use: {_shown(shown, len(held))}")
    total, first = waiting
    if total:
        shown = [f"{row['id']} needs {row['needs']}" for row in first]
        parts.append(f"{total} waiting for dependencies: {_shown(shown, total)}")
    if blocked := counts.get("blocked"):
        parts.append(f"{blocked} blocked")
    if working := counts.get("in_progress"):
        parts.append(f"{working} in progress")
    return "No task can be started: " + "; ".join(parts) + "."


def _shown(examples: Sequence[str], total: int) -> str:
    more = f", and {total - len(examples)} more" if total > len(examples) else ""
    return ", ".join(examples) + more
