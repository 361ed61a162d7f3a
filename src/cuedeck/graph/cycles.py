"""Cycles: the first one at once, all of them on request."""

from __future__ import annotations

from collections.abc import Iterator

from cuedeck.graph.dependencies import DependencyGraph, closure, peel

Cycle = tuple[str, ...]


def find_cycle(graph: DependencyGraph, start: str | None = None) -> Cycle | None:
    """A cycle, first id equal to the last and smallest of it, or none; from ``start``, one it leads into."""
    if start is not None:
        return find_cycle(graph.within((start, *closure(graph, start))))
    done: set[str] = set()
    entered: set[str] = set()
    trail: list[str] = []
    needs = graph.needs
    for root in needs:
        pending = [] if root in done else [root]
        while pending:
            node = pending[-1]
            targets = needs[node]
            if done.issuperset(targets):
                done.add(node)
                pending.pop()
                if trail and trail[-1] == node:
                    trail.pop()
            elif node in entered:
                return _canonical(tuple(trail[trail.index(node) :]))
            else:
                entered.add(node)
                trail.append(node)
                pending += [target for target in targets if target not in done]
    return None


def find_cycles(graph: DependencyGraph, *, limit: int = 100) -> tuple[Cycle, ...]:
    """Every elementary cycle, at most ``limit`` of them, in a stable order (Johnson's algorithm)."""
    found: list[Cycle] = []
    pending = list(_knots(graph.within(peel(graph))))
    while pending and len(found) < limit:
        knot = pending.pop(0)
        start = min(knot.needs)
        for cycle in _through(knot, start):
            found.append(_canonical(cycle))
            if len(found) >= limit:
                return tuple(found)
        pending[:0] = _knots(knot.within(knot.needs.keys() - {start}))
    return tuple(found)


def _canonical(cycle: Cycle) -> Cycle:
    first = cycle.index(min(cycle))
    turned = cycle[first:] + cycle[:first]
    return (*turned, turned[0])


def _through(graph: DependencyGraph, start: str) -> Iterator[Cycle]:
    """The elementary cycles through ``start``; a node is blocked until it could lead back again."""
    blocked: set[str] = {start}
    unblocks: dict[str, set[str]] = {node: set() for node in graph.needs}
    path = [start]
    closed: set[str] = set()
    stack = [iter(sorted(set(graph.needs[start])))]
    while stack:
        for target in stack[-1]:
            if target == start:
                yield tuple(path)
                closed.update(path)
            elif target not in blocked:
                path.append(target)
                blocked.add(target)
                closed.discard(target)
                stack.append(iter(sorted(set(graph.needs[target]))))
                break
        else:
            stack.pop()
            node = path.pop()
            if node in closed:
                _unblock(node, blocked, unblocks)
            else:
                for target in graph.needs[node]:
                    unblocks[target].add(node)


def _unblock(node: str, blocked: set[str], unblocks: dict[str, set[str]]) -> None:
    pending = [node]
    while pending:
        current = pending.pop()
        if current in blocked:
            blocked.discard(current)
            pending.extend(unblocks[current])
            unblocks[current].clear()


def _knots(graph: DependencyGraph) -> list[DependencyGraph]:
    """Strongly connected parts that hold a cycle, ordered by their smallest id (Tarjan, iterative)."""
    parts = [
        graph.within(part) for part in _components(graph) if len(part) > 1 or part[0] in graph.needs[part[0]]
    ]
    return sorted(parts, key=lambda part: min(part.needs))


def _components(graph: DependencyGraph) -> Iterator[list[str]]:
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    open_: dict[str, None] = {}
    for root in graph.needs:
        if root in number:
            continue
        work = [(root, iter(graph.needs[root]))]
        number[root] = low[root] = len(number)
        open_[root] = None
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in number:
                    number[target] = low[target] = len(number)
                    open_[target] = None
                    work.append((target, iter(graph.needs[target])))
                    break
                if target in open_:
                    low[node] = min(low[node], number[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    yield _taken(open_, node)


def _taken(open_: dict[str, None], node: str) -> list[str]:
    part: list[str] = []
    while not part or part[-1] != node:
        part.append(open_.popitem()[0])
    return part
