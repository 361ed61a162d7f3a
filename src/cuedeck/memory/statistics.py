"""How many memories there are, by type, project and tag."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from cuedeck.memory.model import MemoryType
from cuedeck.model.adding import added
from cuedeck.store import memories as table

if TYPE_CHECKING:
    from cuedeck.store.protocol import Session


def statistics(session: Session, model: str, project: str | None, type: MemoryType | None) -> dict[str, Any]:
    """The contract's numbers, and how many memories still wait for a vector."""
    chosen = str(type) if type else ""
    rows = table.counts(session, chosen, project)
    total = sum(row["number"] for row in rows)
    confidence = added(row["confidence"] for row in rows)
    by_type, by_project, by_tag = Counter[str](), Counter[str](), Counter[str]()
    for row in rows:
        by_type[row["type"]] += row["number"]
        by_project[row["project"]] += row["number"]
    for row in table.tag_lists(session, chosen, project):
        for tag in json.loads(row["tags"]):
            by_tag[tag] += row["number"]
    without = by_project.pop("", 0)
    return {
        "total": total,
        "by_type": dict(sorted(by_type.items())),
        "by_project": dict(sorted(by_project.items())),
        "by_tag": dict(sorted(by_tag.items())),
        "without_project": without,
        "avg_confidence": round(confidence / total, 6) if total else 0.0,
        "total_links": table.count_links(session, chosen, project),
        "pending_embeddings": table.count_incomplete(session, model),
    }
