"""concept-tracker: the versions of a concept, what changed between them, and who links to it."""

from __future__ import annotations

import json
from typing import Any

from cuedeck.documents.markdown import parse_markdown
from cuedeck.store import workflow_records as records
from cuedeck.store.protocol import Session
from cuedeck.workflows import inputs
from cuedeck.workflows.builtin.markdown_analyzer import analyse
from cuedeck.workflows.builtin.notes import Note, read_note, unless_gone
from cuedeck.workflows.context import RunContext
from cuedeck.workflows.model import JSON, FileTrigger, Workflow

HISTORY = 20


def outline(note: Note) -> dict[str, JSON]:
    """What of a concept is compared from version to version."""
    analysis = analyse(note)
    parsed = parse_markdown(note.text)
    title = next((h.text for h in parsed.headings if h.level == 1), note.path.rpartition("/")[2])
    return {
        "title": title,
        "status": note.status,
        "words": analysis.words,
        "headings": [heading["text"] for heading in analysis.headings],
        "tags": sorted(analysis.tags),
        "outgoing": sorted(note.outgoing),
        "frontmatter": parsed.frontmatter.data or {},
    }


def compare(before: dict[str, Any] | None, after: dict[str, Any]) -> dict[str, JSON]:
    """The differences a reader would name."""
    if before is None:
        return {"first_version": True}
    changes: dict[str, JSON] = {}
    for name in ("headings", "tags", "outgoing"):
        added = [item for item in after[name] if item not in before[name]]
        removed = [item for item in before[name] if item not in after[name]]
        if added or removed:
            changes["links" if name == "outgoing" else name] = {"added": added, "removed": removed}
    for name in ("title", "status"):
        if before[name] != after[name]:
            changes[name] = {"from": before[name], "to": after[name]}
    if before["words"] != after["words"]:
        changes["words"] = {"from": before["words"], "to": after["words"]}
    keys = sorted(set(before["frontmatter"]) | set(after["frontmatter"]))
    moved = [key for key in keys if before["frontmatter"].get(key) != after["frontmatter"].get(key)]
    if moved:
        changes["frontmatter"] = moved
    return changes or {"wording": True}


@unless_gone
def _run(context: RunContext, given: dict[str, JSON]) -> JSON:
    note = read_note(context.workspace, given["path"])
    now_outline = context.step("read", lambda: outline(note), progress=40)

    def add(session: Session) -> JSON:
        last = records.last_version(session, note.path)
        if last is not None and last["sha256"] == note.sha256:
            return {"version": last["version"], "new": False, "changes": {}}
        changes = compare(None if last is None else json.loads(last["outline"]), now_outline)
        version = 1 if last is None else int(last["version"]) + 1
        records.add_version(
            session,
            {
                "path": note.path,
                "version": version,
                "sha256": note.sha256,
                "at": note.modified,
                "outline": json.dumps(now_outline, ensure_ascii=False),
                "changes": json.dumps(changes, ensure_ascii=False),
            },
        )
        return {"version": version, "new": True, "changes": changes}

    added = context.transact("version", add, progress=80)
    with context.workspace.store.state.read() as session:
        rows = records.versions(session, note.path)
    return {
        "path": note.path,
        "title": now_outline["title"],
        **added,
        "linked_from": list(note.incoming),
        "history": [
            {"version": row["version"], "at": row["at"], "changes": json.loads(row["changes"])}
            for row in rows[:HISTORY]
        ],
        "versions": len(rows),
    }


WORKFLOW = Workflow(
    id="concept-tracker",
    name="Concept Tracker",
    description="Track how a concept note evolves: versions, what changed, who links to it",
    function=_run,
    triggers=(FileTrigger(("concepts/**/*.md",), frozenset({"add", "change"})),),
    check_input=inputs.fields({"path": inputs.markdown_path}, {"event": inputs.one_of("add", "change")}),
)
