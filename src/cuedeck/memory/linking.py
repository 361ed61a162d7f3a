"""Vectors and automatic links: what a memory gets once the model has read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuedeck.memory.model import Link, Memory, Origin, now_ms
from cuedeck.memory.records import content_hash, scope_of
from cuedeck.store import memories as table
from cuedeck.store.protocol import Session, VectorRecord
from cuedeck.store.schema.memories import MEMORY_VECTORS

if TYPE_CHECKING:
    from cuedeck.store.protocol import Vector

MOST_LINKS = 5


def complete(session: Session, memory: Memory, vector: Vector, *, model: str, floor: float) -> list[Link]:
    """Give a memory its vector and its links, in the caller's transaction."""
    table.drop_auto_links(session, memory.id)
    vectors = session.vectors(MEMORY_VECTORS)
    # One more than wanted: the memory's own earlier vector may be among them.
    near = vectors.nearest(vector, model=model, limit=MOST_LINKS + 1, floor=floor)
    near = [hit for hit in near if hit.id != memory.rid][:MOST_LINKS]
    vectors.put([VectorRecord(memory.rid, model, vector, scope_of(memory))])
    names = table.ids_of(session, [hit.id for hit in near])
    made = [
        _link(session, memory.id, names[hit.id], min(1.0, max(0.0, hit.cosine)))
        for hit in near
        if hit.id in names
    ]
    table.set_embedded(session, memory.id, model, content_hash(memory))
    return made


def _link(session: Session, from_id: str, to_id: str, cosine: float) -> Link:
    """The edge to a neighbour; what somebody linked by hand stays as it is."""
    from cuedeck.memory.records import link_from

    known = table.link_between(session, from_id, to_id)
    if known and known["origin"] == Origin.MANUAL:
        return link_from(known)
    strength = round(cosine, 6)
    link = Link(from_id, to_id, strength, f"similar content (cosine {strength:.2f})", Origin.AUTO, now_ms())
    put(session, link)
    return link


def put(session: Session, link: Link) -> None:
    """Write the one edge of a pair."""
    table.put_link(
        session,
        {
            "from_id": link.from_id,
            "to_id": link.to_id,
            "strength": link.strength,
            "reason": link.reason,
            "origin": str(link.origin),
            "created_at": link.created_at,
        },
    )


def move_scope(session: Session, memory: Memory, *, model: str) -> None:
    """Keep the vector, under the memory's new tags."""
    vectors = session.vectors(MEMORY_VECTORS)
    for vector in vectors.get([memory.rid], model=model).values():
        vectors.put([VectorRecord(memory.rid, model, vector, scope_of(memory))])
