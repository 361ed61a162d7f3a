"""file-change-logger: every change of a note as a row of the change log, with its content kept."""

from __future__ import annotations

import hashlib

from cuedeck.model.clock import now_ms
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.paths import confine, confine_file, read_file
from cuedeck.store import workflow_records as records
from cuedeck.store.protocol import Session
from cuedeck.workflows import inputs
from cuedeck.workflows.builtin.contents import MOST_BYTES, compress
from cuedeck.workflows.context import RunContext
from cuedeck.workflows.model import JSON, NOTES, FileTrigger, Workflow


def _run(context: RunContext, given: dict[str, JSON]) -> JSON:
    event = given.get("event") or "change"
    path = confine(context.workspace.root, given["path"]).relative
    content: bytes | None = None
    if event != "unlink":
        try:
            content = read_file(confine_file(context.workspace.root, path), at_most=MOST_BYTES + 1).data
        except CueError as error:
            # Started by an event, the file may be gone again; asked for by name, that is a failure.
            if error.code is not ErrorCode.NOT_FOUND or context.run.trigger == "manual":
                raise
            event = "unlink"
    sha256 = None if content is None else hashlib.sha256(content).hexdigest()
    now = now_ms()

    def log(session: Session) -> JSON:
        row = {
            "id": context.run.id,
            "path": path,
            "event": event,
            "sha256": sha256,
            "size": None if content is None else len(content),
            "at": now,
        }
        changes = records.add_file_change(session, row)
        kept = content is not None and sha256 is not None and len(content) <= MOST_BYTES
        if kept:
            records.put_content(session, path, str(sha256), compress(content or b""), now)
        return {**row, "changes": changes, "content_kept": kept}

    return context.transact("log", log, progress=90)


WORKFLOW = Workflow(
    id="file-change-logger",
    name="File Change Logger",
    description="Log file changes to database",
    function=_run,
    triggers=(FileTrigger(NOTES),),
    check_input=inputs.fields(
        {"path": inputs.workspace_path}, {"event": inputs.one_of("add", "change", "unlink")}
    ),
)
