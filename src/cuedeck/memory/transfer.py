"""Memories and links as JSON lines, out and in."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cuedeck.memory import checks, linking
from cuedeck.memory.drafts import checked, drafted
from cuedeck.memory.masking import Masking
from cuedeck.memory.model import Draft, Link, Memory, MemoryType, Origin
from cuedeck.memory.moments import moment
from cuedeck.memory.records import duplicate_key, from_row, link_from
from cuedeck.model.clock import now_ms
from cuedeck.model.errors import CueError, invalid
from cuedeck.model.text import storable
from cuedeck.store import memories as table

if TYPE_CHECKING:
    from cuedeck.memory.memories import Memories
    from cuedeck.store.protocol import Database

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import added, and what was there already."""

    memories: int = 0
    links: int = 0
    known: int = 0
    masked: int = 0

    def to_json(self) -> dict[str, int]:
        return {"memories": self.memories, "links": self.links, "known": self.known, "masked": self.masked}


@dataclass(frozen=True, slots=True)
class Incoming:
    """A memory to add, and the file whose chunk it is."""

    memory: Memory
    file: str | None


def export(state: Database) -> Iterator[dict[str, Any]]:
    """Every living memory in order of id, then every link between them."""
    for page in _pages(state):
        with state.read() as session:
            files = table.files_of_chunks(session, [memory.id for memory in page])
        for memory in page:
            line = {"kind": "memory", **memory.to_json(), "title": memory.title}
            yield line | ({"chunk_of": files[memory.id]} if memory.id in files else {})
    for page in _pages(state):
        own = [memory.id for memory in page]
        with state.read() as session:
            links = [link_from(row) for row in table.links_of(session, own)]
        # Each link once: with the memory it starts from.
        yield from ({"kind": "link", **link.to_json()} for link in links if link.from_id in set(own))


def _pages(state: Database) -> Iterator[list[Memory]]:
    after = ""
    while True:
        with state.read() as session:
            page = [from_row(row) for row in table.listed(session, after=after, limit=_PAGE, deleted=False)]
        yield page
        if len(page) < _PAGE:
            return
        after = page[-1].id


def load(memories: Memories, lines: Iterable[str], *, actor: str) -> Imported:
    """Add what is not there; every line is checked before the first is written."""
    masking = Masking(memories.section.secrets)
    wanted = [_entry(number, line, masking) for number, line in enumerate(lines, start=1) if line.strip()]
    new = [entry for entry in wanted if isinstance(entry, Incoming)]
    done = Imported(masked=masking.count)
    together = {entry.memory.id for entry in new}
    for start in range(0, len(new), _PAGE):
        done = _add(memories, new[start : start + _PAGE], together, done, actor)
    links = [entry for entry in wanted if isinstance(entry, Link)]
    return _join(memories, links, done, actor)


def _entry(number: int, line: str, masking: Masking) -> Incoming | Link:
    try:
        row = json.loads(line)
        return _link(row, masking) if row.get("kind") == "link" else _memory(row, masking)
    except CueError as error:
        raise invalid(f"line {number}", error.data.get("expected", "a memory"), error.message) from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise invalid(
            f"line {number}", "a memory or link as `cue memory export` writes it", line[:100]
        ) from error


def _memory(row: dict[str, Any], masking: Masking) -> Incoming:
    draft = Draft(
        type=checks.memory_type(row["type"]),
        content=row["content"],
        title=row.get("title"),
        metadata=_of(dict, row.get("metadata")),
        tags=tuple(_of(list, row.get("tags"))),
        project=row.get("project") or "",
        confidence=row.get("confidence", 1.0),
        source_task=row.get("source_task"),
    )
    memory = drafted(masking.draft(checked(draft)))
    given = replace(
        memory,
        id=checks.memory_id("id", row["id"]) if row.get("id") else memory.id,
        created_at=moment("created_at", row["created_at"]) if row.get("created_at") else memory.created_at,
        updated_at=moment("updated_at", row["updated_at"]) if row.get("updated_at") else memory.updated_at,
    )
    file = row.get("chunk_of") if given.type is MemoryType.CODE_CHUNK else None
    return Incoming(given, storable("chunk_of", file) if file else None)


def _of(kind: type[Any], value: Any) -> Any:
    """A value of that kind, an empty one for none; a text must not be taken for a list of its letters."""
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise TypeError(kind)
    return value


def _link(row: dict[str, Any], masking: Masking) -> Link:
    return Link(
        checks.memory_id("from_id", row["from_id"]),
        checks.memory_id("to_id", row["to_id"]),
        checks.share("strength", row.get("strength", 0.8)),
        masking.text(checks.reason(row.get("reason") or "")),
        Origin(row.get("origin", "manual")),
        moment("created_at", row["created_at"]) if row.get("created_at") else now_ms(),
    )


def _add(
    memories: Memories, new: Sequence[Incoming], together: Collection[str], done: Imported, actor: str
) -> Imported:
    added: list[str] = []
    with memories.state.write(actor=actor) as session:
        for memory, file in ((entry.memory, entry.file) for entry in new):
            if table.find(session, memory.id, deleted=True):
                continue
            twin = table.with_duplicate_key(session, duplicate_key(memory))
            # Those that came together were different memories where they came from.
            if twin and twin["id"] not in together:
                continue
            memories.add(session, memory, None, unique=twin is None and file is None)
            if file is not None:
                table.put_chunk(session, memory.id, memory.project, file)
            added.append(memory.id)
    memories.completion.follow(added)
    return replace(done, memories=done.memories + len(added), known=done.known + len(new) - len(added))


def _join(memories: Memories, links: Sequence[Link], done: Imported, actor: str) -> Imported:
    """Links somebody made; automatic ones are found again."""
    made = 0
    with memories.state.write(actor=actor) as session:
        for link in (link for link in links if link.origin is Origin.MANUAL and link.from_id != link.to_id):
            ends = {row["id"] for row in table.by_ids(session, [link.from_id, link.to_id])}
            if len(ends) == 2 and table.link_between(session, link.from_id, link.to_id) is None:
                linking.put(session, link)
                made += 1
    return replace(done, links=made)
