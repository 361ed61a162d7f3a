"""Print the completion script of a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from cuedeck.cli import program_name
from cuedeck.cli.frame import Here
from cuedeck.cli.frame import command as define

_INSTALL = {
    "bash": '# Add to ~/.bashrc:  eval "$({name} completion bash)"',
    "zsh": '# Add to ~/.zshrc:  eval "$({name} completion zsh)"',
    "fish": "# Save as ~/.config/fish/completions/{name}.fish",
}


@define("completion", config=False)
@click.argument("shell", type=click.Choice(list(_INSTALL)))
def command(here: Here, shell: str) -> None:
    """Print the completion script of a shell, to be evaluated by it."""
    from cuedeck.cli.root import root

    name = program_name()
    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(root, {}, name, f"_{name.upper()}_COMPLETE").source()
    # click's own script for fish cuts a candidate and its help at their first comma.
    script = script.replace('string split ","', 'string split --max 1 ","')
    here.output.line(f"{_INSTALL[shell].format(name=name)}\n{script}")
