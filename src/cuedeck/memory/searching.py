"""Finds memories: filters first, keyword and dense candidates, one fused ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cuedeck.memory import graph
from cuedeck.memory.model import Memory
from cuedeck.memory.query import Filters, Found, Fusion, Hit, Query
from cuedeck.memory.records import from_row, text_record
from cuedeck.search.analyser import query_terms
from cuedeck.search.explain import Part, fused_parts, keyword_parts
from cuedeck.search.fusion import (
    KEYWORD,
    SEMANTIC,
    Ranked,
    best_first,
    blend_order,
    reciprocal_rank,
    weighted_blend,
)
from cuedeck.store import memories as table
from cuedeck.store.protocol import Session, TextStatistics
from cuedeck.store.schema.memories import MEMORY_TEXT, MEMORY_VECTORS

if TYPE_CHECKING:
    from cuedeck.store.protocol import Vector

# So many of either kind take part in the fusion.
CANDIDATES = 100
# Of longer questions the terms' rarity is counted in all memories: inside a project it costs too much.
MOST_SCOPED_TERMS = 32
# Measured on held-out conversations, see docs/search.md.
SEMANTIC_WEIGHT = 0.6
BOTH = "both"


@dataclass(frozen=True, slots=True)
class Candidates:
    """What matched by words and by meaning, best first, and how many matched in all."""

    keyword: Mapping[int, float]
    semantic: Mapping[int, float]
    known_cosines: Mapping[int, float]
    total: int


def search(session: Session, query: Query, vector: Vector | None, *, model: str, floor: float) -> Found:
    """The answer as of this session's view."""
    terms = query_terms(query.text)
    statistics = _statistics(session, query.filters, terms)
    candidates = _candidates(session, query, terms, statistics, vector, model, floor)
    scores = candidates.keyword, candidates.semantic
    order = _TieBreakers(session, *scores)
    ranked = fuse(*scores, query.fusion, order, candidates.known_cosines, limit=query.max_results)
    memories = {row["rid"]: from_row(row) for row in table.by_rids(session, [one.key for one in ranked])}
    told = (statistics or session.text(MEMORY_TEXT).statistics(terms)) if query.explain else None
    hits = tuple(
        Hit(memory, min(1.0, one.score), _explained(memory, one, told) if told else None)
        for one in ranked
        if (memory := memories.get(one.key)) is not None
    )
    related = graph.related(session, [hit.memory for hit in hits]) if query.include_graph else {}
    return Found(hits, candidates.total, tuple(terms), vector is not None, related)


def _candidates(
    session: Session,
    query: Query,
    terms: list[str],
    statistics: TextStatistics | None,
    vector: Vector | None,
    model: str,
    floor: float,
) -> Candidates:
    text, scope = session.text(MEMORY_TEXT), query.filters.scope
    matching = set(text.matching_ids(terms, scope=scope))
    hits = text.match(terms, scope=scope, limit=CANDIDATES, statistics=statistics)
    keyword = {hit.id: hit.score for hit in hits}
    semantic: dict[int, float] = {}
    known: dict[int, float] = {}
    if vector is not None:
        vectors = session.vectors(MEMORY_VECTORS)
        reached = vectors.reaching(
            vector, model=model, scope=scope, limit=CANDIDATES, floor=floor, also=keyword
        )
        semantic = {hit.id: hit.cosine for hit in reached.nearest}
        known = reached.also
        matching.update(reached.ids)
    return Candidates(keyword, semantic, known, len(matching))


def _statistics(session: Session, filters: Filters, terms: list[str]) -> TextStatistics | None:
    """How rare each term is inside the project and type that are asked for, where any are.

    A name can be rare in all memories and everywhere in one project.
    """
    scope = replace(filters, tags=()).scope if len(terms) <= MOST_SCOPED_TERMS else ()
    return session.text(MEMORY_TEXT).statistics(terms, scope=scope) if scope else None


class _TieBreakers:
    """What orders equals: confidence, then newer, then id. Rows are read of those alone that need it."""

    def __init__(self, session: Session, *scores: Mapping[int, float]) -> None:
        self._session = session
        counts = [Counter(each.values()) for each in scores]
        equal = {rid for each, n in zip(scores, counts, strict=True) for rid in each if n[each[rid]] > 1}
        self._known = table.tie_breakers(session, equal)

    def __call__(self, rid: int) -> tuple[float, int, str]:
        if rid not in self._known:
            self._known |= table.tie_breakers(self._session, [rid])
        return self._known[rid]


def fuse(
    keyword: Mapping[int, float],
    semantic: Mapping[int, float],
    fusion: Fusion,
    order: Callable[[int], tuple[float, int, str]],
    known_cosines: Mapping[int, float],
    *,
    limit: int,
) -> list[Ranked[int]]:
    """The fusion itself, over scores by identity; keyword hits bring their cosines along.

    Reciprocal rank fuses three lists: by words, by meaning, and by both scores blended.
    """
    cosines = {rid: cosine for rid, cosine in known_cosines.items() if rid in keyword} | dict(semantic)
    if not cosines:
        return reciprocal_rank({KEYWORD: best_first(keyword, order)}, order=order, limit=limit)
    if fusion is Fusion.BLEND:
        return weighted_blend(keyword, cosines, order=order, semantic_weight=SEMANTIC_WEIGHT, limit=limit)
    sources = {
        KEYWORD: best_first(keyword, order),
        SEMANTIC: best_first(semantic, order),
        BOTH: blend_order(keyword, cosines, order=order, semantic_weight=SEMANTIC_WEIGHT),
    }
    return reciprocal_rank(sources, order=order, limit=limit)


def _explained(memory: Memory, ranked: Ranked[int], statistics: TextStatistics) -> Part:
    words = keyword_parts(MEMORY_TEXT, text_record(memory), list(statistics.frequencies), statistics)
    return fused_parts(ranked, {KEYWORD: words})
