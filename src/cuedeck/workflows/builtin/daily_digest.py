"""proof-daily-digest: one note a day on files, tasks, memories and runs; a person's words stay."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING
from urllib.parse import quote

from cuedeck.paths import confine, make_folders, read_if_there, replace_file
from cuedeck.store import runs as run_rows
from cuedeck.store import workflow_records as records
from cuedeck.store.changes import changes_between
from cuedeck.store.protocol import Change, Session
from cuedeck.workflows import inputs
from cuedeck.workflows.context import RunContext
from cuedeck.workflows.model import JSON, CronTrigger, Workflow

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace

ID = "proof-daily-digest"
FOLDER = ".cuedeck/docs/digests"
MOST_LINES = 30
# The result keeps so many of each kind beside the totals.
MOST_LISTED = 1000
MOST_TITLE = 80
# The tables whose changes count, and what their rows are called by.
_LABELS = {"agent_tasks": "name", "memories": "title"}
_BLOCK = re.compile(
    r"<!-- cuedeck:digest (?P<sha>[0-9a-f]{12}) -->\n(?P<body>.*?)<!-- /cuedeck:digest -->\n", re.DOTALL
)


def collect(workspace: Workspace, day: date) -> dict[str, JSON]:
    """What happened on a day, by the workspace's own records, in local time."""
    since, until = _span(day)
    with workspace.store.state.read() as session:
        files = records.file_changes(session, since=since, until=until)
        runs = run_rows.started_between(session, since, until)
        changed = _changed(changes_between(session, since, until, _LABELS))
    touched = _files([(row["path"], row["event"]) for row in files])
    tasks, memories = changed["agent_tasks"], changed["memories"]
    return {
        "date": day.isoformat(),
        "files": touched[:MOST_LISTED],
        "cards": _cards(workspace, day),
        "tasks": _listed(tasks),
        "memories": _listed(memories),
        "runs": _runs([(row["workflow"], row["status"], row["error"]) for row in runs]),
        "totals": {"files": len(touched), "tasks": len(tasks), "memories": len(memories)},
    }


def _span(day: date) -> tuple[int, int]:
    start = datetime.combine(day, time()).astimezone()
    end = datetime.combine(day + timedelta(days=1), time()).astimezone()
    return int(start.timestamp() * 1000), int(end.timestamp() * 1000)


def _files(events: list[tuple[str, str]]) -> list[dict[str, JSON]]:
    """Each file once, with what became of it in the end and how often it was touched."""
    last: dict[str, str] = {}
    first: dict[str, str] = {}
    times: Counter[str] = Counter()
    for path, event in events:
        first.setdefault(path, event)
        last[path] = event
        times[path] += 1
    found = []
    for path in sorted(last):
        if path.startswith(f"{FOLDER}/") or (first[path] == "add" and last[path] == "unlink"):
            continue
        event = "removed" if last[path] == "unlink" else "added" if first[path] == "add" else "changed"
        found.append({"path": path, "event": event, "times": times[path]})
    return found


def _cards(workspace: Workspace, day: date) -> dict[str, list[dict[str, JSON]]]:
    created: list[dict[str, JSON]] = []
    finished: list[dict[str, JSON]] = []
    moved: list[dict[str, JSON]] = []
    cards = workspace.cards.list()
    for card in cards:
        entry: dict[str, JSON] = {"id": card.id, "title": card.title, "status": str(card.status)}
        if card.created and card.created.astimezone().date() == day:
            created.append(entry)
        elif card.updated and card.updated.astimezone().date() == day:
            (finished if card.status in ("done", "archived") else moved).append(entry)
    active: list[dict[str, JSON]] = [
        {"id": card.id, "title": card.title, "assignee": card.assignee}
        for card in cards
        if card.status == "active"
    ]
    return {"created": created, "finished": finished, "moved": moved, "active": active}


def _changed(changes: Iterable[Change]) -> dict[str, dict[str, dict[str, JSON]]]:
    """Rows that changed, by table and id, newest state; of very many only that they did."""
    found: dict[str, dict[str, dict[str, JSON]]] = {table: {} for table in _LABELS}
    for change in changes:
        rows = found[change.table]
        known = rows.setdefault(change.id, {})
        if not known and len(rows) > MOST_LISTED:
            continue
        after = change.after or change.before or {}
        title = str(after.get(_LABELS[change.table]) or after.get("content") or "")
        known |= {
            "id": change.id,
            "first": known.get("first", change.op),
            "title": " ".join(title.split())[:MOST_TITLE],
            "status": after.get("status"),
            "type": after.get("type"),
            "last": change.op,
        }
    return found


def _listed(rows: dict[str, dict[str, JSON]]) -> list[dict[str, JSON]]:
    return [row for row in rows.values() if row]


def _runs(runs: list[tuple[str, str, str | None]]) -> list[dict[str, JSON]]:
    by_workflow: dict[str, Counter[str]] = {}
    errors: dict[str, str] = {}
    for workflow, status, error in runs:
        by_workflow.setdefault(workflow, Counter())[status] += 1
        if error:
            errors[workflow] = error
    return [
        {"workflow": name, **counts, "last_error": errors.get(name)}
        for name, counts in sorted(by_workflow.items())
    ]


def render(digest: dict[str, JSON]) -> str:
    """The digest in words."""
    files, cards, totals = digest["files"], digest["cards"], digest["totals"]
    parts = [f"# {digest['date']}\n"]
    headline = [
        _count(totals["files"], "file"),
        _count(len(cards["created"]) + len(cards["finished"]) + len(cards["moved"]), "card"),
        _count(totals["tasks"], "task"),
        _count(totals["memories"], "memory", "memories"),
    ]
    parts.append(", ".join(headline) + " touched.\n")
    parts += _section(
        "Files", [f"- {item['event']} {_link(item)}" + _times(item) for item in files], totals["files"]
    )
    parts += _section(
        "Cards",
        [f"- finished: {c['title']} (`{c['id']}`)" for c in cards["finished"]]
        + [f"- new: {c['title']} (`{c['id']}`)" for c in cards["created"]]
        + [f"- {c['status']}: {c['title']} (`{c['id']}`)" for c in cards["moved"]],
    )
    parts += _section(
        "Still active",
        [f"- {c['title']} (`{c['id']}`, {c['assignee'] or 'nobody'})" for c in cards["active"]],
    )
    parts += _section(
        "Agent tasks",
        [f"- {t['status']}: {t['title']} (`{t['id']}`)" for t in digest["tasks"]],
        totals["tasks"],
    )
    parts += _section(
        "Remembered",
        [f"- {m['type']}: {m['title']} (`{m['id']}`)" for m in digest["memories"]],
        totals["memories"],
    )
    failed = [run for run in digest["runs"] if run.get("failed")]
    parts += _section(
        "Failed workflows", [f"- {r['workflow']}: {r['failed']}x, {r['last_error']}" for r in failed]
    )
    return "\n".join(parts)


def _link(item: dict[str, JSON]) -> str:
    """A link that works in any reader; what is gone is only named, so that no link is left dangling."""
    path = str(item["path"])
    if item["event"] == "removed":
        return f"`{path}`"
    shown = path.replace("[", "\\[").replace("]", "\\]")
    return f"[{shown}](/{quote(path)})"


def _section(title: str, lines: Sequence[str], total: int | None = None) -> list[str]:
    if not lines:
        return []
    shown = lines[:MOST_LINES]
    left = (total or len(lines)) - len(shown)
    more = [f"- … and {left} more"] if left else []
    return [f"## {title}\n", *shown, *more, ""]


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _times(item: dict[str, JSON]) -> str:
    return f" ({item['times']} times)" if item["times"] > 1 else ""


def merge(existing: str | None, body: str) -> str:
    """The note with our block renewed; what a person wrote, also inside an edited block, stays."""
    block = f"<!-- cuedeck:digest {_mark(body)} -->\n{body}<!-- /cuedeck:digest -->\n"
    if existing is None:
        return block
    found = _BLOCK.search(existing)
    if found is None:
        return f"{existing.rstrip()}\n\n{block}"
    if _mark(found["body"]) == found["sha"]:
        return existing[: found.start()] + block + existing[found.end() :]
    # Somebody edited the block: it is theirs now, and ours goes below.
    adopted = existing[: found.start()] + found["body"] + existing[found.end() :]
    return f"{adopted.rstrip()}\n\n{block}"


def _mark(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()[:12]


def _write(workspace: Workspace, day: str, body: str) -> dict[str, JSON]:
    path = confine(workspace.root, f"{FOLDER}/{day}.md")
    make_folders(path.root, path.absolute.parent)
    before = read_if_there(path)
    text = merge(None if before is None else before.decode("utf-8"), body).encode()
    if text != before:
        replace_file(path, text, expected=before)
    return {"path": path.relative, "sha256": hashlib.sha256(text).hexdigest(), "written": text != before}


def _run(context: RunContext, given: dict[str, JSON]) -> JSON:
    day = date.fromisoformat(given["date"]) if given.get("date") else date.today()
    digest = context.step("collect", lambda: collect(context.workspace, day), progress=40)
    written = context.step(
        "write", lambda: _write(context.workspace, digest["date"], render(digest)), progress=80
    )

    def note(session: Session) -> None:
        run_rows.note_write(session, ID, written["path"], written["sha256"])

    context.transact("note", note, progress=95)
    return {**digest, **written}


WORKFLOW = Workflow(
    id=ID,
    name="Daily Digest",
    description="Write the day's digest note: files, cards, agent tasks, memories and failed runs",
    function=_run,
    triggers=(CronTrigger("55 23 * * *"),),
    check_input=inputs.fields({}, {"date": inputs.day}),
)
