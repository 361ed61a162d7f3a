"""What cites what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cuedeck.cli.frame import Here
from cuedeck.cli.frame import command as define
from cuedeck.cli.listing import aligned, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cuedeck.citations.model import Around, Thing


@define("links", json=True)
@click.argument("of", metavar="WHAT")
def command(here: Here, of: str) -> None:
    """What WHAT cites and what cites it.

    WHAT is the id of a memory, task, card or workflow run, a path, or a symbol (NAME or PATH::NAME).
    """
    with here.open() as workspace:
        with here.output.progress("Indexing") as progress:
            workspace.documents.refresh(lambda done, total: progress(done, total))
        found = workspace.citations.around(of)
    here.output.show(found.to_json(), lambda: _as_text(found))
    if not found.code_indexed:
        here.output.note("The code is not indexed, so symbols are not followed: `cue index`.")


def _as_text(found: Around) -> str:
    lines = [_line(found.thing)]
    lines += ["", "cites:", _rows(found.cites)] if found.cites else []
    lines += ["", "cited by:", _rows(found.cited_by)] if found.cited_by else []
    lines += ["  … and more"] if found.truncated else []
    if found.stale:
        lines += ["", "changed since:"]
        lines += [
            f"  {one.name} was {one.change}" + (f": {one.now}" if one.now else "") for one in found.stale
        ]
    return "\n".join(lines if len(lines) > 1 else [*lines, "", "Nothing cites it, and it cites nothing."])


def _line(thing: Thing) -> str:
    return "  ".join(plain(part) for part in (thing.kind, thing.name, thing.path or thing.title) if part)


def _rows(things: Iterable[Thing]) -> str:
    rows = ((f"  {thing.kind}", plain(thing.name), plain(thing.path or thing.title)) for thing in things)
    return aligned(rows)
