"""How far the work is: counts per status, in all and for every epic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cuedeck.store.protocol import Row
from cuedeck.tasks.agent_task import TaskStatus


@dataclass(frozen=True, slots=True)
class Counts:
    """Tasks per status."""

    pending: int = 0
    in_progress: int = 0
    blocked: int = 0
    done: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.pending + self.in_progress + self.blocked + self.done

    def to_json(self) -> dict[str, Any]:
        """Counts, total and the share that is done."""
        share = round(self.done / self.total, 3) if self.total else 0.0
        by_status = {status.value: getattr(self, status.value) for status in TaskStatus}
        return {**by_status, "total": self.total, "done_share": share}


@dataclass(frozen=True, slots=True)
class EpicProgress:
    """One epic and its tasks."""

    id: str
    name: str
    counts: Counts


@dataclass(frozen=True, slots=True)
class Progress:
    """All tasks, and epic by epic."""

    overall: Counts
    epics: tuple[EpicProgress, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        epics = [{"task_id": epic.id, "name": epic.name, **epic.counts.to_json()} for epic in self.epics]
        return {**self.overall.to_json(), "epics": epics}


def progress_of(tally: Sequence[Row], epics: Sequence[Row]) -> Progress:
    """Put the counts of each parent and status together."""
    overall: dict[str, int] = {}
    by_epic: dict[str, dict[str, int]] = {}
    for row in tally:
        overall[row["status"]] = overall.get(row["status"], 0) + row["tasks"]
        if row["parent"] is not None:
            by_epic.setdefault(row["parent"], {})[row["status"]] = row["tasks"]
    return Progress(
        Counts(**overall),
        tuple(EpicProgress(row["id"], row["name"], Counts(**by_epic.get(row["id"], {}))) for row in epics),
    )
