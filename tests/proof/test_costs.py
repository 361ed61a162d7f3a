"""What each choice of tools costs a model; ``CUEDECK_REFRESH_COSTS=1`` writes the published table anew."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.registry import product
from cuedeck.model.deck import Deck
from cuedeck.search.tokens import count_tokens

PAGE = Path(__file__).parents[2] / "docs" / "clients.md"
TABLE = re.compile(r"(?<=<!-- costs -->\n).*?(?=<!-- end of costs -->)", re.DOTALL)
BUDGETS = {
    "default": 3000,
    "context": 900,
    "code": 1500,
    "todo": 800,
    "memory": 1900,
    "vault": 1000,
    "all": 6000,
}


def cost(choice: str) -> tuple[int, int]:
    """How many tools, and their tokens."""
    entries = product().select(ConnectionOptions(decks=(choice,))).entries
    shown = [entry.to_json() for entry in entries]
    seen = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in shown]
    texts = [json.dumps(tool, separators=(",", ":"), ensure_ascii=False) for tool in seen]
    return len(texts), sum(map(count_tokens, texts))


def test_the_published_costs_are_true_and_within_budget() -> None:
    rows = ["", "| `--decks` | tools | tokens | at most |", "|---|---|---|---|"]
    for choice in ("default", *Deck, "all"):
        tools, tokens = cost(choice)
        rows.append(f"| {choice} | {tools} | {tokens:,} | {BUDGETS[choice]:,} |")
        assert tokens <= BUDGETS[choice], choice
    table = "\n".join([*rows, "", ""])
    if os.environ.get("CUEDECK_REFRESH_COSTS"):
        PAGE.write_text(TABLE.sub(lambda _: table, PAGE.read_text()))
    found = TABLE.search(PAGE.read_text())
    assert found is not None
    assert found[0] == table, "CUEDECK_REFRESH_COSTS=1 accepts the change"
