"""Finds memories: filters first, keyword and dense candidates, one fused ranking."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cuedeck.memory import graph
from cuedeck.memory.model import Memory
from cuedeck.memory.query import Found, Fusion, Hit, Query
from cuedeck.memory.records import from_row, text_record
from cuedeck.search.analyser import query_terms
from cuedeck.search.explain import Part, fused_parts, keyword_parts
from cuedeck.search.fusion import KEYWORD, RANK_CONSTANT, SEMANTIC, Ranked, reciprocal_rank, weighted_blend
from cuedeck.store import memories as table
from cuedeck.store.protocol import Session
from cuedeck.store.schema.memories import MEMORY_TEXT, MEMORY_VECTORS

if TYPE_CHECKING:
    from cuedeck.store.protocol import Vector

# So many of either kind take part in the fusion.
CANDIDATES = 100
# Agreement further down says little: beyond these ranks a second mention adds nothing (docs/memory.md).
AGREEMENT = 20
SEMANTIC_WEIGHT = 0.4


@dataclass(frozen=True, slots=True)
class Candidates:
    """What matched by words and by meaning, best first, and how many matched in all."""

    keyword: Mapping[int, float]
    semantic: Mapping[int, float]
    total: int


def search(session: Session, query: Query, vector: Vector | None, *, model: str, floor: float) -> Found:
    """The answer as of this session's view."""
    terms = query_terms(query.text)
    candidates = _candidates(session, query, terms, vector, model, floor)
    ranked = rank(session, candidates, query.fusion)[: query.max_results]
    memories = {row["rid"]: from_row(row) for row in table.by_rids(session, [one.key for one in ranked])}
    hits = tuple(
        Hit(memories[one.key], min(1.0, one.score), _explained(session, memories[one.key], one, terms, query))
        for one in ranked
        if one.key in memories
    )
    related = graph.related(session, [hit.memory for hit in hits]) if query.include_graph else {}
    return Found(hits, candidates.total, tuple(terms), vector is not None, related)


def _candidates(
    session: Session, query: Query, terms: list[str], vector: Vector | None, model: str, floor: float
) -> Candidates:
    scope = query.filters.scope
    text = session.text(MEMORY_TEXT)
    keyword = {hit.id: hit.score for hit in text.match(terms, scope=scope, limit=CANDIDATES)}
    matching = set(text.matching_ids(terms, scope=scope))
    semantic: dict[int, float] = {}
    if vector is not None:
        near = session.vectors(MEMORY_VECTORS).nearest(
            vector, model=model, scope=scope, limit=CANDIDATES, floor=floor
        )
        semantic = {hit.id: hit.cosine for hit in near}
        matching.update(semantic)
        if len(near) == CANDIDATES:
            matching.update(_all_near(session, query, vector, model, floor))
    return Candidates(keyword, semantic, len(matching))


def _all_near(session: Session, query: Query, vector: Vector, model: str, floor: float) -> set[int]:
    """Everything above the floor, when there is more than takes part in the ranking."""
    vectors = session.vectors(MEMORY_VECTORS)
    everything = vectors.count(model=model)
    near = vectors.nearest(vector, model=model, scope=query.filters.scope, limit=everything, floor=floor)
    return {hit.id for hit in near}


def rank(session: Session, candidates: Candidates, fusion: Fusion) -> list[Ranked[int]]:
    """One ranking; equal scores by confidence, then newer, then id."""
    order = table.tie_breakers(session, {*candidates.keyword, *candidates.semantic})
    keyword = {rid: score for rid, score in candidates.keyword.items() if rid in order}
    semantic = {rid: score for rid, score in candidates.semantic.items() if rid in order}
    return fuse(keyword, semantic, fusion, order)


def fuse(
    keyword: Mapping[int, float],
    semantic: Mapping[int, float],
    fusion: Fusion,
    order: Mapping[int, tuple[float, int, str]],
) -> list[Ranked[int]]:
    """The fusion itself, over scores by identity."""
    if fusion is Fusion.BLEND and semantic:
        return weighted_blend(keyword, semantic, order=order.__getitem__, semantic_weight=SEMANTIC_WEIGHT)
    sources = {KEYWORD: _best_first(keyword, order)}
    if semantic:
        sources[SEMANTIC] = _best_first(semantic, order)
    top = reciprocal_rank({name: rids[:AGREEMENT] for name, rids in sources.items()}, order=order.__getitem__)
    return top + _tail(sources, {one.key for one in top}, order)


def _tail(
    sources: Mapping[str, list[int]], above: Set[int], order: Mapping[int, tuple[float, int, str]]
) -> list[Ranked[int]]:
    """Candidates below every list's best, each by its better rank alone: never above those."""
    scale = (RANK_CONSTANT + 1) / len(sources)
    best: dict[int, tuple[float, str]] = {}
    for name, rids in sources.items():
        for rank, rid in enumerate(rids, start=1):
            if rid not in above:
                best[rid] = max(best.get(rid, (0.0, "")), (scale / (RANK_CONSTANT + rank), name))
    tail = [
        Ranked(rid, score, {each: score if each == name else 0.0 for each in sources})
        for rid, (score, name) in best.items()
    ]
    return sorted(tail, key=lambda one: (-one.score, order[one.key]))


def _best_first(scores: Mapping[int, float], order: Mapping[int, tuple[float, int, str]]) -> list[int]:
    return sorted(scores, key=lambda rid: (-scores[rid], order[rid]))


def _explained(
    session: Session, memory: Memory, ranked: Ranked[int], terms: list[str], query: Query
) -> Part | None:
    if not query.explain:
        return None
    statistics = session.text(MEMORY_TEXT).statistics(terms)
    words = keyword_parts(MEMORY_TEXT, text_record(memory), terms, statistics)
    return fused_parts(ranked, {KEYWORD: words})
