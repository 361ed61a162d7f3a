"""Drawings that other programs read."""

from __future__ import annotations

import json
import re

from cuedeck.graph import dependency_graph
from cuedeck.graph.drawing import Label, to_dot, to_json, to_mermaid

HOSTILE = 'Fix: "x" #1 @me [a]\\ -->\nend; <script> é🙂'
GRAPH = dependency_graph([("end123", ["def456", "ghost1"]), ("def456", [])])
LABELS = {"end123": Label(HOSTILE, "todo"), "def456": Label("Base", "done")}


def test_json_holds_nodes_edges_missing_and_cycles() -> None:
    value = json.loads(to_json(GRAPH, LABELS))
    assert value["nodes"][0] == {"id": "end123", "title": HOSTILE, "status": "todo"}
    assert value["edges"] == [{"from": "end123", "to": "def456"}]
    assert value["missing"] == [{"from": "end123", "to": "ghost1"}]
    assert value["cycles"] == []
    assert value["layers"] == [["def456"], ["end123"]]
    assert value["critical_path"] == ["def456", "end123"]


def test_a_hostile_title_stays_inside_its_mermaid_label() -> None:
    lines = to_mermaid(GRAPH, LABELS).splitlines()
    assert lines[0] == "flowchart LR"
    assert re.fullmatch(r'  n0\["[^"\[\]<>]*"\]', lines[1])
    assert "#34;x#34;" in lines[1]
    assert "  n1 --> n0" in lines
    assert "  n2 -.-> n0" in lines


def test_a_hostile_title_stays_inside_its_dot_label() -> None:
    text = to_dot(GRAPH, LABELS)
    assert '"end123" [label="end123: Fix: \\"x\\" #1 @me [a]\\\\ --> end; <script> é🙂"];' in text
    assert '"def456" -> "end123";' in text
    assert '"ghost1" -> "end123" [style=dashed];' in text
