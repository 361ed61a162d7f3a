"""Create .cuedeck/ in this folder."""

from __future__ import annotations

import click

from cuedeck.cli.frame import Here
from cuedeck.cli.frame import command as define


@define("init", json=True, config=False)
@click.option("--force", is_flag=True, help="Put the default settings back; the old ones are kept beside.")
def command(here: Here, force: bool) -> None:
    """Make this folder a workspace: .cuedeck/{cards,docs,config.toml}, and .gitignore for state and cache."""
    from cuedeck.cli.setup import initialise

    steps = initialise(here.root, force=force)
    record = {"workspace": str(here.root), "steps": {step.path: step.outcome for step in steps}}
    lines = [f"Workspace {here.root}", *(f"  {step.path:<22}{step.outcome}" for step in steps)]
    if any(step.outcome == "created" for step in steps):
        lines += ["", "Next: cue connect claude-code (or cursor, vscode), then ask your agent."]
    here.output.show(record, "\n".join(lines))
    here.read_config()
