"""What clients see of every tool; `CUEDECK_REFRESH_GOLDEN=1` writes the snapshots anew."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.registry import Entry, product
from cuedeck.model.deck import Deck
from cuedeck.search.tokens import count_tokens

GOLDEN = Path(__file__).parent / "golden"
CONTRACT_TOOLS = {
    "context": "read_context read_doc list_tasks create_task update_task "
    "get_task_dependencies validate_task_graph",
    "code": "diff_context find_references explain_ranking list_refs switch_ref",
    "todo": "add_task list_tasks complete_task update_task delete_task",
    "memory": "store search read update delete link stats create_task get_next_task complete_task list_tasks "
    "reflect improved_attempt model_effectiveness index_file",
    "vault": "query_files get_file get_file_content search_tags search_links get_stats trigger_workflow "
    "list_workflows get_workflow_status get_workflow_history health_check",
}
READS = ("list_", "get_stats", "search", "query", "find_", "explain", "validate", "stats")
WRITES = ("add_", "create_", "update", "delete", "store", "complete", "link", "trigger", "reflect")
EVERY = product().select(ConnectionOptions(decks=("all",))).entries


def listing(deck: str) -> list[dict[str, Any]]:
    return product().select(ConnectionOptions(decks=(deck,))).listing


@pytest.mark.parametrize("deck", list(Deck))
def test_schemas_change_only_on_purpose(deck: Deck) -> None:
    shown = json.dumps(listing(deck), indent=2, ensure_ascii=False) + "\n"
    snapshot = GOLDEN / f"{deck}.json"
    if os.environ.get("CUEDECK_REFRESH_GOLDEN"):
        snapshot.write_text(shown)
    assert shown == snapshot.read_text(), "CUEDECK_REFRESH_GOLDEN=1 accepts the change"


@pytest.mark.parametrize("deck", list(Deck))
def test_every_tool_of_the_contract_is_there(deck: Deck) -> None:
    names = {tool["name"] for tool in listing(deck)}
    assert set(CONTRACT_TOOLS[deck].split()) <= names


def test_the_default_set_is_small_and_touches_every_deck() -> None:
    entries = product().select(ConnectionOptions()).entries
    assert 15 <= len(entries) <= 20
    assert {entry.tool.deck for entry in entries} == set(Deck)
    assert sum(map(cost, entries)) <= 3000


def cost(entry: Entry) -> int:
    shown = entry.to_json()
    seen = {key: shown[key] for key in ("name", "description", "inputSchema")}
    return count_tokens(json.dumps(seen, separators=(",", ":"), ensure_ascii=False))


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry.name)
def test_every_tool_reads_well(entry: Entry) -> None:
    tool = entry.tool
    assert re.fullmatch(r"[a-z][a-z_]{1,62}", entry.name)
    assert 3 <= len(tool.title) <= 40
    assert 20 <= len(tool.description) <= 400
    assert tool.description[0].isupper()
    assert tool.description.rstrip().endswith((".", ")"))
    assert cost(entry) <= 300


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry.name)
def test_every_schema_is_valid_and_an_object(entry: Entry) -> None:
    for schema in (entry.input_schema, entry.output_schema):
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert "$ref" not in json.dumps(schema)
    assert entry.input_schema["additionalProperties"] is False


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry.name)
def test_names_say_what_annotations_say(entry: Entry) -> None:
    effects = entry.tool.effects
    name = entry.tool.name
    if name.startswith(READS):
        assert effects.read_only
    if name.startswith(WRITES):
        assert not effects.read_only
    assert effects.destructive == name.startswith("delete")
