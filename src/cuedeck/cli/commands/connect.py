"""Write an agent's MCP configuration."""

from __future__ import annotations

import click

from cuedeck.cli.frame import Here
from cuedeck.cli.frame import command as define

_NAMES = ["claude-code", "cursor", "vscode", "generic"]


def _known_decks(_context: click.Context, _option: click.Parameter, given: str | None) -> str | None:
    from cuedeck.model.deck import Deck

    known = ["default", "all", *Deck]
    for name in (given or "").split(","):
        if given is not None and name.strip() not in known:
            raise click.BadParameter(f"there is no deck '{name.strip()}'; there are {', '.join(known)}.")
    return given


@define("connect", json=True)
@click.argument("client", type=click.Choice(_NAMES))
@click.option("--scope", type=click.Choice(["project", "user"]), default="project", show_default=True)
@click.option(
    "--decks", metavar="NAMES", callback=_known_decks, help="Serve these decks instead of the default set."
)
@click.option("--read-only", is_flag=True, help="Serve only tools that change nothing.")
@click.option("--print", "only_print", is_flag=True, help="Show the resulting file and write nothing.")
def command(
    here: Here, client: str, scope: str, decks: str | None, read_only: bool, only_print: bool
) -> None:
    """Add CueDeck to an agent's MCP configuration; everything else in the file stays as it is."""
    from cuedeck.cli.atomic import write_atomically
    from cuedeck.cli.clients import CLIENTS, connection, our_command
    from cuedeck.cli.difference import difference
    from cuedeck.secrets import mask

    options = [*(["--decks", decks] if decks else []), *(["--read-only"] if read_only else [])]
    change = connection(CLIENTS[client], scope, here.root, options)
    path = str(change.path) if change.path else None
    if only_print or change.path is None:
        here.output.show({"file": path, "content": change.after}, change.after.rstrip("\n"))
        return
    changed = change.after != change.before
    if changed:
        write_atomically(change.path, change.after.encode(), mode=0o600 if scope == "user" else 0o644)
    if scope == "project" and our_command() != "cue":
        here.output.note(
            "cue is not on the PATH, so its path on this machine was written; others need their own."
        )
    title = CLIENTS[client].title
    # The lines around ours are often other servers' keys, and an agent may be reading.
    told = mask(difference(change.before, change.after, path or "")).text
    shown = [told, f"{title} is connected: {path}"]
    here.output.show(
        {"file": path, "changed": changed},
        "\n".join(shown) if changed else f"{title} was connected already: {path}",
    )
