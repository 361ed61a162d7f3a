"""Everything ``cue open`` can find: files first, then cards, headings and symbols as they are gathered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cuedeck.documents.scan import Scanner

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace

MARKDOWN = (".md", ".markdown")
LARGEST_BYTES = 1_000_000
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing to open: what the user types to find it, and where it is."""

    kind: str
    text: str
    path: str
    line: int = 1

    @property
    def shown(self) -> str:
        """As it stands in the list."""
        return self.path if self.kind == "file" else f"{self.text}  ({self.kind}, {self.path}:{self.line})"


def gather(workspace: Workspace) -> Iterator[Candidate]:
    """All candidates, the cheapest first."""
    paths = sorted(Scanner(workspace.root, workspace.config.documents.ignore).scan().files)
    for path in paths:
        yield Candidate("file", path, path)
    for card in workspace.cards.list():
        yield Candidate("card", f"{card.title} {card.id}", card.path)
    for path in paths:
        if path.endswith(MARKDOWN):
            yield from headings(path, _read(workspace, path))
    yield from _symbols(workspace)


def _symbols(workspace: Workspace) -> Iterator[Candidate]:
    """The definitions of a code index that is there; making one first would keep the user waiting."""
    from cuedeck.code.refs import status
    from cuedeck.model.errors import CueError

    try:
        if not status(workspace.code, None, "").symbols:
            return
        snapshot = workspace.code.view().snapshot
    except CueError:
        return
    for path in sorted(snapshot.paths):
        symbols = snapshot.symbols(path)
        for number, definition in enumerate(symbols.outline.definitions):
            yield Candidate(definition.kind, symbols.local(number), path, definition.line_start)


def headings(path: str, text: str) -> Iterator[Candidate]:
    """The headings of a markdown text, those in code fences left out."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        if mark := _FENCE.match(line):
            kind = mark[1]
            if fence is None:
                fence = kind
            elif kind.startswith(fence[0]) and len(kind) >= len(fence):
                fence = None
        elif fence is None and (found := _HEADING.match(line)):
            yield Candidate("heading", found[2], path, number)


def _read(workspace: Workspace, path: str) -> str:
    from cuedeck.model.errors import CueError
    from cuedeck.paths import confine_file, read_file

    try:
        data = read_file(confine_file(workspace.root, path), at_most=LARGEST_BYTES).data
    except CueError:  # gone since it was listed
        return ""
    return data.decode("utf-8", "replace")
