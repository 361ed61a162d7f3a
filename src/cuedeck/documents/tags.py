"""Tags of a document: what its frontmatter lists and what its text marks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from cuedeck.documents.frontmatter import text_of
from cuedeck.documents.markdown import Tag
from cuedeck.store.document_values import LONGEST_KEY

_SEPARATOR = re.compile(r"[,\s]+")


def all_tags(frontmatter: dict[str, Any] | None, inline: Iterable[Tag]) -> tuple[str, ...]:
    """Frontmatter tags first, then inline ones, each spelling once however its case varies."""
    found: dict[str, str] = {}
    for tag in (*frontmatter_tags(frontmatter), *(tag.name for tag in inline)):
        found.setdefault(tag.casefold(), tag)
    return tuple(found.values())


def frontmatter_tags(frontmatter: dict[str, Any] | None) -> list[str]:
    """The ``tags`` (or ``tag``, in any case) of a frontmatter: a list, or one text with commas or spaces."""
    value = property_of(frontmatter, "tags", "tag")
    if isinstance(value, str):
        items: list[str] = _SEPARATOR.split(value)
    else:
        items = [text_of(item) or "" for item in (value if isinstance(value, list) else [value])]
    named = (item.strip().lstrip("#").strip("/") for item in items)
    return [name for name in named if name]


def property_of(frontmatter: dict[str, Any] | None, *names: str) -> Any:
    """The value of the first of some properties that is there; as in Obsidian their case does not matter."""
    folded = {str(key).casefold(): value for key, value in reversed((frontmatter or {}).items())}
    return next((folded[name] for name in names if name in folded), None)


def tag_key(tag: str) -> str:
    """A tag for comparing: no ``#``, no case."""
    return tag.strip().lstrip("#").strip("/").casefold()[:LONGEST_KEY]
