"""Dependency graphs as Mermaid, DOT and JSON; titles cannot break out of their labels."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cuedeck.graph.cycles import find_cycles
from cuedeck.graph.dependencies import DependencyGraph, critical_path, layers

_COLOURS = {"done": "#d3f9d8", "active": "#fff3bf", "missing": "#ffe3e3"}


@dataclass(frozen=True, slots=True)
class Label:
    """What a node shows beside its id."""

    title: str
    status: str


def to_json(graph: DependencyGraph, labels: Mapping[str, Label]) -> str:
    """Nodes, edges from a task to what it waits for, missing targets, cycles, layers, the longest chain."""
    value: dict[str, Any] = {
        "nodes": [
            {"id": node, "title": labels[node].title, "status": labels[node].status} for node in graph.needs
        ],
        "edges": [{"from": node, "to": target} for node, target in _edges(graph.needs)],
        "missing": [{"from": node, "to": target} for node, target in _edges(graph.missing)],
        "cycles": [list(cycle) for cycle in find_cycles(graph)],
        "layers": [list(layer) for layer in layers(graph)],
        "critical_path": list(critical_path(graph)),
    }
    return json.dumps(value, ensure_ascii=False, indent=2)


def to_mermaid(graph: DependencyGraph, labels: Mapping[str, Label]) -> str:
    """A flowchart that runs from what comes first to what waits for it."""
    names = _names(graph)
    lines = ["flowchart LR"]
    for node, name in names.items():
        text = _mermaid_text(_caption(node, labels))
        lines.append(f'  {name}["{text}"]{_mermaid_class(node, labels)}')
    lines += [f"  {names[target]} --> {names[node]}" for node, target in _edges(graph.needs)]
    lines += [f"  {names[target]} -.-> {names[node]}" for node, target in _edges(graph.missing)]
    lines += [f"  classDef {name} fill:{colour}" for name, colour in _COLOURS.items()]
    return "\n".join(lines) + "\n"


def to_dot(graph: DependencyGraph, labels: Mapping[str, Label]) -> str:
    """A digraph that runs from what comes first to what waits for it."""
    lines = ["digraph tasks {", "  rankdir=LR;", "  node [shape=box];"]
    for node in _names(graph):
        style = "" if node in graph.needs else ", style=dashed"
        lines.append(f"  {_dot_text(node)} [label={_dot_text(_caption(node, labels))}{style}];")
    lines += [f"  {_dot_text(target)} -> {_dot_text(node)};" for node, target in _edges(graph.needs)]
    lines += [
        f"  {_dot_text(target)} -> {_dot_text(node)} [style=dashed];"
        for node, target in _edges(graph.missing)
    ]
    return "\n".join([*lines, "}"]) + "\n"


DRAWINGS: Mapping[str, Callable[[DependencyGraph, Mapping[str, Label]], str]] = {
    "mermaid": to_mermaid,
    "dot": to_dot,
    "json": to_json,
}


def _edges(edges: Mapping[str, Iterable[str]]) -> Iterator[tuple[str, str]]:
    return ((node, target) for node, targets in edges.items() for target in targets)


def _names(graph: DependencyGraph) -> dict[str, str]:
    """Ordinals instead of ids, because an id may be a word of the drawing language."""
    nodes = dict.fromkeys([*graph.needs, *(target for _node, target in _edges(graph.missing))])
    return {node: f"n{position}" for position, node in enumerate(nodes)}


def _caption(node: str, labels: Mapping[str, Label]) -> str:
    return f"{node}: {labels[node].title}" if node in labels else f"{node} (missing)"


def _mermaid_class(node: str, labels: Mapping[str, Label]) -> str:
    match labels[node].status if node in labels else "missing":
        case "done" | "archived":
            return ":::done"
        case "active" | "in_progress":
            return ":::active"
        case "missing":
            return ":::missing"
        case _:
            return ""


def _mermaid_text(text: str) -> str:
    plain = " ".join(text.split())
    return "".join(
        char if char.isalnum() or char in " .,:-_/()!?'+=@" else f"#{ord(char)};" for char in plain
    )


def _dot_text(text: str) -> str:
    plain = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'
