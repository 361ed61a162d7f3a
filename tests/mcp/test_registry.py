from __future__ import annotations

import pytest
from mcp_sample import REGISTRY

from cuedeck.mcp.options import ConnectionOptions, names
from cuedeck.mcp.registry import Selection, UnknownTool, nearest, product
from cuedeck.model.errors import CueError, ErrorCode


def select(decks: str = "default", tools: str = "", read_only: bool = False) -> Selection:
    return REGISTRY.select(ConnectionOptions(names(decks), names(tools), read_only))


def listed(selection: Selection) -> list[str]:
    return [entry.name for entry in selection.entries]


def test_one_deck_has_bare_names() -> None:
    assert listed(select("todo")) == ["fail", "who", "list_tasks"]


def test_several_decks_have_prefixed_names() -> None:
    shown = listed(select("todo,vault"))
    assert shown == ["todo_fail", "todo_who", "todo_list_tasks", "vault_fail", "vault_slow", "vault_page"]


def test_the_default_set_is_curated_and_prefixed() -> None:
    assert listed(select()) == ["context_read_context", "todo_who", "todo_list_tasks", "vault_page"]


def test_all_lists_every_tool_in_a_fixed_order() -> None:
    assert len(listed(select("all"))) == len(REGISTRY.tools)
    assert select("all").listing == select("all").listing


def test_tools_narrows_by_bare_or_prefixed_name() -> None:
    assert listed(select("all", "todo_who,page")) == ["todo_who", "vault_page"]
    assert listed(select("default", "memory_store")) == ["memory_store"]


def test_read_only_hides_what_writes() -> None:
    shown = listed(select("all", read_only=True))
    assert "memory_store" not in shown
    assert "context_update_task" not in shown
    assert "update_task" not in select("all", read_only=True).bare


def test_an_unambiguous_bare_name_is_an_alias() -> None:
    assert select("all").find("store").name == "memory_store"


def test_an_ambiguous_bare_name_is_refused_with_its_meanings() -> None:
    with pytest.raises(UnknownTool) as refused:
        select("all").find("list_tasks")
    assert refused.value.names == ["context_list_tasks", "todo_list_tasks"]


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(UnknownTool) as refused:
        select("all").find("memory_stor")
    assert refused.value.names[0] == "memory_store"


@pytest.mark.parametrize(("deck", "asked"), [("default", "code_locate_symbol"), ("todo", "locate_symbol")])
def test_a_tool_that_is_not_served_here_is_said_to_exist(deck: str, asked: str) -> None:
    with pytest.raises(UnknownTool, match="not among the tools served here"):
        product().select(ConnectionOptions(decks=(deck,))).find(asked)


@pytest.mark.parametrize(
    ("typed", "meant"), [("serch_code", "code_search_code"), ("find_refrences", "code_find_references")]
)
def test_a_misspelt_bare_name_is_recognised(typed: str, meant: str) -> None:
    known = [entry.name for entry in product().select(ConnectionOptions(decks=("all",))).entries]
    assert nearest(typed, known)[0] == meant


def test_letters_strewn_over_a_long_name_are_no_likeness() -> None:
    known = ["code_get_file_outline", "vault_get_file", "memory_store"]
    assert nearest("nope", known) == []
    assert nearest("outlin", known) == ["code_get_file_outline"]
    assert nearest("getfile", known)[0] == "vault_get_file"


def test_nothing_near_is_said_plainly() -> None:
    with pytest.raises(UnknownTool) as refused:
        select("all").find("§" * 5000)
    assert refused.value.names == []
    assert len(refused.value.message) < 300


@pytest.mark.parametrize(
    ("decks", "nearest"), [("todos", "todo"), ("contxt", "context"), ("defualt", "default")]
)
def test_an_unknown_deck_is_refused_at_start(decks: str, nearest: str) -> None:
    with pytest.raises(CueError) as refused:
        select(decks)
    assert refused.value.code is ErrorCode.CONFIGURATION
    assert refused.value.data["nearest"][0] == nearest


def test_an_unknown_tool_is_refused_at_start() -> None:
    with pytest.raises(CueError) as refused:
        select("all", "stroe")
    assert refused.value.data["nearest"][0] == "memory_store"


@pytest.mark.parametrize("chosen", [("todo", "memory_store", False), ("all", "store", True)])
def test_a_tool_that_another_option_leaves_out_is_said_to_exist(chosen: tuple[str, str, bool]) -> None:
    with pytest.raises(CueError, match="left out by --decks or --read-only") as refused:
        select(*chosen)
    assert refused.value.hint == "It belongs to the deck memory."


def test_no_deck_at_all_is_refused() -> None:
    with pytest.raises(CueError):
        select("")


def test_bare_methods_follow_the_context_deck() -> None:
    assert "update_task" in select("default").bare
    assert select("todo").bare == {}
    assert set(select("all", "read_context").bare) == {"read_context"}
