"""List, run and inspect workflows."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from cuedeck.cli.frame import Here, group, subcommand

if TYPE_CHECKING:
    from cuedeck.workflows.model import Mistake, Run

command = group("workflow", "List, run and inspect workflows.")


@subcommand(command, "list", json=True)
def list_(here: Here) -> None:
    """Show every workflow, what starts it, and how often it ran."""
    with here.open() as workspace:
        listed = workspace.workflows.workflows()
        mistakes = workspace.workflows.registry.mistakes()
    for mistake in mistakes:
        here.output.note(_mistake_line(mistake))
    rows = [
        {
            "id": item.workflow.id,
            "name": item.workflow.name,
            "description": item.workflow.description,
            "enabled": item.enabled,
            "triggers": item.workflow.trigger_names,
            "source": item.workflow.source,
            "executions": item.executions,
            "last_started": item.last_started,
        }
        for item in listed
    ]
    here.output.show(rows, lambda: "\n".join(_workflow_line(row) for row in rows))


@subcommand(command, "run", json=True)
@click.argument("workflow_id")
@click.option("--input", "given", default="{}", help="JSON object the workflow reads.")
@click.option("--path", help="Short for --input '{\"path\": PATH}'.")
@click.option("--async", "in_background", is_flag=True, help="Queue it and return at once.")
def run(here: Here, workflow_id: str, given: str, path: str | None, in_background: bool) -> int:
    """Run a workflow and show its progress."""
    value = _json_object(given)
    if path is not None:
        value["path"] = path
    with here.open() as workspace, here.output.progress(f"Running {workflow_id}") as progress:
        engine = workspace.workflows
        started = engine.trigger(workflow_id, value, wait=False, start=not in_background)
        ended = engine.run(started.execution_id)
        while not in_background and not ended.status.final:
            time.sleep(0.05)
            ended = engine.run(started.execution_id)
            progress(ended.progress, 100, ended.status)
    here.output.show(_run_json(ended), lambda: _run_text(ended))
    return 0 if ended.error is None else 1


@subcommand(command, "status", json=True)
@click.argument("execution_id")
def status(here: Here, execution_id: str) -> None:
    """Show one execution with its steps."""
    with here.open() as workspace:
        found = workspace.workflows.run(execution_id)
        steps = workspace.workflows.journal.steps(execution_id)
    shown = [{"name": step["name"], "ms": step["ended_at"] - step["started_at"]} for step in steps]
    here.output.show(
        {**_run_json(found), "steps": shown},
        lambda: "\n".join([_run_text(found), *(f"  {step['name']}  {step['ms']} ms" for step in shown)]),
    )


@subcommand(command, "history", json=True)
@click.argument("workflow_id", required=False)
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 1000))
@click.option("--offset", default=0, type=click.IntRange(0))
def history(here: Here, workflow_id: str | None, limit: int, offset: int) -> None:
    """Show past executions, newest first."""
    with here.open() as workspace:
        runs, total = workspace.workflows.history(workflow_id, limit=limit, offset=offset, results=True)
    here.output.show(
        {"executions": [_run_json(item) for item in runs], "total": total},
        lambda: "\n".join([*(_run_text(item) for item in runs), f"{len(runs)} of {total}"]),
    )


@subcommand(command, "cancel", json=True)
@click.argument("execution_id")
def cancel(here: Here, execution_id: str) -> None:
    """Stop an execution: at once when it waits, at its next step when it runs."""
    with here.open() as workspace:
        found = workspace.workflows.cancel(execution_id)
    here.output.show(_run_json(found), lambda: _run_text(found))


@subcommand(command, "restore", json=True)
@click.argument("path")
def restore(here: Here, path: str) -> None:
    """Write a deleted note's last kept content back."""
    from cuedeck.workflows.builtin.contents import restore as write_back

    with here.open() as workspace:
        restored, source = write_back(workspace, path)
    here.output.show(
        {"path": restored, "from": source},
        f"Restored {restored} from the {'last commit' if source == 'commit' else 'kept copy'}.",
    )


@subcommand(command, "check", json=True)
def check(here: Here) -> int:
    """Say which files of .cuedeck/workflows are not used, and why, with the line."""
    with here.open() as workspace:
        mistakes = workspace.workflows.registry.mistakes()
    here.output.show(
        [asdict(mistake) for mistake in mistakes],
        lambda: "\n".join(map(_mistake_line, mistakes)) or "No mistakes found.",
    )
    return 1 if mistakes else 0


@subcommand(command, "enable")
@click.argument("workflow_id")
def enable(here: Here, workflow_id: str) -> None:
    """Let a workflow run again."""
    _switch(here, workflow_id, on=True)


@subcommand(command, "disable")
@click.argument("workflow_id")
def disable(here: Here, workflow_id: str) -> None:
    """Keep a workflow from running."""
    _switch(here, workflow_id, on=False)


@subcommand(command, "trust")
@click.argument("file")
@click.option("--revoke", is_flag=True, help="Forget the decision.")
def trust(here: Here, file: str, revoke: bool) -> None:
    """Allow a Python workflow of this workspace to run, as its content is now."""
    from cuedeck.workflows.trust import TrustLedger

    ledger = TrustLedger()
    if revoke:
        found = ledger.revoke(here.root, file)
        here.output.line(f"{file} is no longer trusted." if found else f"{file} was not trusted.")
        return
    digest = ledger.trust(here.root, file)
    here.output.line(f"Trusted {file} (sha256 {digest[:16]}…). An edit ends the trust.")


def _switch(here: Here, workflow_id: str, *, on: bool) -> None:
    from cuedeck.workflows.switch import set_enabled

    with here.open() as workspace:
        workspace.workflows.registry.get(workflow_id)
    set_enabled(here.root, workflow_id, on=on)
    here.output.line(f"{workflow_id} is {'enabled' if on else 'disabled'}.")


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise click.BadParameter(f"not valid JSON: {error}", param_hint="--input") from error
    if not isinstance(value, dict):
        raise click.BadParameter("must be a JSON object", param_hint="--input")
    return value


def _mistake_line(mistake: Mistake) -> str:
    return f"{mistake.file}:{mistake.line}: {mistake.message}" + (f". {mistake.fix}" if mistake.fix else "")


def _run_json(run: Run) -> dict[str, Any]:
    return {**asdict(run), "duration": run.duration}


def _run_text(run: Run) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime((run.started_at or run.created_at) / 1000))
    took = "" if run.duration is None else f"  {run.duration} ms"
    line = f"{run.id}  {run.status:<9}  {when}{took}  {run.workflow}"
    if run.error:
        return f"{line}\n  {run.error}"
    if run.result is not None:
        return f"{line}\n  {json.dumps(run.result, ensure_ascii=False)[:2000]}"
    return line


def _workflow_line(row: dict[str, Any]) -> str:
    mark, triggers = (" " if row["enabled"] else "-"), ", ".join(row["triggers"])
    return f"{mark} {row['id']:<24} {row['executions']:>6} runs  {triggers:<22} {row['description']}"
