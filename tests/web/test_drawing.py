from __future__ import annotations

import re

from cuedeck.graph import dependency_graph
from cuedeck.web.drawing import Node, fan, layered


def nodes(*ids: str) -> dict[str, Node]:
    return {id: Node(f"Title of {id}", "todo", f"/cards/{id}") for id in ids}


def places(svg: str) -> dict[str, tuple[float, float]]:
    found = re.findall(r'href="/cards/(\w+)".*?<rect x="([\d.]+)" y="([\d.]+)"', svg)
    return {id: (float(x), float(y)) for id, x, y in found}


def test_what_comes_first_stands_on_the_left_and_nothing_overlaps():
    graph = dependency_graph([("c", ["a", "b"]), ("a", []), ("b", ["a"]), ("d", ["a"])])
    at = places(layered(graph, nodes("a", "b", "c", "d"), "x"))
    assert at["a"][0] < at["b"][0] == at["d"][0] < at["c"][0]
    assert len(set(at.values())) == 4


def test_a_cycle_is_drawn_and_marked():
    drawn = layered(dependency_graph([("a", ["b"]), ("b", ["a"]), ("c", [])]), nodes("a", "b", "c"), "x")
    assert set(places(drawn)) == {"a", "b", "c"}
    assert drawn.count("is-cycle") == 2


def test_titles_stay_text_and_are_shortened():
    drawn = fan(Node("<script>" * 9, "todo", "/cards/a"), [(Node("b", "x", "/cards/b"), 0.5)], "links")
    assert "<script>" not in drawn
    assert "…" in drawn and 'stroke-width="2.5"' in drawn
