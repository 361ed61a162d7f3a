"""file-deletion-monitor: who still links to a note that is gone, and how to get it back."""

from __future__ import annotations

import hashlib

from cuedeck.model.clock import now_ms
from cuedeck.model.errors import invalid
from cuedeck.paths import confine
from cuedeck.store import workflow_records as records
from cuedeck.store.protocol import Session
from cuedeck.workflows import inputs
from cuedeck.workflows.builtin.contents import compress, last_content
from cuedeck.workflows.builtin.notes import referrers_of
from cuedeck.workflows.context import RunContext
from cuedeck.workflows.model import JSON, NOTES, FileTrigger, Workflow


def _run(context: RunContext, given: dict[str, JSON]) -> JSON:
    path = confine(context.workspace.root, given["path"])
    if path.absolute.exists():
        if context.run.trigger == "manual":
            raise invalid("input.path", "a file that was deleted", path.relative)
        return {"path": path.relative, "deleted": False, "reason": "The file is there again"}
    referrers = context.step(
        "find referrers", lambda: referrers_of(context.workspace, path.relative), progress=40
    )
    found = last_content(context.workspace, path.relative)
    now = now_ms()

    def keep(session: Session) -> JSON:
        if found is not None:
            content, _ = found
            if records.content(session, path.relative) is None:
                sha256 = hashlib.sha256(content).hexdigest()
                records.put_content(session, path.relative, sha256, compress(content), now)
            records.mark_deleted(session, path.relative, now)
        return {"restorable": found is not None, "found_in": found[1] if found else None}

    kept = context.transact("keep content", keep, progress=80)
    return {
        "path": path.relative,
        "deleted": True,
        "referrers": referrers,
        "dangling": len(referrers),
        "restorable": kept["restorable"],
        "restore_from": kept["found_in"],
        "restore_with": f"cue workflow restore {path.relative}" if kept["restorable"] else None,
    }


WORKFLOW = Workflow(
    id="file-deletion-monitor",
    name="File Deletion Monitor",
    description="Report who still links to a deleted note, and keep its content restorable",
    function=_run,
    triggers=(FileTrigger(NOTES, frozenset({"unlink"})),),
    check_input=inputs.fields({"path": inputs.markdown_path}, {"event": inputs.one_of("unlink")}),
)
