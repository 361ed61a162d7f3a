"""Everything ``cue open`` can find: files first, then cards, headings and symbols as they are gathered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cuedeck.documents.kinds import Kind, kind_of
from cuedeck.documents.markdown import parse_markdown
from cuedeck.documents.scan import Scanner

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace

Anchors = Sequence[tuple[str, int, int]]
LARGEST_BYTES = 1_000_000


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
    files = Scanner(workspace.root, workspace.config.documents.ignore).scan().files
    paths = sorted(files)
    for path in paths:
        yield Candidate("file", path, path)
    for card in workspace.cards.list():
        yield Candidate("card", f"{card.title} {card.id}", card.path)
    indexed = workspace.documents.index.anchors(files)
    for path in paths:
        if kind_of(path) is Kind.MARKDOWN:
            if path in indexed:
                yield from _named("heading", path, indexed[path])
            else:
                yield from headings(path, _read(workspace, path))
    yield from _symbols(workspace) or _indexed_symbols(paths, indexed)


def headings(path: str, text: str) -> Iterator[Candidate]:
    """The headings of a markdown text."""
    for heading in parse_markdown(text).headings:
        yield Candidate("heading", heading.text, path, heading.line)


def _named(kind: str, path: str, anchors: Anchors) -> Iterator[Candidate]:
    for text, _, line in anchors:
        yield Candidate(kind, text, path, line)


def _symbols(workspace: Workspace) -> list[Candidate]:
    """The definitions of a code index that is there; making one first would keep the user waiting."""
    from cuedeck.code.refs import status
    from cuedeck.model.errors import CueError

    try:
        if not status(workspace.code, None, "").symbols:
            return []
        snapshot = workspace.code.view().snapshot
    except CueError:
        return []
    found: list[Candidate] = []
    for path in sorted(snapshot.paths):
        symbols = snapshot.symbols(path)
        for number, definition in enumerate(symbols.outline.definitions):
            found.append(Candidate(definition.kind, symbols.local(number), path, definition.line_start))
    return found


def _indexed_symbols(paths: Sequence[str], indexed: Mapping[str, Anchors]) -> Iterator[Candidate]:
    """Without a code index, the symbols that the documents' index has of source files."""
    for path in paths:
        if kind_of(path) is Kind.SOURCE:
            yield from _named("symbol", path, indexed.get(path, ()))


def _read(workspace: Workspace, path: str) -> str:
    from cuedeck.model.errors import CueError
    from cuedeck.paths import confine_file, read_file

    try:
        data = read_file(confine_file(workspace.root, path), at_most=LARGEST_BYTES).data
    except CueError:  # gone since it was listed
        return ""
    return data.decode("utf-8", "replace")
