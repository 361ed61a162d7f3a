"""Which documents belong to a scene, and in what order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cuedeck.documents.frontmatter import text_of
from cuedeck.documents.kinds import Kind, kind_of
from cuedeck.documents.links import KnownNames, resolve
from cuedeck.documents.markdown import LinkKind, Markdown, parse_markdown, split_target
from cuedeck.documents.sections import slice_at
from cuedeck.graph import dependency_graph, find_cycle
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.paths import confine, confine_file, read_file
from cuedeck.tasks.card import FINISHED, Card
from cuedeck.tasks.card_snapshot import CardSnapshot

GLOBAL_FOLDER = ".cuedeck/docs/"
# More than any limit of tokens lets in.
LARGEST_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Source:
    """A document to show, whole or one anchor of it."""

    path: str
    anchor: str | None
    data: bytes
    markdown: Markdown


@dataclass(slots=True)
class Sources:
    """Active cards, what they lead to in order, and references that lead nowhere."""

    active: list[Source] = field(default_factory=list)
    others: list[Source] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


class SourceFinder:
    """Walks from the active cards outwards, each document once."""

    def __init__(
        self,
        root: Path,
        cards: CardSnapshot,
        linked: Callable[[str], Sequence[str]],
        documents: Sequence[str],
        *,
        depth: int,
    ) -> None:
        self._root = root
        self._cards = {card.path: card for card in cards.cards.values()}
        self._by_id = cards.cards
        self._linked = linked
        self._global = sorted(path for path in documents if path.startswith(GLOBAL_FOLDER))
        self._documents = documents
        self._names: KnownNames | None = None
        self._depth = depth
        self._read: dict[str, tuple[bytes, Markdown] | None] = {}

    def find(self, active: Sequence[Card]) -> Sources:
        """The documents of a scene; a cycle of references is an error."""
        self._refuse_cycle([card.path for card in active] + [*self._global])
        found = Sources()
        seen: set[tuple[str, str | None]] = set()
        for card in active:
            seen.add((card.path, None))
            self._add(card.path, None, found.active, found)
        layer = [card.path for card in active]
        for _ in range(self._depth):
            layer = self._add_layer(layer, seen, found)
        for path in self._global:
            if (path, None) not in seen:
                seen.add((path, None))
                self._add(path, None, found.others, found)
        return found

    def _add_layer(self, layer: list[str], seen: set[tuple[str, str | None]], found: Sources) -> list[str]:
        reached: list[str] = []
        for path in layer:
            for target, anchor in self._references(path):
                if (target, anchor) in seen or (target, None) in seen:
                    continue
                seen.add((target, anchor))
                if self._add(target, anchor, found.others, found):
                    reached.append(target)
        return reached

    def _add(self, path: str, anchor: str | None, where: list[Source], found: Sources) -> bool:
        held = self._hold(path)
        if held is None:
            found.missing.append(path)
            return False
        if anchor is not None and slice_at(held[1], anchor, len(held[0])) is None:
            found.missing.append(f"{path}#{anchor}")
            return False
        where.append(Source(path, anchor, *held))
        return True

    def _references(self, path: str) -> list[tuple[str, str | None]]:
        """What a document names: its refs, then the open cards it waits for, then its links."""
        targets = self._refs(path)
        card = self._cards.get(path)
        for other in card.depends_on if card else ():
            needed = self._by_id.get(other)
            if needed is not None and needed.status not in FINISHED:
                targets.append((needed.path, None))
        targets += [(target, None) for target in self._linked(path) if kind_of(target) is Kind.MARKDOWN]
        return list(dict.fromkeys(targets))

    def _refs(self, path: str) -> list[tuple[str, str | None]]:
        """The paths and anchors that a document's frontmatter refers to, written as paths or wikilinks."""
        held = self._hold(path)
        front = held[1].frontmatter.data if held else None
        value = (front or {}).get("refs")
        items = value if isinstance(value, list) else [value]
        written = ((text_of(item) or "").strip() for item in items)
        found = [self._reference(path, ref) for ref in written if ref]
        # "#Heading" alone is a part of the document itself, which is shown anyway.
        return [(target, anchor) for target, anchor in found if target != path or anchor is None]

    def _reference(self, source: str, written: str) -> tuple[str, str | None]:
        name = written.removeprefix("[[").removesuffix("]]").partition("|")[0]
        target, anchor = split_target(name)
        if not target:
            return source, anchor
        try:
            path = confine(self._root, target).relative
        except CueError:
            return target, anchor
        if self._hold(path) is not None:
            return path, anchor
        if self._names is None:
            self._names = KnownNames.of(self._documents, {})
        return resolve(LinkKind.WIKI, target, source, self._names) or path, anchor

    def _refuse_cycle(self, start: Sequence[str]) -> None:
        edges: dict[str, list[str]] = {}
        waiting = list(start)
        while waiting:
            path = waiting.pop()
            if path in edges:
                continue
            card = self._cards.get(path)
            needs = [
                self._by_id[other].path for other in (card.depends_on if card else ()) if other in self._by_id
            ]
            edges[path] = [*(target for target, _ in self._refs(path)), *needs]
            waiting += edges[path]
        cycle = find_cycle(dependency_graph(sorted(edges.items())))
        if cycle is not None:
            raise CueError(
                ErrorCode.CYCLE,
                "Cycle Detected",
                data={"cycle_path": list(cycle), "suggestion": f"Remove reference from {cycle[0]}"},
                hint=f"Remove one of the references: {' → '.join(cycle)}",
            )

    def _hold(self, path: str) -> tuple[bytes, Markdown] | None:
        if path not in self._read:
            self._read[path] = self._load(path)
        return self._read[path]

    def _load(self, path: str) -> tuple[bytes, Markdown] | None:
        try:
            data = read_file(confine_file(self._root, path), at_most=LARGEST_BYTES + 1).data
            return None if len(data) > LARGEST_BYTES else (data, parse_markdown(data.decode("utf-8")))
        except (CueError, UnicodeDecodeError):
            return None
