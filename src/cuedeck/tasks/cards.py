"""Cards: the project's tasks as markdown files in ``.cuedeck/cards``."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from cuedeck.documents.frontmatter import locate_frontmatter, read_frontmatter
from cuedeck.documents.frontmatter_edit import edit_frontmatter
from cuedeck.documents.yaml_value import scalar
from cuedeck.graph import Cycle, dependency_graph, find_cycle
from cuedeck.model.errors import CueError, ErrorCode, invalid
from cuedeck.model.text import checked
from cuedeck.tasks.card import Card, CardPriority, CardStatus
from cuedeck.tasks.card_folder import CardFolder, no_card
from cuedeck.tasks.card_query import CardQuery
from cuedeck.tasks.card_snapshot import CardSnapshot, Neighbours
from cuedeck.tasks.dates import timestamp
from cuedeck.tasks.handles import quote_handles
from cuedeck.tasks.notes import append_note

_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
MAX_TITLE = 200
MAX_TEXT = 10_000
MAX_ITEMS = 1_000
# Stands for a card that is yet to be made; no other card names it.
_NEW = "\0"


@dataclass(frozen=True, slots=True)
class CardDraft:
    """What a new card is to say."""

    title: str
    tags: tuple[str, ...] = ()
    priority: CardPriority = CardPriority.MEDIUM
    assignee: str | None = None
    depends_on: tuple[str, ...] = ()
    status: CardStatus = CardStatus.TODO
    refs: tuple[str, ...] = ()
    description: str = ""
    created: datetime | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class CardChange:
    """What to change; None leaves a field as it is, an empty assignee clears it."""

    title: str | None = None
    status: CardStatus | None = None
    priority: CardPriority | None = None
    assignee: str | None = None
    tags: tuple[str, ...] | None = None
    depends_on: tuple[str, ...] | None = None
    notes: str | None = None

    def fields(self) -> tuple[str, ...]:
        """The names of what is to change."""
        names = ("title", "status", "assignee", "priority", "tags", "depends_on", "notes")
        return tuple(name for name in names if getattr(self, name) is not None)


@dataclass(frozen=True, slots=True)
class CardContent:
    """A card together with the text below its frontmatter."""

    card: Card
    body: str


class Cards:
    """Lists, creates and changes cards; every answer is checked against disk."""

    def __init__(self, root: Path, *, lock_timeout: float = 5.0) -> None:
        self._folder = CardFolder(root, lock_timeout=lock_timeout)

    def snapshot(self) -> CardSnapshot:
        """Every card as it is on disk now."""
        return self._folder.snapshot()

    def list(self, query: CardQuery | None = None) -> Sequence[Card]:
        """The cards a query asks for, most urgent and then newest first."""
        return self.snapshot().matching(query or CardQuery())

    def get(self, card_id: str) -> Card:
        """One card, or NOT_FOUND."""
        return self._folder.read(card_id)[0]

    def content(self, card_id: str) -> CardContent:
        """One card and its body."""
        card, data = self._folder.read(card_id)
        text = data.decode("utf-8-sig")
        place = locate_frontmatter(text)
        return CardContent(card, text[place[2] :] if place else text)

    def create(self, draft: CardDraft) -> Card:
        """Write a new card; its dependencies must exist and lead into no cycle."""
        _check_texts(draft)
        with self._folder.locked():
            self._check_dependencies(draft.depends_on)
            now = datetime.now(UTC)
            data = _new_file(draft, now)
            card_id = self._free_id(draft.title, now, ())
            self._folder.create(card_id, data)
        return self._folder.parsed(card_id, data)

    def create_all(
        self, drafts: Mapping[str, CardDraft], progress: Callable[[int, int], None] = lambda _done, _all: None
    ) -> Mapping[str, Card]:
        """Write many cards at once; a draft may depend on another by its key in the mapping."""
        for draft in drafts.values():
            _check_texts(draft)
        with self._folder.locked():
            now = datetime.now(UTC)
            ids: dict[str, str] = {}
            taken: set[str] = set()
            for key, draft in drafts.items():
                ids[key] = self._free_id(draft.title, now, taken)
                taken.add(ids[key])
            made: dict[str, Card] = {}
            for key, draft in drafts.items():
                needs = tuple(ids.get(target, target) for target in draft.depends_on)
                data = _new_file(replace(draft, depends_on=needs), now)
                self._folder.create(ids[key], data)
                made[key] = self._folder.parsed(ids[key], data)
                progress(len(made), len(drafts))
            return made

    def update(self, card_id: str, change: CardChange) -> Card:
        """Change the fields named and nothing else; ``updated`` moves."""
        _check_texts(change)
        now = datetime.now(UTC)

        def edit(card: Card, data: bytes) -> bytes:
            if change.depends_on:
                self._check_dependencies(change.depends_on, of=card_id)
            return _edited(card, data, change, now)

        return self._folder.change(card_id, edit)

    def neighbours(self, card_id: str, *, reverse: bool = False) -> Neighbours:
        """What a card depends on, or what depends on it."""
        return self._holding(card_id).neighbours(card_id, reverse=reverse)

    def cycle(self, card_id: str) -> Cycle | None:
        """A cycle that a card leads into."""
        return self._holding(card_id).cycle(card_id)

    def _free_id(self, title: str, now: datetime, taken: Collection[str]) -> str:
        """An id that no file has, and none of those taken."""
        ids = (_new_id(title, now, attempt) for attempt in count())
        return next(id for id in ids if id is not None and id not in taken and self._folder.is_free(id))

    def _holding(self, card_id: str) -> CardSnapshot:
        snapshot = self.snapshot()
        if card_id not in snapshot.cards:
            self._folder.read(card_id)  # tells an unusable file from a missing one
            raise no_card(card_id)
        return snapshot

    def _check_dependencies(self, depends_on: Sequence[str], *, of: str = _NEW) -> None:
        """Refuse what does not exist or leads into a cycle."""
        if not depends_on:
            return
        edges = {card.id: card.depends_on for card in self.snapshot().cards.values()}
        for card_id in depends_on:
            if card_id not in edges:
                raise _no_dependency(card_id)
        edges[of] = tuple(depends_on)
        if cycle := find_cycle(dependency_graph(edges.items()), of):
            raise _circular(cycle)


def _new_id(title: str, now: datetime, attempt: int) -> str | None:
    """Six characters from a hash of time and title; never one that YAML would read as a number."""
    seed = f"{now.isoformat()}\0{title}\0{attempt}".encode("utf-8", "surrogatepass")
    number = int.from_bytes(hashlib.sha256(seed).digest()[:8])
    digits = []
    for _ in range(6):
        number, digit = divmod(number, 36)
        digits.append(_ALPHABET[digit])
    card_id = "".join(digits)
    return card_id if isinstance(scalar(card_id), str) else None


def _new_file(draft: CardDraft, now: datetime) -> bytes:
    created = timestamp(draft.created or now)
    heading = " ".join(draft.title.split())
    description = draft.description.strip("\r\n").rstrip()
    opening = "" if description.startswith("## ") else "## Description\n"
    body = f"\n# {heading}\n\n{opening}"
    if description:
        body += f"{description}\n" if not opening else f"\n{description}\n"
    fields: dict[str, object] = {
        "title": draft.title,
        "status": draft.status.value,
        "priority": draft.priority.value,
        "assignee": draft.assignee or None,
        "tags": list(draft.tags),
        "depends_on": list(draft.depends_on),
        "refs": list(draft.refs),
        "created": created,
        "updated": created,
    }
    if draft.source is not None:
        fields["source"] = draft.source
    return edit_frontmatter(body.encode(), fields)


def _edited(card: Card, data: bytes, change: CardChange, now: datetime) -> bytes:
    changes: dict[str, object] = {}
    for name in change.fields():
        value = getattr(change, name)
        if name != "notes":
            changes[name] = list(value) if isinstance(value, tuple) else (str(value) or None)
    changes["updated"] = timestamp(now)
    if read_frontmatter(data.decode("utf-8-sig")).data is None:
        data = quote_handles(data.decode("utf-8")).encode()
    edited = edit_frontmatter(data, changes)
    if change.title is not None:
        edited = _retitled(edited, card.title, change.title)
    return append_note(edited, change.notes, day=now.date()) if change.notes is not None else edited


def _retitled(data: bytes, old: str, new: str) -> bytes:
    """The heading that repeated the old title repeats the new one; what the frontmatter says stays."""
    text = data.decode()
    place = locate_frontmatter(text)
    body = place[2] if place else 0
    before = re.compile(rf"^# {re.escape(' '.join(old.split()))}(?=\r?$)", re.MULTILINE)
    retitled = before.sub(lambda _match: f"# {' '.join(new.split())}", text[body:], count=1)
    return (text[:body] + retitled).encode()


def _check_texts(given: CardDraft | CardChange) -> None:
    if given.title is not None:
        checked("title", given.title, longest=MAX_TITLE)
    if given.assignee is not None:
        checked("assignee", given.assignee, longest=MAX_TEXT, blank=True)
    for field in ("tags", "depends_on", "refs"):
        if len(getattr(given, field, None) or ()) > MAX_ITEMS:
            raise invalid(field, f"at most {MAX_ITEMS} items", "more")
    for tag in given.tags or ():
        checked("tags", tag, longest=MAX_TEXT)
    if isinstance(given, CardChange) and given.notes is not None:
        checked("notes", given.notes, longest=MAX_TEXT)


def _no_dependency(card_id: str) -> CueError:
    return CueError(
        ErrorCode.DEPENDENCY_NOT_FOUND,
        f"DependencyNotFound: there is no task '{card_id}'",
        data={
            "id": card_id,
            "field": "depends_on",
            "suggestion": "list_tasks (`cue card list`) shows the ids",
        },
    )


def _circular(cycle: Cycle) -> CueError:
    return CueError(
        ErrorCode.CYCLE,
        f"Cycle Detected: CircularDependency {' → '.join(cycle)}",
        data={"cycle_path": list(cycle), "suggestion": f"Remove {cycle[1]} from depends_on of {cycle[0]}"},
    )
