"""Beads: one JSON object per line, dependencies as typed links."""

from __future__ import annotations

import json
from typing import Any

from cuedeck.tasks.dates import parse_moment
from cuedeck.tasks.imports.foreign import ForeignStatus, ForeignTask, ForeignTasks, Misfit

_STATUS = {
    "open": ForeignStatus.OPEN,
    "in_progress": ForeignStatus.ACTIVE,
    "hooked": ForeignStatus.ACTIVE,
    "pinned": ForeignStatus.ACTIVE,
    "blocked": ForeignStatus.BLOCKED,
    "deferred": ForeignStatus.BLOCKED,
    "closed": ForeignStatus.DONE,
    "tombstone": ForeignStatus.DROPPED,
}
_SECTIONS = (("design", "Design"), ("acceptance_criteria", "Acceptance criteria"), ("notes", "Notes"))


def read_beads(text: str) -> ForeignTasks:
    """Parse an export; of two lines with one id the later counts."""
    tasks: dict[str, ForeignTask] = {}
    misfits: list[Misfit] = []
    # Not splitlines: a text inside JSON may hold what it takes for the end of a line.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            issue = json.loads(line)
        except (ValueError, RecursionError):
            misfits.append(Misfit(f"line {number}", "not JSON; left out"))
            continue
        if not isinstance(issue, dict) or not _text(issue, "id") or not _text(issue, "title"):
            misfits.append(Misfit(f"line {number}", "no id or title; left out"))
            continue
        tasks[issue["id"]] = _task(issue, misfits)
    return ForeignTasks("beads", tuple(tasks.values()), tuple(misfits))


def _task(issue: dict[str, Any], misfits: list[Misfit]) -> ForeignTask:
    key = issue["id"]
    links = _links(issue.get("dependencies"))
    blocks = [link["depends_on_id"] for link in links if link.get("type") in ("blocks", None)]
    parents = [link["depends_on_id"] for link in links if link.get("type") == "parent-child"]
    for link in links:
        if link.get("type") not in ("blocks", "parent-child", None):
            what = f"link '{link.get('type')}' to {link.get('depends_on_id')}; named in the description"
            misfits.append(Misfit(key, what))
    return ForeignTask(
        key=key,
        title=issue["title"],
        description=_description(issue, links),
        status=_status(key, issue, misfits),
        priority=_priority(issue.get("priority")),
        epic=issue.get("issue_type") == "epic",
        assignee=_text(issue, "assignee") or None,
        tags=tuple(dict.fromkeys([*_tags(issue.get("labels")), *_kind(issue)])),
        depends_on=tuple(dict.fromkeys(blocks)),
        parent=parents[0] if parents else None,
        created=parse_moment(_text(issue, "created_at")),
        reason=_text(issue, "close_reason") or None,
    )


def _links(value: Any) -> list[dict[str, Any]]:
    found = value if isinstance(value, list) else []
    return [link for link in found if isinstance(link, dict) and isinstance(link.get("depends_on_id"), str)]


def _status(key: str, issue: dict[str, Any], misfits: list[Misfit]) -> ForeignStatus:
    written = _text(issue, "status") or "open"
    if written not in _STATUS:
        misfits.append(Misfit(key, f"status '{written}'; taken as open"))
    return _STATUS.get(written, ForeignStatus.OPEN)


def _priority(value: Any) -> int:
    """Beads counts from 0, the highest, to 4."""
    return min(4, max(0, value)) + 1 if isinstance(value, int) else 3


def _kind(issue: dict[str, Any]) -> list[str]:
    kind = _text(issue, "issue_type")
    return [kind] if kind and kind not in ("task", "epic") else []


def _tags(value: Any) -> list[str]:
    return [tag for tag in value if isinstance(tag, str) and tag.strip()] if isinstance(value, list) else []


def _description(issue: dict[str, Any], links: list[dict[str, Any]]) -> str:
    parts = [_text(issue, "description")]
    parts += [f"## {title}\n\n{_text(issue, field)}" for field, title in _SECTIONS if _text(issue, field)]
    related = [
        f"- {link.get('type')}: {link.get('depends_on_id')}"
        for link in links
        if link.get("type") not in ("blocks", "parent-child", None)
    ]
    if related:
        parts.append("## Related\n\n" + "\n".join(related))
    return "\n\n".join(part for part in parts if part)


def _text(issue: dict[str, Any], field: str) -> str:
    value = issue.get(field)
    return value if isinstance(value, str) else ""
