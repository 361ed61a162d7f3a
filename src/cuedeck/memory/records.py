"""A memory as a row, as tokens of the full-text index, and as the scope it can be filtered by."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from cuedeck.memory.model import Access, Draft, Link, Memory, MemoryType, Origin
from cuedeck.search.analyser import analyse, scope_token
from cuedeck.store.protocol import Row, TextRecord

_METADATA_CHARACTERS = 4_000


def from_row(row: Row) -> Memory:
    """A memory as the database, or its change log, holds it."""
    return Memory(
        id=row["id"],
        type=MemoryType(row["type"]),
        title=row["title"],
        content=row["content"],
        metadata=json.loads(row["metadata"]),
        tags=tuple(json.loads(row["tags"])),
        project=row["project"],
        confidence=row["confidence"],
        source_task=row["source_task"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        deleted_at=row["deleted_at"],
        rid=row.get("rid", 0),
    )


def to_row(memory: Memory, *, unique: bool) -> dict[str, Any]:
    """The columns of a memory; ``unique`` lets it stand for its content in its scope."""
    return {
        "id": memory.id,
        "type": str(memory.type),
        "title": memory.title,
        "content": memory.content,
        "metadata": dump(memory.metadata),
        "tags": dump(list(memory.tags)),
        "project": memory.project,
        "confidence": memory.confidence,
        "source_task": memory.source_task,
        "content_hash": content_hash(memory),
        "duplicate_key": duplicate_key(memory) if unique else None,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "deleted_at": memory.deleted_at,
    }


def dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def content_hash(memory: Memory) -> str:
    """Changes when the text the model reads does."""
    return _digest(memory.embedded_text)


def duplicate_key(what: Draft | Memory) -> str:
    """The same when everything said is the same: a call repeated, not a fact told with other tags."""
    told = [what.type, what.project, what.content, what.title, sorted(what.tags), what.metadata]
    return _digest(json.dumps([*told, what.confidence, what.source_task], sort_keys=True))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def scope_of(memory: Memory) -> list[str]:
    """The tokens a memory is filtered by."""
    return [
        type_scope(memory.type),
        project_scope(memory.project),
        *(tag_scope(tag) for tag in memory.tags),
    ]


def type_scope(type: MemoryType) -> str:
    return scope_token("k", str(type))


def project_scope(project: str) -> str:
    return scope_token("p", project)


def tag_scope(tag: str) -> str:
    return scope_token("t", tag)


def text_record(memory: Memory) -> TextRecord:
    """What the full-text index knows of a memory."""
    return TextRecord(
        memory.rid,
        {
            "title": analyse(memory.title or ""),
            "content": analyse(memory.content),
            "metadata": analyse(" ".join(_strings(dict(memory.metadata)))[:_METADATA_CHARACTERS]),
            "tags": analyse(" ".join(memory.tags)),
        },
        scope_of(memory),
    )


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from _strings(inner)
        case list():
            for inner in value:
                yield from _strings(inner)
        case _:
            return


def link_from(row: Row) -> Link:
    """An edge as the database holds it."""
    return Link(
        row["from_id"],
        row["to_id"],
        row["strength"],
        row["reason"],
        Origin(row["origin"]),
        row["created_at"],
    )


def access_from(row: Row | None) -> Access:
    """The readings of a memory, none when there is no row."""
    return Access(row["count"], row["last_at"]) if row else Access()
