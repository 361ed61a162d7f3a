"""Remove branch indexes nobody uses."""

from __future__ import annotations

import click

from cuedeck.cli.frame import Here
from cuedeck.cli.frame import command as define


@define("prune-overlays", json=True)
@click.option(
    "--older-than",
    "days",
    default=30,
    show_default=True,
    type=click.IntRange(0, 36500),
    metavar="DAYS",
    help="Remove what nobody asked for in this many days; 0 means all that is not checked out.",
)
def command(here: Here, days: int) -> None:
    """Remove the overlays of branches that are gone or that nobody uses; the base stays."""
    from cuedeck.code.pruning import prune

    with here.open() as workspace:
        done = prune(workspace.code, days)
    value = {
        "removed": [{"ref": one.ref, "reason": one.reason} for one in done.removed],
        "kept": [{"ref": one.ref, "reason": one.reason} for one in done.kept],
        "blobs_removed": done.blobs,
    }

    def human() -> str:
        lines = [f"removed {one.ref}: {one.reason}" for one in done.removed]
        lines += [f"kept    {one.ref}: {one.reason}" for one in done.kept]
        return "\n".join(lines) or "There are no overlays."

    here.output.show(value, human)
