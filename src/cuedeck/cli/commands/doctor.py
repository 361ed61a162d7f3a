"""Check the workspace and say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from cuedeck.cli.failure import CONFIGURATION, FAILURE
from cuedeck.cli.frame import Here
from cuedeck.cli.frame import command as define

if TYPE_CHECKING:
    from cuedeck.cli.checks.report import Found


@define("doctor", json=True, config=False)
@click.option("--repair", is_flag=True, help="Do the fixes that are safe to do.")
def command(here: Here, repair: bool) -> int:
    """Check configuration, files, databases, daemon and content; exit code 1 when there is a problem."""
    from cuedeck.cli.checks.report import as_json, as_text
    from cuedeck.model.finding import Status

    found = _findings(here)
    repaired = list(_repaired(here, found)) if repair else []
    if repaired:
        found = _findings(here)
    here.output.show(as_json(found, repaired), lambda: as_text(here.root, found, repaired))
    failed = {group for group, finding in found if finding.status is Status.FAIL}
    if "Configuration" in failed:
        return CONFIGURATION
    return FAILURE if failed else 0


def _repaired(here: Here, found: list[Found]) -> Iterator[str]:
    """Do what is safe to do; a repair that fails leaves its finding, and the others go on."""
    from cuedeck.model.errors import CueError

    for _, finding in found:
        if finding.repair is not None:
            try:
                yield finding.repair()
            except (OSError, CueError) as error:
                here.output.note(f"{finding.check} cannot be repaired: {error}")


def _findings(here: Here) -> list[Found]:
    with here.output.progress("Checking") as progress:
        found: list[Found] = []
        for each in _each(here):
            found.append(each)
            progress(len(found), None, each[1].check)
    return found


def _each(here: Here) -> Iterator[Found]:
    from cuedeck.cli.checks import early_findings, engine_findings
    from cuedeck.config import load_config
    from cuedeck.model.errors import CueError
    from cuedeck.workspace import Workspace

    yield from early_findings(here.root)
    try:
        config = load_config(here.root)
    except CueError:
        return  # the first check has said it; nothing can be opened without settings
    with Workspace(here.root, config) as workspace:
        yield from engine_findings(workspace)
