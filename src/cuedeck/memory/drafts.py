"""What somebody wants remembered or changed, checked before it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cuedeck.memory import checks
from cuedeck.memory.masking import Masking
from cuedeck.memory.model import Draft, Memory, new_id
from cuedeck.model.clock import now_ms
from cuedeck.model.errors import invalid


def checked(draft: Draft) -> Draft:
    """A draft within every limit."""
    return replace(
        draft,
        content=checks.content(draft.content),
        title=checks.title(draft.title),
        metadata=checks.metadata(draft.metadata),
        tags=checks.tags(draft.tags),
        project=checks.project(draft.project),
        confidence=checks.share("confidence", draft.confidence),
        source_task=checks.title(draft.source_task),
    )


def checked_changes(changes: Mapping[str, Any], masking: Masking) -> dict[str, Any]:
    """The fields of an update within every limit and without secrets."""
    fields: dict[str, Any] = {}
    for name, value in changes.items():
        match name:
            case "content":
                fields[name] = masking.text(checks.content(value))
            case "title":
                fields[name] = masking.optional(checks.title(value))
            case "metadata":
                fields[name] = masking.value(checks.metadata(value))
            case "tags":
                fields[name] = tuple(masking.text(tag) for tag in checks.tags(value))
            case "confidence":
                fields[name] = checks.share(name, value)
            case _:
                raise invalid("update", "content, title, metadata, tags or confidence", name)
    return fields


def drafted(draft: Draft) -> Memory:
    """A checked draft as the memory it becomes now."""
    at = now_ms()
    return Memory(
        id=new_id(at),
        type=draft.type,
        title=draft.title,
        content=draft.content,
        metadata=draft.metadata,
        tags=draft.tags,
        project=draft.project,
        confidence=draft.confidence,
        source_task=draft.source_task,
        created_at=at,
        updated_at=at,
    )
