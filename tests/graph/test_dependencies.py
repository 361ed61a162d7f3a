"""What waits for what."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from cuedeck.graph import closure, critical_path, dependency_graph, find_cycle, layers, ordered, ready

edges = st.dictionaries(
    st.sampled_from("abcdefgh"), st.lists(st.sampled_from("abcdefghXY"), max_size=4), max_size=8
)


def chain_of(length: int) -> list[tuple[str, list[str]]]:
    return [(f"t{i}", [f"t{i + 1}"] if i + 1 < length else []) for i in range(length)]


def test_missing_targets_are_kept_apart() -> None:
    graph = dependency_graph([("a", ["b", "ghost"]), ("b", [])])
    assert graph.needs == {"a": ("b",), "b": ()}
    assert graph.missing == {"a": ("ghost",)}


def test_a_repeated_target_changes_nothing() -> None:
    graph = dependency_graph([("a", ["b", "b"]), ("b", [])])
    assert layers(graph) == (("b",), ("a",))
    assert closure(graph, "a") == ("b",)


def test_closure_names_everything_on_the_way_and_back() -> None:
    graph = dependency_graph([("a", ["b", "c"]), ("b", ["d"]), ("c", ["d"]), ("d", [])])
    assert closure(graph, "a") == ("b", "c", "d")
    assert closure(graph, "d", reverse=True) == ("b", "c", "a")


def test_layers_can_be_done_side_by_side() -> None:
    graph = dependency_graph([("ship", ["test", "docs"]), ("test", ["code"]), ("docs", []), ("code", [])])
    assert layers(graph) == (("docs", "code"), ("test",), ("ship",))


def test_nodes_behind_a_cycle_are_in_no_layer_but_keep_a_place_in_the_order() -> None:
    graph = dependency_graph([("a", ["b"]), ("b", ["a"]), ("c", ["a"]), ("d", [])])
    assert layers(graph) == (("d",),)
    assert ordered(graph) == ("d", "a", "b", "c")


def test_ready_ignores_targets_that_do_not_exist() -> None:
    graph = dependency_graph([("a", ["b"]), ("b", []), ("c", ["ghost"]), ("d", ["c"])])
    assert ready(graph, done={"b"}, open_={"a", "c", "d"}) == ("a", "c")


def test_the_critical_path_is_the_longest_chain() -> None:
    graph = dependency_graph([("end", ["long", "big"]), ("long", ["mid"]), ("mid", []), ("big", [])])
    assert critical_path(graph) == ("mid", "long", "end")


def test_the_critical_path_of_nothing_is_nothing() -> None:
    assert critical_path(dependency_graph([])) == ()


def test_a_chain_of_a_hundred_thousand_is_not_too_deep() -> None:
    graph = dependency_graph(chain_of(100_000))
    assert find_cycle(graph) is None
    assert len(closure(graph, "t0")) == 99_999
    assert len(layers(graph)) == 100_000
    assert critical_path(graph)[-1] == "t0"


def test_a_hundred_thousand_tasks_are_validated_quickly() -> None:
    tasks = [(f"t{i}", [f"t{i * 7 % i}", f"t{i // 2}"] if i else []) for i in range(100_000)]
    started = time.process_time()
    graph = dependency_graph(tasks)
    assert find_cycle(graph) is None
    assert time.process_time() - started < 1.0  # 0.3 s is measured by benchmarks/tasks_graph.py


@given(edges)
def test_layers_put_every_dependency_first(raw: dict[str, list[str]]) -> None:
    graph = dependency_graph(raw.items())
    level = {node: depth for depth, layer in enumerate(layers(graph)) for node in layer}
    for node, depth in level.items():
        assert depth == max((level[target] + 1 for target in graph.needs[node]), default=0)
    assert sorted(ordered(graph)) == sorted(raw)


@given(edges)
def test_closure_equals_plain_reachability(raw: dict[str, list[str]]) -> None:
    graph = dependency_graph(raw.items())
    for start in raw:
        reached: set[str] = set()
        pending = list(graph.needs[start])
        while pending:
            node = pending.pop()
            if node not in reached:
                reached.add(node)
                pending += graph.needs[node]
        assert set(closure(graph, start)) == reached
        assert all(start in closure(graph, node, reverse=True) for node in reached)
