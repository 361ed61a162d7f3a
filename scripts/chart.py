"""Draw docs/measured.svg: how far we are ahead of or behind each peer, from benchmarks/RESULTS.md.

python scripts/chart.py
"""

from __future__ import annotations

import math
import re
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROW = re.compile(
    r"^(.+?)\s+ours\s+([\d.]+)\s+(\S+)\s+(.+?)\s+([\d.]+)\s+(?:equal|[\d.]+x (?:ahead|behind))$", re.M
)
MEDIAN = re.compile(r"^(CueDeck|DBOS), (.+?): p50 ([\d.]+) ms", re.M)
LABEL, SCALE, HEIGHT, MIDDLE = 330, 62, 24, 560
WIDTH = 900


def rows(text: str) -> list[tuple[str, float]]:
    """What was compared, and by what factor we are ahead (below 1: behind)."""
    found = []
    for what, ours, _, peer, theirs in ROW.findall(text):
        if float(ours) and float(theirs):
            found.append((f"{what.strip()} / {peer.strip()}", float(theirs) / float(ours)))
    return found + medians(text)


def medians(text: str) -> list[tuple[str, float]]:
    """What both workflow engines were timed at under one name."""
    timed = {(who, what): float(value) for who, what, value in MEDIAN.findall(text)}
    return [
        (f"workflow, {what} / DBOS", theirs / timed["CueDeck", what])
        for (who, what), theirs in timed.items()
        if who == "DBOS" and timed.get(("CueDeck", what))
    ]


def drawing(compared: list[tuple[str, float]]) -> str:
    """Bars to the right where we are ahead, to the left where we are behind, by powers of ten."""
    height = HEIGHT * (len(compared) + 2)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{MIDDLE - 8}" y="16" text-anchor="end" fill="#b3261e">behind</text>',
        f'<text x="{MIDDLE + 8}" y="16" fill="#1b6e3c">ahead</text>',
    ]
    for number, (what, factor) in enumerate(compared):
        top = HEIGHT * (number + 1)
        size = min(abs(math.log10(factor)) * SCALE, WIDTH - MIDDLE - 70)
        ahead = factor >= 1
        left = MIDDLE if ahead else MIDDLE - size
        said = f"{factor:.1f}x" if ahead else f"{1 / factor:.1f}x"
        at = MIDDLE + size + 6 if ahead else MIDDLE - size - 6
        parts += [
            f'<text x="8" y="{top + 16}" fill="#222">{escape(what)}</text>',
            f'<rect x="{left:.0f}" y="{top + 4}" width="{max(size, 1):.0f}" height="{HEIGHT - 8}" '
            f'fill="{"#2e9d5b" if ahead else "#d9534f"}"/>',
            f'<text x="{at:.0f}" y="{top + 16}" text-anchor="{"start" if ahead else "end"}" '
            f'fill="#222">{said}</text>',
        ]
    parts += [
        f'<line x1="{MIDDLE}" y1="20" x2="{MIDDLE}" y2="{height - HEIGHT}" stroke="#888"/>',
        f'<text x="8" y="{height - 8}" fill="#666">Ratios within one run of make bench; '
        "lengths are logarithms.</text>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def main() -> None:
    """Read, draw, write."""
    compared = rows((ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8"))
    (ROOT / "docs" / "measured.svg").write_text(drawing(compared), encoding="utf-8")


if __name__ == "__main__":
    main()
