"""A search's answer in the contract's two halves: a short index, and details within a token budget."""

from __future__ import annotations

import json
from typing import Any

from cuedeck.memory.query import Found, Hit
from cuedeck.search.tokens import count_tokens, truncate_to_tokens

MARK = " … [truncated]"
_FEWEST = 16


def to_json(found: Found, max_tokens: int) -> dict[str, Any]:
    """``index``, ``details`` and ``total_count``."""
    terms = list(found.terms)
    return {
        "index": [hit.to_json(terms) for hit in found.hits],
        "details": _details(found, max_tokens),
        "total_count": found.total,
    }


def _details(found: Found, budget: int) -> list[dict[str, Any]]:
    """As many in full as fit; the one that does not is cut, and ends the list."""
    wanted = [_detail(hit, found) for hit in found.hits]
    # No token is shorter than a byte: what is short fits without loading the tokeniser.
    if sum(len(_dumped(detail).encode("utf-8", "replace")) for detail in wanted) <= budget:
        return wanted
    details: list[dict[str, Any]] = []
    left = budget
    for detail in wanted:
        cost = _cost(detail)
        if cost > left:
            cut = _cut(detail, left) or (None if details else _least(detail))
            return [*details, cut] if cut else details
        details.append(detail)
        left -= cost
    return details


def _detail(hit: Hit, found: Found) -> dict[str, Any]:
    neighbours = found.related.get(hit.memory.id, [])
    return {
        "id": hit.memory.id,
        "content": hit.memory.content,
        "metadata": dict(hit.memory.metadata),
        "related": [neighbour.to_json() for neighbour in neighbours],
    }


def _cost(detail: dict[str, Any]) -> int:
    return count_tokens(_dumped(detail))


def _dumped(detail: dict[str, Any]) -> str:
    return json.dumps(detail, ensure_ascii=False)


def _cut(detail: dict[str, Any], budget: int) -> dict[str, Any] | None:
    """The beginning of the content, marked; nothing when hardly any of it would fit."""
    slimmer: tuple[dict[str, Any], ...] = ({}, {"related": []}, {"related": [], "metadata": {}})
    for slim in slimmer:
        bare = {**detail, **slim, "content": MARK, "truncated": True}
        room = budget - _cost(bare)
        if room >= _FEWEST:
            return _filled(bare, detail["content"], room, budget)
    return None


def _filled(bare: dict[str, Any], content: str, room: int, budget: int) -> dict[str, Any]:
    kept = truncate_to_tokens(content, room)
    # Quoting makes some characters dearer inside JSON than they are alone.
    while kept and _cost({**bare, "content": kept + MARK}) > budget:
        kept = kept[: int(len(kept) * 0.9)]
    return {**bare, "content": _marked(kept, content)}


def _least(detail: dict[str, Any]) -> dict[str, Any]:
    """A few words of the best hit, when the budget is too small for any."""
    kept = truncate_to_tokens(detail["content"], _FEWEST)
    content = _marked(kept, detail["content"])
    return {**detail, "content": content, "metadata": {}, "related": [], "truncated": True}


def _marked(kept: str, content: str) -> str:
    """A content with the mark where it was cut; it may be whole where metadata had to go."""
    return kept if kept == content else kept + MARK
