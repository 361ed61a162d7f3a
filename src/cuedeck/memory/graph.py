"""The neighbourhood of a memory, seen from either end of its links."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from cuedeck.memory.model import Link, Memory, Neighbour
from cuedeck.memory.records import from_row, link_from
from cuedeck.store import memories as table
from cuedeck.store.protocol import Session

MOST_NEIGHBOURS = 200


def links(session: Session, id: str) -> list[Link]:
    """The strongest links of one memory, best first; as many as are ever shown."""
    return [link_from(row) for row in table.links_of(session, [id])[:MOST_NEIGHBOURS]]


def neighbourhood(session: Session, id: str, depth: int) -> list[Neighbour]:
    """Everything within so many links, each memory once by its shortest and strongest way."""
    seen = {id}
    ring: Collection[str] = [id]
    found: list[Neighbour] = []
    for distance in range(1, depth + 1):
        reached = _ring(session, ring, seen)
        nearest = sorted(reached, key=lambda id: (-reached[id].strength, id))
        found += _named(
            session, {id: reached[id] for id in nearest[: MOST_NEIGHBOURS - len(found)]}, distance
        )
        ring = list(reached)
        seen.update(reached)
        if not ring or len(found) >= MOST_NEIGHBOURS:
            break
    return found


def _ring(session: Session, ring: Collection[str], seen: Collection[str]) -> dict[str, Link]:
    """The best link to each memory that is one step further out."""
    reached: dict[str, Link] = {}
    for row in table.links_of(session, ring):
        link = link_from(row)
        for end in (link.from_id, link.to_id):
            if end not in seen:
                reached.setdefault(end, link)
    return reached


def _named(session: Session, reached: Mapping[str, Link], distance: int) -> list[Neighbour]:
    memories = {row["id"]: from_row(row) for row in table.by_ids(session, reached)}
    return [
        Neighbour(memories[id], link.strength, link.reason, distance)
        for id, link in reached.items()
        if id in memories
    ]


def related(session: Session, memories: Collection[Memory]) -> dict[str, list[Neighbour]]:
    """The direct neighbours of several memories at once."""
    wanted = {memory.id for memory in memories}
    links = [link_from(row) for row in table.links_of(session, wanted)]
    ends = {id for link in links for id in (link.from_id, link.to_id)}
    return neighbours(wanted, links, {row["id"]: from_row(row) for row in table.by_ids(session, ends)})


def neighbours(
    wanted: Collection[str], links: Iterable[Link], known: Mapping[str, Memory]
) -> dict[str, list[Neighbour]]:
    """What links lead to from each of these, in the order of the links; as many as are ever shown."""
    found: dict[str, list[Neighbour]] = {id: [] for id in wanted}
    for link in links:
        for here in {link.from_id, link.to_id} & found.keys():
            there = link.other(here)
            if there in known and len(found[here]) < MOST_NEIGHBOURS:
                found[here].append(Neighbour(known[there], link.strength, link.reason, 1))
    return found
