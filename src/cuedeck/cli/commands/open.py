"""Find a file, heading, card or symbol and open it."""

from __future__ import annotations

import sys

import click

from cuedeck.cli.frame import Here, words
from cuedeck.cli.frame import command as define


@define("open", json=True)
@words("query", required=False)
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Without a terminal."
)
def command(here: Here, query: str, limit: int) -> int:
    """Find by a few letters; Enter opens $EDITOR at the line. Without a terminal, print the best matches."""
    from cuedeck.cli.finder.candidates import gather

    if here.output.as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _print(here, query, limit)
    from cuedeck.cli.finder.editor import edit
    from cuedeck.cli.finder.picker import Picker

    with here.open() as workspace:
        chosen = Picker(here.root, query).run(gather(workspace))
    return 0 if chosen is None else edit(here.root / chosen.path, chosen.line)


def _print(here: Here, query: str, limit: int) -> int:
    from dataclasses import asdict

    from cuedeck.cli.finder.candidates import gather
    from cuedeck.cli.finder.scoring import Ranking

    with here.open() as workspace:
        documents = workspace.documents
        if not documents.index.complete:
            # Every note has to be read for its headings; the index keeps what was read.
            with here.output.progress("Indexing") as progress:
                documents.refresh(lambda done, total: progress(done, total))
        best = Ranking(list(gather(workspace))).best(query, limit)
    lines = [f"{each.path}:{each.line}\t{each.kind}\t{each.text}" for each in best]
    here.output.show([asdict(each) for each in best], "\n".join(lines) or f"Nothing matches '{query}'.")
    return 0 if best else 1
