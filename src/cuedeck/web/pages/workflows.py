"""Workflows: what there is, starting one, following a run, and looking back."""

from __future__ import annotations

import json
from collections.abc import Sequence

from cuedeck.model.errors import invalid
from cuedeck.web.asked import Asked, Page
from cuedeck.web.html import Child, Html, el, join, url
from cuedeck.web.layout import (
    badge,
    bar,
    facts,
    lasted,
    link,
    moment,
    note,
    pages,
    panel,
    post,
    pretty,
    table,
)
from cuedeck.workflows.model import Run, RunStatus

PER_PAGE = 30
RUN_HEADS = ("Run", "Status", "Progress", "Started", "Took")


def workflows(asked: Asked) -> Page:
    """Every workflow, and the newest runs of all."""
    engine = asked.workspace.workflows
    rows = [
        (
            link(listed.workflow.name, f"/workflows/{listed.workflow.id}"),
            listed.workflow.description,
            ", ".join(listed.workflow.trigger_names),
            listed.executions,
            moment(listed.last_started),
            badge("enabled" if listed.enabled else "disabled"),
            link("run…", f"/workflows/{listed.workflow.id}") if listed.enabled and asked.writable else None,
        )
        for listed in engine.workflows()
    ]
    heads = ("Workflow", "What it does", "Started by", "Runs", "Last", "State", "")
    body = [
        table(heads, rows, "There are no workflows."),
        panel("History", _history(asked, None, "/workflows")),
    ]
    return Page("Workflows", "workflows", join(body))


def workflow(asked: Asked) -> Page:
    """One workflow: a form for its input, and its runs."""
    found = asked.workspace.workflows.registry.get(asked.names["id"])
    field = el(
        "label",
        "Input as JSON",
        el("textarea", asked.query.get("input", "{}"), name="input", rows=4, spellcheck="false"),
    )
    form = post(url(f"/workflows/{found.id}/run"), "Run", field, class_="tall") if asked.writable else None
    shown = facts([("Started by", ", ".join(found.trigger_names)), ("Comes from", found.source)])
    runs = panel("History", _history(asked, found.id, f"/workflows/{found.id}"))
    return Page(found.name, "workflows", join([el("p", found.description), shown, form, runs]))


def run(asked: Asked) -> Page:
    """One run with its steps; while it runs the page keeps itself current."""
    engine = asked.workspace.workflows
    found = engine.run(asked.names["id"])
    cancel = None
    if asked.writable and not found.status.final:
        cancel = post(url(f"/workflows/runs/{found.id}/cancel"), "Cancel this run")
    shown = facts(
        [
            ("Workflow", link(found.name, f"/workflows/{found.workflow}")),
            ("Status", badge(found.status)),
            ("Progress", bar(found.progress / 100, "Progress of the run")),
            ("Started by", found.trigger),
            ("Attempt", found.attempt),
            ("Queued", moment(found.created_at)),
            ("Started", moment(found.started_at)),
            ("Took", lasted(found.duration)),
            ("Worker", found.owner),
            ("Cancelling", "asked for" if found.cancel_requested and not found.status.final else None),
            ("Error", el("span", asked.masked(found.error), class_="problem") if found.error else None),
        ]
    )
    body = [
        shown,
        cancel,
        panel("Steps", _steps(asked, found.id)),
        panel("Input", pretty(asked.masked_value(found.input))),
        panel("Result", pretty(asked.masked_value(found.result))) if found.result is not None else None,
    ]
    return Page(f"Run of {found.name}", "workflows", join(body))


def start(asked: Asked) -> str:
    """Queue a run, and show it."""
    text = asked.form.get("input", "").strip() or "{}"
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise invalid("input", "a JSON object", text) from error
    if not isinstance(given, dict):
        raise invalid("input", "a JSON object", text)
    started = asked.workspace.workflows.trigger(asked.names["id"], given, wait=False)
    return url(f"/workflows/runs/{started.execution_id}")


def cancel(asked: Asked) -> str:
    """Ask a run to stop."""
    found = asked.workspace.workflows.cancel(asked.names["id"])
    return url(f"/workflows/runs/{found.id}")


def run_row(asked: Asked, run: Run) -> Sequence[Child]:
    """A run in a list."""
    moving = run.status is RunStatus.RUNNING
    return (
        link(run.name, f"/workflows/runs/{run.id}"),
        badge(run.status),
        bar(run.progress / 100, run.name) if moving else asked.masked((run.error or "")[:120]),
        moment(run.started_at or run.created_at),
        lasted(run.duration),
    )


def _history(asked: Asked, workflow_id: str | None, path: str) -> Html:
    number, wanted = asked.page_number(), asked.given("status")
    runs, total = asked.workspace.workflows.history(
        workflow_id, limit=PER_PAGE, offset=(number - 1) * PER_PAGE, status=wanted
    )
    rows = [run_row(asked, run) for run in runs]
    kind = f"{wanted[:40]} ones" if wanted else "runs"
    said = note(f"{total} {kind} in all.") if total else None
    more = pages(path, number, more=number * PER_PAGE < total, status=wanted)
    return join([table(RUN_HEADS, rows, "No runs here."), said, more])


def _steps(asked: Asked, run_id: str) -> Html:
    rows = [
        (
            step["seq"],
            step["name"],
            moment(step["started_at"]),
            lasted(step["ended_at"] - step["started_at"]),
            el("details", el("summary", "output"), pretty(asked.masked_value(json.loads(step["output"])))),
        )
        for step in asked.workspace.workflows.journal.steps(run_id)
    ]
    return table(("#", "Step", "Started", "Took", "Output"), rows, "No step has finished.")
