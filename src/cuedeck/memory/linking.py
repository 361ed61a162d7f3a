"""Vectors and automatic links: what memories get once the model has read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cuedeck.memory.model import Link, Memory, Origin
from cuedeck.memory.records import content_hash, link_from, scope_of
from cuedeck.model.clock import now_ms
from cuedeck.store import memories as table
from cuedeck.store.protocol import Session, VectorRecord
from cuedeck.store.schema.memories import MEMORY_VECTORS

if TYPE_CHECKING:
    from cuedeck.store.protocol import Vector

MOST_LINKS = 5


def complete(
    session: Session, read: Sequence[tuple[Memory, Vector]], *, model: str, floor: float
) -> dict[str, list[Link]]:
    """Give memories their vectors and links, in the caller's transaction; the links of each."""
    ids = [memory.id for memory, _ in read]
    table.drop_auto_links(session, ids)
    near = _neighbours(session, read, model, floor)
    session.vectors(MEMORY_VECTORS).put(
        VectorRecord(memory.rid, model, vector, scope_of(memory)) for memory, vector in read
    )
    names = table.ids_of(session, {rid for found in near.values() for rid in found})
    kept = [link_from(row) for row in table.links_of(session, ids)]
    links: dict[str, list[Link]] = {}
    for memory, _ in read:
        by_hand = {link.other(memory.id): link for link in kept if memory.id in (link.from_id, link.to_id)}
        cosines = {names[rid]: cosine for rid, cosine in near[memory.id].items() if rid in names}
        links[memory.id] = [
            by_hand.get(id) or _similar(memory.id, id, cosine) for id, cosine in cosines.items()
        ]
    table.set_embedded(session, model, {memory.id: content_hash(memory) for memory, _ in read})
    table.add_links(
        session, [_row(link) for made in links.values() for link in made if link.origin is Origin.AUTO]
    )
    return links


def _neighbours(
    session: Session, read: Sequence[tuple[Memory, Vector]], model: str, floor: float
) -> dict[str, dict[int, float]]:
    """The nearest of each, among what is stored and what stands before it in the batch, best first."""
    import numpy as np

    if not read:
        return {}
    made = [vector for _, vector in read]
    hits = session.vectors(MEMORY_VECTORS).nearest_each(
        made, model=model, limit=MOST_LINKS, floor=floor, without={memory.rid for memory, _ in read}
    )
    stacked = np.stack(made)
    among = stacked @ stacked.T
    near: dict[str, dict[int, float]] = {}
    for place, (memory, _) in enumerate(read):
        cosines = {hit.id: hit.cosine for hit in hits[place]}
        before = np.flatnonzero(among[place, :place] >= floor).tolist()
        cosines |= {read[other][0].rid: float(among[place, other]) for other in before}
        best = sorted(cosines, key=lambda rid: (-cosines[rid], rid))[:MOST_LINKS]
        near[memory.id] = {rid: cosines[rid] for rid in best}
    return near


def _similar(from_id: str, to_id: str, cosine: float) -> Link:
    strength = round(min(1.0, max(0.0, cosine)), 6)
    return Link(from_id, to_id, strength, f"similar content (cosine {strength:.2f})", Origin.AUTO, now_ms())


def put(session: Session, link: Link) -> None:
    """Write the one edge of a pair, whatever was there."""
    table.put_link(session, _row(link))


def _row(link: Link) -> Mapping[str, object]:
    return {
        "from_id": link.from_id,
        "to_id": link.to_id,
        "strength": link.strength,
        "reason": link.reason,
        "origin": str(link.origin),
        "created_at": link.created_at,
    }


def move_scope(session: Session, memory: Memory, *, model: str) -> None:
    """Keep the vector, under the memory's new tags."""
    vectors = session.vectors(MEMORY_VECTORS)
    for vector in vectors.get([memory.rid], model=model).values():
        vectors.put([VectorRecord(memory.rid, model, vector, scope_of(memory))])
