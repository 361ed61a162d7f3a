"""The first page: is all well, what is going on, what happened today."""

from __future__ import annotations

import time
from collections.abc import Sequence

from cuedeck.model.clock import now_ms
from cuedeck.store import documents as document_rows
from cuedeck.tasks.agent_task import AgentTask, TaskStatus, TaskType
from cuedeck.tasks.card import Card, CardStatus
from cuedeck.web.asked import Asked, Page
from cuedeck.web.html import Child, Html, el, join
from cuedeck.web.layout import badge, facts, figure, link, moment, panel, table
from cuedeck.web.pages.code import index_state
from cuedeck.web.pages.workflows import RUN_HEADS, run_row
from cuedeck.workflows.model import RunStatus

SHOWN = 8
PARTS = {"fileSystem": "Files", "shadowCache": "Store", "workflowEngine": "Workflows"}


def overview(asked: Asked) -> Page:
    """Health, figures, and the newest of everything."""
    workspace = asked.workspace
    cards = [card for card in workspace.cards.list() if card.status is CardStatus.ACTIVE]
    held = workspace.agent_tasks.list(status=TaskStatus.IN_PROGRESS, type=TaskType.TASK)
    body = [
        _figures(asked, len(cards), len(held)),
        el(
            "div",
            panel("Health", _health(asked)),
            panel("Agents at work", _held(asked, held), more="/tasks"),
            panel("Active cards", _cards(asked, cards), more="/cards"),
            panel("Workflow runs", _runs(asked), more="/workflows"),
            panel("Recent memories", _memories(asked), more="/memory"),
            panel("Files changed today", _files(asked), more="/documents"),
            class_="grid",
        ),
    ]
    return Page("Overview", "overview", join(body))


def _figures(asked: Asked, cards: int, held: int) -> Html:
    counts = asked.workspace.workflows.journal.counts()
    progress = asked.workspace.agent_tasks.progress().overall
    running = counts.get("running", 0) + counts.get("pending", 0)
    return el(
        "div",
        figure(cards, "cards active", "/cards"),
        figure(held, "tasks in hand", "/tasks"),
        figure(progress.pending, "tasks waiting", "/tasks"),
        figure(running, "runs under way", "/workflows"),
        figure(counts.get("failed", 0), "runs failed", "/workflows?status=failed"),
        class_="figures",
    )


def _health(asked: Asked) -> Html:
    from cuedeck.mcp.decks.vault_health import health

    workspace = asked.workspace
    status, components, problems = health(workspace)
    watching = workspace.documents.freshness.watching
    documents, memories = workspace.documents.pending(), workspace.memory.pending()
    waiting = f"{documents} of documents, {memories} of memories"
    pairs: list[tuple[str, Child]] = [
        ("Overall", badge(status)),
        *((PARTS.get(name, name), badge("fine" if fine else "failing")) for name, fine in components.items()),
        *((f"{PARTS.get(name, name)}: problem", asked.masked(text)) for name, text in problems.items()),
        ("Documents", "watched as they change" if watching else "checked on every question"),
        ("Vectors to make", waiting if documents or memories else "none"),
        ("Model", workspace.embedder.unavailable or workspace.embedder.model.partition(":")[0]),
        ("Code", index_state(workspace.code)),
    ]
    return facts(pairs)


def _held(asked: Asked, held: Sequence[AgentTask]) -> Html:
    rows = [
        (link(asked.masked(task.name), f"/tasks/{task.id}"), task.agent or "nobody", _lease(task))
        for task in held[:SHOWN]
    ]
    return table(("Task", "Agent", "Lease"), rows, "No agent holds a task.")


def _lease(task: AgentTask) -> Child:
    if task.lease_until is None:
        return None
    over = task.lease_until < now_ms()
    return join(["ended ", moment(task.lease_until)]) if over else join(["ends ", moment(task.lease_until)])


def _cards(asked: Asked, cards: Sequence[Card]) -> Html:
    rows = [
        (link(asked.masked(card.title), f"/cards/{card.id}"), badge(card.priority), card.assignee)
        for card in cards[:SHOWN]
    ]
    return table(("Card", "Priority", "Assignee"), rows, "No card is active.")


def _runs(asked: Asked) -> Html:
    runs, _ = asked.workspace.workflows.history(None, limit=100, offset=0)
    telling = [run for run in runs if run.status is not RunStatus.COMPLETED] or runs
    return table(RUN_HEADS, [run_row(asked, run) for run in telling[:SHOWN]], "No workflow has run yet.")


def _memories(asked: Asked) -> Html:
    rows = [
        (
            link(asked.masked(memory.shown_title), f"/memory/{memory.id}"),
            badge(memory.type),
            moment(memory.updated_at),
        )
        for memory in asked.workspace.memory.newest(limit=SHOWN)
    ]
    return table(("Memory", "Type", "Changed"), rows, "Nothing has been remembered yet.")


def _files(asked: Asked) -> Html:
    now = time.localtime()
    midnight = int(time.mktime((now.tm_year, now.tm_mon, now.tm_mday, 0, 0, 0, 0, 0, -1)) * 1000)
    with asked.workspace.store.index.read() as session:
        events = document_rows.events_since(session, midnight, SHOWN)
    rows = [
        (link(event.path, "/document", path=event.path), badge(event.event), moment(event.at))
        for event in events
    ]
    return table(("File", "Event", "When"), rows, "No file has changed today.")
