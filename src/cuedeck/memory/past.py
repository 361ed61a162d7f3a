"""Search as of an earlier time: the index for what has not changed since, the change log for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cuedeck.memory.graph import neighbours
from cuedeck.memory.history import changed_since, links_then
from cuedeck.memory.model import Memory, Neighbour
from cuedeck.memory.query import Found, Hit, Query
from cuedeck.memory.records import content_hash, from_row, text_record
from cuedeck.memory.searching import CANDIDATES, fuse
from cuedeck.model.adding import added
from cuedeck.search.analyser import query_terms
from cuedeck.search.explain import fused_parts
from cuedeck.search.fusion import best_first
from cuedeck.store import memories as table
from cuedeck.store.bm25 import breakdown
from cuedeck.store.protocol import Session
from cuedeck.store.schema.memories import MEMORY_TEXT, MEMORY_VECTORS

if TYPE_CHECKING:
    from cuedeck.search.embedder import Embedder
    from cuedeck.store.protocol import Vector

MOST_EMBEDDED = 200
SECONDS = 2.0


def search_past(
    session: Session, query: Query, vector: Vector | None, *, embedder: Embedder, floor: float
) -> Found:
    """The answer a search would have given at ``query.as_of``, ranked with today's weights."""
    assert query.as_of is not None
    terms = query_terms(query.text)
    then = changed_since(session, query.as_of)
    # What was purged for good cannot be told apart from others by identity, so names decide.
    before = {memory.rid: memory for memory in then.values() if memory and query.filters.admit(memory)}
    changed = table.rids_of(session, then)
    # What changed since is in the index as it is now, and takes the place of as many others.
    limit = CANDIDATES + len(changed)
    text, scope = session.text(MEMORY_TEXT), query.filters.scope
    keyword = {hit.id: hit.score for hit in text.match(terms, scope=scope, limit=limit)}
    keyword = _without(keyword, changed) | _words_then(session, before, terms)
    matching = set(text.matching_ids(terms, scope=scope))
    semantic: dict[int, float] = {}
    if vector is not None:
        vectors = session.vectors(MEMORY_VECTORS)
        reached = vectors.reaching(vector, model=embedder.model, floor=floor, scope=scope, limit=limit)
        matching.update(reached.ids)
        cosines = _cosines_then(session, before, vector, embedder)
        semantic = _without({hit.id: hit.cosine for hit in reached.nearest}, changed)
        semantic |= {rid: cosine for rid, cosine in cosines.items() if cosine >= floor}
    matching = (matching - changed).union(keyword, semantic)
    known = {
        row["rid"]: from_row(row) for row in table.by_rids(session, {*keyword, *semantic} - before.keys())
    }
    known |= before
    order = {rid: (-memory.confidence, -memory.updated_at, memory.id) for rid, memory in known.items()}
    best = (_best(keyword, order), _best(semantic, order))
    ranked = fuse(*best, query.fusion, order.__getitem__, {}, limit=query.max_results)
    hits = tuple(
        Hit(known[one.key], min(1.0, one.score), fused_parts(one, {}) if query.explain else None)
        for one in ranked
    )
    related = (
        _related(session, [hit.memory for hit in hits], query.as_of, then) if query.include_graph else {}
    )
    return Found(hits, len(matching), tuple(terms), vector is not None, related)


def _related(
    session: Session, memories: Sequence[Memory], at: int, then: Mapping[str, Memory | None]
) -> dict[str, list[Neighbour]]:
    """What the memories were linked with at that time, as that was then."""
    wanted = {memory.id for memory in memories}
    links = links_then(session, wanted, at)
    ends = {id for link in links for id in (link.from_id, link.to_id)}
    known = {row["id"]: from_row(row) for row in table.by_ids(session, ends - then.keys())}
    known |= {id: memory for id in ends if (memory := then.get(id)) is not None}
    return neighbours(wanted, links, known)


def _best(scores: Mapping[int, float], order: Mapping[int, tuple[float, int, str]]) -> dict[int, float]:
    return {rid: scores[rid] for rid in best_first(scores, order.__getitem__)[:CANDIDATES]}


def _without(scores: Mapping[int, float], changed: set[int]) -> dict[int, float]:
    return {rid: score for rid, score in scores.items() if rid not in changed}


def _words_then(session: Session, before: Mapping[int, Memory], terms: Sequence[str]) -> dict[int, float]:
    """BM25 of texts that are no longer in the index."""
    statistics = session.text(MEMORY_TEXT).statistics(terms)
    wanted = set(terms)
    scores: dict[int, float] = {}
    for rid, memory in before.items():
        record = text_record(memory)
        if any(wanted.intersection(tokens) for tokens in record.fields.values()):
            scores[rid] = added(breakdown(MEMORY_TEXT, record, terms, statistics).values())
    return scores


def _cosines_then(
    session: Session, before: Mapping[int, Memory], vector: Vector, embedder: Embedder
) -> dict[int, float]:
    """Cosines of earlier texts: the stored vector where the text is still the same, else the model."""
    hashes = table.content_hashes(session, [memory.id for memory in before.values()])
    same = {rid for rid, memory in before.items() if hashes.get(memory.id) == content_hash(memory)}
    stored = session.vectors(MEMORY_VECTORS).get(same, model=embedder.model)
    cosines = {rid: float(known @ vector) for rid, known in stored.items()}
    missing = [rid for rid in before if rid not in stored][:MOST_EMBEDDED]
    made = embedder.try_embed([before[rid].embedded_text for rid in missing], SECONDS) if missing else None
    if made is not None:
        cosines |= {rid: float(row @ vector) for rid, row in zip(missing, made, strict=True)}
    return cosines
