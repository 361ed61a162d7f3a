"""The chart of README shows what RESULTS.md says, ahead and behind."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import chart

RESULTS = """
reading the whole tree                         ours     2.000 s     ctags              0.100  20.0x behind
one find_references, index warm                ours    10.000 ms    ripgrep -w        12.000  1.2x ahead
CueDeck, five steps, waited for: p50 4.00 ms, p95 8.75 ms
CueDeck, idle: 0.05 % CPU (goal 0.2)
DBOS, five steps, waited for: p50 20.00 ms, p95 29.26 ms
"""


def test_rows_and_medians_are_factors_with_their_peer() -> None:
    assert dict(chart.rows(RESULTS)) == {
        "reading the whole tree / ctags": pytest.approx(0.05),
        "one find_references, index warm / ripgrep -w": pytest.approx(1.2),
        "workflow, five steps, waited for / DBOS": pytest.approx(5.0),
    }


def test_what_is_drawn_is_an_image_with_each_of_them() -> None:
    drawn = ElementTree.fromstring(chart.drawing(chart.rows(RESULTS)))
    texts = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert "reading the whole tree / ctags" in texts
    assert {"20.0x", "1.2x", "5.0x"} <= set(texts)
