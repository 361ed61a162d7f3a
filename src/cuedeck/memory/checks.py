"""Refuses what a memory cannot hold, naming the field, before anything is written."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from cuedeck.memory.model import PREFIX, MemoryType
from cuedeck.model.errors import invalid
from cuedeck.model.text import storable

CONTENT_BYTES = 1024 * 1024
TITLE_LENGTH = 500
TAG_LENGTH = 200
MOST_TAGS = 64
PROJECT_LENGTH = 200
METADATA_BYTES = 256 * 1024
METADATA_DEPTH = 16
QUERY_LENGTH = 32_000
_ID = re.compile(r"memory:[0-9a-z]{1,64}\Z")


def content(value: str, field: str = "content") -> str:
    """Something to remember: not blank, at most 1 MiB."""
    storable(field, value)
    if not value.strip():
        raise invalid(field, "text that is not blank", value[:20])
    size = len(value) if value.isascii() else len(value.encode())
    if size > CONTENT_BYTES:
        raise invalid(field, f"at most {CONTENT_BYTES} bytes of UTF-8", f"{size} bytes")
    return value


def title(value: str | None) -> str | None:
    """One line, or nothing."""
    if value is None:
        return None
    line = " ".join(storable("title", value).split())
    if len(line) > TITLE_LENGTH:
        raise invalid("title", f"at most {TITLE_LENGTH} characters", f"{len(line)} characters")
    return line or None


def reason(value: str) -> str:
    """Why two memories belong together, on one line of bounded length."""
    return " ".join(storable("reason", value).split())[:TITLE_LENGTH]


def tags(values: Sequence[str]) -> tuple[str, ...]:
    """Trimmed, without repeats, in the given order."""
    if len(values) > MOST_TAGS:
        raise invalid("tags", f"at most {MOST_TAGS} tags", f"{len(values)} tags")
    return tuple(dict.fromkeys(_tag(value) for value in values))


def _tag(value: str) -> str:
    trimmed = storable("tags", value).strip()
    if not trimmed or len(trimmed) > TAG_LENGTH:
        raise invalid("tags", f"tags of 1 to {TAG_LENGTH} characters", value)
    return trimmed


def project(value: str | None) -> str:
    """A project's name, empty for none."""
    trimmed = storable("project", value or "").strip()
    if len(trimmed) > PROJECT_LENGTH:
        raise invalid("project", f"at most {PROJECT_LENGTH} characters", f"{len(trimmed)} characters")
    return trimmed


def share(field: str, value: float) -> float:
    """A finite number from 0 to 1."""
    if isinstance(value, bool) or not math.isfinite(value) or not 0.0 <= value <= 1.0:
        raise invalid(field, "a number from 0.0 to 1.0", str(value))
    return float(value)


def metadata(value: Mapping[str, Any]) -> dict[str, Any]:
    """JSON of bounded size and depth."""
    _walk(value, METADATA_DEPTH)
    encoded = json.dumps(value, ensure_ascii=False, allow_nan=False)
    size = len(encoded.encode())
    if size > METADATA_BYTES:
        raise invalid("metadata", f"at most {METADATA_BYTES} bytes of JSON", f"{size} bytes")
    return dict(value)


def _walk(value: Any, depth: int) -> None:
    if depth < 0:
        raise invalid("metadata", f"at most {METADATA_DEPTH} levels", "deeper nesting")
    match value:
        case str():
            storable("metadata", value)
        case Mapping():
            for key, inner in value.items():
                if not isinstance(key, str):
                    raise invalid("metadata", "text keys", type(key).__name__)
                storable("metadata", key)
                _walk(inner, depth - 1)
        case list() | tuple():
            for inner in value:
                _walk(inner, depth - 1)
        case float() if not math.isfinite(value):
            raise invalid("metadata", "finite numbers", str(value))
        case int() | float() | bool() | None:
            return
        case _:
            raise invalid("metadata", "JSON values", type(value).__name__)


def memory_id(field: str, value: str) -> str:
    """An id of the form ``memory:…``; a bare one is completed."""
    storable(field, value)
    completed = value.strip() if value.strip().startswith(PREFIX) else PREFIX + value.strip()
    if not _ID.match(completed):
        raise invalid(field, "a memory id such as memory:01jd0…", value)
    return completed


def memory_type(value: str) -> MemoryType:
    """One of the five types."""
    try:
        return MemoryType(value)
    except ValueError:
        raise invalid("type", "one of " + ", ".join(MemoryType), value) from None


def query(value: str, field: str = "query") -> str:
    """A question that is not blank."""
    storable(field, value)
    if not value.strip():
        raise invalid(field, "text that is not blank", value[:20])
    if len(value) > QUERY_LENGTH:
        raise invalid(field, f"at most {QUERY_LENGTH} characters", f"{len(value)} characters")
    return value
