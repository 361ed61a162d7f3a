"""A search's answer in the contract's two halves: a short index, and details within a token budget."""

from __future__ import annotations

import json
from typing import Any

from cuedeck.memory.query import Found, Hit
from cuedeck.search.tokens import count_tokens, truncate_to_tokens

MARK = " … [truncated]"
_FEWEST = 16


def as_json(found: Found, max_tokens: int) -> dict[str, Any]:
    """``index``, ``details`` and ``total_count``."""
    terms = list(found.terms)
    return {
        "index": [hit.as_json(terms) for hit in found.hits],
        "details": _details(found, max_tokens),
        "total_count": found.total,
    }


def _details(found: Found, budget: int) -> list[dict[str, Any]]:
    """As many in full as fit; the one that does not is cut, and ends the list."""
    details: list[dict[str, Any]] = []
    left = budget
    for hit in found.hits:
        detail = _detail(hit, found)
        cost = _cost(detail)
        if cost <= left:
            details.append(detail)
            left -= cost
            continue
        cut = _cut(detail, left)
        if cut is not None or not details:
            details.append(cut or _cut(detail, _FEWEST + _cost(detail | {"content": ""})) or detail)
        break
    return details


def _detail(hit: Hit, found: Found) -> dict[str, Any]:
    neighbours = found.related.get(hit.memory.id, [])
    return {
        "id": hit.memory.id,
        "content": hit.memory.content,
        "metadata": dict(hit.memory.metadata),
        "related": [neighbour.as_json() for neighbour in neighbours],
    }


def _cost(detail: dict[str, Any]) -> int:
    return count_tokens(json.dumps(detail, ensure_ascii=False))


def _cut(detail: dict[str, Any], budget: int) -> dict[str, Any] | None:
    """The beginning of the content, marked; nothing when hardly any of it would fit."""
    room = budget - _cost(detail | {"content": MARK, "truncated": True})
    if room < _FEWEST:
        return None
    content = truncate_to_tokens(detail["content"], room)
    # Quoting makes some characters dearer inside JSON than they are alone.
    while content and _cost(cut := detail | {"content": content + MARK, "truncated": True}) > budget:
        content = content[: int(len(content) * 0.9)]
    return cut if content else None
