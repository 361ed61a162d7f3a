"""Tasks that agents claim."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cuedeck.cli.frame import Here, group, subcommand, words
from cuedeck.cli.importing import FORMATS, show_report
from cuedeck.cli.listing import aligned, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cuedeck.tasks.agent_task import AgentTask

command = group("task", "Tasks that agents claim.")


@subcommand(command, "new", json=True)
@click.argument("project")
@words("name")
@click.option("--epic", is_flag=True, help="A group of tasks.")
@click.option("--description", default="")
@click.option("--priority", type=click.IntRange(1, 5), default=3, show_default=True, help="1 is highest.")
@click.option("--exclusive", "files_exclusive", multiple=True, metavar="PATH", help="Only it changes this.")
@click.option("--readonly", "files_readonly", multiple=True, metavar="PATH", help="This task reads it.")
@click.option("--depends-on", multiple=True, metavar="ID", help="A task this one waits for.")
@click.option("--parent", metavar="ID", help="The epic it belongs to.")
@click.option("--model", "suggested_model", type=click.Choice(["haiku", "sonnet", "opus"]))
def new(here: Here, project: str, name: str, epic: bool, **options: Any) -> None:
    """Create a task or an epic."""
    from cuedeck.tasks.agent_task import TaskDraft, TaskType

    draft = TaskDraft(project, name, TaskType.EPIC if epic else TaskType.TASK, **options)
    with here.open() as workspace:
        task = workspace.agent_tasks.create(draft)
    here.output.show(task.to_json(), task.id)


@subcommand(command, "list", json=True)
@click.option("--project")
@click.option("--status", type=click.Choice(["pending", "in_progress", "blocked", "done"]))
@click.option("--type", "type_", type=click.Choice(["task", "epic"]))
def list_tasks(here: Here, project: str | None, status: str | None, type_: str | None) -> None:
    """List tasks in the order they were created."""
    from cuedeck.tasks.agent_task import TaskStatus, TaskType

    with here.open() as workspace:
        tasks = workspace.agent_tasks.list(
            project=project,
            status=TaskStatus(status) if status else None,
            type=TaskType(type_) if type_ else None,
        )
    here.output.show([task.to_json() for task in tasks], lambda: _table(tasks) or "No tasks.")


@subcommand(command, "show", json=True)
@click.argument("task_id", metavar="ID")
def show(here: Here, task_id: str) -> None:
    """Show one task."""
    with here.open() as workspace:
        task = workspace.agent_tasks.get(task_id)
    _show(here, task)


@subcommand(command, "next", json=True)
@click.option("--project")
@click.option("--claim", "agent", metavar="AGENT", help="Take it, under this name.")
@click.option(
    "--lease", "lease_seconds", type=click.IntRange(1, 604_800), help="Seconds until the claim lapses."
)
def next_task(here: Here, project: str | None, agent: str | None, lease_seconds: int | None) -> None:
    """Show the task to do next, or claim it."""
    with here.open() as workspace:
        tasks = workspace.agent_tasks
        found = (
            tasks.claim(agent, project, lease_seconds=lease_seconds)
            if agent is not None
            else tasks.next(project)
        )
    if found.task is None:
        here.output.show({"task": None, "reason": found.reason}, plain(found.reason))
    else:
        value = {"task": found.task.to_json()}
        here.output.show(value, lambda: _table([found.task] if found.task else []))


@subcommand(command, "done", json=True)
@click.argument("task_id", metavar="ID")
@click.option("--summary")
@click.option("--resolved-by", metavar="MEMORY", help="The episode that resolved it.")
@click.option("--agent", help="Refuse when this agent's claim has lapsed.")
def done(here: Here, task_id: str, **options: Any) -> None:
    """Mark a task as done."""
    with here.open() as workspace:
        task = workspace.agent_tasks.complete(task_id, **options)
        freed = workspace.agent_tasks.freed_by(task_id)
    unblocked = f"\nCan start now: {', '.join(freed)}" if freed else ""
    here.output.show({**task.to_json(), "unblocked": list(freed)}, lambda: _table([task]) + unblocked)


@subcommand(command, "block", json=True)
@click.argument("task_id", metavar="ID")
@words("reason")
def block(here: Here, task_id: str, reason: str) -> None:
    """Say that a task cannot go on, and why."""
    with here.open() as workspace:
        task = workspace.agent_tasks.block(task_id, reason)
    here.output.show(task.to_json(), lambda: _table([task]))


@subcommand(command, "release", json=True)
@click.argument("task_id", metavar="ID")
def release(here: Here, task_id: str) -> None:
    """Put a claimed, blocked or finished task back."""
    with here.open() as workspace:
        task = workspace.agent_tasks.release(task_id)
    here.output.show(task.to_json(), lambda: _table([task]))


@subcommand(command, "renew", json=True)
@click.argument("task_id", metavar="ID")
@click.option("--agent", required=True, help="Who holds the claim.")
@click.option("--lease", "lease_seconds", type=click.IntRange(1, 604_800), help="Seconds until it lapses.")
def renew(here: Here, task_id: str, agent: str, lease_seconds: int | None) -> None:
    """Extend a claim."""
    with here.open() as workspace:
        task = workspace.agent_tasks.renew(task_id, agent=agent, lease_seconds=lease_seconds)
    here.output.show(task.to_json(), lambda: _table([task]))


@subcommand(command, "progress", json=True)
@click.option("--project")
def progress(here: Here, project: str | None) -> None:
    """Show how far the tasks and every epic are."""
    with here.open() as workspace:
        found = workspace.agent_tasks.progress(project)
    rows = [["all", _share(found.overall.done, found.overall.total), ""]]
    rows += [[epic.id, _share(epic.counts.done, epic.counts.total), epic.name] for epic in found.epics]
    here.output.show(found.to_json(), lambda: aligned(rows))


@subcommand(command, "graph")
@click.option("--project")
@click.option(
    "--format", "form", type=click.Choice(["mermaid", "dot", "json"]), default="mermaid", show_default=True
)
def graph(here: Here, project: str | None, form: str) -> None:
    """Draw what waits for what."""
    from cuedeck.graph.drawing import DRAWINGS

    with here.open() as workspace:
        edges, labels = workspace.agent_tasks.graph(project)
    here.output.line(DRAWINGS[form](edges, labels).rstrip("\n"))


@subcommand(command, "import", json=True)
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--format", "form", type=FORMATS, help="Recognised when not given.")
@click.option("--dry-run", is_flag=True, help="Only report.")
@click.option("--project", required=True, help="Project prefix, e.g. CA.")
def import_tasks(here: Here, path: Path, form: str | None, dry_run: bool, project: str) -> None:
    """Import from beads (JSONL), Backlog.md (a folder) or todo.txt."""
    from cuedeck.tasks.imports.sources import read_source
    from cuedeck.tasks.imports.targets import into_agent_tasks

    found = read_source(path, form)
    with here.open() as workspace:
        report = into_agent_tasks(workspace.agent_tasks, found, project=project, dry_run=dry_run)
    show_report(here, report)


def _show(here: Here, task: AgentTask) -> None:
    fields = [
        [f"{name}:", ", ".join(value) if isinstance(value, list) else str(value)]
        for name, value in task.to_json().items()
        if value not in (None, [], "")
    ]
    here.output.show(task.to_json(), lambda: aligned(fields))


def _table(tasks: Iterable[AgentTask]) -> str:
    return aligned([task.id, task.status, str(task.priority), task.agent, task.name] for task in tasks)


def _share(done: int, total: int) -> str:
    return f"{done}/{total}"
