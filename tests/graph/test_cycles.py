"""Cycles are reported as themselves: never the path that leads to them."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from cuedeck.graph import dependency_graph, find_cycle, find_cycles

edges = st.dictionaries(
    st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdefX"), max_size=4), max_size=6
)


def elementary_cycles(needs: dict[str, tuple[str, ...]]) -> set[tuple[str, ...]]:
    """Brute force: every arrangement of every subset, starting with its smallest id."""
    found = set()
    for size in range(1, len(needs) + 1):
        for path in permutations(sorted(needs), size):
            steps = zip(path, (*path[1:], path[0]), strict=True)
            if path[0] == min(path) and all(target in needs[node] for node, target in steps):
                found.add((*path, path[0]))
    return found


def test_only_the_cycle_is_reported_not_the_way_in() -> None:
    graph = dependency_graph([("in", ["c"]), ("c", ["b"]), ("b", ["a"]), ("a", ["c", "out"]), ("out", [])])
    assert find_cycle(graph) == ("a", "c", "b", "a")


def test_a_task_that_waits_for_itself_is_a_cycle() -> None:
    assert find_cycle(dependency_graph([("a", ["a"])])) == ("a", "a")


def test_from_a_task_only_what_it_leads_into_counts() -> None:
    graph = dependency_graph([("a", ["b"]), ("b", ["a"]), ("lead", ["a"]), ("free", [])])
    assert find_cycle(graph, "lead") == ("a", "b", "a")
    assert find_cycle(graph, "free") is None


def test_a_ring_of_a_hundred_thousand_is_found() -> None:
    ring = dependency_graph((f"t{i:06}", [f"t{(i + 1) % 100_000:06}"]) for i in range(100_000))
    cycle = find_cycle(ring)
    assert cycle is not None
    assert len(cycle) == 100_001
    assert cycle[0] == cycle[-1] == "t000000"
    assert find_cycles(ring) == (cycle,)


def test_a_dense_knot_stops_at_the_limit() -> None:
    names = [f"n{i}" for i in range(60)]
    graph = dependency_graph((name, names) for name in names)
    assert len(find_cycles(graph, limit=25)) == 25


@given(edges)
def test_all_cycles_equal_brute_force(raw: dict[str, list[str]]) -> None:
    graph = dependency_graph(raw.items())
    found = find_cycles(graph, limit=10_000)
    expected = elementary_cycles(dict(graph.needs))
    assert len(found) == len(set(found))
    assert set(found) == expected
    first = find_cycle(graph)
    assert (first in expected) if expected else (first is None)
