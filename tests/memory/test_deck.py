"""The memory deck as a client sees it: contract values, error codes, and nothing half-written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
import pytest

from cuedeck.mcp.connection import Connection
from cuedeck.mcp.decks.memory import RESOURCES, TOOLS
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.registry import Registry
from cuedeck.mcp.resource import ResourceRequest
from cuedeck.mcp.runtime import Runtime
from cuedeck.model.errors import CueError
from cuedeck.model.principal import ANONYMOUS
from cuedeck.tasks.agent_task import TaskDraft
from cuedeck.workspace import Workspace

Ask = Callable[..., dict[str, Any]]
TRACE = """Traceback (most recent call last):
  File "/srv/app/shop.py", line 12, in total
    return cart.lines.sum()
AttributeError: 'NoneType' object has no attribute 'lines'
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root = tmp_path_factory.mktemp("workspace")
    (root / ".cuedeck").mkdir()
    with Workspace.open(root, environ={"HOME": str(root)}) as opened:
        yield opened


@pytest.fixture(scope="module")
def connection(workspace: Workspace) -> Connection:
    registry = Registry(TOOLS, RESOURCES)
    return Connection(lambda _: workspace, ConnectionOptions(decks=("memory",)), Runtime(), registry)


@pytest.fixture(scope="module")
def ask(connection: Connection) -> Ask:
    """Call a tool; the value of its text block, with ``_meta`` and ``isError`` beside it."""
    entries = {entry.name: entry for entry in connection.selection.entries}

    def call(tool: str, **arguments: Any) -> dict[str, Any]:
        entry = entries[tool]
        rendered = connection.perform(entry, arguments, ANONYMOUS, lambda *_: None, lambda: False)
        return {**json.loads(rendered.text), "_meta": dict(rendered.meta), "_error": rendered.is_error}

    return call


def test_store_search_read_update_delete(ask: Ask) -> None:
    stored = ask(
        "store", type="knowledge", content="The heron nests by the weir", tags=["birds"], project="pond"
    )
    assert not stored["_error"] and stored["id"].startswith("memory:") and stored["links"] == []
    found = ask("search", query="heron", project="pond")
    assert found["index"][0]["id"] == stored["id"] and found["total_count"] == 1
    assert set(found["index"][0]) == {"id", "title", "type", "score", "snippet"}
    assert set(found["details"][0]) == {"id", "content", "metadata", "related"}
    assert found["_meta"]["mode_used"] == "hybrid"
    assert ask("read", id=stored["id"])["access_count"] == 1
    assert ask("update", id=stored["id"], confidence=0.5)["confidence"] == 0.5
    assert ask("stats", project="pond")["total"] == 1
    gone = ask("delete", id=stored["id"])
    assert gone["deleted"] and gone["restorable_until"] > gone["deleted_at"]
    assert ask("read", id=stored["id"])["code"] == "NOT_FOUND"


def test_link_returns_the_edge(ask: Ask) -> None:
    one = ask("store", type="pattern", content="Guard clauses first")["id"]
    two = ask("store", type="decision", content="Tabs are banned")["id"]
    edge = ask("link", from_id=one, to_id=two)
    assert (edge["from_id"], edge["to_id"], edge["strength"]) == (one, two, 0.8)
    assert [near["id"] for near in ask("read", id=two)["related_memories"]] == [one]


def test_masked_secrets_are_counted(ask: Ask) -> None:
    secret = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    stored = ask("store", type="knowledge", content=f"key {secret}")
    assert stored["_meta"]["masked"] == 1 and secret not in json.dumps(stored)


def test_reflect_then_guidance(ask: Ask) -> None:
    failed = ask(
        "reflect",
        output="return cart.lines.sum()",
        feedback=TRACE,
        task="sum the cart",
        approach="sum the lines directly",
        model_used="haiku",
    )
    assert "shop.py:12" in failed["what_went_wrong"] and "NoneType" in failed["what_went_wrong"]
    assert "None" in failed["root_cause"] and "lines" in failed["root_cause"]
    assert failed["signature"] and failed["failure"]["type"] == "AttributeError"
    solved = ask(
        "reflect",
        output="ok",
        feedback="12 passed",
        task="Sum the  cart",
        approach="return 0 when there is no cart",
        model_used="opus",
        outcome="success",
    )
    moved = TRACE.replace("/srv/app/shop.py", "/home/x/shop.py").replace("line 12", "line 99")
    advice = ask("improved_attempt", task="add up the basket", original_output="…", error_pattern=moved)
    assert advice["similar_episodes"][0]["id"] == solved["episode_id"]
    assert advice["similar_episodes"][0]["match"] == "signature"
    assert "return 0 when there is no cart" in advice["recommended_approach"]
    assert advice["what_did_not_work"][0]["id"] == failed["episode_id"]
    assert 0.4 < advice["confidence"] < 1.0
    best = ask("model_effectiveness", task_pattern="sum the cart")
    assert best["recommended_model"] == "opus" and {one["model"] for one in best["evidence"]} == {
        "haiku",
        "opus",
    }


def test_what_solved_a_task_is_what_worked(ask: Ask, workspace: Workspace) -> None:
    trace = TRACE.replace("lines", "entries").replace("shop.py", "ledger.py")
    failed = ask("reflect", output="", feedback=trace, task="close the ledger", approach="sum the entries")
    task = workspace.agent_tasks.create(TaskDraft("CA", "close the ledger"))
    solved_by = "open an empty ledger first"
    workspace.agent_tasks.complete(task.id, resolved_by=failed["episode_id"], summary=solved_by)
    advice = ask("improved_attempt", task="close the ledger", original_output=trace)
    worked = {one["id"]: one["approach"] for one in advice["what_worked"]}
    assert worked[failed["episode_id"]] == solved_by
    assert solved_by in advice["recommended_approach"]
    assert "sum the entries" not in advice["recommended_approach"]


def test_no_evidence_is_said(ask: Ask) -> None:
    answer = ask("model_effectiveness", task_pattern="zymurgy of quokkas")
    assert answer["confidence"] <= 0.2 and "no evidence" in answer["reasoning"] and answer["evidence"] == []
    advice = ask("improved_attempt", task="zymurgy of quokkas", original_output="")
    assert advice["confidence"] <= 0.2 and advice["similar_episodes"] == []


def test_the_feed_is_a_resource(workspace: Workspace, ask: Ask) -> None:
    ask("store", type="knowledge", content="something for the feed")

    def page(after: str) -> dict[str, Any]:
        uri = f"cuedeck://memory/changes?after={after}"
        text = RESOURCES[0].read(ResourceRequest(workspace, ANONYMOUS, uri, {"after": after}))
        value: dict[str, Any] = json.loads(text)
        return value

    first = page("0")
    assert first["changes"][-1]["after"]["content"] == "something for the feed"
    assert first["changes"][-1]["actor"] == "mcp:local"
    assert page(str(first["next"])) == {"changes": [], "next": first["next"]}
    for after in ("-1", "²", "9" * 19):
        with pytest.raises(CueError, match="sequence number"):
            page(after)


DEEP: dict[str, Any] = {}
for _ in range(40):
    DEEP = {"deeper": DEEP}

BAD: list[tuple[str, dict[str, Any]]] = [
    ("store", {"type": "knowledge"}),
    ("store", {"type": "opinion", "content": "x"}),
    ("store", {"type": "knowledge", "content": ""}),
    ("store", {"type": "knowledge", "content": " \n\t "}),
    ("store", {"type": "knowledge", "content": "x" * (1024 * 1024 + 1)}),
    ("store", {"type": "knowledge", "content": "é" * (600 * 1024)}),
    ("store", {"type": "knowledge", "content": 5}),
    ("store", {"type": "knowledge", "content": "a\x00b"}),
    ("store", {"type": "knowledge", "content": "half \ud83d pair"}),
    ("store", {"type": "knowledge", "content": "x", "title": "t" * 501}),
    ("store", {"type": "knowledge", "content": "x", "confidence": 1.01}),
    ("store", {"type": "knowledge", "content": "x", "confidence": -0.1}),
    ("store", {"type": "knowledge", "content": "x", "confidence": float("nan")}),
    ("store", {"type": "knowledge", "content": "x", "confidence": "high"}),
    ("store", {"type": "knowledge", "content": "x", "tags": "one"}),
    ("store", {"type": "knowledge", "content": "x", "tags": [""]}),
    ("store", {"type": "knowledge", "content": "x", "tags": [7]}),
    ("store", {"type": "knowledge", "content": "x", "tags": ["t" * 201]}),
    ("store", {"type": "knowledge", "content": "x", "tags": [str(n) for n in range(65)]}),
    ("store", {"type": "knowledge", "content": "x", "metadata": DEEP}),
    ("store", {"type": "knowledge", "content": "x", "metadata": [1]}),
    ("store", {"type": "knowledge", "content": "x", "metadata": {"n": float("inf")}}),
    ("store", {"type": "knowledge", "content": "x", "metadata": {"n": "\ud800"}}),
    ("store", {"type": "knowledge", "content": "x", "metadata": {"n": "m" * 300_000}}),
    ("store", {"type": "knowledge", "content": "x", "unknown": 1}),
    ("search", {"query": ""}),
    ("search", {"query": "   "}),
    ("search", {"query": "q" * 32_001}),
    ("search", {"query": "x", "max_results": 0}),
    ("search", {"query": "x", "max_results": 1.5}),
    ("search", {"query": "x", "max_tokens": -1}),
    ("search", {"query": "x", "type": "nothing"}),
    ("search", {"query": "x", "as_of": "yesterday-ish"}),
    ("search", {"query": "x", "as_of": "1999-01-01T00:00:00Z"}),
    ("search", {"query": "x", "as_of": "9999-12-31T23:59:59.999999Z"}),
    ("search", {"query": "x", "as_of": "9999-12-31T23:59:59-14:00"}),
    ("search", {"query": "x", "fusion": "magic"}),
    ("read", {"id": "memory:x", "depth": 0}),
    ("read", {"id": "memory:x", "depth": 4}),
    ("read", {"id": "'; DROP TABLE memories; --"}),
    ("read", {"id": ""}),
    ("update", {"id": "memory:x"}),
    ("link", {"from_id": "memory:x", "to_id": "memory:x"}),
    ("link", {"from_id": "memory:x", "to_id": "memory:y", "strength": 2}),
    ("reflect", {"output": "x", "feedback": ""}),
    ("reflect", {"output": "x"}),
    ("improved_attempt", {"task": "", "original_output": "x"}),
    ("model_effectiveness", {"task_pattern": " "}),
    ("index_file", {"file_path": "../outside.py"}),
    ("index_file", {"file_path": "/etc/passwd"}),
    ("index_file", {"file_path": "a\x00b.py"}),
]
FIELDS = {"model_effectiveness": "task_pattern", "index_file": "file_path"}


@pytest.mark.parametrize(("tool", "arguments"), BAD, ids=lambda value: str(value)[:60])
def test_bad_input_is_named_and_nothing_is_written(
    workspace: Workspace, ask: Ask, tool: str, arguments: dict[str, Any]
) -> None:
    before = workspace.store.state.changes(after=0, limit=10_000)
    answer = ask(tool, **arguments)
    assert answer["_error"] and answer["code"] == "VALIDATION_ERROR" and answer["error"]
    assert tool not in FIELDS or answer["data"]["field"] == FIELDS[tool]
    assert workspace.store.state.changes(after=0, limit=10_000) == before


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read", {"id": "memory:01nothing"}),
        ("read", {"id": "01nothing"}),
        ("update", {"id": "memory:01nothing", "title": "x"}),
        ("update", {"id": "memory:01nothing", "content": "x"}),
        ("delete", {"id": "memory:01nothing"}),
        ("link", {"from_id": "memory:01nothing", "to_id": "memory:02nothing"}),
        ("index_file", {"file_path": "missing.py"}),
    ],
    ids=str,
)
def test_what_is_not_there_is_not_found(ask: Ask, tool: str, arguments: dict[str, Any]) -> None:
    answer = ask(tool, **arguments)
    assert answer["_error"] and answer["code"] == "NOT_FOUND"


def test_one_megabyte_is_accepted_and_found_by_its_end(ask: Ask) -> None:
    content = "filler text " * 87_000 + "xylophone"
    stored = ask("store", type="knowledge", content=content, project="big")
    assert not stored["_error"]
    found = ask("search", query="xylophone", project="big")
    assert found["total_count"] == 1 and found["details"][0]["truncated"]


@pytest.mark.parametrize(
    "text",
    [
        "tab\tand\x1b[31mcolour\x07",
        "🦄" * 100,
        "العربية",
        "日本語のメモ",
        "a" * 5000,
        "' OR 1=1 --",
        "%_\\",
        '"*:^()',
    ],
)
def test_strange_text_survives_unchanged(ask: Ask, text: str) -> None:
    stored = ask("store", type="knowledge", content=text, title=text[:100], tags=[text[:50]], project="odd")
    assert ask("read", id=stored["id"])["content"] == text
    found = ask("search", query=text, tags=[text[:50]], project="odd", max_tokens=20_000)
    assert not found["_error"]
    assert found["total_count"] <= 1


def test_answers_conform_to_their_schemas(connection: Connection, workspace: Workspace) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("store", {"type": "episode", "content": "tried and failed", "metadata": {"outcome": "failure"}}),
        ("search", {"query": "tried", "explain": True, "include_graph": True}),
        ("stats", {}),
        ("reflect", {"output": "", "feedback": TRACE}),
        ("improved_attempt", {"task": "sum the cart", "original_output": TRACE}),
        ("model_effectiveness", {"task_pattern": "sum the cart"}),
    ]
    for tool, arguments in calls:
        entry = next(entry for entry in connection.selection.entries if entry.name == tool)
        rendered = connection.perform(entry, arguments, ANONYMOUS, lambda *_: None, lambda: False)
        jsonschema.validate(json.loads(rendered.text), entry.output_schema)
