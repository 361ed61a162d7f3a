from __future__ import annotations

import pytest

from cuedeck.mcp.instructions import DECKS, instructions
from cuedeck.mcp.options import ConnectionOptions, names
from cuedeck.mcp.registry import product
from cuedeck.search.tokens import count_tokens


def told(decks: str, tools: str = "", read_only: bool = False) -> str:
    return instructions(product().select(ConnectionOptions(names(decks), names(tools), read_only)))


def test_the_model_is_told_of_every_deck_by_the_names_it_can_call() -> None:
    shown = told("default")
    for name in ("context_read_context", "code_search_code", "memory_search", "vault_query_files"):
        assert name in shown
    assert count_tokens(shown) < 250


def test_one_deck_is_told_with_its_bare_names() -> None:
    shown = told("memory")
    assert "search, store, reflect" in shown
    assert "to-do" not in shown


@pytest.mark.parametrize(
    ("decks", "tools", "read_only"), [("all", "", True), ("default", "memory_search", False)]
)
def test_nothing_is_promised_that_is_not_listed(decks: str, tools: str, read_only: bool) -> None:
    shown = told(decks, tools, read_only)
    selection = product().select(ConnectionOptions(names(decks), names(tools), read_only))
    hidden = {f"{tool.deck}_{tool.name}" for tool in product().tools} - set(selection.by_name)
    assert not [name for name in hidden if name in shown.replace(",", " ").replace(".", " ").split()]


def test_every_tool_named_exists() -> None:
    known = {(tool.deck, tool.name) for tool in product().tools}
    for deck, (_, tools) in DECKS.items():
        assert {(deck, tool) for tool in tools} <= known
