"""What waits for what: a graph of ids, built once, asked in linear time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain


@dataclass(frozen=True)
class DependencyGraph:
    """Ids in the order given, what each waits for, and the targets that do not exist."""

    needs: Mapping[str, tuple[str, ...]]
    missing: Mapping[str, tuple[str, ...]]

    @cached_property
    def needed_by(self) -> Mapping[str, tuple[str, ...]]:
        """The reverse of ``needs``; every id is a key."""
        reverse: dict[str, list[str]] = {node: [] for node in self.needs}
        for node, targets in self.needs.items():
            for target in targets:
                reverse[target].append(node)
        return {node: tuple(sources) for node, sources in reverse.items()}

    def within(self, nodes: Collection[str]) -> DependencyGraph:
        """The part of the graph between these nodes."""
        chosen = frozenset(nodes)
        return DependencyGraph(
            needs={
                node: tuple(target for target in targets if target in chosen)
                for node, targets in self.needs.items()
                if node in chosen
            },
            missing={node: targets for node, targets in self.missing.items() if node in chosen},
        )


def dependency_graph(tasks: Iterable[tuple[str, Iterable[str]]]) -> DependencyGraph:
    """Build a graph from ids and what each depends on."""
    needs = {node: tuple(targets) for node, targets in tasks}
    unknown = set(chain.from_iterable(needs.values())).difference(needs)
    missing: dict[str, tuple[str, ...]] = {}
    if unknown:
        for node, targets in needs.items():
            if not unknown.isdisjoint(targets):
                missing[node] = tuple(target for target in targets if target in unknown)
                needs[node] = tuple(target for target in targets if target not in unknown)
    return DependencyGraph(needs, missing)


def closure(graph: DependencyGraph, start: str, *, reverse: bool = False) -> tuple[str, ...]:
    """Everything reachable from a node, itself excluded unless it is on a cycle, nearest first."""
    edges = graph.needed_by if reverse else graph.needs
    seen: dict[str, None] = {}
    frontier = list(edges[start])
    while frontier:
        following: list[str] = []
        for node in frontier:
            if node not in seen:
                seen[node] = None
                following.extend(edges[node])
        frontier = following
    return tuple(seen)


def layers(graph: DependencyGraph) -> tuple[tuple[str, ...], ...]:
    """Groups that can be done side by side, first group first; what a cycle holds back is left out."""
    waiting = {node: len(targets) for node, targets in graph.needs.items()}
    place = {node: position for position, node in enumerate(graph.needs)}
    current = [node for node, count in waiting.items() if not count]
    found: list[tuple[str, ...]] = []
    while current:
        found.append(tuple(current))
        following: list[str] = []
        for node in current:
            for dependent in graph.needed_by[node]:
                waiting[dependent] -= 1
                if not waiting[dependent]:
                    following.append(dependent)
        current = sorted(following, key=place.__getitem__)
    return tuple(found)


def ordered(graph: DependencyGraph) -> tuple[str, ...]:
    """Dependencies before dependents, otherwise in the order given; nodes behind a cycle come last."""
    done = dict.fromkeys(chain.from_iterable(layers(graph)))
    return (*done, *(node for node in graph.needs if node not in done))


def ready(graph: DependencyGraph, *, done: Collection[str], open_: Collection[str]) -> tuple[str, ...]:
    """The open nodes whose existing dependencies are all done, in the order given."""
    finished, candidates = frozenset(done), frozenset(open_)
    return tuple(
        node for node, targets in graph.needs.items() if node in candidates and finished.issuperset(targets)
    )


def critical_path(graph: DependencyGraph) -> tuple[str, ...]:
    """The longest chain, first task first; nodes on or behind a cycle do not take part."""
    length: dict[str, int] = {}
    before: dict[str, str] = {}
    for node in chain.from_iterable(layers(graph)):
        length[node] = 1
        for target in graph.needs[node]:
            if length[target] >= length[node]:
                length[node] = length[target] + 1
                before[node] = target
    if not length:
        return ()
    path = [max(length, key=length.__getitem__)]
    while path[-1] in before:
        path.append(before[path[-1]])
    return tuple(reversed(path))


def peel(graph: DependencyGraph) -> frozenset[str]:
    """What remains after taking away, again and again, nodes that nothing waits for: cycles and below."""
    dependents = Counter(chain.from_iterable(graph.needs.values()))
    free = [node for node in graph.needs if node not in dependents]
    while free:
        for target in graph.needs[free.pop()]:
            dependents[target] -= 1
            if not dependents[target]:
                del dependents[target]
                free.append(target)
    return frozenset(dependents)
