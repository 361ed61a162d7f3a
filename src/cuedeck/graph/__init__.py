"""Dependency analysis: graphs, cycles and drawings. Pure functions over ids and edges."""

from __future__ import annotations

from cuedeck.graph.cycles import Cycle, find_cycle, find_cycles
from cuedeck.graph.dependencies import (
    DependencyGraph,
    closure,
    critical_path,
    dependency_graph,
    layers,
    ordered,
    ready,
)

__all__ = [
    "Cycle",
    "DependencyGraph",
    "closure",
    "critical_path",
    "dependency_graph",
    "find_cycle",
    "find_cycles",
    "layers",
    "ordered",
    "ready",
]
