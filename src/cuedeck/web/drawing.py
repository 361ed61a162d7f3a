"""Graphs as SVG, laid out here: layers of tasks from left to right, neighbours beside a memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cuedeck.graph import DependencyGraph, layers
from cuedeck.web.html import Html, el

WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 190, 40, 60, 14, 12
LONGEST = 22
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Node:
    """What a node shows and where it leads."""

    text: str
    status: str
    href: str


def layered(graph: DependencyGraph, nodes: Mapping[str, Node], label: str) -> Html:
    """What comes first on the left; nodes of a cycle stand together on the right."""
    columns = [list(layer) for layer in layers(graph)]
    placed = {node for column in columns for node in column}
    held = [node for node in graph.needs if node not in placed]
    columns = _ordered([*columns, held] if held else columns, graph)
    places = {
        node: (MARGIN + x * (WIDTH + GAP_X), MARGIN + y * (HEIGHT + GAP_Y))
        for x, column in enumerate(columns)
        for y, node in enumerate(column)
    }
    edges = [
        _edge(places[target], places[node], loop=node in held and target in held)
        for node, targets in graph.needs.items()
        for target in targets
    ]
    boxes = [_box(places[node], nodes[node]) for node in places]
    tallest = max((len(column) for column in columns), default=0)
    width = 2 * MARGIN + len(columns) * (WIDTH + GAP_X) - GAP_X
    return _svg(width, 2 * MARGIN + tallest * (HEIGHT + GAP_Y) - GAP_Y, [*edges, *boxes], label)


def fan(centre: Node, neighbours: Sequence[tuple[Node, float]], label: str) -> Html:
    """A node and its neighbours, strongest first; the stronger a link, the thicker its line."""
    step = HEIGHT + GAP_Y
    height = 2 * MARGIN + len(neighbours) * step - GAP_Y
    middle = (float(MARGIN), (height - HEIGHT) / 2)
    right = MARGIN + WIDTH + GAP_X
    places = [(float(right), float(MARGIN + n * step)) for n in range(len(neighbours))]
    edges = [
        _edge(middle, at, width=round(1 + 3 * strength, 1))
        for at, (_, strength) in zip(places, neighbours, strict=True)
    ]
    boxes = [_box(at, node) for at, (node, _) in zip(places, neighbours, strict=True)]
    return _svg(right + WIDTH + MARGIN, height, [*edges, *boxes, _box(middle, centre)], label)


def _ordered(columns: list[list[str]], graph: DependencyGraph) -> list[list[str]]:
    """Each column by the middle of what its nodes wait for, so that fewer lines cross."""
    rank: dict[str, float] = {}
    result = []
    for column in columns:
        before = {n: [rank[t] for t in graph.needs[n] if t in rank] for n in column}
        column = sorted(column, key=lambda n: (sum(before[n]) / len(before[n])) if before[n] else 1e9)
        rank |= {node: float(position) for position, node in enumerate(column)}
        result.append(column)
    return result


def _edge(start: Point, end: Point, *, loop: bool = False, width: float | None = None) -> Html:
    x1, y1 = start[0] + WIDTH, start[1] + HEIGHT / 2
    x2, y2 = end[0], end[1] + HEIGHT / 2
    bend = max(30.0, (x2 - x1) / 2)
    path = f"M{x1:g} {y1:g} C{x1 + bend:g} {y1:g} {x2 - bend:g} {y2:g} {x2:g} {y2:g}"
    arrow = None if width else "url(#arrow)"
    tone = "edge is-cycle" if loop else "edge"
    return el("path", d=path, class_=tone, marker_end=arrow, stroke_width=width)


def _box(at: Point, node: Node) -> Html:
    short = node.text if len(node.text) <= LONGEST else node.text[: LONGEST - 1].rstrip() + "…"
    tone = "".join(letter if letter.isalnum() else "-" for letter in node.status)
    box = el("rect", x=at[0], y=at[1], width=WIDTH, height=HEIGHT, rx=6)
    text = el("text", short, x=at[0] + 10, y=at[1] + HEIGHT / 2 + 5)
    title = el("title", f"{node.text} ({node.status})")
    return el("a", title, box, text, href=node.href, class_=f"node is-{tone}")


def _svg(width: float, height: float, children: Sequence[Html], label: str) -> Html:
    arrow = el(
        "marker",
        el("path", d="M0 0 L8 4 L0 8 Z"),
        id="arrow",
        viewBox="0 0 8 8",
        refX=8,
        refY=4,
        markerWidth=8,
        markerHeight=8,
        orient="auto",
    )
    drawing = el(
        "svg",
        el("title", label),
        el("defs", arrow),
        children,
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
    )
    return el("div", drawing, class_="scroll graph")
