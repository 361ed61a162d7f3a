"""Each tool of the product called once through the server, its answer held against its own schema."""

from __future__ import annotations

import json
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp_client import open_workspace

from cuedeck.mcp.connection import Connection
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.registry import product
from cuedeck.mcp.rendering import Rendered
from cuedeck.mcp.resources import ResourceDesk
from cuedeck.mcp.runtime import Runtime
from cuedeck.workspace import Workspace

NOT_PRECIOUS = {".cache", ".git"}
USER = "123e4567-e89b-12d3-a456-426614174000"
PYTHON = """\
def greet(name: str) -> str:
    return f"hello {name}"


def main() -> None:
    greet("you")
"""
NOTE = """\
---
type: concept
status: active
tags: [alpha]
---
# Topic

See [[other]].

## Part

More text.
"""


class Product:
    """The whole product on one small repository."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        options = ConnectionOptions(decks=("all",), user=USER, errors="result")
        self.connection = Connection(lambda _: workspace, options, Runtime())

    def call(self, name: str, /, **arguments: Any) -> Rendered:
        entry = self.connection.selection.find(name)
        return self.connection.perform(entry, arguments, None, lambda *_: None, lambda: False)

    def good(self, name: str, /, **arguments: Any) -> Any:
        rendered = self.call(name, **arguments)
        assert not rendered.is_error, rendered.text
        entry = self.connection.selection.find(name)
        Draft202012Validator(entry.output_schema).validate(rendered.structured)
        value = json.loads(rendered.text)
        assert rendered.structured in (value, {"result": value})
        return value


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def product_at_work(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Product]:
    root = tmp_path_factory.mktemp("product")
    settings = {"CUEDECK_LIMITS__ENABLED": "false", "CUEDECK_SEARCH__ENABLED": "false"}
    if request.param == "postgres":
        settings["CUEDECK_STORE__URL"] = request.getfixturevalue("postgres_url")
        settings["CUEDECK_STORE__WORKSPACE"] = f"every-tool-{uuid.uuid4()}"
    (root / "docs").mkdir()
    (root / "docs" / "topic.md").write_text(NOTE)
    (root / "docs" / "other.md").write_text("# Other\n\nBack to [[topic]].\n")
    (root / "app.py").write_text(PYTHON)
    (root / ".gitignore").write_text(".cuedeck/\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    git(root, "checkout", "-q", "-b", "feature")
    (root / "app.py").write_text(PYTHON + "\n\ndef extra() -> None:\n    main()\n")
    git(root, "commit", "-q", "-am", "second")
    with open_workspace(root, **settings) as workspace:
        yield Product(workspace)


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


def everything(product_at_work: Product) -> dict[str, dict[str, Any]]:
    """Arguments for every tool, made from what the writing ones gave back."""
    good = product_at_work.good
    card = good("context_create_task", title="A card", tags=["alpha"])["id"]
    todo = good("todo_add_task", user_id=USER, title="Buy milk")["task"]["id"]
    first = good("memory_store", type="knowledge", content="SQLite keeps a log", tags=["db"])["id"]
    second = good("memory_store", type="decision", content="We use SQLite for the log")["id"]
    task = good("memory_create_task", project="CA", name="Do it")["task_id"]
    analysis = {"workflowId": "markdown-analyzer", "input": {"path": "docs/topic.md"}}
    run = good("vault_trigger_workflow", **analysis)["data"]["executionId"]
    good("code_index_repo")
    failure = "Traceback (most recent call last):\n  File 'app.py', line 2, in greet\nNameError: name 'x'"
    return {
        "context_read_context": {"query": "topic"},
        "context_read_doc": {"path": "docs/topic.md", "anchor": "Part"},
        "context_list_tasks": {},
        "context_create_task": {"title": "Another", "depends_on": [card]},
        "context_get_task_dependencies": {"id": card, "reverse": True},
        "context_validate_task_graph": {},
        "context_update_task": {"id": card, "updates": {"status": "active", "assignee": "me"}},
        "code_index_repo": {},
        "code_index_status": {},
        "code_search_code": {"query": "greet"},
        "code_locate_symbol": {"name": "greet"},
        "code_get_file_outline": {"path": "app.py"},
        "code_get_call_graph": {"symbol_name": "greet", "direction": "both"},
        "code_diff_context": {"base_ref": "main", "head_ref": "feature"},
        "code_find_references": {"symbol_name": "greet"},
        "code_explain_ranking": {"query": "greet", "result_path": "app.py", "result_line_start": 1},
        "code_list_refs": {},
        "code_switch_ref": {"ref": "feature"},
        "todo_add_task": {"user_id": USER, "title": "Buy bread", "due_date": "2027-01-01"},
        "todo_list_tasks": {"user_id": USER},
        "todo_complete_task": {"user_id": USER, "task_id": todo},
        "todo_update_task": {"user_id": USER, "task_title": "bread", "new_title": "Buy rye bread"},
        "todo_delete_task": {"user_id": USER, "delete_all_completed": True},
        "memory_store": {"type": "pattern", "content": "Retry with back-off", "confidence": 0.5},
        "memory_search": {"query": "sqlite log"},
        "memory_read": {"id": first},
        "memory_update": {"id": first, "title": "WAL"},
        "memory_link": {"from_id": first, "to_id": second, "reason": "same store"},
        "memory_stats": {},
        "memory_delete": {"id": second},
        "memory_create_task": {"project": "CA", "name": "An epic", "type": "epic"},
        "memory_get_next_task": {"project": "CA"},
        "memory_complete_task": {"task_id": task},
        "memory_list_tasks": {},
        "memory_reflect": {"output": "greet(x)", "feedback": failure, "feedback_type": "test_failure"},
        "memory_improved_attempt": {"task": "greet people", "original_output": "greet(x)"},
        "memory_model_effectiveness": {"task_pattern": "greet"},
        "memory_index_file": {"file_path": "app.py"},
        "memory_citations": {"of": "docs/topic.md"},
        "vault_query_files": {"tag": "alpha"},
        "vault_get_file": {"path": "docs/topic.md"},
        "vault_get_file_content": {"path": "docs/topic.md"},
        "vault_search_tags": {"tag": "alpha"},
        "vault_search_links": {"path": "docs/topic.md"},
        "vault_get_stats": {},
        "vault_trigger_workflow": analysis,
        "vault_list_workflows": {},
        "vault_get_workflow_status": {"executionId": run},
        "vault_get_workflow_history": {},
        "vault_health_check": {},
    }


def test_every_tool_answers_as_its_schema_says(product_at_work: Product) -> None:
    calls = everything(product_at_work)
    tools = product().select(ConnectionOptions(decks=("all",))).by_name
    assert set(calls) == set(tools)
    for name in calls:
        if tools[name].tool.effects.read_only:
            before = state_of(product_at_work.workspace)
            product_at_work.good(name, **calls[name])
            assert state_of(product_at_work.workspace) == before, f"{name} says that it only reads"
    for name in calls:
        if not tools[name].tool.effects.read_only:
            product_at_work.good(name, **calls[name])


def state_of(workspace: Workspace) -> Any:
    """Everything precious: the state database's changes, and every file outside the cache."""
    files = {
        str(path): path.read_bytes()
        for path in workspace.root.rglob("*")
        if path.is_file() and not NOT_PRECIOUS & set(path.parts) and "state.db" not in path.name
    }
    changes = workspace.store.state.changes(after=0, limit=100_000)
    return files, [change.seq for change in changes]


def test_every_resource_can_be_read(product_at_work: Product) -> None:
    product_at_work.good("memory_store", type="knowledge", content="Something to read about")
    desk = ResourceDesk(product_at_work.connection)
    for resource in product().resources:
        uri = resource.uri.split("{")[0]
        (content,) = desk.read(uri, None, modern=True)["contents"]
        assert content["mimeType"] == resource.mime_type
        assert json.loads(content["text"])


def test_every_tool_refuses_an_unknown_argument(product_at_work: Product) -> None:
    for entry in product().select(ConnectionOptions(decks=("all",))).entries:
        rendered = product_at_work.call(entry.name, no_such_argument=1)
        assert rendered.is_error, entry.name


@pytest.mark.parametrize("path", ["../secret.md", "/etc/passwd", "docs/../../x.md", "a\0b.md", "docs"])
def test_no_tool_leaves_the_workspace(product_at_work: Product, path: str) -> None:
    for name in ("context_read_doc", "vault_get_file", "vault_get_file_content", "vault_search_links"):
        assert product_at_work.call(name, path=path).is_error, name
    assert product_at_work.call("memory_index_file", file_path=path).is_error
    assert product_at_work.call("code_get_file_outline", path=path).is_error
