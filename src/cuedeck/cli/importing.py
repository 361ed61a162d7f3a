"""What the import commands share: the formats, and the report of what did not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cuedeck.cli.listing import aligned

if TYPE_CHECKING:
    from cuedeck.cli.frame import Here
    from cuedeck.tasks.imports.targets import ImportReport

FORMATS = click.Choice(["beads", "backlog", "todo.txt"])
_SHOWN = 50


def show_report(here: Here, report: ImportReport) -> None:
    """Say what came in and what did not fit."""
    here.output.show(report.to_json(), lambda: _sentence(report))
    misfits = report.misfits if here.verbose else report.misfits[:_SHOWN]
    if misfits:
        here.output.note(aligned([misfit.where, misfit.what] for misfit in misfits))
    if len(report.misfits) > len(misfits):
        here.output.note(f"… and {len(report.misfits) - len(misfits)} more; -v or --json shows all.")


def _sentence(report: ImportReport) -> str:
    verb = "Would import" if report.dry_run else "Imported"
    there = f", {report.skipped} already there" if report.skipped else ""
    return f"{verb} {len(report.made)} of {report.read}{there}; {len(report.misfits)} things did not fit."
